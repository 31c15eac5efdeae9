# Checks of the Rust workspace: all with the features of the whole workspace, so that everything is compiled once.
# shellcheck shell=bash

# Incremental data are useless in a build that is made once.
[ "${CI:-}" != true ] || export CARGO_INCREMENTAL=0

formatting() {
    component fmt rustfmt
    cargo fmt --all --check -- --color never -l
}

# From here on clippy is the compiler of this workspace's crates, so that they are compiled once for tests and lints.
# What is handed out and what is only checked is compiled without it.
compile_with_lints() {
    clippy-driver --version >/dev/null 2>&1 || { has rustup && quietly rustup component add clippy; }
    ! clippy-driver --version >/dev/null 2>&1 || export RUSTC_WORKSPACE_WRAPPER=clippy-driver
}

# Cargo shows again what was found when something was compiled.
lints() {
    [ -n "${RUSTC_WORKSPACE_WRAPPER:-}" ] || cannot "clippy is missing and rustup cannot fetch it"
    build_tests 2>&1 | awk '{ print } /^(warning|error)/ { found = 1 } END { exit found }'
}

# documentation [PACKAGE]...: without names, of what programs embed, which needs a part of the crates that the tests need.
documentation() {
    if [ $# -eq 0 ]; then
        # As it is shown to strangers: the stores switch `internal` on.
        documentation erp-core
        set -- "erp-invoice-*" erp-net "erp-pdf*" "erp-store-*" erp-xml erp-zugferd
    fi
    RUSTC_WORKSPACE_WRAPPER="" RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps "${@/#/-p}"
}

# Tests, examples and the server that the tests start.
build_tests() { cargo test --locked --workspace --no-run && cargo build --locked --profile test -p erp-server; }

# cargo_tests ARGUMENT...: tests of the workspace, with more threads than cores, because many tests wait.
cargo_tests() { RUST_TEST_THREADS=${RUST_TEST_THREADS:-4} cargo test --locked --workspace --no-fail-fast "$@"; }

# The examples that are tests too; otherwise cargo would compile the other examples as tests, too.
tested_examples() { sed -n '/^\[\[example\]\]/,/^$/s/^name = "\(.*\)"/--example \1/p' examples/Cargo.toml; }

# shellcheck disable=SC2046 # words without blanks
unit_tests() {
    cargo_tests --lib --bins $(tested_examples) --test alone --test documents --test files --test inputs --test invoices --test pages --test project
}

# qr_bills NUMBER: the QR codes of so many invoices, beside those of the package qrbill.
qr_bills() {
    export MADE_INVOICES=$1 MADE_INVOICES_FOLDER=$target/made-invoices
    python_tools bills && cargo_tests --test invoices -- --nocapture made:: &&
        "$target/bills-tools/bin/python" -B tests/invoices/bills.py "$MADE_INVOICES_FOLDER"
}

code_examples() { cargo test --locked --workspace --doc; }

# What asks the store for nothing is the same on both.
http_on_postgresql() {
    local module skipped=()
    for module in address_check back_ends cors errors hostile_bodies invoice_check log openapi page programs request_log zugferd; do
        skipped+=(--skip "$module::")
    done
    RUST_TEST_THREADS=${RUST_TEST_THREADS:-4} "$target/debug/on_postgres" \
        cargo test --locked --workspace --no-fail-fast --test http -- "${skipped[@]}"
}
