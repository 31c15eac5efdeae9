# The OpenAPI document by tools of others: generated clients do the main job, schemathesis tries everything.
# shellcheck shell=bash

openapi_python() { python_tools openapi; }

openapi_npm() { npm_packages tests/openapi || cannot "the packages of tests/openapi cannot be installed"; }

# openapi SCRIPT ARGUMENT...: one of tests/openapi on the server of this build.
openapi() { CARGO_TARGET_DIR=$target "$target/openapi-tools/bin/python" -B "tests/openapi/$1.py" "${@:2}"; }
