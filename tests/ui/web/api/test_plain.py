"""The plain API over real HTTP, as curl speaks it: answers in JSON, and refusals that say what to send instead."""

from __future__ import annotations

import shlex
from typing import Any

import httpx
import pytest

from tests.ui.forked import Served

pytestmark = pytest.mark.slow
ASKED = {"question": "When was the mill built by Anna Holm?", "collection": "made-up", "mode": "text"}


def curl(address: str, line: str) -> httpx.Response:
    """Send the request that a line for curl stands for: the address, -H and -d."""
    words = shlex.split(line)[1:]
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options.keys() <= {"-H", "-d"}
    headers = dict([options["-H"].split(": ")]) if "-H" in options else {}
    assert words[0].startswith(address)
    if "-d" not in options:
        return httpx.get(words[0], headers=headers)
    return httpx.post(words[0], content=options["-d"], headers=headers, timeout=60)


def test_the_start_tells_each_path_with_an_example_that_works(served: Served) -> None:
    for path in ("/api", "/api/"):
        said = httpx.get(served.address + path)
        assert said.status_code == 200
        assert said.json()["ask"]["method"] == "POST"
        assert said.json()["ask"]["takes"]["question"] == "required"
    for name in ("ask", "search", "check", "audit", "collections"):
        example = said.json()[name]["example"].replace('"samples"', '"made-up"')
        answer = curl(served.address, example)
        assert answer.status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "why"),
    [
        ("GET", "/api/ask", {}, 400, "/api/ask takes POST, not GET"),
        ("POST", "/api/collections", {"json": {}}, 400, "/api/collections takes GET, not POST"),
        ("GET", "/api/aks", {}, 404, "did you mean /api/ask?"),
        ("POST", "/api/ask/now", {"json": {}}, 404, "there is no such path"),
        ("POST", "/api/ask", {"data": {"question": "x"}}, 400, "-H 'content-type: application/json'"),
        ("POST", "/api/ask", {"content": "{", "headers": {"content-type": "application/json"}}, 400, "not JSON"),
        ("POST", "/api/ask", {"json": ["x"]}, 400, "not a JSON object"),
        ("POST", "/api/ask", {"json": {}}, 400, "question: is missing"),
        ("POST", "/api/ask", {"json": ASKED | {"colection": "x"}}, 400, "did you mean collection?"),
        ("POST", "/api/ask", {"json": ASKED | {"collection": "nowhere"}}, 400, "no collection named 'nowhere'"),
        ("POST", "/api/audit", {"json": {}}, 400, "give a file, or entries"),
        ("POST", "/api/audit", {"json": {"file": {"name": "a", "base64": "/etc/passwd!"}}}, 400, "not base64"),
        ("POST", "/api/audit", {"json": {"file": "/etc/passwd"}}, 400, "file: "),
        ("GET", "/gradio_api/call/ask", {}, 403, "does not serve that"),
        ("POST", "/ask", {"json": ASKED}, 403, "does not serve that"),
        ("GET", "/docs", {}, 403, "does not serve that"),
    ],
)
def test_a_refusal_says_why_and_what_to_do_next(
    served: Served, method: str, path: str, sent: dict[str, Any], status: int, why: str
) -> None:
    said = httpx.request(method, served.address + path, timeout=60, **sent)
    assert said.status_code == status
    assert said.headers["content-type"] == "application/json"
    told = said.json()
    assert why in told["error"]
    assert told["next"].startswith("curl http") or "GET /api lists" in told["next"]
    assert told["docs"]


@pytest.mark.gate
def test_who_has_to_log_in_is_told_how(with_accounts: Served) -> None:
    with httpx.Client(base_url=with_accounts.address, timeout=60) as client:
        said = client.post("/api/ask", json=ASKED)
        assert said.status_code == 401
        assert f"{with_accounts.address}/login" in said.json()["next"]
        client.post("/login", data={"username": "ada", "password": "correct horse"})
        assert client.post("/api/ask", json=ASKED).status_code == 200


def test_another_site_cannot_ask_in_a_browser(served: Served) -> None:
    """A browser asks first, before it sends JSON for another site; the answer allows nothing."""
    asks = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    asks["access-control-request-headers"] = "content-type"
    said = httpx.options(f"{served.address}/api/ask", headers=asks)
    assert said.headers.get("access-control-allow-origin") not in ("*", asks["origin"])
