# DuckDB reads exports of both stores as tables.
# shellcheck shell=bash

questions() {
    local ask=("$target/sql-tools/bin/python" -B tests/sql/questions.py)
    CARGO_TARGET_DIR=$target "${ask[@]}" && CARGO_TARGET_DIR=$target "$target/debug/on_postgres" "${ask[@]}"
}
