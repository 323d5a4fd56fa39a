"""`vouch serve --mcp`: a language model finds the six tools, reads what they take, and gets cited answers."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from indexing.embed.minilm import MiniLM
from tests.ui.real_collection import mill
from tests.ui.served_page import serving

pytestmark = pytest.mark.slow
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}


def call(client: httpx.Client, method: str, **params: Any) -> dict[str, Any]:
    """The result of one request."""
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    said = client.post("/mcp", json=body, headers=HEADERS, timeout=60)
    assert said.status_code == 200, said.text
    return result_of(said)


def result_of(said: httpx.Response) -> dict[str, Any]:
    """The result that a response holds, as JSON or as the one event of a stream."""
    text = said.text
    if said.headers["content-type"].startswith("text/event-stream"):
        text = next(line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: "))
    result: dict[str, Any] = json.loads(text)["result"]
    return result


def test_a_language_model_can_ask_and_search(tmp_path: Path, embedder: MiniLM) -> None:
    mill(tmp_path, embedder)
    with (
        serving(tmp_path, tmp_path / "home", collection="made-up", mcp=True) as page,
        httpx.Client(base_url=page.address) as client,
    ):
        opened = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        assert "tools" in call(client, "initialize", **opened)["capabilities"]
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        before = client.post("/gradio_api/mcp/", json=body, headers=HEADERS)
        assert result_of(before)["tools"] == call(client, "tools/list")["tools"], "where Gradio served them"
        assert client.get("/.well-known/oauth-protected-resource/mcp").status_code == 404, "no token is needed"
        tools = {tool["name"]: tool for tool in call(client, "tools/list")["tools"]}
        assert set(tools) == {"ask", "search", "check", "audit", "index", "collections"}
        assert "verdict" in tools["ask"]["description"]
        asked = {"question": "When was the mill built by Anna Holm?", "collection": "made-up", "mode": "text"}
        said = call(client, "tools/call", name="ask", arguments=asked)
        assert not said.get("isError")
        assert "1887" in said["structuredContent"]["sentences"][0]["text"]
        assert json.loads(said["content"][0]["text"]) == said["structuredContent"]
        listed = call(client, "tools/call", name="collections", arguments={})
        assert [c["name"] for c in listed["structuredContent"]["collections"]] == ["made-up"]
        found = call(client, "tools/call", name="search", arguments=asked)
        nothing = call(client, "tools/call", name="index", arguments={"files": []})
        text = {"text": "The mill was built in 1887 by Anna Holm.", "collection": "made-up"}
        checked = call(client, "tools/call", name="check", arguments=text)
        entry = "@book{a, author={A. Holm}, title={The mills of the north and their wheels}, year={2009}}"
        file = {"name": "cited.bib", "base64": base64.b64encode(entry.encode()).decode()}
        audited = call(client, "tools/call", name="audit", arguments={"file": file})
        assert checked["structuredContent"]["counts"] == {"supported": 1}
        assert audited["structuredContent"]["counts"] == {"unknown": 1}
        answers = {"ask": said, "collections": listed, "search": found, "index": nothing}
        answers |= {"check": checked, "audit": audited}
        for name, answer in answers.items():
            jsonschema.validate(answer["structuredContent"], tools[name]["outputSchema"])
        assert found["structuredContent"]["evidence"]
        refused = call(client, "tools/call", name="ask", arguments=asked | {"collection": "nowhere"})
        assert refused.get("isError")
        assert "nowhere" in json.dumps(refused)


def test_without_the_option_there_is_no_such_door(tmp_path: Path, embedder: MiniLM) -> None:
    mill(tmp_path, embedder)
    with serving(tmp_path, tmp_path / "home", collection="made-up") as page:
        for path in ("/mcp", "/gradio_api/mcp/"):
            assert httpx.post(page.address + path, json={}).status_code == 403
