"""Own uploads: a file goes to the visitor that sent it, though another knows its content, its name or its path."""

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.ui.asgi import request
from ui.access import EVERYTHING, NOBODY
from ui.errors import TooMuch
from ui.settings import UiSettings
from ui.web.server.ownership import Ownership
from ui.web.server.route_filter import Receive, Scope, Send
from ui.web.server.visitors import _IDENTITY, _VISITOR
from ui.web.signatures import Signatures
from ui.web.uploads import Arrivals

PDF = b"%PDF-1.7 a page"


class Page:
    """Gradio behind the middleware: keeps what it was asked."""

    def __init__(self, arrived: Path) -> None:
        self.inbox = arrived
        self.asked: list[Any] = []
        self.events: dict[str, str] = {}
        settings = UiSettings(max_file_mb=1, max_files=3)
        self.arrivals = Arrivals(arrived, settings, lambda _: (0, 0))
        self.uploads: Any = SimpleNamespace(
            folder=SimpleNamespace(inbox=arrived),
            settings=settings,
            arrivals=self.arrivals,
        )
        self.app = Ownership(self, self.uploads, Signatures(b"k" * 32), lambda event: self.events.get(event, ""))

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        self.asked.append(json.loads((await receive())["body"]))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    def post(self, path: str, body: bytes, who: str, **more: Any) -> tuple[int, bytes]:
        known = {_VISITOR: who, _IDENTITY: EVERYTHING}
        reply = request(self.app, path, chunks=[body], **({"method": "POST"} | known | more))
        return reply.status, reply.body

    def send(self, who: str, *files: tuple[str, bytes], **more: Any) -> tuple[int, bytes]:
        sent = httpx.Request("POST", "http://x", files=[("files", file) for file in files])
        headers = [(b"content-type", sent.headers["content-type"].encode())]
        return self.post("/gradio_api/upload", sent.read(), who, headers=headers, **more)

    def upload(self, who: str, content: bytes = PDF) -> str:
        status, said = self.send(who, ("a.pdf", content))
        assert status == 200
        (path,) = json.loads(said)
        return str(path)

    def name(self, who: str, path: Any, wrap: Any = lambda f: [[f], "papers"]) -> int:
        file = {"path": path, "orig_name": "a.pdf", "meta": {"_type": "gradio.FileData"}}
        return self.post("/gradio_api/queue/join", json.dumps({"data": wrap(file)}).encode(), who)[0]


@pytest.fixture
def page(tmp_path: Path) -> Page:
    (tmp_path / "arrived").mkdir()
    return Page(tmp_path / "arrived")


def test_an_upload_is_moved_to_where_only_its_answer_tells(page: Page) -> None:
    path = Path(page.upload("ada"))
    assert path.read_bytes() == PDF
    assert path.name == "a.pdf"
    assert hashlib.sha256(PDF).hexdigest() not in str(path)
    assert list(page.inbox.iterdir()) == [path.parent]
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_two_people_bring_the_same_file_and_each_has_their_own(page: Page) -> None:
    first, second = page.upload("ada"), page.upload("bob")
    assert first != second
    assert Path(first).read_bytes() == Path(second).read_bytes() == PDF
    assert (page.name("ada", first), page.name("bob", second)) == (200, 200)


@pytest.mark.parametrize("other", ["bob", "", "account ada", "ada "])
def test_nobody_else_can_claim_an_upload_whose_whole_path_they_know(page: Page, other: str) -> None:
    path = page.upload("ada")
    assert page.name(other, path) == 403
    assert page.asked == []
    assert page.name("ada", path) == 200


def test_a_path_that_is_no_upload_is_refused_before_gradio_sees_it(page: Page) -> None:
    own = Path(page.upload("ada"))
    hashed = page.inbox / hashlib.sha256(b"other").hexdigest() / "a.pdf"
    forged = [str(hashed), "/etc/passwd", "", None, 5, [str(own)], str(own.parent / ".."), str(own.parent), "\ud800"]
    forged += [f"{own.parent}/../../etc/passwd", "http://127.0.0.1/x.png", str(own.parent).upper() + "/a.pdf"]
    forged += [f"http://example.org/{own.parent.name}/a.pdf", f"/etc/{own.parent.name}/a.pdf"]
    assert [page.name("ada", path) for path in forged] == [403] * len(forged)
    assert page.asked == []


@pytest.mark.parametrize(("other", "status"), [("account bob", 403), ("account ada", 200)])
def test_the_visit_of_an_account_is_nobody_else_s(page: Page, other: str, status: int) -> None:
    body = json.dumps({"data": [], "session_hash": "x1"}).encode()
    told = {"method": "GET", "query_string": b"session_hash=x1"}
    assert page.post("/gradio_api/queue/join", body, "account ada")[0] == 200
    assert page.post("/gradio_api/queue/data", b"null", other, **told)[0] == status
    assert page.post("/gradio_api/queue/join", body, other)[0] == status
    assert page.post("/gradio_api/queue/data", b"null", "account ada", **told)[0] == 200


def test_files_that_are_here_leave_room_for_fewer(page: Page) -> None:
    assert page.send("ada", *[("a.pdf", PDF)] * 4)[0] == 200
    with pytest.raises(TooMuch, match=r"more than 3 files are waiting \(max_files\)"):
        page.send("ada", *[("a.pdf", PDF)] * 3)
    assert len(list(page.inbox.iterdir())) == 4
    assert page.send("ada", *[("a.pdf", PDF)] * 2)[0] == 200
    assert page.send("bob", *[("a.pdf", PDF)] * 6)[0] == 200


@pytest.mark.parametrize("files", [[("a.pdf", bytes(1024 * 1024 + 1))], [("a.pdf", b"x")] * 7])
def test_uploads_over_a_limit_leave_nothing(page: Page, files: list[tuple[str, bytes]]) -> None:
    with pytest.raises(TooMuch, match="max_file"):
        page.send("ada", *files)
    assert list(page.inbox.iterdir()) == []


def test_what_is_no_form_or_cannot_be_kept_is_told(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = [(b"content-type", b"multipart/form-data; boundary=b")]
    assert page.post("/gradio_api/upload", b"--b\r\n", "ada", headers=kind)[0] == 400
    assert page.post("/gradio_api/upload", b"", "ada")[0] == 400
    assert page.send("", ("a.pdf", PDF), **{_IDENTITY: NOBODY})[0] == 401

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    status, said = page.send("ada", ("a.pdf", PDF))
    assert status == 507
    assert b"try again" in said
    assert list(page.inbox.iterdir()) == []


@pytest.mark.parametrize("who", ["account ada", "ada"])
def test_only_who_began_a_visit_gives_up_its_events(page: Page, who: str) -> None:
    join = json.dumps({"data": [], "session_hash": "x1"}).encode()
    given_up = json.dumps({"session_hash": "x1", "fn_index": 3, "event_id": "e1"}).encode()
    assert page.post("/gradio_api/queue/join", join, who)[0] == 200
    page.asked.clear()
    page.events = {"e1": who, "e2": "bob"}
    assert page.post("/gradio_api/cancel", given_up.replace(b"e1", b"e2"), who)[0] == 403
    for other in ("account bob", "bob", ""):
        assert page.post("/gradio_api/cancel", given_up, other)[0] == 403
    for odd in (b"", b"[]", b"[" * 100_000, b'{"session_hash": "x2"}', b'{"session_hash": ["x1"]}', b"{}"):
        assert page.post("/gradio_api/cancel", odd, who)[0] == 403
    assert page.asked == []
    assert page.post("/gradio_api/cancel", given_up, who)[0] == 200
