"""`vouch feedback`: what was judged right becomes a set that the harness of `vouch eval` reads; the rest is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation.tasks import own_questions
from indexing import BBox, Collection, Document
from indexing.embed.minilm import MiniLM
from rag import Citation, Question
from tests.ui.real_collection import mill, proven
from ui.cli import main
from ui.state import AnswerForm, ConversationStore, Feedback, FeedbackStore, MovedBox, anchors_of, open_state

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
