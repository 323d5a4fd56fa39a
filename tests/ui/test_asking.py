"""Asking: a turn of a visitor, follow-ups that say what they are, and exports that only the visitor gets."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from rag import Planner, Profile, RagSettings
from rag.glossary import load_glossary
from tests import fakes
from ui.asking import Asking, FollowUp, is_follow_up
from ui.desk import Desk
from ui.turns import Asked, Moment, Turn

PAGES = {
    "mill.pdf": [
        ["The mill was built in 1887 by Anna Holm.", "Nine barrels of cider lie in its cellar."],
        ["The roof was mended in 1931 after the great storm."],
    ]
}


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Asking:
    home = tmp_path_factory.mktemp("home")
    fakes.index(fakes.collection(home, embedder, "mills"), PAGES)
    return Asking(Desk(Profile(rag=RagSettings(min_confidence=0)), home))


def ended(turn: Turn) -> Moment:
    return list(turn.follow())[-1]


def test_a_question_is_answered_and_kept(asking: Asking) -> None:
    turn = asking.start("me", Asked("mills", "When was the mill built by Anna Holm?", mode="text"))
    moment = ended(turn)
    assert moment.answer is not None, moment.error
    assert any("1887" in s.text for s in moment.sentences)
    assert asking.history.turns("me")[-1] is turn
    assert [view.page for view in asking.pages(turn)][:1] == [1]


def test_an_error_of_the_collection_is_told(asking: Asking) -> None:
    moment = ended(asking.start("you", Asked("nowhere", "When was the mill built?")))
    assert moment.state == "failed"
    assert "nowhere" in moment.error


def test_a_follow_up_is_searched_for_with_the_question_before(asking: Asking) -> None:
    ended(asking.start("them", Asked("mills", "When was the mill built by Anna Holm?", mode="text")))
    turn = asking.start("them", Asked("mills", "And its roof?", mode="text"))
    moment = ended(turn)
    assert turn.asked.previous == "When was the mill built by Anna Holm?"
    assert moment.answer is not None
    assert moment.answer.queries[-1] == turn.asked.previous


def test_a_question_of_another_collection_is_no_follow_up(asking: Asking) -> None:
    asking.start("she", Asked("nowhere", "When was the mill built by Anna Holm?"))
    assert asking.start("she", Asked("mills", "And its roof?")).asked.previous == ""


@pytest.mark.parametrize(
    "question",
    [
        "And in 2023?", "Why?", "In which year?", "What about the roof of the mill and its cellar walls?",
        "How many barrels does it hold?", "Wie hoch sind sie?",
    ],
)  # fmt: skip
def test_what_points_back_is_a_follow_up(question: str) -> None:
    assert is_follow_up(question)


@pytest.mark.parametrize(
    "question",
    [
        "When was the mill built by Anna Holm?",
        "How do I reset the device?", "How many seats are there at Mint Wharf?",
        "Why did fewer people travel to Gull Island?",
        "Which countries signed the treaty, and what were their reasons for doing so?",
    ],
)  # fmt: skip
def test_what_stands_alone_is_none(question: str) -> None:
    assert not is_follow_up(question)


def test_a_follow_up_restricts_nothing() -> None:
    planner = Planner(load_glossary(""))
    own = planner.plan("And the roof?", 4)
    both = FollowUp(planner, "When was the mill built?").plan("And the roof?", 4)
    assert both.text[: len(own.text)] == own.text
    assert [q.text for q in both.text[len(own.text) :]] == ["When was the mill built?"]
    assert len(both.text) == len(both.image)
    assert both.hints == own.hints


def test_an_export_is_for_whoever_asked(asking: Asking) -> None:
    turn = asking.start("me", Asked("mills", "When was the mill built by Anna Holm?", mode="text"))
    ended(turn)
    made = asking.export("me", turn.id, "json")
    assert made is not None
    name, data, kind = made
    assert (name[-5:], kind) == (".json", "application/json")
    assert json.loads(data)["question"] == turn.asked.question
    assert asking.export("you", turn.id, "json") is None
    assert asking.export("", turn.id, "json") is None
    assert asking.export("me", "0" * 16, "json") is None


def test_several_files_come_as_one_archive(tmp_path: Path) -> None:
    from ui.asking import zipped

    (tmp_path / "a.files").mkdir()
    files = [tmp_path / "a.md", tmp_path / "a.files" / "1.png"]
    for file in files:
        file.write_bytes(b"x")
    assert zipfile.ZipFile(io.BytesIO(zipped(files, tmp_path))).namelist() == ["a.md", "a.files/1.png"]
