"""Single sign-on against a real provider on loopback: who proves who they are comes in, and nobody else."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import yaml

from indexing.embed.minilm import MiniLM
from plugins.team.people import People
from plugins.team.single_sign_on import SingleSignOn
from tests.plugins.team.town import settle
from tests.support.provider import CLIENT, SECRET, Provider, provider
from tests.ui.real_collection import mill
from tests.ui.served_page import serving
from ui.errors import AddressError, NotSignedOn
from ui.state import open_state

BACK = "http://127.0.0.1:9/sso/callback"


@pytest.fixture
def known() -> Iterator[Provider]:
    with provider() as held:
        yield held


def signed_on(known: Provider, **changed: str) -> tuple[str, str]:
    """Go the whole way, as a browser does; `changed` are other values than those that were begun with."""
    sign_on = SingleSignOn(known.address, CLIENT, SECRET)
    begun = sign_on.start(BACK)
    came = parse_qs(urlsplit(httpx.get(begun.address).headers["location"]).query)
    assert came["state"] == [begun.state]
    kept = {"address": "", "state": begun.state, "nonce": begun.nonce, "verifier": begun.verifier} | changed
    return sign_on.finish(BACK, came["code"][0], type(begun)(**kept))


@pytest.mark.parametrize("verified", [False, None, "true"])
def test_an_address_that_is_not_verified_says_nothing(known: Provider, verified: object) -> None:
    known.claims["email_verified"] = verified
    assert signed_on(known)[1] == ""


@pytest.mark.parametrize(
    "spoil",
    [
        lambda p: p.claims.update(nonce="of another sign-on"), lambda p: p.claims.update(aud="another program"),
        lambda p: p.claims.update(aud=[CLIENT, "another program"]),
        lambda p: p.claims.update(iss="https://other.example"),
        lambda p: p.claims.update(exp=int(time.time()) - 600), lambda p: p.claims.update(sub=""),
        lambda p: p.claims.update(sub=None), lambda p: p.forge("RS256"), lambda p: p.forge("HS256"),
        lambda p: p.said.update(issuer="https://other.example"),
        lambda p: p.said.update(jwks_uri="http://127.0.0.1:9/keys"),
        lambda p: p.said.update(token_endpoint="http://localhost:9/token"),
    ],
)  # fmt: skip
def test_what_proves_nothing_lets_nobody_in(known: Provider, spoil: Callable[[Provider], Any]) -> None:
    spoil(known)
    with pytest.raises(NotSignedOn):
        signed_on(known)


def test_a_code_without_its_verifier_is_worth_nothing(known: Provider) -> None:
    with pytest.raises(NotSignedOn, match="rejected the code"):
        signed_on(known, verifier="x" * 64)
    assert known.tokens == 0


def test_a_provider_that_is_not_there_or_not_by_tls_is_said() -> None:
    with pytest.raises(NotSignedOn, match="cannot be reached"):
        SingleSignOn("http://127.0.0.1:9", CLIENT, SECRET).start(BACK)
    with pytest.raises(AddressError, match="https"):
        SingleSignOn("http://id.example", CLIENT, SECRET)


@pytest.mark.gate
@pytest.mark.slow
def test_a_person_signs_on_in_the_page(
    known: Provider, embedder: MiniLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_SSO_SECRET", SECRET)
    profile, state = tmp_path / "profile.yaml", tmp_path / "state.sqlite"
    profile.write_text(yaml.safe_dump({"ui": {"sso_issuer": known.address, "sso_client": CLIENT}}))
    settle(state)
    mill(tmp_path, embedder)
    with open_state(tmp_path, str(state)) as store, serving(
        tmp_path, tmp_path / "home", collection="made-up", accounts=str(state), profile=str(profile)
    ) as page, httpx.Client(base_url=page.address, follow_redirects=True, timeout=60) as browser:  # fmt: skip
        people = People(store)
        assert "sso/login" in browser.get("/").text
        refused = browser.get("/sso/login")
        assert (refused.status_code, "user add ada@example.org" in refused.text) == (400, True)
        people.add("ada@example.org")
        people.give("made-up", "reader", user="ada@example.org")
        assert browser.get("/sso/login").status_code == 200
        assert browser.get("/gradio_api/user").json() == "ada@example.org"
        assert "mill.pdf" in browser.get("/api/v1/collections/made-up/documents").text
        begun = httpx.get(f"{page.address}/sso/login")
        back = httpx.get(begun.headers["location"]).headers["location"]
        assert httpx.get(back).status_code == 400  # another browser, to which somebody sends their own way back
        known.claims = {"sub": "43", "email": "ada@example.org", "email_verified": True}
        with httpx.Client(base_url=page.address, follow_redirects=True, timeout=60) as other:
            assert other.get("/sso/login").status_code == 400  # the address is bound to another person already
