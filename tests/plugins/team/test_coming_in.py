"""Coming in, over the wire: by password, token, invitation and proxy; sessions that outlive the server and end."""

import base64
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from plugins.team.credentials import LoginSessions, Tokens, end_sessions
from plugins.team.people import People
from tests.plugins.team.town import PASSWORD, Person, Place
from tests.support import documents
from tests.ui.forked import Served
from ui.state import open_state

pytestmark = pytest.mark.slow
ONE = "/api/v1/collections/made-up"
ASK = {"question": "When was the mill built?"}


@pytest.fixture
def served(place: Place) -> Served:
    return place.served


@pytest.fixture
def people(place: Place) -> Iterator[People]:
    with open_state(place.state.parent, str(place.state)) as state:
        yield People(state)


def collections(served: Served, **headers: str) -> int:
    return httpx.get(f"{served.address}{ONE}/documents", headers=headers).status_code


@pytest.mark.gate
def test_a_token_asks_and_is_held_to_its_role_and_collections(served: Served, people: People) -> None:
    tokens = Tokens(people.state)
    reads, elsewhere = tokens.add("owner", "reads"), tokens.add("owner", "elsewhere", "owner", ["other"])
    with httpx.Client(base_url=served.address, timeout=60) as client:
        client.headers["authorization"] = f"Bearer {reads}"
        assert "mill.pdf" in client.post(f"{ONE}/ask", json=ASK).text
        assert client.get("/gradio_api/user").json() == "owner"
        client.headers["authorization"] = f"bearer {elsewhere}"
        answer = client.post(f"{ONE}/ask", json=ASK)
        assert (answer.status_code, "there is no such collection" in answer.text) == (404, True)
        tokens.revoke(next(one["number"] for one in tokens.list_tokens("owner") if one["label"] == "reads"))
        client.headers["authorization"] = f"Bearer {reads}"
        assert client.post(f"{ONE}/ask", json=ASK).status_code == 401


@pytest.mark.gate
def test_a_wrong_token_or_cookie_is_nobody_even_beside_a_session(served: Served) -> None:
    with Person(served, "reader") as reader:
        assert reader.client.get(f"{ONE}/documents").status_code == 200
        assert reader.client.get(f"{ONE}/documents", headers={"authorization": "Bearer vch_x"}).status_code == 401
        (name,) = {cookie.name for cookie in reader.client.cookies.jar if "unsecure" in cookie.name}
    for made_up in ("", "x", "0" * 64 + b"admin".hex(), "é".encode().hex()):
        assert httpx.get(f"{served.address}/api/v1/collections", cookies={name: made_up}).status_code == 401


@pytest.mark.gate
def test_a_proxy_that_the_settings_name_says_who_it_is(served: Served) -> None:
    name = {"X-Forwarded-User": "Reader"}
    assert collections(served, **name) == 200
    assert collections(served, **{"X-Forwarded-User": "tenant"}) == 404
    assert collections(served, **{"X-Forwarded-User": "nobody"}) == 401
    assert collections(served, **{"X-Forwarded-User": ""}) == 401
    assert (
        httpx.get(f"{served.address}/api/v1/collections", headers=[("X-Forwarded-User", "reader")] * 2).status_code
        == 401
    )
    for other in ("203.0.113.9", "127.0.0.1"):  # what is said of those behind it is not where it comes from
        assert collections(served, **name, **{"X-Forwarded-For": other}) == 200


@pytest.mark.gate
def test_a_login_is_in_the_store_for_the_next_run_and_ends_when_it_is_revoked(served: Served, people: People) -> None:
    with Person(served, "reader") as reader:
        (token,) = {str(c.value) for c in reader.client.cookies.jar if "access-token" in c.name}
        assert LoginSessions(people.state, 1, 1).find(token) is not None
        assert reader.client.get("/api/v1/collections").status_code == 200
        assert end_sessions(people.state, "reader") >= 1
        assert reader.client.get("/api/v1/collections").status_code == 401
    with Person(served, "reader") as reader:
        assert reader.client.post("/logout").status_code == 204
        assert reader.client.get("/api/v1/collections").status_code == 401


def test_a_job_is_not_told_of_once_the_role_is_gone(place: Place, people: People, tmp_path: Path) -> None:
    people.add("leaver", PASSWORD)
    people.give("made-up", "editor", user="leaver")
    headers = {"authorization": f"Bearer {place.token('leaver', role='owner')}"}
    note = documents.pdf(tmp_path / "leaving.pdf", ["The ash is old."]).read_bytes()
    with httpx.Client(base_url=f"{place.served.address}/api/v1", headers=headers, timeout=60) as leaver:
        job = leaver.post("/collections/made-up/documents", files={"files": ("leaving.pdf", note)}).json()["id"]
        assert leaver.get(f"/jobs/{job}").status_code == 200
        people.give("made-up", None, user="leaver")
        refusals = [leaver.get(f"/jobs/{job}"), leaver.post(f"/jobs/{job}/cancel"), leaver.get(f"/jobs/{'0' * 32}")]
    assert [(said.status_code, said.json()["type"]) for said in refusals] == [
        (404, "urn:vouch:problem:no-such-job")
    ] * 3


def test_a_collection_is_owned_by_whoever_made_it_and_no_name_before(place: Place, people: People) -> None:
    people.add("starry", PASSWORD)
    people.give("*", "editor", user="starry")
    token = place.token("starry", role="owner")
    place.call(token, "index", files=[], collection="future")
    assert roles(people) == {"*": "editor"}
    note = {"name": "note.txt", "base64": base64.b64encode(b"The oak is old.").decode()}
    place.call(token, "index", files=[note], collection="future")
    assert roles(people) == {"*": "editor", "future": "owner"}
    headers = {"authorization": f"Bearer {token}"}
    assert httpx.delete(f"{place.served.address}/api/v1/collections/future", headers=headers).status_code == 204


def roles(people: People) -> dict[str, str]:
    known = people.identity("starry")
    assert known is not None
    return dict(known.roles)
