"""`vouch admin`, as it is typed: people are added, given roles, listed and removed; secrets are told once."""

import io
import json
from pathlib import Path

import pytest

from indexing import Collection, default_home, list_collections
from plugins.team.credentials import LoginSessions, Tokens
from plugins.team.people import People
from tests.support import documents
from ui.cli import main
from ui.state import open_state


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
    with open_state(default_home()) as state:
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
    with open_state(default_home()) as state:
        identity = Tokens(state).find(token)
        assert identity is not None
        assert identity.role("papers") == "editor"
        People(state).join(link.partition("#")[2], "eve", "long enough")
        LoginSessions(state, 1, 1).begin("secret", "eve")
    (one,) = listed("token", capsys)
    assert (one["label"], one["collections"], token in str(one)) == ("ci", ["papers"], False)
    assert admin("token", "revoke", str(one["number"])) == 0
    assert listed("token", capsys) == []
    assert admin("sessions", "revoke", "eve") == 0
    assert "1 login ended" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("user", "add", "a b", "--no-password"), "is not a valid user name"),
        (("user", "add", "ada"), "8 to 1,024"),
        (("user", "remove", "nobody"), "vouch admin user list"),
        (("sessions", "revoke", "nobody"), "vouch admin user list"),
        (("sessions", "revoke", ""), "vouch admin user list"),  # a variable of a script that is empty, say
        (("token", "revoke", "7"), "vouch admin token list"),
        (("invite", "--role", "reader"), "needs both a collection and a role"),
        (("user", "role", "nobody", "papers", "reader"), "there is no user"),
    ],
)
def test_errors_name_the_next_step(words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert admin(*words) == 2
    assert said in capsys.readouterr().err


def test_every_command_that_changes_something_is_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    admin("user", "add", "ada", typed="correct horse\n")
    admin("group", "add", "lab")
    admin("group", "role", "lab", "papers", "reader")
    admin("user", "role", "ada", "papers", "none")
    admin("token", "add", "ada", "--label", "[red]a  done", "-c", "papers")
    assert admin("user", "remove", "nobody") == 2
    capsys.readouterr()
    assert admin("audit", "--json") == 0
    entries = json.loads(capsys.readouterr().out)["entries"]
    assert [(e["deed"], e["outcome"], e["collection"], e["thing"]) for e in entries] == [
        ("add-user", "done", "", "ada"),
        ("add-group", "done", "", "group lab"),
        ("give-role", "done", "papers", "group lab, role reader"),
        ("take-role", "done", "papers", "ada, role none"),
        ("make-token", "done", "", "ada, role reader, label [red]a  done, in papers"),
        ("remove-user", "failed", "", "nobody"),
    ]
    assert {(e["kind"], e["channel"]) for e in entries} == {("command line", "command line")}
    assert admin("audit", "--deed", "make-token", "--since", "1h") == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith('make-token  -  "ada, role reader, label [red]a  done, in papers"')
    assert admin("token", "list") == 0
    assert "[red]a done" in capsys.readouterr().out
    assert admin("audit", "--deed", "made-up") == 2
    assert admin("audit", "--since", "2999-01-01") == 0
    assert "no matching entries" in capsys.readouterr().out


def test_quotas_are_given_listed_and_taken(capsys: pytest.CaptureFixture[str]) -> None:
    admin("user", "add", "ada", "--no-password")
    admin("group", "add", "lab")
    assert admin("quota", "set", "ada", "questions", "0") == 0
    assert admin("quota", "set", "lab", "mb", "off", "--group") == 0
    assert [(q["owner"], q["name"], q["kind"], q["most"]) for q in listed("quota", capsys)] == [
        ("group", "lab", "mb", "off"),
        ("user", "ada", "questions", 0),
    ]
    assert admin("quota", "set", "ada", "questions", "default") == 0
    assert len(listed("quota", capsys)) == 1
    assert admin("quota", "set", "eve", "mb", "5") == 2


@pytest.mark.parametrize(
    "command",
    [
        ["index", "mills.pdf"], ["watch", ".", "-c", "mills", "--once"], ["reindex", "-c", "papers"],
        ["compact", "--collection", "papers"], ["remove", "--all", "-c", "papers"],
    ],
)  # fmt: skip
def test_a_command_that_could_not_be_told_of_does_nothing(
    command: list[str], home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    documents.pdf(home / "mills.pdf", ["The mill was built by Anna Holm."])
    Collection.create("papers").close()
    (home / "state.sqlite").write_bytes(b"this is no database at all" * 100)
    assert main(command) == 2
    assert "the server's database cannot be opened" in capsys.readouterr().err
    assert list_collections() == ("papers",)
