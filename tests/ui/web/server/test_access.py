"""The door: what is refused before anything is served, who is let in, and what is said about an open one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.cli.parser import main
from ui.errors import AddressError
from ui.state import People, open_state
from ui.web.server.access import ServerAddress
from ui.web.server.accounts import LOCKED_SECONDS, MOST_FAILURES, MOST_OF_ONE, Accounts, read_accounts
from ui.web.server.guard import CALLER, counted_as, is_own


def written(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    path = tmp_path / "who.txt"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_accounts_are_read(tmp_path: Path) -> None:
    found = read_accounts(written(tmp_path, "# people\n\nada:correct horse:battery\n"))
    assert found.admits("ada", "correct horse:battery")
    assert not found.admits("ada", "correct horse")
    assert not found.admits("eve", "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ada\n", "line 1"),
        ("ada:long enough\n:long enough\n", "line 2"),
        ("ada:long enough\nada:long enough too\n", "each name once"),
        ("ada:long enough\nada :long enough too\n", "each name once"),
        ("ada:short\n", "at least 8"),
        ("# nobody\n", "has no accounts"),
    ],
)
def test_a_file_that_lets_nobody_or_anybody_in_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(AddressError, match=says):
        read_accounts(written(tmp_path, text))


def test_passwords_that_others_can_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AddressError, match="chmod 600"):
        read_accounts(written(tmp_path, "ada:long enough\n", 0o644))


class Login:
    """Logins from addresses, at a time that stands still until it is set."""

    def __init__(self) -> None:
        self.now = 0.0
        self.accounts = Accounts({"ada": "right password", "bob": "another password"}, clock=lambda: self.now)

    def __call__(self, name: str, password: str, address: str = "10.0.0.1") -> bool:
        token = CALLER.set(address)
        try:
            return self.accounts.admits(name, password)
        finally:
            CALLER.reset(token)


def test_guessing_is_slowed_down() -> None:
    login = Login()
    for _ in range(MOST_FAILURES):
        assert not login("ada", "wrong")
    assert not login("ada", "right password")
    login.now = LOCKED_SECONDS + 1
    assert login("ada", "right password")


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


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1:2:3%eth0", "2001:db8::/64"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("", ""),
        ("x" * 100, "x" * 64),
    ],
)
def test_an_address_is_counted_as_what_one_machine_has(host: str, counted: str) -> None:
    assert counted_as(host) == counted
    assert is_own(counted_as("::1"))
    assert not is_own(counted_as("2001:db8::1"))


def test_sharing_needs_accounts() -> None:
    with pytest.raises(AddressError, match="--auth-file"):
        ServerAddress(share=True)


@pytest.mark.parametrize("share", [False, True])
def test_tools_that_cannot_ask_for_a_password_are_not_offered_behind_one(share: bool) -> None:
    with pytest.raises(AddressError, match="vouch admin token add"):
        ServerAddress(accounts=Accounts({"ada": "long enough"}), share=share, mcp=True)


def test_people_with_tokens_may_have_tools(tmp_path: Path) -> None:
    with open_state(tmp_path) as state:
        people = People(state)
        people.add("ada", "long enough")
        assert ServerAddress(accounts=Accounts(people), mcp=True).mcp


@pytest.mark.parametrize(
    ("root_path", "origin"),
    [
        ("", ""),
        ("/vouch", ""),
        ("https://docs.example/vouch", "https://docs.example"),
        ("https://Docs.example:443", "https://docs.example"),
        ("https://docs.example:8443/", "https://docs.example:8443"),
        ("http://[::1]:80/vouch", "http://[::1]"),
    ],
)
def test_the_origin_is_the_one_that_a_browser_would_say(root_path: str, origin: str) -> None:
    assert ServerAddress(root_path=root_path).origin == origin


@pytest.mark.parametrize(
    "path",
    [
        "https://docs.example:x",
        "https://docs.example:99999",
        "https://[::1",
        "vouch",
        "/a b",
        "javascript:alert(1)",
        "/x?y",
        "//evil.example",
    ],
)
def test_an_odd_root_path_is_refused(path: str) -> None:
    with pytest.raises(AddressError, match="--root-path"):
        ServerAddress(root_path=path)


@pytest.mark.parametrize(
    ("options", "says"),
    [(["--share"], "--auth-file"), (["--root-path", "x y"], "--root-path"), (["--auth-file", "/no/such"], "/no/such")],
)
def test_the_command_says_what_is_wrong(options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *options]) == 2
    assert says in capsys.readouterr().err
