# The npm package, with the modules for WebAssembly.
# shellcheck shell=bash

npm_tools() { npm_packages tests/wasm && npm_packages tests/openapi; }

npm_package() {
    [ "$(node --version 2>/dev/null | sed 's/^v\([0-9]*\)\..*/\1/')" -ge 20 ] 2>/dev/null && has npm ||
        cannot "it needs node 20 or newer and npm"
    find_wasm_rust || cannot "there is no build for WebAssembly"
    erp-wasm/build.sh
}

# The results of native code for invoices, which node and Chromium are compared with.
native_invoices() { "$target/debug/examples/native_zugferd" "$target/native-zugferd.json"; }

browser() { with "${CHROMIUM:-/usr/bin/chromium}" node_tests "$@"; }

# node_tests NAME...: one file after the other, so that each test is printed when it ends.
node_tests() {
    local files=("${@/#/tests/wasm/}")
    CARGO_TARGET_DIR=$target node --test --test-reporter=spec --test-concurrency=1 "${files[@]/%/.test.mjs}"
}
