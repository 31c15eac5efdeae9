#!/usr/bin/env bash
# Builds the npm package into erp-wasm/dist and packs it; the demo page gets a copy.
#
# Needs stable Rust, node and npm; no unstable option is used. The target for WebAssembly comes from rustup, or where rustup
# cannot fetch it with Debian's own Rust, whose standard library is then built. TypeScript and wasm-opt (binaryen) are installed
# into erp-wasm/npm/node_modules.
# With WASM_SMALL=true visitors download a sixth less. It needs the sources of the standard library (rust-src) and unstable
# options of the same stable compiler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/steps/install.sh
. tests/steps/wasm.sh

readonly source=erp-wasm/npm dist=erp-wasm/dist page=examples/shop/erp-wasm
readonly tools=$source/node_modules/.bin
# The features that rustc uses for this target today.
readonly features=(--enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int
    --enable-mutable-globals --enable-reference-types --enable-multivalue)

fail() {
    echo "erp-wasm/build.sh: $1" >&2
    exit 1
}

# Functions of an operating system, which a browser does not have.
no_env_imports() {
    node -e '
        const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
        const found = WebAssembly.Module.imports(module).filter((one) => one.module === "env");
        if (found.length > 0) throw new Error(`imports from env: ${JSON.stringify(found)}`);
    ' "$1"
}

# part NAME FEATURES: one build of the module, as $dist/wasm/NAME.
part() {
    local name=$1 folder=$dist/wasm/$1
    wasm_module -p erp-wasm --no-default-features --features "$2"
    mkdir -p "$folder"
    "$bindgen" "$wasm_small/$wasm/wasm/erp_wasm.wasm" "$folder"
    no_env_imports "$folder/erp_wasm_bg.wasm"
    # -Oz produces fewer bytes, but more after compression, and browsers load compressed ones.
    # Debian 12's own wasm-opt (108) mixes up the two tables of the module.
    "$tools/wasm-opt" "${features[@]}" -O1 --dae-optimizing "$folder/erp_wasm_bg.wasm" -o "$folder/optimised.wasm"
    mv "$folder/optimised.wasm" "$folder/erp_wasm_bg.wasm"
}

# The part without Rust, and the types.
face() {
    rm -rf "$source/src/wasm"
    cp -r "$dist/wasm" "$source/src/wasm"
    "$tools/tsc" -p "$source"
    rm "$dist"/wasm/*/*.d.ts # nobody but the face sees them
}

# The licences of the crates inside the modules, which the package must contain.
third_party() {
    local folder
    folder=$(mktemp -d)
    cargo metadata --locked --format-version 1 >"$folder/metadata"
    cargo tree --locked -p erp-wasm --no-default-features --features shop,zugferd,check --target "$wasm" \
        -e normal,no-proc-macro --prefix none --format '{p}' >"$folder/linked"
    node erp-wasm/third_party.mjs "$folder/metadata" "$folder/linked" >"$dist/THIRD-PARTY.txt"
    rm -r "$folder"
}

# The files around the code; the manifest without entries that only a build needs.
rest() {
    cp erp-core/data/towns_ch_li.txt CHANGELOG.md LICENSE-APACHE LICENSE-MIT NOTICE erp-wasm/README.md "$dist"
    mkdir "$dist/examples"
    cp -r examples/react examples/vue "$dist/examples"
    cp -r erp-wasm/schema "$dist"
    node -e '
        const manifest = JSON.parse(require("fs").readFileSync(process.argv[1], "utf8"));
        delete manifest.scripts;
        delete manifest.devDependencies;
        require("fs").writeFileSync(process.argv[2], JSON.stringify(manifest, null, 2) + "\n");
    ' "$source/package.json" "$dist/package.json"
}

# The copy for the shop page, whose client is among its own files. It gets its name when it is whole: a demo server that runs
# reads it then.
page() {
    rm -rf "$page.new"
    mkdir -p "$page.new"
    (cd "$dist" && cp -r ./*.js ./towns_ch_li.txt wasm "$OLDPWD/$page.new")
    rm "$page.new"/client*.js
    rm -rf "$page"
    mv "$page.new" "$page"
}

npm_tools() {
    local tool
    for tool in node npm; do
        has "$tool" || fail "$tool is missing"
    done
    (cd "$source" && quietly npm ci --no-audit --no-fund) || fail "npm cannot install the build's tools"
}

package() {
    has cargo || fail "cargo is missing"
    find_wasm_rust || fail "the target $wasm can be had neither from rustup nor from Debian"
    find_rust_sources || fail "the sources of Rust's standard library cannot be had from rustup (rust-src)"
    bindgen=$(wasm_bindgen) || fail "erp-wasm/bindgen cannot be built"
    npm_tools
    rm -rf "$dist"
    part address address
    part shop shop
    part zugferd zugferd
    part check check
    face
    rest
    third_party
    page
    (cd "$dist" && npm pack --silent --pack-destination ..)
    mv "erp-wasm/erp-wasm-$(node -p 'require("./erp-wasm/dist/package.json").version').tgz" "$target/erp-wasm.tgz"
    echo "built $dist and $target/erp-wasm.tgz with Rust of $wasm_rust"
}

[ $# -eq 0 ] || fail "it takes no arguments"
package
