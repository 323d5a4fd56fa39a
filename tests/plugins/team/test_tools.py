"""`vouch serve --accounts --mcp`: a client of the protocol sees what its token may, and a login by cookie is none."""

import sqlite3
from contextlib import closing
from typing import Any

import httpx
import pytest

from tests.plugins.team.town import LIST_TOOLS, NAMES, TOOL_HEADERS, Person, Place

pytestmark = pytest.mark.slow
ASKED = {"question": "When was the mill built by Anna Holm?", "collection": "made-up", "mode": "text"}


def names(result: Any) -> list[str]:
    return [one["name"] for one in result.structured_content["collections"]]


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


@pytest.mark.gate
def test_no_token_is_in_the_log(place: Place) -> None:
    place.call(place.tokens["reader"], "collections")
    assert "vch_" not in place.served.log.read_text()
    with closing(sqlite3.connect(place.state)) as kept:
        assert "vch_" not in "\n".join(kept.iterdump())
