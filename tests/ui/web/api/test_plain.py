"""The plain API over real HTTP, as curl speaks it: answers in JSON, and refusals that say what to send instead."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from tests.ui.forked import Served
from tests.ui.served_page import accounts_in, serving
from ui.web.api.schemas import ANSWERS

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


def test_a_question_is_answered(served: Served) -> None:
    said = httpx.post(f"{served.address}/api/ask", json=ASKED, timeout=60)
    assert said.status_code == 200
    assert "1887" in said.json()["sentences"][0]["text"]
    jsonschema.validate(said.json(), ANSWERS["ask"])
    found = httpx.post(f"{served.address}/api/search", json=ASKED | {"top_k": 1}, timeout=60).json()
    assert [e["document"] for e in found["evidence"]] == ["mill.pdf"]
    listed = httpx.get(f"{served.address}/api/collections?name=made-up").json()
    assert [c["name"] for c in listed["collections"]] == ["made-up"]
    jsonschema.validate(listed, ANSWERS["collections"])


def test_a_filter_chooses_the_documents(served: Served) -> None:
    for name, sent in (("ask", ASKED), ("search", ASKED), ("check", {"text": "Rye.", "collection": "made-up"})):
        said = httpx.post(f"{served.address}/api/{name}", json=sent | {"where": "kind=pdf"}, timeout=60)
        assert said.status_code == 200
        none = httpx.post(f"{served.address}/api/{name}", json=sent | {"where": "kind=docx"}, timeout=60)
        assert none.status_code == 400
        assert "fits the filter 'kind=docx' (kind is pdf)" in none.json()["error"]
        odd = httpx.post(f"{served.address}/api/{name}", json=sent | {"where": ["kind"]}, timeout=60)
        assert odd.status_code == 400
        assert "where" in odd.json()["error"]


def test_a_text_is_checked_and_entries_are_audited(served: Served) -> None:
    sent = {"text": "The mill was built in 1887 by Anna Holm.", "collection": "made-up"}
    checked = httpx.post(f"{served.address}/api/check", json=sent, timeout=60).json()
    assert [sentence["verdict"] for sentence in checked["sentences"]] == ["supported"]
    jsonschema.validate(checked, ANSWERS["check"])
    entry = "@book{a, author={A. Holm}, title={The mills of the north and their wheels}, year={2009}}"
    audited = httpx.post(f"{served.address}/api/audit", json={"entries": entry}, timeout=60).json()
    assert [one["status"] for one in audited["references"]] == ["unknown"]
    jsonschema.validate(audited, ANSWERS["audit"])


def test_the_start_tells_each_path_with_an_example_that_works(served: Served) -> None:
    for path in ("/api", "/api/"):
        said = httpx.get(served.address + path)
        assert said.status_code == 200
        assert said.json()["ask"]["method"] == "POST"
        assert said.json()["ask"]["takes"]["question"] == "required"
    for name in ("ask", "search", "check", "audit", "collections"):
        example = said.json()[name]["example"].replace('"samples"', '"made-up"')
        assert curl(served.address, example).status_code == 200


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
        ("POST", "/api/ask", {"json": ASKED | {"mode": "txt"}}, 400, "mode: Input should be 'auto', 'text'"),
        ("POST", "/api/ask", {"json": ASKED | {"collection": "nowhere"}}, 400, "no collection named 'nowhere'"),
        ("POST", "/api/ask", {"json": ASKED | {"method": "vanilla"}}, 400, "rag.model"),
        ("POST", "/api/check", {"json": {"text": "x", "collection": "nowhere"}}, 400, "no collection named 'nowhere'"),
        (
            "POST",
            "/api/check",
            {"json": {"text": "---", "collection": "made-up"}},
            400,
            "nothing to check",
        ),
        ("POST", "/api/check", {"json": {"text": "x" * 400_001}}, 400, "longer than 400,000 characters"),
        ("POST", "/api/audit", {"json": {}}, 400, "give a file, or entries"),
        ("POST", "/api/audit", {"json": {"file": {"name": "a", "base64": "/etc/passwd!"}}}, 400, "not base64"),
        ("POST", "/api/audit", {"json": {"file": "/etc/passwd"}}, 400, "file: "),
        ("GET", "/api/collections?name=nowhere", {}, 400, "no collection named 'nowhere'"),
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


def test_who_has_to_log_in_is_told_how(home: Path, tmp_path: Path) -> None:
    with serving(tmp_path, home, accounts=accounts_in(tmp_path)) as page, httpx.Client() as client:
        said = client.post(f"{page.address}/api/ask", json=ASKED)
        assert said.status_code == 401
        assert f"{page.address}/login" in said.json()["next"]
        client.post(f"{page.address}/login", data={"username": "ada", "password": "correct horse"})
        assert client.post(f"{page.address}/api/ask", json=ASKED, timeout=60).status_code == 200


def test_another_site_cannot_ask_in_a_browser(served: Served) -> None:
    """A browser asks first, before it sends JSON for another site; the answer allows nothing."""
    asks = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    asks["access-control-request-headers"] = "content-type"
    said = httpx.options(f"{served.address}/api/ask", headers=asks)
    assert said.headers.get("access-control-allow-origin") not in ("*", asks["origin"])
