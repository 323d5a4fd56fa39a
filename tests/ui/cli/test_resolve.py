"""Commands on what is there: resolve, reindex and feedback."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from evaluation.tasks import own_questions
from indexing import BBox, Collection, Document
from indexing.embed.minilm import MiniLM
from rag import AnchorLost, Citation, Question, anchor_of
from tests.support import documents, fakes
from tests.ui.real_collection import LINES, cite, mill, proven, shelve
from ui.cli import main
from ui.cli.commands import resolve
from ui.state import AnswerForm, ConversationStore, Feedback, FeedbackStore, MovedBox, anchors_of, open_state


def shelf(home: Path, embedder: MiniLM, collection: str, name: str, *lines: str) -> tuple[Collection, str]:
    """A collection with one PDF of these lines, and the anchor of its last line."""
    made = fakes.collection(home, embedder, collection)
    path = documents.pdf(home / name, lines)
    document, elements = shelve(made, path)
    page = made.page(document.id, 1)
    return made, str(anchor_of(cite(document, elements[-1]), document, page))


def args(anchor: str, collection: str | None = None, *, as_json: bool = False) -> Namespace:
    return Namespace(anchor=anchor, collection=collection, json=as_json)


def test_the_place_is_printed(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    _, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    assert resolve(args(anchor, "town")) == 0
    said = capsys.readouterr().out
    assert "mill.pdf, page 1: the same words in the same file." in said
    assert LINES[1] in said
    assert "collection town" in said


def test_every_collection_is_looked_through(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    _, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    shelf(home, embedder, "aaa", "bus.pdf", "A bus.")
    (home / "broken").mkdir()
    (home / "broken" / "collection.json").write_text("not json")
    assert resolve(args(anchor, as_json=True)) == 0
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert (found["state"], found["collection"], found["document"]) == ("found", "town", "mill.pdf")
    assert found["citation"]["quote"] == LINES[1]
    assert told.err.count("\n") == 1
    assert "broken" in told.err


def test_a_changed_document_exits_with_1(home: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str]) -> None:
    town, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    town.remove("mill.pdf")
    fakes.index(town, {"mill.pdf": [["Ten barrels of cider lie in its cellar."]]})
    assert resolve(args(anchor)) == 1
    said = capsys.readouterr().out
    assert "mill.pdf has changed" in said
    assert "box" not in said


def test_a_document_that_is_nowhere_is_an_error(home: Path, embedder: MiniLM) -> None:
    town, anchor = shelf(home, embedder, "town", "mill.pdf", *LINES)
    town.remove("mill.pdf")
    with pytest.raises(AnchorLost, match=r"mill\.pdf .* was not found in any of 1 collections"):
        resolve(args(anchor))
    with pytest.raises(AnchorLost, match="'town'"):
        resolve(args(anchor, "town"))


QUESTION = "When was the mill built?"


class Judged:
    """A home in which an answer of two sentences was kept, and judged."""

    def __init__(self, folder: Path, embedder: MiniLM) -> None:
        self.collection: Collection
        self.documents: list[Document]
        self.citations: list[Citation]
        self.collection, self.documents, self.citations = mill(folder, embedder)
        self.home, self.out = folder / "home", folder / "judged"
        answer = proven(self.citations)
        form = AnswerForm("made-up", Question(QUESTION), answer, anchors_of(answer, self.collection))
        with open_state(self.home) as state:
            ConversationStore(state).keep("me", "c", "a", form)
            FeedbackStore(state).judge("me", "a", 1, Feedback("right"))
            FeedbackStore(state).judge("me", "a", 2, Feedback("wrong place", "the \x1b[31mcellar"))


@pytest.fixture
def judged(tmp_path: Path, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch) -> Judged:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    return Judged(tmp_path, embedder)


def test_the_harness_reads_what_was_judged_right(judged: Judged, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["feedback", "export", str(judged.out)]) == 0
    assert "1 question on 1 document" in capsys.readouterr().out
    gold = own_questions.load(judged.out, None, judged.out, None)
    (question,) = gold.questions
    assert (question.text, gold.problems) == (QUESTION, ())
    assert [file.name for file in gold.files.values()] == ["mill.pdf"]
    (box,) = question.boxes
    assert box.page == judged.citations[0].page
    assert box.bbox == pytest.approx(judged.citations[0].boxes[0].as_tuple(), abs=1e-4)
    assert main(["feedback", "export", str(judged.out)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_a_box_that_was_moved_is_the_gold_one(judged: Judged, capsys: pytest.CaptureFixture[str]) -> None:
    place = judged.citations[1]
    moved = MovedBox(place.doc_id, place.page, BBox(0.2, 0.3, 0.6, 0.4))
    with open_state(judged.home) as state:
        FeedbackStore(state).judge("me", "a", 1, None)
        FeedbackStore(state).judge("me", "a", 2, Feedback("wrong place", "", moved))
    assert main(["feedback", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["box"] == str(moved)
    assert main(["feedback", "export", str(judged.out)]) == 0
    (question,) = own_questions.load(judged.out, None, judged.out, None).questions
    (box,) = question.boxes
    assert box.bbox == pytest.approx((0.2, 0.3, 0.6, 0.4))


def test_what_has_no_place_any_more_is_left_out_in_words(judged: Judged, capsys: pytest.CaptureFixture[str]) -> None:
    judged.collection.remove("mill.pdf")
    assert main(["feedback", "export", str(judged.out)]) == 2
    err = capsys.readouterr().err
    assert f"left out: {QUESTION}: its place can no longer be found in the collection" in err
    assert "judge some in the page first" in err
    assert not judged.out.exists()
