"""Runs schemathesis on a server of its own, as an admin and as a shop."""

import subprocess
import sys
from pathlib import Path

from server import Server

HERE = Path(__file__).resolve().parent
TOOL = Path(sys.executable).parent / "st"


def fuzz(server: Server, user: str, more: list[str]) -> int:
    environment = {
        **server.environment(),
        "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"),
        "ERP_USER": user,
        "ERP_PASSWORD": server.passwords[user],
    }
    command = [TOOL, "--config-file", HERE / "schemathesis.toml"]
    command += ["run", f"{server.url}/openapi.json", "--checks", "all", *more]
    print(f"== schemathesis as {user}", flush=True)
    return subprocess.run(command, cwd=server.folder, env=environment).returncode


def main() -> None:
    failed = 0
    with Server() as server:
        for user in ("admin", "shop1"):
            failed |= fuzz(server, user, sys.argv[1:])
    sys.exit(failed)


if __name__ == "__main__":
    main()
