"""The access of a server: who is known by what, and who is kept out; without the plugin no such server starts."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlencode

import anyio
import anyio.lowlevel
import pytest

from indexing import Collection
from plugins.team import credentials, tables
from plugins.team.access import TeamAccess, open_access
from plugins.team.credentials import LOCKED_SECONDS, MOST_FAILURES, MOST_OF_ONE, LoginGate
from plugins.team.pages import AccountPages
from plugins.team.people import People
from plugins.team.quotas import QuotaAccess
from tests.plugins.team.town import PASSWORD
from tests.ui.asgi import Reply, request, requested
from ui import access as core
from ui.access import Access, at_scene
from ui.cli import main
from ui.errors import AddressError
from ui.settings import UiSettings
from ui.state import open_state
from ui.web.server import PEER, Receive, Scope, Send, Visitors, has_role, identity, may_see, visitor
from ui.web.signatures import Signatures
from vouch import hooks

APP: Any = SimpleNamespace(cookie_id="abc")
BEHIND_PROXY = UiSettings.model_validate(
    {"proxy_user_header": "x-forwarded-user", "proxy_addresses": ["10.0.0.0/30", "::1"]}
)
SIGNATURES = Signatures(b"k" * 32)


@pytest.fixture
def access(tmp_path: Path) -> Iterator[TeamAccess]:
    """The access of a server with one person, ada, who owns a collection x."""
    with open_state(tmp_path, str(tmp_path / "state.sqlite")) as state:
        made = TeamAccess(state, BEHIND_PROXY)
        made.people.add("ada", PASSWORD)
        made.people.give("x", "owner", user="ada")
        yield made


def known(access: TeamAccess, peer: str, *headers: tuple[str, str]) -> str | None:
    """The name of whoever asks."""
    raw = [(name.encode(), value.encode()) for name, value in headers]
    found = access.identify({"type": "http", "headers": raw, "app": APP, PEER: peer, "client": ("10.0.0.1", 1)})
    return found.name if found else None


def test_a_proxy_is_known_by_where_it_connects_from(access: TeamAccess) -> None:
    ada = ("x-forwarded-user", "ada")
    assert [known(access, peer, ada) for peer in ("10.0.0.1", "::ffff:10.0.0.2", "::1")] == ["ada"] * 3
    assert [known(access, peer, ada) for peer in ("10.0.0.5", "", "unix", "127.0.0.1", "::2")] == [None] * 5
    assert known(access, "10.0.0.1", ada, ada) is None
    assert known(access, "10.0.0.1", ("x-other", "ada")) is None
    assert known(access, "10.0.0.1", ada, ("authorization", "Bearer vch_x")) is None
    assert known(TeamAccess(access.people.state, UiSettings()), "10.0.0.1", ada) is None


def visited(access: Access, *headers: tuple[str, str], path: str = "/api/v1") -> str:
    """Whose request it is, behind the middleware."""
    who: list[str] = []

    async def page(scope: Scope, _receive: Receive, send: Send) -> None:
        who.append(visitor(scope))
        assert may_see(scope) == bool(identity(scope).user_id)
        assert not has_role(scope, "reader", "hidden")
        await send({"type": "http.response.start", "status": 200, "headers": []})

    raw = [(name.encode(), value.encode()) for name, value in headers]
    reply = request(Visitors(page, SIGNATURES, access), path, headers=raw, app=APP)
    assert reply.raw_headers == []  # no name of a browser is given where there are accounts
    return who[0]


def test_an_account_is_the_same_in_every_browser_and_its_token_finds_nothing_of_it(access: TeamAccess) -> None:
    """A token may be held to one collection, and the history of its person is of all."""
    access.login_sessions.begin("of-a-browser", "ada")
    token = access.tokens.add("ada", "one", "owner")
    name = "n" * 32
    planted = f"vouch-visitor={name}.{SIGNATURES.of('vouch-visitor', name)}"
    browser = visited(access, ("cookie", f"access-token-abc=of-a-browser; {planted}"), path="/")
    program = visited(access, ("authorization", f"Bearer {token}"))
    assert browser == visited(access, ("cookie", "access-token-unsecure-abc=of-a-browser; x=1")) != program
    assert program.startswith("account ")
    assert visited(access, ("cookie", f"access-token-abc=other; {planted}"), path="/") == ""
    assert visited(access, ("cookie", "access-token-abc=of-a-browser"), path="/assets/x.js") == ""


def test_gradio_is_told_who_asks_by_a_cookie_of_this_run_alone(access: TeamAccess) -> None:
    sessions, ada = access.sessions(), access.people.identity("ada")
    sent = {"type": "http", "headers": [(b"cookie", b"access-token-abc=mine; x=1"), (b"y", b"2")], "app": APP}
    told = access.admit(sent, ada)["headers"]
    assert told[:2] == [(b"cookie", b"x=1"), (b"y", b"2")]
    (ours,) = [value.decode().partition("=")[2] for _, value in told[2:]]
    assert sessions[ours] == "ada"
    other = TeamAccess(access.people.state, UiSettings()).sessions()
    for made_up in ("", "x", "0" * 64 + b"ada".hex(), ours[:64] + "zz"):
        assert sessions.get(made_up) is None
    assert other.get(ours) is None
    sessions["begun"] = "ada"
    assert sessions["begun"] == "ada"
    sessions.pop("begun")
    assert (list(sessions), len(sessions), sessions.get("begun")) == ([], 0, None)


class Login:
    """Logins from addresses, at a time that stands still until it is set."""

    def __init__(self) -> None:
        self.now, self.failed = 0.0, []  # type: tuple[float, list[str]]
        passwords = {"ada": "right password", "bob": "another password"}
        book: Any = SimpleNamespace(admits=lambda n, p: passwords.get(n) == p, is_known=passwords.__contains__)
        self.gate = LoginGate(book, self.failed.append, clock=lambda: self.now)

    def __call__(self, name: str, password: str, address: str = "10.0.0.1") -> bool:
        with at_scene(address, "page"):
            return self.gate.admits(name, password)


def test_guessing_is_slowed_down() -> None:
    login = Login()
    for _ in range(MOST_FAILURES):
        assert not login("ada", "wrong")
    assert not login("Ada", "right password")
    login.now = LOCKED_SECONDS + 1
    assert login("ada", "right password")
    assert not login("my password", "")
    assert login.failed == [*["ada"] * MOST_FAILURES, ""]


def test_wrong_passwords_shut_nobody_else_out() -> None:
    login = Login()
    for n in range(MOST_OF_ONE - 1):
        assert not login("ada", f"guess {n}")
        assert not login("nobody", f"guess {n}", "10.0.0.9")
    assert login("bob", "another password"), "another account from the same address"
    assert login("ada", "right password", "10.0.0.2"), "the same account from another address"
    assert login("ada", "right password", "10.0.0.9"), "names that nobody has are no account's"


def test_guesses_from_everywhere_or_at_everybody_end() -> None:
    login = Login()
    assert login("ada", "right password", "10.0.0.1")
    for n in range(MOST_OF_ONE):
        assert not login("ada", "wrong", f"10.1.0.{n}")
    assert not login("ada", "right password", "10.1.1.1")
    assert login("ada", "right password", "10.0.0.1"), "she was here before"
    for n in range(MOST_OF_ONE):
        assert not login(f"name {n}", "wrong", "10.0.0.1")
    assert not login("bob", "another password", "10.0.0.1")
    assert login("ada", "right password", "10.0.0.1")
    assert login("bob", "another password", "10.0.0.2")


def test_no_more_failures_are_remembered_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(credentials, "_MOST_REMEMBERED", 50)
    login = Login()
    for n in range(200):
        assert not login(f"name {n}", "wrong", f"10.0.{n}.1")
    assert len(login.gate._failures) == 50


def pages(access: TeamAccess) -> AccountPages:
    async def nothing_else(*_: Any) -> None:
        raise AssertionError("passed on")

    return AccountPages(nothing_else, access, SIGNATURES.of)


async def join(at: AccountPages, **fields: str) -> Reply:
    """Send the form of the invitation."""
    return await requested(at, "/join", method="POST", chunks=[urlencode(fields).encode()], app=APP)


def test_an_invitation_waits_for_its_turn_behind_passwords(access: TeamAccess, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, done = threading.Event(), list[str]()
    monkeypatch.setattr(access.people, "admits", lambda *_: not opened.wait(30))

    async def log_in() -> None:
        await access.gate.admits_soon("ada", PASSWORD)
        done.append("login")

    async def come() -> None:
        await join(pages(access), invitation="x", username="eve", password=PASSWORD)
        done.append("join")

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(log_in)
            await anyio.lowlevel.checkpoint()
            tasks.start_soon(come)
            limiter = access.gate._at_once
            assert limiter is not None
            while not (limiter.statistics().tasks_waiting or done):
                await anyio.lowlevel.checkpoint()
            assert done == []
            opened.set()

    anyio.run(run)
    assert sorted(done) == ["join", "login", "login"]


def test_after_many_wrong_invitations_from_one_address_none_is_taken(access: TeamAccess) -> None:
    now = [0.0]
    access.gate = LoginGate(access.people, lambda _: None, lambda: now[0])
    secret, _ = access.people.invite()

    def status(invitation: str) -> int:
        return asyncio.run(join(pages(access), invitation=invitation, username="eve", password=PASSWORD)).status

    assert {status("x") for _ in range(MOST_OF_ONE)} == {400}
    assert status(secret) == 429
    now[0] = 601.0
    assert status(secret) == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/join", 200), ("PUT", "/join", 405), ("GET", "/account", 401), ("POST", "/sso/login", 405),
        ("GET", "/sso/login", 404), ("GET", "/sso/callback", 400), ("GET", "/logout", 405),
    ],
)  # fmt: skip
def test_a_stranger_at_the_pages_of_accounts(access: TeamAccess, method: str, path: str, status: int) -> None:
    assert request(pages(access), path, method=method, app=APP).status == status


def test_a_server_without_people_is_refused_with_the_command_that_adds_one(tmp_path: Path) -> None:
    with open_state(tmp_path) as state:
        with pytest.raises(AddressError, match="vouch admin user add"):
            open_access(state, UiSettings(), True)
        assert isinstance(open_access(state, UiSettings(), False), QuotaAccess)


@pytest.fixture
def without_plugins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A home of the test's own, and Vouch without plugins."""
    monkeypatch.setenv(hooks.VARIABLE, "")
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path))
    monkeypatch.delenv("VOUCH_STATE", raising=False)
    hooks.load_installed.cache_clear()
    yield tmp_path
    monkeypatch.undo()
    hooks.load_installed.cache_clear()


