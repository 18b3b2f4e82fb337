"""Use case: announce a call as a shipping agent, and wait for the decision."""

import json
import urllib.request

BASE = "http://localhost:7090"


def announce(token: str, imo: int, draught_cm: int, wanted: str) -> str:
    body = json.dumps({"imo": imo, "draught": draught_cm, "wanted": wanted}).encode()
    request = urllib.request.Request(
        f"{BASE}/v1/calls",
        data=body,
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["id"]
