# The npm package, with the modules for WebAssembly.
# shellcheck shell=bash

npm_package() {
    [ "$(node --version 2>/dev/null | sed 's/^v\([0-9]*\)\..*/\1/')" -ge 20 ] 2>/dev/null && has npm ||
        cannot "it needs node 20 or newer and npm"
    find_wasm_rust || cannot "there is no build for WebAssembly"
    erp-wasm/build.sh
}

# What native code makes of invoices, for node and Chromium to compare.
native_invoices() { "$target/debug/examples/native_zugferd" "$target/native-zugferd.json"; }

# node_tests NAME...: tests of the npm package; everything is shown of those that fail.
node_tests() {
    local files=("${@/#/tests/wasm/}")
    CARGO_TARGET_DIR=$target node --test "${files[@]/%/.test.mjs}"
}
