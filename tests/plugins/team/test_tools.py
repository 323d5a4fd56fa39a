"""`vouch serve --accounts --mcp`: a client of the protocol sees what its token may, and a login by cookie is none."""

from __future__ import annotations

import asyncio
import base64
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from plugins.team.credentials import Tokens
from tests.plugins.team.town import LIST_TOOLS, NAMES, TOOL_HEADERS, Person, Place
from tests.support import documents
from ui.state import open_state

pytestmark = pytest.mark.slow
ASKED = {"question": "When was the mill built by Anna Holm?", "collection": "made-up", "mode": "text"}


def names(result: Any) -> list[str]:
    return [one["name"] for one in result.structured_content["collections"]]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_reader_asks_and_adds_nothing(place: Place, mode: str, tmp_path: Path) -> None:
    token = place.tokens["reader"]
    tools = {t.name: t for t in place.worked(token, lambda client: client.list_tools(), mode).tools}
    assert set(tools) == {"ask", "search", "check", "audit", "index", "collections"}
    said = place.call(token, "ask", mode, **ASKED)
    assert "1887" in said.structured_content["sentences"][0]["text"]
    jsonschema.validate(said.structured_content, tools["ask"].output_schema)
    assert names(place.call(token, "collections", mode)) == ["made-up"]
    paper = base64.b64encode(documents.pdf(tmp_path / "barn.pdf", ["The barn is red."]).read_bytes()).decode()
    refused = place.call(token, "index", mode, files=[{"name": "barn.pdf", "base64": paper}], collection="made-up")
    assert refused.is_error
    assert "role editor" in refused.content[0].text


def test_an_editor_adds_in_its_name_and_makes_no_collection(place: Place, tmp_path: Path) -> None:
    paper = base64.b64encode(documents.pdf(tmp_path / "barn.pdf", ["The barn is red."]).read_bytes()).decode()
    token, sent = place.tokens["editor"], [{"name": "barn.pdf", "base64": paper}]
    added = place.call(token, "index", files=sent, collection="made-up")
    assert [f["state"] for f in added.structured_content["files"]] == ["done"]
    (listed,) = place.call(token, "collections", name="made-up").structured_content["collections"]
    assert {d["name"]: d["brought_by"] for d in listed["documents"]}["barn.pdf"] == "editor"
    assert place.call(token, "index", files=sent, collection="of-mine").is_error
    weak = place.token("editor", role="reader")
    assert place.call(weak, "index", files=sent, collection="made-up").is_error


@pytest.mark.parametrize(
    "tool", [pytest.param("ask", marks=pytest.mark.gate), "search", "check", "audit", "collections"]
)
def test_what_a_tenant_may_not_see_is_not_there(place: Place, tool: str) -> None:
    entries = "@book{a, title={Mills}, year={2001}}"
    arguments: dict[str, dict[str, Any]] = {
        "check": {"text": "The mill is old.", "collection": "NAME"},
        "audit": {"entries": entries, "collection": "NAME"},
        "collections": {"name": "NAME"},
    }
    sent = arguments.get(tool, ASKED | {"collection": "NAME"})

    def told(name: str) -> str:
        said = place.call(place.tokens["tenant"], tool, **{k: name if v == "NAME" else v for k, v in sent.items()})
        assert said.is_error
        return str(said.content[0].text)

    assert told("made-up").replace("made-up", "no-such") == told("no-such")
    assert "hidden" not in told("hidden").replace("'hidden'", "")
    if tool == "collections":
        assert names(place.call(place.tokens["tenant"], tool)) == []
        assert names(place.call(place.tokens["admin"], tool)) == ["hidden", "made-up"]


@pytest.mark.gate
def test_a_token_sees_no_collection_but_its_own(place: Place) -> None:
    narrow = place.token("admin", role="owner", collections=["hidden"])
    assert names(place.call(narrow, "collections")) == ["hidden"]
    assert place.call(narrow, "ask", **ASKED).is_error
    for name in ("made-up", "of-nobody"):
        assert place.call(narrow, "index", files=[], collection=name).is_error
    assert not place.call(place.token("admin", role="reader"), "ask", **ASKED).is_error


