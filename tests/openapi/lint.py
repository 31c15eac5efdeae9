"""Checks the document with the recommended rules of redocly; a warning is a failure."""

import json
import os
import subprocess
from pathlib import Path

from server import Server

HERE = Path(__file__).resolve().parent


def main() -> None:
    with Server() as server:
        tool = HERE / "node_modules" / ".bin" / "redocly"
        command = [tool, "lint", server.document, "--extends", "recommended", "--format", "json"]
        environment = {**os.environ, "REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
        done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, cwd=server.folder)
    found = json.loads(done.stdout)
    for problem in found["problems"]:
        print(f"{problem['ruleId']}: {problem['message']} at {problem['location'][0].get('pointer')}")
    assert done.returncode == 0 and not found["problems"], found["totals"]
    print("redocly has nothing to say")


if __name__ == "__main__":
    main()
