"""The door: what is refused before anything is served, who is let in, and what is said about an open one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.cli.parser import main
from ui.errors import AddressError
from ui.web.server.access import LOOPBACK, ServerAddress
from ui.web.server.accounts import MOST_FAILURES, Accounts, read_accounts


def written(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    path = tmp_path / "who.txt"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_accounts_are_read(tmp_path: Path) -> None:
    accounts = read_accounts(written(tmp_path, "# people\n\nada:correct horse:battery\n"))
    assert accounts.admits("ada", "correct horse:battery")
    assert not accounts.admits("ada", "correct horse")
    assert not accounts.admits("eve", "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ada\n", "line 1"),
        ("ada:long enough\n:long enough\n", "line 2"),
        ("ada:long enough\nada:long enough too\n", "each name once"),
        ("ada:short\n", "at least 8"),
        ("# nobody\n", "holds no account"),
    ],
)
def test_a_file_that_lets_nobody_or_anybody_in_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(AddressError, match=says):
        read_accounts(written(tmp_path, text))


def test_passwords_that_others_can_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AddressError, match="chmod 600"):
        read_accounts(written(tmp_path, "ada:long enough\n", 0o644))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(AddressError, match=r"nobody\.txt"):
        read_accounts(tmp_path / "nobody.txt")


def test_guessing_is_slowed_down() -> None:
    now = [0.0]
    accounts = Accounts({"ada": "right password"}, clock=lambda: now[0])
    for _ in range(MOST_FAILURES):
        assert not accounts.admits("ada", "wrong")
    assert not accounts.admits("ada", "right password")
    now[0] = 61.0
    assert accounts.admits("ada", "right password")


def test_only_this_machine_is_served_unless_told_otherwise() -> None:
    server_address = ServerAddress()
    assert server_address.hosts == LOOPBACK
    assert server_address.warning == ""
    assert not server_address.share


def test_an_open_door_is_warned_of_and_a_locked_one_is_not() -> None:
    assert "anybody" in ServerAddress("0.0.0.0").warning
    assert ServerAddress("0.0.0.0", accounts=Accounts({"ada": "long enough"})).warning == ""
    assert set(LOOPBACK) < set(ServerAddress("Docs.example").hosts)
    assert "docs.example" in ServerAddress("Docs.example").hosts


def test_sharing_needs_accounts() -> None:
    with pytest.raises(AddressError, match="--auth-file"):
        ServerAddress(share=True)


@pytest.mark.parametrize("share", [False, True])
def test_tools_that_cannot_ask_for_a_password_are_not_offered_behind_one(share: bool) -> None:
    with pytest.raises(AddressError, match="process of their own"):
        ServerAddress(accounts=Accounts({"ada": "long enough"}), share=share, mcp=True)


def test_the_name_that_a_proxy_is_called_by_is_known() -> None:
    assert "docs.example" in ServerAddress(root_path="https://docs.example/vouch").hosts


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