@pytest.mark.gate
def test_without_the_plugin_accounts_are_not_opened(without_plugins: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_state(without_plugins) as state:
        assert type(core.open_access(state, UiSettings(), accounts=False)) is Access
        for settings, accounts in (({}, True), ({"max_person_mb": 1}, False), ({"max_questions_minute": 1}, False)):
            with pytest.raises(AddressError, match=r"the plugin team.*VOUCH_PLUGINS leaves out .*team"):
                core.open_access(state, UiSettings.model_validate(settings), accounts=accounts)
        tables.METADATA.create_all(state.engine)
        assert type(core.open_access(state, UiSettings(), accounts=False)) is Access
        People(state).add("ada", PASSWORD)
        with pytest.raises(AddressError, match="the accounts of this home: only the plugin team"):
            core.open_access(state, UiSettings(), accounts=False)
    Collection.create("papers").close()
    for command in (
        ["serve"],
        ["serve", "--accounts"],
        ["remove", "--all", "-c", "papers"],
        ["compact", "-c", "papers"],
    ):
        assert main(command) == 2
        assert "vouch: the accounts of this home: only the plugin team knows" in capsys.readouterr().err
    Collection.open("papers").close()


@pytest.mark.gate
def test_a_plugin_that_cannot_be_loaded_opens_nothing(without_plugins: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = hooks.Installed((), ("the plugin 'team' could not be loaded: ImportError: no",))
    monkeypatch.delenv(hooks.VARIABLE)
    monkeypatch.setattr(hooks, "load_installed", lambda: broken)
    with open_state(without_plugins) as state:
        tables.METADATA.create_all(state.engine)
        People(state).add("ada", PASSWORD)
        with pytest.raises(AddressError, match=r"the accounts of this home.*run vouch doctor"):
            core.open_access(state, UiSettings(), accounts=False)
