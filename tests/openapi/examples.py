"""Every example of the document against its schema, with an independent JSON Schema validator."""

import json

import jsonschema_rs
from server import Server


def contents(document: dict):
    """Every described body with its place: `(place, content)`."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            place = f"{method.upper()} {path}"
            for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
                yield f"{place}: body, {media_type}", content
            for status, response in operation["responses"].items():
                for media_type, content in response.get("content", {}).items():
                    yield f"{place}: {status}, {media_type}", content
            for parameter in operation.get("parameters", []):
                yield f"{place}: {parameter['name']}", parameter
    for name, response in document["components"]["responses"].items():
        for content in response["content"].values():
            yield name, content


def main() -> None:
    with Server() as server:
        document = json.loads(server.document.read_text(encoding="ascii"))
    components = {"components": document["components"]}
    tried = 0
    for place, content in contents(document):
        if "example" not in content:
            # A record that is sent or returned as JSON has an example.
            assert "application/json" not in place, f"{place} has no example"
            continue
        schema = {**components, **content["schema"]}
        validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        errors = [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(content["example"])]
        assert not errors, f"{place}: {errors}"
        tried += 1
    assert tried > 60, tried
    print(f"{tried} examples fit their schemas")


if __name__ == "__main__":
    main()
