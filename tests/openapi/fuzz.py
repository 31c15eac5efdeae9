"""Runs schemathesis as an admin and as a shop, each on a server of its own; arguments are passed on to it.

A shop is tried with its own operations: who may call the others is a test of the interface over HTTP.
"""

import json
import secrets
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server import Server

HERE = Path(__file__).resolve().parent
TOOL = Path(sys.executable).parent / "st"


def prepare(server: Server) -> None:
    """Creates the records that the examples of the document name, with these examples."""
    document = json.loads(server.document.read_text(encoding="ascii"))
    token = server.token("admin")
    for path in ("/www/kunden", "/www/auftrag", "/www/offerte", "/www/offerte", "/admin/users"):
        content = document["paths"][path]["post"]["requestBody"]["content"]
        body = json.dumps(content["application/json"]["example"]).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{server.url}{path}", data=body, headers=headers)
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 201, path


def own_user(server: Server, like: str) -> tuple[str, str]:
    """Adds a user with the role of another; no generated request finds its name and changes its password."""
    name, password = f"fuzz-{secrets.token_hex(8)}", secrets.token_hex(16)
    body = {"name": name, "password": password, "role": "shop", "restwebshop": "SHOP1"}
    if like == "admin":
        body = {"name": name, "password": password, "role": "admin"}
    headers = {
        "Authorization": f"Bearer {server.token('admin')}",
        "Content-Type": "application/json",
    }
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{server.url}/admin/users", data=data, headers=headers)
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 201
    return name, password


def fuzz(user: str, more: list[str]) -> subprocess.CompletedProcess:
    """All phases and checks as one user."""
    with Server() as server:
        prepare(server)
        name, password = own_user(server, user)
        environment = {
            **server.environment(),
            "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
            "ERP_USER": name,
            "ERP_PASSWORD": password,
        }
        command = [TOOL, "--config-file", HERE / "schemathesis.toml"]
        command += ["run", f"{server.url}/openapi.json", *more]
        if user != "admin":
            command += ["--include-path-regex", "^/www/"]
        return subprocess.run(
            command,
            cwd=server.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def main() -> None:
    failed = 0
    with ThreadPoolExecutor() as pool:
        users = {user: pool.submit(fuzz, user, sys.argv[1:]) for user in ("admin", "shop1")}
        for user, run in users.items():
            done = run.result()
            print(f"== schemathesis as {user}\n{done.stdout}", flush=True)
            failed |= done.returncode
    sys.exit(failed)


if __name__ == "__main__":
    main()
