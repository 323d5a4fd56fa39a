"""The pairs of `vouch confirm`: what is read, what is refused by name, decisions kept, hostile words escaped."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.ui.pairs import pair, write
from ui import cli
from ui.errors import BadRequest, PairsUnreadable
from ui.web.confirm.page import after, pair_html
from ui.web.confirm.pairs import ReferencePairs


def test_decisions_are_kept_at_once_and_read_again(tmp_path: Path) -> None:
    pairs = ReferencePairs(write(tmp_path, 4))
    assert after(pairs, "keep", "p1", "a") == 1
    assert after(pairs, "keep", "p2", "b") == 2
    assert after(pairs, "drop", "p3", "a") == 3
    again = ReferencePairs(tmp_path)
    assert {key: (made.decision, made.part) for key, made in again.decisions.items()} == {
        "p1": ("confirmed", "a"),
        "p2": ("corrected", "b"),
        "p3": ("dropped", ""),
    }
    assert again.first_open() == 3
    assert after(again, "keep", "p4", "a") == 0, "all are decided: the first one again"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["decisions.json", "pages", "pairs.jsonl"]


def test_a_decision_may_be_changed_and_walking_decides_nothing(tmp_path: Path) -> None:
    pairs = ReferencePairs(write(tmp_path, 3))
    assert [after(pairs, act, "p1", "a") for act in ("next", "previous")] == [1, 2]
    assert pairs.decisions == {}
    after(pairs, "drop", "p1", "a")
    after(pairs, "keep", "p1", "b")
    assert pairs.decisions["p1"].decision == "corrected"


def test_two_people_over_one_folder_lose_nothing_of_each_other(tmp_path: Path) -> None:
    first, second = ReferencePairs(write(tmp_path, 3)), ReferencePairs(tmp_path)
    first.decide("p1", "a")
    second.decide("p2", "b")
    assert set(ReferencePairs(tmp_path).decisions) == set(second.decisions) == {"p1", "p2"}


def test_a_full_disk_loses_no_decision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = ReferencePairs(write(tmp_path, 2))
    pairs.decide("p1", "a")
    before = (tmp_path / "decisions.json").read_text()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        pairs.decide("p2", "a")
    assert (tmp_path / "decisions.json").read_text() == before
    assert set(pairs.decisions) == {"p1"}


@pytest.mark.parametrize(
    ("act", "name", "part"), [("keep", "p9", "a"), ("keep", "p1", "z"), ("keep", "p1", ""), ("x", "p1", "a")]
)
def test_what_is_not_there_is_refused(tmp_path: Path, act: str, name: str, part: str) -> None:
    pairs = ReferencePairs(write(tmp_path, 2))
    with pytest.raises(BadRequest):
        after(pairs, act, name, part)
    assert not (tmp_path / "decisions.json").exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"choices": []}, "line 1: is not a pair: choices"),
        ({"other": 1}, "line 1: is not a pair: other"),
        ({"choices": [pair(1)["choices"][0] | {"box": [0.5, 0, 0.1, 1]}]}, "line 1: is not a pair: choices.0.box"),
        (
            {"choices": [pair(1)["choices"][0] | {"image": "pages/../../etc.webp"}]},
            "line 1: is not a pair: choices.0.image",
        ),
        ({"choices": [pair(1)["choices"][0] | {"image": "/etc/passwd"}]}, "line 1: is not a pair: choices.0.image"),
    ],
)
def test_lines_that_are_no_pairs_are_named(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    write(tmp_path, 1)
    (tmp_path / "pairs.jsonl").write_text(json.dumps(pair(1) | change) + "\n")
    with pytest.raises(PairsUnreadable, match=said):
        ReferencePairs(tmp_path)


@pytest.mark.parametrize("text", ["{", "[1]", '{"p1": 3}', '{"p1": {"decision": "maybe"}}', "[" * 100_000])
def test_damaged_decisions_are_named_and_not_written_over(tmp_path: Path, text: str) -> None:
    write(tmp_path, 1)
    (tmp_path / "decisions.json").write_text(text)
    with pytest.raises(PairsUnreadable, match=r"decisions\.json"):
        ReferencePairs(tmp_path)
    assert (tmp_path / "decisions.json").read_text() == text


def test_the_command_names_a_folder_without_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["confirm", str(tmp_path)]) == 2
    assert "vouch eval construct mcitebench" in capsys.readouterr().err


def test_words_from_anywhere_are_escaped(tmp_path: Path) -> None:
    evil = '<script>alert(1)</script>"{{x}}${y}'
    write(tmp_path, 1)
    told = pair(1) | {"question": evil, "answer": evil, "reference": evil, "document": evil, "question_type": evil}
    told["choices"] = [told["choices"][0] | {"id": evil, "text": evil, "name": evil}]
    (tmp_path / "pairs.jsonl").write_text(json.dumps(told | {"id": evil, "part": evil}) + "\n")
    made = pair_html(ReferencePairs(tmp_path), 0)
    assert "<script" not in made
    assert "{{x}}" not in made
    assert "${y}" not in made
    assert made.count("&lt;script") >= 8
