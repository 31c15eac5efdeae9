"""How schemathesis logs in: one token for everything, and a new one for the request that revokes it."""

import base64
import json
import os
import urllib.request

import schemathesis

URL = os.environ["ERP_URL"]
USER = os.environ["ERP_USER"]
PASSWORD = os.environ["ERP_PASSWORD"]
BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()


def token() -> str:
    request = urllib.request.Request(
        f"{URL}/www/token", method="POST", headers={"Authorization": BASIC}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["access_token"]


class Login:
    """Sends the token from `get` as `Authorization`."""

    def set(self, case, data, context):
        case.headers["Authorization"] = data


@schemathesis.auth().apply_to(path="/www/token")
class Credentials(Login):
    def get(self, case, context):
        return BASIC


@schemathesis.auth(refresh_interval=None).apply_to(path="/www/token/revoke")
class FreshToken(Login):
    def get(self, case, context):
        return f"Bearer {token()}"


@schemathesis.auth(refresh_interval=600).skip_for(path=["/www/token", "/www/token/revoke"])
class KeptToken(Login):
    def get(self, case, context):
        return f"Bearer {token()}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Protects the user of this run: lists of users contain its name, and the next request may remove it."""
    name = (case.path_parameters or {}).get("name")
    if isinstance(name, str) and name.strip().lower() == USER.lower():
        case.path_parameters["name"] = "nobody"


@schemathesis.hook
def filter_query(context, query):
    """An empty value equals an absent parameter, which the type of a number cannot say."""
    return all((query or {}).get(name) != "" for name in ("limit", "offset", "order"))


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """Rows are sent as they are."""
    return value if isinstance(value, bytes) else str(value).encode()
