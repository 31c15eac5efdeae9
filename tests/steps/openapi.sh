# Independent tools use the OpenAPI document: generated clients do the main job, schemathesis tests every operation.
# shellcheck shell=bash

# openapi SCRIPT ARGUMENT...: runs a script of tests/openapi with the server of this build.
openapi() { CARGO_TARGET_DIR=$target "$target/openapi-tools/bin/python" -B "tests/openapi/$1.py" "${@:2}"; }

openapi_clients() { openapi examples && openapi lint && openapi clients python typescript; }

# Those of openapi-generator, which needs Java.
other_openapi_clients() {
    install_packages default-jdk-headless php-cli php-curl php-mbstring php-guzzlehttp-guzzle ||
        cannot "Java, PHP and Guzzle cannot be installed"
    python_tools openapi && npm_packages tests/openapi && build_tests && openapi clients java axios csharp php
}
