"""`vouch admin`, as it is typed: people are added, given roles, listed and removed; secrets are told once."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from indexing import default_home, machine_folder
from ui.cli import main
from ui.state import People, open_state
from ui.state.people import Tokens, Visits, join


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path))
    monkeypatch.delenv("VOUCH_STATE", raising=False)
    return tmp_path


def admin(*words: str, typed: str = "") -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO(typed))
        return main(["admin", *words])


def listed(kind: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    capsys.readouterr()
    assert admin(kind, "list", "--json") == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)[f"{kind}s"]
    return found


def test_people_groups_and_roles(capsys: pytest.CaptureFixture[str]) -> None:
    assert admin("user", "add", "ada", "--admin", typed="correct horse\n") == 0
    assert admin("user", "add", "Bob", "--no-password") == 0
    assert admin("group", "add", "lab") == 0
    assert admin("group", "join", "lab", "bob") == 0
    assert admin("group", "role", "lab", "*", "reader") == 0
    assert admin("user", "role", "bob", "papers", "editor") == 0
    ada, bob = listed("user", capsys)
    assert (ada["name"], ada["admin"], ada["has_password"]) == ("ada", True, True)
    assert (bob["name"], bob["roles"], bob["groups"]) == ("bob", {"papers": "editor"}, ["lab"])
    assert listed("group", capsys) == [{"name": "lab", "members": ["bob"], "roles": {"*": "reader"}}]
    assert admin("user", "list") == 0
    assert "papers: editor" in capsys.readouterr().out
    assert admin("user", "passwd", "ada", typed="battery staple\n") == 0
    assert admin("user", "role", "bob", "papers", "none") == 0
    assert admin("user", "admin", "ada", "off") == 0
    assert admin("group", "leave", "lab", "bob") == 0
    ada, bob = listed("user", capsys)
    assert (ada["admin"], bob["roles"], bob["groups"]) == (False, {}, [])
    with open_state(machine_folder(default_home())) as state:
        assert People(state).admits("ada", "battery staple")
    assert admin("user", "remove", "bob") == admin("group", "remove", "lab") == 0
    assert [len(listed(kind, capsys)) for kind in ("user", "group")] == [1, 0]


def test_secrets_are_told_once_and_work(capsys: pytest.CaptureFixture[str]) -> None:
    admin("user", "add", "ada", "--no-password")
    admin("user", "role", "ada", "papers", "owner")
    capsys.readouterr()
    assert admin("token", "add", "ada", "--label", "ci", "--role", "editor", "-c", "papers") == 0
    token = capsys.readouterr().out.strip()
    assert admin("invite", "-c", "papers", "--role", "reader", "--address", "https://docs.example/") == 0
    link = capsys.readouterr().out.strip()
    assert link.startswith("https://docs.example/join#")
    with open_state(machine_folder(default_home())) as state:
        identity = Tokens(state).find(token)
        assert identity is not None
        assert identity.role("papers") == "editor"
        join(state, link.partition("#")[2], "eve", "long enough")
        Visits(state, 1, 1).begin("secret", "eve")
    (one,) = listed("token", capsys)
    assert (one["label"], one["collections"], token in str(one)) == ("ci", ["papers"], False)
    assert admin("token", "revoke", str(one["number"])) == 0
    assert listed("token", capsys) == []
    assert admin("sessions", "revoke", "eve") == 0
    assert "1 login ended" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("user", "add", "a b", "--no-password"), "cannot name a user"),
        (("user", "add", "ada"), "8 to 1,024"),
        (("user", "remove", "nobody"), "vouch admin user list"),
        (("sessions", "revoke", "nobody"), "vouch admin user list"),
        (("token", "revoke", "7"), "vouch admin token list"),
        (("invite", "--role", "reader"), "names the role there"),
        (("user", "role", "nobody", "papers", "reader"), "there is no user"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_next_step(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert admin(*words) == 2
    assert said in capsys.readouterr().err
