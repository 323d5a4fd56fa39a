"""Links to one answer, and the signatures of what a browser brings back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.support.cookie_access import CookieAccess
from tests.ui.real_collection import proven
from tests.ui.web.test_routes import ME, OTHER, Served, signed
from ui.state import open_state
from ui.web.ask.asking import Asking
from ui.web.ask.turns import AskRequest, Turn
from ui.web.server.origin_check import OriginCheck, ServerAddress
from ui.web.server.route_filter import RouteFilter
from ui.web.server.visitors import has_role
from ui.web.signatures import Signatures


class Linked(Served):
    """The routes over a collection, and an answer of mine in the state, with a link to it."""

    def __init__(self, home: Path, embedder: MiniLM) -> None:
        super().__init__(home, embedder)
        self.state = open_state(home)
        self.asking = Asking(self.open_collections, self.state)
        answer = self.turn.now.answer
        assert answer == proven(answer.citations)  # type: ignore[union-attr]
        self.kept = Turn(AskRequest.of(self.name, answer.question), "c" * 32)  # type: ignore[union-attr]
        self.asking.conversations.keep(ME, self.kept, answer)  # type: ignore[arg-type]
        self.asking.conversations.share(ME, self.kept.id)
        (shown,) = self.asking.conversations.turns(ME, "c" * 32)
        assert shown.keeping is not None
        self.link = f"/vouch/answer/{shown.keeping.link}"


@pytest.fixture
def linked(tmp_path: Path, embedder: MiniLM) -> Iterator[Linked]:
    made = Linked(tmp_path, embedder)
    yield made
    made.open_collections.close()
    made.state.close()


def test_whoever_may_read_the_collection_reads_the_answer(linked: Linked) -> None:
    for cookie in ("", signed(OTHER), signed(ME)):
        status, headers, body = linked.get(linked.link, cookie=cookie)
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert headers["cache-control"] == "no-store"
        assert b"1887" in body
        assert b"data:image/png" in body
    assert linked.get(linked.link, method="POST")[0] == 405


def test_who_may_not_read_it_reads_nothing(linked: Linked) -> None:
    linked.open_collections.access = CookieAccess()
    status, _, body = linked.get(linked.link)
    assert (status, b"1887" in body) == (401, False)
    assert linked.get(linked.link, cookie="session=ada")[0] == 200
    assert linked.get(linked.link, cookie=signed(ME))[0] == 401
    assert not has_role({"headers": [], "type": "http"}, "reader", linked.name)


def test_other_addresses_and_the_link_of_a_collection_that_is_gone_lead_nowhere(linked: Linked) -> None:
    for path in ("x" * 32, "", "../page", "%27" * 11, "x" * 33, "c" * 32):
        assert linked.get(f"/vouch/answer/{path}")[0] == 404, path
    with linked.open_collections.open_collection(linked.name) as (collection, _):
        collection.delete()
    linked.open_collections.forget(linked.name)
    assert linked.get(linked.link)[0] == 404


def test_a_link_may_be_followed_from_another_site_and_is_served() -> None:
    origin_check, route_filter = OriginCheck(ServerAddress()), RouteFilter(lambda *_: None)  # type: ignore[arg-type,return-value]

    def asked(path: str, mode: str) -> bool:
        names = {"host": "127.0.0.1:7860", "sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
        headers = [(k.encode(), v.encode()) for k, v in (names | {"sec-fetch-dest": "document"}).items()]
        return origin_check._is_allowed({"type": "http", "method": "GET", "path": path, "headers": headers})

    assert asked(f"/vouch/answer/{'x' * 32}", "navigate")
    assert not asked(f"/vouch/answer/{'x' * 32}", "no-cors")
    assert not asked("/vouch/export/0123456789abcdef/json", "navigate")
    assert route_filter._is_listed(f"/vouch/answer/{'x' * 32}")
    assert not route_filter._is_listed("/vouch/answer/../page")


def test_a_home_has_one_key_that_only_its_owner_reads(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"
    first, again = Signatures.of_home(home), Signatures.of_home(home)
    assert again.fit(first.of("a", "b"), "a", "b")
    assert not Signatures.of_home(tmp_path / "other").fit(first.of("a", "b"), "a", "b")
    (key,) = home.iterdir()
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_signature_is_of_these_texts_in_this_order() -> None:
    made = Signatures(b"k" * 32)
    signature = made.of("a", "b")
    assert made.fit(signature, "a", "b")
    others = [("b", "a"), ("ab",), ("a", "b", ""), ("a", "b\x00"), ('a", "b',)]
    assert not any(made.fit(signature, *said) for said in others)
    assert not made.fit(signature + "0", "a", "b")
    assert not made.fit("é", "a", "b")


@pytest.mark.parametrize("spoiled", ["short", "open"])
def test_a_key_that_is_cut_short_or_open_to_others_is_made_anew(tmp_path: Path, spoiled: str) -> None:
    before = Signatures.of_home(tmp_path).of("a")
    (key,) = tmp_path.iterdir()
    if spoiled == "short":
        key.write_bytes(b"short")
    else:
        key.chmod(0o644)
    after = Signatures.of_home(tmp_path)
    assert not after.fit(before, "a")
    assert Signatures.of_home(tmp_path).fit(after.of("a"), "a")
    assert [f.stat().st_mode & 0o777 for f in tmp_path.iterdir()] == [0o600]
