# The npm package, with the modules for WebAssembly.
# shellcheck shell=bash

npm_package() {
    [ "$(node --version 2>/dev/null | sed 's/^v\([0-9]*\)\..*/\1/')" -ge 20 ] 2>/dev/null && has npm ||
        cannot "it needs node 20 or newer and npm"
    find_wasm_rust || cannot "there is no build for WebAssembly"
    erp-wasm/build.sh
}

# The results of native code for invoices, which node and Chromium are compared with.
native_invoices() { "$target/debug/examples/native_zugferd" "$target/native-zugferd.json"; }

# node_tests NAME...: tests of the npm package; the whole output is shown only for those that fail. A browser that hangs
# ends them after 20 minutes.
node_tests() {
    local files=("${@/#/tests/wasm/}")
    CARGO_TARGET_DIR=$target timeout 1200 node --test "${files[@]/%/.test.mjs}"
}