@pytest.mark.gate
def test_a_token_ends_when_it_is_revoked_and_when_its_time_is_over(place: Place) -> None:
    token = place.token("reader")
    assert place.post(authorization=f"Bearer {token}").status_code == 200
    with open_state(place.state.parent, str(place.state)) as store:
        tokens = Tokens(store)
        tokens.revoke(tokens.list_tokens("reader")[-1]["number"])
    late = place.token("reader", days=-1)
    for ended in (token, late, "vch_nobody", "x"):
        said = place.post(authorization=f"Bearer {ended}")
        assert said.status_code == 401
        assert 'error="invalid_token"' in said.headers["www-authenticate"]
    with pytest.raises(BaseExceptionGroup) as raised:
        place.call(late, "collections")
    assert [str(leaf) for leaf in _leaves(raised.value)] == ["Server returned an error response"]


def _leaves(group: BaseExceptionGroup[BaseException]) -> list[BaseException]:
    return [
        leaf for one in group.exceptions for leaf in (_leaves(one) if isinstance(one, BaseExceptionGroup) else [one])
    ]


def test_a_stranger_is_told_where_it_says_how_to_come_in(place: Place) -> None:
    said = place.post()
    assert said.status_code == 401
    challenge = said.headers["www-authenticate"]
    assert challenge.startswith('Bearer realm="Vouch"')
    assert "error=" not in challenge
    where = challenge.partition('resource_metadata="')[2].rstrip('"')
    told = httpx.get(where).json()
    assert told == {"resource": place.address, "resource_name": "Vouch", "bearer_methods_supported": ["header"]}
    for method in ("GET", "DELETE"):
        assert httpx.request(method, place.address).status_code == 401


@pytest.mark.gate
def test_a_login_by_cookie_is_none(place: Place) -> None:
    for name in set(NAMES) - {"nobody"}:
        with Person(place.served, name) as person:
            assert person.client.get("/api/v1/collections").status_code == 200, name
            for path in ("/mcp", "/gradio_api/mcp/"):
                assert person.client.post(path, json=LIST_TOOLS, headers=TOOL_HEADERS).status_code == 401, name


@pytest.mark.gate
def test_what_another_site_asks_is_refused_even_with_a_token(place: Place) -> None:
    token = f"Bearer {place.tokens['reader']}"
    assert place.post(authorization=token).status_code == 200
    assert place.post(authorization=token, host="evil.example").status_code == 403
    for origin in ("https://evil.example", "http://127.0.0.1:9", "null"):
        assert place.post(authorization=token, origin=origin).status_code == 403, origin
    for site in ("cross-site", "same-site"):
        assert place.post(authorization=token, sec_fetch_site=site).status_code == 403, site


def test_a_form_of_another_type_is_no_call(place: Place) -> None:
    headers = {"authorization": f"Bearer {place.tokens['reader']}", "content-type": "text/plain", **TOOL_HEADERS}
    assert httpx.post(place.address, content=b"{}", headers=headers).status_code in (400, 415)


@pytest.mark.gate
def test_no_session_is_given_and_none_of_anybody_is_taken(place: Place) -> None:
    reader, tenant = (f"Bearer {place.tokens[name]}" for name in ("reader", "tenant"))
    opened = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    body = LIST_TOOLS | {"method": "initialize", "params": opened}
    said = httpx.post(place.address, json=body, headers=TOOL_HEADERS | {"authorization": reader}, timeout=60)
    assert said.status_code == 200
    assert "mcp-session-id" not in said.headers
    call = LIST_TOOLS | {"method": "tools/call", "params": {"name": "collections", "arguments": {}}}
    headers = TOOL_HEADERS | {"authorization": tenant, "mcp-session-id": "0" * 32}
    assert "made-up" not in httpx.post(place.address, json=call, headers=headers, timeout=60).text
    for method in ("GET", "DELETE"):
        refused = httpx.request(method, place.address, headers={"authorization": reader})
        assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_people_who_ask_at_once_get_their_own(place: Place) -> None:
    """Each answer is for whoever asked, though all are made in one process and by one server."""

    async def listed(name: str) -> list[str]:
        headers = {"authorization": f"Bearer {place.tokens[name]}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(place.address, http_client=http)) as client,
        ):
            return [n for _ in range(3) for n in names(await client.call_tool("collections", {}))]

    async def all_at_once() -> list[list[str]]:
        return await asyncio.gather(*(listed(name) for name in ("reader", "tenant", "admin")))

    assert asyncio.run(all_at_once()) == [["made-up"] * 3, [], ["hidden", "made-up"] * 3]


@pytest.mark.gate
def test_no_token_is_in_the_log(place: Place) -> None:
    place.call(place.tokens["reader"], "collections")
    assert "vch_" not in place.served.log.read_text()
    with closing(sqlite3.connect(place.state)) as kept:
        assert "vch_" not in "\n".join(kept.iterdump())
