"""The demo server for the tests of the OpenAPI document: real data, random passwords, no rate limits."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
FIXTURES = ROOT / "tests" / "fixtures" / "zugferd"


class Server:
    """Runs `erp-server demo` in a temporary folder while the block runs."""

    def __enter__(self) -> "Server":
        self.folder = Path(tempfile.mkdtemp(prefix="erp-openapi-"))
        credentials = self.folder / "credentials.json"
        self.process = subprocess.Popen(
            [
                TARGET / "debug" / "erp-server",
                *("demo", "--listen", "127.0.0.1:0", "--rate-limits", "false"),
                *("--data-dir", self.folder / "data", "--credentials", credentials),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.folder,
        )
        self.url = self._address()
        self.passwords = {
            user["name"]: user["password"] for user in json.loads(credentials.read_text())
        }
        self.document = self.folder / "openapi.json"
        with urllib.request.urlopen(f"{self.url}/openapi.json") as answer:
            self.document.write_bytes(answer.read())
        return self

    def _address(self) -> str:
        seen = []
        for line in self.process.stdout:
            seen.append(line)
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                return found[1]
        raise RuntimeError("the server did not start: " + "".join(seen))

    def token(self, user: str) -> str:
        """A bearer token."""
        basic = base64.b64encode(f"{user}:{self.passwords[user]}".encode()).decode()
        request = urllib.request.Request(
            f"{self.url}/www/token", method="POST", headers={"Authorization": f"Basic {basic}"}
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["access_token"]

    def environment(self) -> dict[str, str]:
        """The environment variables of a client."""
        return {
            **os.environ,
            "ERP_URL": self.url,
            "ERP_SHOP_PASSWORD": self.passwords["shop1"],
            "ERP_ADMIN_PASSWORD": self.passwords["admin"],
            "ERP_FIXTURES": str(FIXTURES),
        }

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.stdout.close()
        status = self.process.wait(timeout=30)
        shutil.rmtree(self.folder)
        assert status == 0, f"the server ended with {status}"
