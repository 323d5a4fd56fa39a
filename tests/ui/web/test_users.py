"""Between users, over the wire: no account sees, takes or replaces what another one asked, uploaded or brought."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from indexing import Collection
from tests.support import documents
from tests.ui import page_events
from tests.ui.forked import Served

pytestmark = [pytest.mark.slow, pytest.mark.gate]
QUESTION = "When was the mill built by Anna Holm?"
PLANTED = {"vouch-visitor": "p" * 32}
"""A name for a visitor that somebody else chose, as it was once taken."""


def test_a_stranger_is_told_that_it_is_there_and_no_more(with_accounts: Served) -> None:
    for path, status in (("/health", "ok"), ("/ready", "ready")):
        said = httpx.get(with_accounts.address + path)
        assert (said.status_code, said.json()) == (200, {"status": status})
        assert said.headers["cache-control"] == "no-store"
    assert httpx.get(f"{with_accounts.address}/metrics").status_code == 404
    assert httpx.get(f"{with_accounts.address}/vouch/page/made-up/x/1.webp").status_code == 401


class Browser:
    """A browser with its cookies, and one visit to the page."""

    visits = 0
    opened: list[httpx.Client] = []  # noqa: RUF012  closed by `closing`

    def __init__(
        self, served: Served, account: str = "", password: str = "", cookies: dict[str, str] | None = None
    ) -> None:
        self.client = httpx.Client(base_url=served.address, timeout=60, cookies=cookies)
        self.opened.append(self.client)
        if account:
            self.log_in(account, password)
        else:
            self.client.get("/")

    def log_in(self, account: str, password: str) -> None:
        self.client.get("/")
        assert self.client.post("/login", data={"username": account, "password": password}).status_code == 200
        self.client.get("/")

    def fire(self, name: str, data: list[Any]) -> str:
        """Everything that the server says about one event, after the box of collections has been filled."""
        Browser.visits += 1
        visit = f"visit{Browser.visits}"
        page_events.fire(self.client, "collection_box", [], visit)
        return page_events.fire(self.client, name, data, visit)

    def ask(self) -> str:
        """Ask, and return the address of the answer as a file."""
        said = self.fire(
            "ask", [None, "", "made-up", QUESTION, "text", "quote", 4, 8, False, False, None, None, [], []]
        )
        found = re.search(r"vouch/export/[0-9a-f]{16}/json", said)
        assert found, said
        return f"/{found[0]}"

    def upload(self, path: Path) -> dict[str, Any]:
        with path.open("rb") as file:
            (stored,) = self.client.post("/gradio_api/upload", files={"files": file}).json()
        return {"path": stored, "orig_name": path.name, "meta": {"_type": "gradio.FileData"}}

    def index(self, file: dict[str, Any], collection: str = "shared") -> str:
        """Bring an upload into a collection, and follow it until it is read."""
        return self.fire("receive_files", [[file], collection, None, ""]) + self.fire("follow_new", [collection, None])


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    """End the connections of a test."""
    yield
    while Browser.opened:
        Browser.opened.pop().close()


def ada(served: Served) -> Browser:
    return Browser(served, "ada", "correct horse")


def bob(served: Served, cookies: dict[str, str] | None = None) -> Browser:
    return Browser(served, "bob", "battery staple", cookies)


def test_a_history_is_its_account_s_in_every_browser(with_accounts: Served) -> None:
    address = ada(with_accounts).ask()
    elsewhere = ada(with_accounts)
    assert QUESTION in elsewhere.fire("load", [])
    assert elsewhere.client.get(address).status_code == 200
    other = bob(with_accounts)
    assert QUESTION not in other.fire("load", [])
    assert other.client.get(address).status_code == 404


def test_a_history_does_not_go_from_account_to_account_with_the_browser(with_accounts: Served) -> None:
    browser = ada(with_accounts)
    address = browser.ask()
    browser.client.post("/logout")
    browser.log_in("bob", "battery staple")
    assert QUESTION not in browser.fire("load", [])
    assert browser.client.get(address).status_code == 404


def test_another_s_upload_cannot_be_claimed_by_its_whole_path(with_accounts: Served, tmp_path: Path) -> None:
    secret = documents.pdf(tmp_path / "secret.pdf", ["The crown is under the oak."])
    owner, thief = ada(with_accounts), bob(with_accounts)
    file = owner.upload(secret)
    assert "just uploaded" in thief.index(file)
    assert "just uploaded" in thief.fire(
        "ask", [None, "", "made-up", QUESTION, "text", "quote", 4, 8, False, False, None, file, [], []]
    )
    assert Path(file["path"]).is_file()
    said = owner.index(file)
    assert "Nothing was added" not in said
    assert "secret.pdf" in said


def test_another_s_visit_tells_nothing_of_its_answers(with_accounts: Served) -> None:
    """Its name stands in addresses, and so in the logs of proxies."""
    owner, thief = ada(with_accounts), bob(with_accounts)
    owner.ask()
    heard = thief.client.get(f"/gradio_api/queue/data?session_hash=visit{Browser.visits}")
    assert heard.status_code == 403
    assert QUESTION not in heard.text


def test_another_s_document_is_not_replaced_by_its_name(with_accounts: Served, home: Path, tmp_path: Path) -> None:
    """And it is said why."""
    paths = [tmp_path / who / "plan.pdf" for who in ("ada", "bob")]
    for path in paths:
        path.parent.mkdir()
        documents.pdf(path, [f"The plan of {path.parent.name}."])
    owner, other = ada(with_accounts), bob(with_accounts)
    owner.index(owner.upload(paths[0]))
    said = other.index(other.upload(paths[1]))
    assert "which ada brought" in said
    assert "another name" in said
    shown = other.client.get("/api/v1/collections/shared/documents").json()["items"]
    assert [d["brought_by"] for d in shown if d["name"] == "plan.pdf"] == ["ada"]
    held = [d.id for d in Collection.open("shared", home).documents() if d.name == "plan.pdf"]
    assert held == [hashlib.sha256(paths[0].read_bytes()).hexdigest()[:16]]
    documents.pdf(paths[0], ["The plan of ada, mended."])
    assert "replaced the earlier version" in owner.index(owner.upload(paths[0]))


def test_without_accounts_a_browser_keeps_its_own_and_a_made_up_name_is_nobody(served: Served, tmp_path: Path) -> None:
    mine, other, planted = Browser(served), Browser(served), Browser(served, cookies=PLANTED)
    address = mine.ask()
    assert QUESTION in mine.fire("load", [])
    assert QUESTION not in other.fire("load", [])
    assert [one.client.get(address).status_code for one in (mine, other, planted)] == [200, 404, 404]
    theirs = planted.ask()  # the page gave a fresh name in the place of the planted one
    assert planted.client.get(theirs).status_code == 200
    assert httpx.get(f"{served.address}{theirs}", cookies=PLANTED).status_code == 404
    file = mine.upload(documents.pdf(tmp_path / "a.pdf", ["The oak is old."]))
    assert "just uploaded" in other.index(file)
    assert "just uploaded" in httpx.post(
        f"{served.address}/gradio_api/queue/join", json={"data": [[file]], "fn_index": 0, "session_hash": "x"}
    ).text  # fmt: skip
    assert "Nothing was added" not in mine.index(file)
