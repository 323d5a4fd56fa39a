"""`vouch connect --add`: a model is put into a profile that is there, and nothing else of the file changes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from rag import ModelSettings, ProfileError, load_profile
from tests.support.scripted_server import ScriptedServer
from tests.ui.cli.connection.test_connect import Serve, ferry
from ui.cli import parser as cli
from ui.cli.connection.profile_file import add_model, check_addable

NEW = ModelSettings(base_url="http://127.0.0.1:9/v1", name="served-as", context_tokens=2048)
PROFILE = """\
# My own profile.
indexing:
  ocr: never   # as before
rag:
  method: vanilla
  model:
    base_url: http://127.0.0.1:8/v1  # the big one
    name: big

  # what is searched
  top_k: 5
ui: {}
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(PROFILE)
    return path


def test_the_model_is_added_and_every_other_line_stays(mine: Path) -> None:
    mine.chmod(0o640)
    before = load_profile(str(mine))
    add_model(mine, "small", NEW)
    added = load_profile(str(mine))
    assert added.rag.models == {"small": NEW}
    assert added.rag.model_names == ("big", "small")
    assert added.model_copy(update={"rag": added.rag.model_copy(update={"models": {}})}) == before
    assert [line for line in PROFILE.splitlines() if line not in mine.read_text().splitlines()] == []
    assert mine.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in mine.parent.iterdir()] == ["mine.yaml"]


def test_a_second_one_is_put_after_the_first(mine: Path) -> None:
    add_model(mine, "small", NEW)
    add_model(mine, "on: the #hill", NEW.model_copy(update={"name": "third"}))
    assert load_profile(str(mine)).rag.model_names == ("big", "small", "on: the #hill")
    assert set(PROFILE.splitlines()) <= set(mine.read_text().splitlines())


@pytest.mark.parametrize(
    "text",
    [
        PROFILE.removesuffix("ui: {}\n").rstrip("\n"),
        PROFILE.replace("  top_k: 5\n", "  glossary: |-\n    \n"),
        PROFILE.replace("\n", "\r\n"),
        "rag:\n    model: {base_url: 'http://h/v1', name: big}",
        "---\nrag:\n  writing: {sentences: 3}\n  model: {base_url: 'http://h/v1',\n    name: big}\n# the end\n",
    ],
)
def test_other_forms_of_a_profile_take_one_too(mine: Path, text: str) -> None:
    mine.write_bytes(text.encode())
    add_model(mine, "small", NEW)
    assert load_profile(str(mine)).rag.models == {"small": NEW}


@pytest.mark.parametrize(
    "text",
    ["rag: {model: {base_url: 'http://h/v1', name: big}}\n", PROFILE.replace("  top_k: 5\n", "  models: {}\n")],
)
def test_a_profile_in_one_line_is_left_alone_and_the_lines_are_told(mine: Path, text: str) -> None:
    mine.write_text(text)
    with pytest.raises(ProfileError, match=r"put this under rag\.models") as caught:
        add_model(mine, "small", NEW)
    assert yaml.safe_load(str(caught.value).partition("in it:\n")[2])["small"]["name"] == "served-as"
    assert mine.read_text() == text


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("rag: {}\n", "small", "has no rag.model"),
        (PROFILE, "big", "already has a model 'big'"),
        (PROFILE, " small", "--add: .*cannot be the name of a model"),
        ("rag: [", "small", "is not YAML"),
    ],
)
def test_what_cannot_be_added_is_told_before_a_model_is_asked(mine: Path, text: str, name: str, said: str) -> None:
    mine.write_text(text)
    with pytest.raises(ProfileError, match=said):
        check_addable(mine, name)
    with pytest.raises(ProfileError, match=r"a \.yaml file"):
        check_addable(mine.with_suffix(".txt"), name)


def test_the_command_adds_what_it_found(
    serve: Serve, mine: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server: ScriptedServer = serve(ferry)
    command = ["connect", server.url, "--to", str(mine), "--add", "small"]
    assert cli.main(command) == 0
    assert f'vouch ask "your question" --profile {mine} --model small' in capsys.readouterr().out
    added = load_profile(str(mine)).rag.models["small"]
    assert (added.base_url, added.name, added.timeout) == (server.url, "scripted", 120)
    asked = len(server.asked)
    assert cli.main(command) == 2
    assert "already has a model 'small'" in capsys.readouterr().err
    assert cli.main(["connect", server.url, "--to", str(tmp_path / "none.yaml"), "--add", "small"]) == 2
    assert len(server.asked) == asked
