# Independent tools use the OpenAPI document: generated clients do the main job, schemathesis tests every operation.
# shellcheck shell=bash

openapi_python() { python_tools openapi; }

openapi_npm() { npm_packages tests/openapi || cannot "the packages of tests/openapi cannot be installed"; }

# openapi SCRIPT ARGUMENT...: runs a script of tests/openapi with the server of this build.
openapi() { CARGO_TARGET_DIR=$target "$target/openapi-tools/bin/python" -B "tests/openapi/$1.py" "${@:2}"; }
