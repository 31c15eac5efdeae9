"""A receiver of events: SECRET=whsec_... python3 receiver.py PORT"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))
# An event has at most 1,000 numbers; larger requests do not come from the server.
MOST_BYTES = 262_144
# Whoever recorded a request could send it again later.
MOST_SECONDS = 300
# A real receiver keeps these ids in its database, together with its own changes.
handled: set[str] = set()


def is_signed(headers, body: bytes) -> bool:
    event, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > MOST_SECONDS:
        return False
    digest = hmac.digest(KEY, f"{event}.{sent}.".encode() + body, hashlib.sha256)
    wanted = b"v1," + base64.b64encode(digest)
    signatures = headers.get("webhook-signature", "").encode().split()
    return any(hmac.compare_digest(wanted, signature) for signature in signatures)


def receive(headers, body: bytes) -> int:
    if not is_signed(headers, body):
        return 401
    if headers["webhook-id"] in handled:
        return 204
    event = json.loads(body)
    data = event["data"]
    print(event["type"], data.get("method"), data.get("AuftNr", data.get("DebiNr", "")), flush=True)
    handled.add(headers["webhook-id"])
    return 204


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        status = 413 if length > MOST_BYTES else receive(self.headers, self.rfile.read(length))
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_) -> None:
        """The events are the log."""


server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print(f"listening on port {server.server_port}", flush=True)
server.serve_forever()
