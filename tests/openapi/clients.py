"""Makes a client with a generator and runs the main job with it: `clients.py python|typescript`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from server import TARGET, Server

HERE = Path(__file__).resolve().parent
WORK = TARGET / "openapi-clients"


def run(*command: object, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **more)


def python(server: Server) -> None:
    """openapi-python-client; a warning of its own is a failure."""
    client = WORK / "erp_client"
    shutil.rmtree(client, ignore_errors=True)
    tool = Path(sys.executable).parent / "openapi-python-client"
    settings = HERE / "python-client.yaml"
    command = [tool, "generate", "--fail-on-warning", "--meta", "none", "--config", settings]
    run(*command, "--path", server.document, "--output-path", client)
    environment = {**server.environment(), "PYTHONPATH": str(WORK)}
    run(sys.executable, HERE / "python_client.py", env=environment)


def typescript(server: Server) -> None:
    """openapi-typescript and openapi-fetch, checked by `tsc --strict`; with exact optional members."""
    tools = HERE / "node_modules" / ".bin"
    work = WORK / "typescript"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    # Beside the packages, where tsc and node look for them.
    made = HERE / "interface.d.ts"
    run(tools / "openapi-typescript", server.document, "-o", made)
    run(tools / "tsc", "--project", HERE, "--outDir", work)
    (work / "package.json").write_text('{"type": "module"}')
    (work / "node_modules").symlink_to(HERE / "node_modules")
    run("node", work / "typescript_client.js", env=server.environment())


def main() -> None:
    WORK.mkdir(parents=True, exist_ok=True)
    # What the generators make is for this run only.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    with Server() as server:
        {"python": python, "typescript": typescript}[sys.argv[1]](server)


if __name__ == "__main__":
    main()
