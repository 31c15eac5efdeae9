"""Keeps a copy of the articles in a file: ERP_URL=... ERP_USER=... ERP_PASSWORD=... python3 sync.py articles.json

The first run reads all articles, each later one only what has changed since. Run it every night or every minute.
"""

import base64
import json
import os
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

FILE = Path(sys.argv[1])


def ask(method, path, authorization):
    request = Request(os.environ["ERP_URL"] + path, method=method, headers={"Authorization": authorization})
    with urlopen(request, timeout=600) as response:
        return json.load(response)


def changes_since(stand):
    login = base64.b64encode(f"{os.environ['ERP_USER']}:{os.environ['ERP_PASSWORD']}".encode()).decode()
    token = ask("POST", "/www/token", f"Basic {login}")["access_token"]
    return ask("GET", "/www/artikel?" + urlencode({"seit": stand, "limit": 0}), f"Bearer {token}")


copy = json.loads(FILE.read_text()) if FILE.exists() else {"stand": "", "articles": {}}
try:
    changes = changes_since(copy["stand"])
except HTTPError as error:
    if error.code != 410:
        raise
    # The mark is too old, or everything has changed.
    copy["articles"] = {}
    changes = changes_since("")
copy["articles"].update({article["ArtNr"]: article for article in changes["data"]})
for number in changes["entfernt"]:
    copy["articles"].pop(number, None)
copy["stand"] = changes["stand"]
# A run that is interrupted leaves the old file, and the next one reads the same changes again.
written = FILE.with_suffix(".new")
written.write_text(json.dumps(copy))
written.replace(FILE)
print(f"{len(changes['data'])} changed, {len(changes['entfernt'])} gone, {len(copy['articles'])} in the copy")
