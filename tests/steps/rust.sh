# Checks of the Rust workspace: all with the features of the whole workspace, so that everything is compiled once.
# shellcheck shell=bash

# Incremental data are useless in a build that is made once.
[ "${CI:-}" != true ] || export CARGO_INCREMENTAL=0

formatting() {
    component fmt rustfmt
    cargo fmt --all --check -- --color never -l
}

lints() {
    component clippy clippy
    cargo clippy --locked --workspace --all-targets -- -D warnings
}

documentation() { RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps; }

# Tests, examples and the server that the tests start.
build_tests() { cargo test --locked --workspace --no-run && cargo build --locked --profile test -p erp-server; }

# cargo_tests ARGUMENT...: tests of the workspace, with more threads than cores, because many tests wait.
cargo_tests() { RUST_TEST_THREADS=${RUST_TEST_THREADS:-4} cargo test --locked --workspace --no-fail-fast "$@"; }

# The examples that are tests too; otherwise cargo would compile the other examples as tests, too.
tested_examples() { sed -n '/^\[\[example\]\]/,/^$/s/^name = "\(.*\)"/--example \1/p' examples/Cargo.toml; }

# shellcheck disable=SC2046 # words without blanks
unit_tests() {
    cargo_tests --lib --bins $(tested_examples) --test documents --test files --test inputs --test invoices --test project
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
