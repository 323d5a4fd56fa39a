"""What is served beside the page: pages by name, never a file; exports to their owner; nothing to the locked out."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from indexing.embed.minilm import MiniLM
from rag import Profile
from rag.events import Answered
from tests.support.cookie_access import CookieAccess
from tests.ui.asgi import request
from tests.ui.real_collection import mill, proven
from ui.state import open_state
from ui.web.ask.asking import Asking
from ui.web.ask.turns import AskRequest, Turn
from ui.web.open_collections import OpenCollections
from ui.web.routes import Routes
from ui.web.server.route_filter import Receive, Scope, Send
from ui.web.server.visitors import COOKIE, Visitors
from ui.web.signatures import Signatures

ME, OTHER = "m" * 32, "y" * 32
SIGNATURES = Signatures(b"k" * 32)


def signed(name: str) -> str:
    """The cookie of a browser to which the server gave that name."""
    return f"{COOKIE}={name}.{SIGNATURES.of(COOKIE, name)}"


async def behind(_scope: Scope, _receive: Receive, send: Send) -> None:
    """The page behind the routes."""
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": b"the page"})


class Served:
    """A collection of one document, an answer that I was given, and the routes over them."""

    def __init__(self, home: Any, embedder: MiniLM) -> None:
        collection, (self.document,), citations = mill(home, embedder)
        self.open_collections = OpenCollections(Profile(), home / "home")
        self.asking = Asking(self.open_collections, open_state(home))
        self.turn = Turn(AskRequest.of("made-up", "When was the mill built?"))
        self.turn.run(iter([Answered(proven(citations))]))
        self.asking.history.add(ME, self.turn)
        self.name = collection.name

    def get(
        self, path: str, *, query: str = "", cookie: str = "", method: str = "GET"
    ) -> tuple[int, dict[str, str], bytes]:
        app, headers = (
            Visitors(Routes(behind, self.asking), SIGNATURES, self.open_collections.access),
            [(b"cookie", cookie.encode())],
        )
        scope = {"method": method, "query_string": query.encode(), "headers": headers}
        reply = request(app, path, **scope)
        return reply.status, reply.headers, reply.body

    def page(self, **changed: Any) -> str:
        parts = {"collection": self.name, "doc": self.document.id, "page": 1} | changed
        return f"/vouch/page/{parts['collection']}/{parts['doc']}/{parts['page']}.webp"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("routes"), embedder)
    yield made
    made.open_collections.close()


def test_a_page_of_a_removed_document_is_not_shown_any_more(
    tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM
) -> None:
    made = Served(tmp_path_factory.mktemp("removed"), embedder)
    assert made.get(made.page())[0] == 200
    with made.open_collections.open_collection(made.name) as (collection, _):
        collection.remove(made.document.id)
    assert made.get(made.page())[0] == 404
    assert made.asking.pages(made.turn) == ()
    made.open_collections.close()


def test_an_export_goes_to_its_owner_alone(served: Served) -> None:
    path = f"/vouch/export/{served.turn.id}/json"
    status, headers, body = served.get(path, cookie=signed(ME))
    assert status == 200
    assert headers["content-disposition"].startswith("attachment")
    assert headers["cache-control"] == "no-store"
    assert json.loads(body)["question"] == "When was the mill built?"
    assert served.get(path)[0] == 404
    assert served.get(path, cookie=signed(OTHER))[0] == 404
    assert served.get(path, cookie=f"{COOKIE}={ME}")[0] == 404


def test_every_form_of_export_is_served(served: Served) -> None:
    magic = {
        "html": b"<!DOCTYPE html>",
        "markdown": b"PK",
        "pdf": b"%PDF",
        "bibtex": b"% Vouch export 1",
        "ris": b"TY  - GEN",
    }
    for form, begin in magic.items():
        status, _, body = served.get(f"/vouch/export/{served.turn.id}/{form}", cookie=signed(ME))
        assert (status, body[: len(begin)]) == (200, begin), form


def test_all_else_below_vouch_is_nothing_and_the_page_itself_is_passed_on(served: Served) -> None:
    for path in ("/vouch/", "/vouch/export/x/json", "/vouch/export/../../etc/passwd", "/vouch/page"):
        assert served.get(path)[0] == 404, path
    assert served.get("/")[0] == 299
    assert served.get(served.page(), method="POST")[0] == 405
    assert [served.get("/logout", method=method)[0] for method in ("GET", "POST")] == [405, 405]


def test_whoever_is_locked_out_of_the_page_is_locked_out_here(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served.open_collections, "access", CookieAccess())
    assert served.get(served.page())[0] == 401
    assert served.get(served.page(), cookie="session=wrong")[0] == 401
    assert served.get(served.page(), cookie="session=ada")[0] == 200
