"""A sentence whose page shows other words is never plainly quoted or supported, and its reader is told."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from indexing import BBox, Collection, Mismatch, PageTimeout, build_index
from rag import Pipeline, RagSettings
from rag.attribution import PrintCheck
from rag.types import Citation, Sentence
from tests.support.disguises import DISGUISES, SAID, Disguise, disguised

PLACE = BBox(0.1, 0.2, 0.3, 0.4)
QUOTED = Sentence(
    SAID, (Citation("E1", "e", "d", "fares.pdf", 3, "text", PLACE, (PLACE,), SAID),), "quoted", "word for word", 0.9,
    short=(31, 32),
)  # fmt: skip
QUESTION = "How many crowns does the ferry to Gull Island cost?"
LIES = {SAID, "Every dog on the ferry must wear a lead.", "The ferry to Gull Island does run in winter."}


GATED = {
    "to_unicode", "to_nothing", "encoding_differences", "type3", "actual_text", "overprinted", "clipped",
    "nearly_white", "layer_over_a_scan", "on_a_turned_page",
}  # fmt: skip
"""A disguise of each kind, which the gate tries."""


class Shown:
    """A collection whose pages show what they are told to."""

    def __init__(self, outcome: tuple[Mismatch, ...] | Exception) -> None:
        self.outcome = outcome
        self.asked: list[tuple[str, int, tuple[BBox, ...]]] = []

    def mismatches(self, doc_id: str, page: int, boxes: tuple[BBox, ...]) -> tuple[Mismatch, ...]:
        self.asked.append((doc_id, page, boxes))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def checked(outcome: tuple[Mismatch, ...] | Exception, sentence: Sentence = QUOTED) -> tuple[Sentence, tuple[str, ...]]:
    return PrintCheck(Shown(outcome))(sentence)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mismatch", "said"),
    [
        (Mismatch("4", "9"), "the page shows \u201c9\u201d where its text says \u201c4\u201d (fares.pdf, page 3)"),
        (Mismatch("4", ""), "the page does not show \u201c4\u201d, which its text says (fares.pdf, page 3)"),
        (Mismatch("", "not"), "the page shows \u201cnot\u201d, which its text does not say (fares.pdf, page 3)"),
    ],
)
@pytest.mark.parametrize("verdict", ["quoted", "computed", "confirmed"])
def test_a_difference_is_told_and_nothing_is_proven(mismatch: Mismatch, said: str, verdict: str) -> None:
    found, notes = checked((mismatch,), replace(QUOTED, verdict=verdict))
    assert (found.verdict, found.citations, found.differs, found.reason) == ("unconfirmed", (), said, said)
    assert (found.answers, found.short, notes) == (None, None, ())


def test_words_that_agree_change_nothing_and_are_compared_once() -> None:
    shown = Shown(())
    check = PrintCheck(shown)  # type: ignore[arg-type]
    assert check(QUOTED) == (QUOTED, ())
    assert check(QUOTED) == (QUOTED, ())
    assert shown.asked == [("d", 3, (PLACE,))]


def test_a_page_that_cannot_be_drawn_in_time_proves_nothing() -> None:
    found, _ = checked(PageTimeout("too slow"))
    assert (found.verdict, found.citations) == ("unconfirmed", ())
    assert "cannot be drawn" in found.differs


def test_without_lines_the_whole_element_is_compared_and_of_a_picture_its_caption_or_nothing() -> None:
    bare = replace(QUOTED.citations[0], boxes=())
    picture, under = replace(bare, kind="picture"), BBox(0.1, 0.8, 0.9, 0.82)
    captioned = replace(picture, context=(under,))
    for citation, asked in ((bare, (PLACE,)), (replace(picture, quote=""), ()), (captioned, (under,))):
        shown = Shown(())
        PrintCheck(shown)(replace(QUOTED, citations=(citation,)))  # type: ignore[arg-type]
        assert shown.asked == [("d", 3, asked)]


def test_a_bullet_of_a_font_of_signs_is_left_out_of_a_quote() -> None:
    """In the text layer an arrow can be a figure; its page shows no letter there, so the step is read without it."""
    step = replace(QUOTED, text="6 " + SAID, citations=(replace(QUOTED.citations[0], quote="6 " + SAID),))
    step = replace(step, short=(33, 34))
    for shown in ("", "\u2192"):
        assert checked((Mismatch("6", shown),), step) == (QUOTED, ())


@pytest.mark.parametrize(
    ("mismatches", "text"),
    [
        ((Mismatch("6", "9"),), "6 boats sail."),
        ((Mismatch("16", ""),), "16 boats sail."),
        ((Mismatch("6", ""), Mismatch("boats", "")), "6 boats sail."),
        ((Mismatch("6", ""),), "6 boats sail at 6"),
        ((Mismatch("6", ""),), "Sail at 6"),
        ((Mismatch("6", ""),), "6"),
    ],
)
def test_what_is_no_bullet_is_told(mismatches: tuple[Mismatch, ...], text: str) -> None:
    sentence = replace(QUOTED, text=text, citations=(replace(QUOTED.citations[0], quote=text),), short=None)
    assert checked(mismatches, sentence)[0].differs


@pytest.fixture(scope="module")
def lying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    """A collection of all disguises, a document each."""
    folder = tmp_path_factory.mktemp("disguises")
    for way in DISGUISES:
        disguised(folder / f"{way.__name__}.pdf", way)
    with Collection.create("lying", folder / "home") as collection:
        build_index(collection, [folder], workers=1)
        yield collection


@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[pytest.mark.gate] * (way.__name__ in GATED), id=way.__name__) for way in DISGUISES]
)
def test_no_disguise_is_plainly_quoted(way: Disguise, lying: Collection) -> None:
    asked = {"a_word_by_to_unicode": "Must a dog wear a lead?", "to_nothing": "Does the ferry run in winter?"}
    pipeline = Pipeline(lying, RagSettings(min_confidence=0))
    answer = pipeline.answer(asked.get(way.__name__, QUESTION), documents=[f"{way.__name__}.pdf"])
    plain = [s for s in answer.sentences if s.verdict != "unconfirmed"]
    assert not LIES.intersection(s.text for s in plain)
    assert not [s for s in plain if "4 crowns" in s.text]
    assert all(s.differs for s in answer.sentences if s.text in LIES)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [pytest.param("overprinted", marks=pytest.mark.gate), "type3", "layer_over_a_scan", "struck_by_other_words"],
)
def test_lies_that_stay_in_the_index_are_told(name: str, lying: Collection) -> None:
    pipeline = Pipeline(lying, RagSettings(min_confidence=0))
    answer = pipeline.answer(QUESTION, documents=[f"{name}.pdf"])
    told = [s for s in answer.sentences if s.differs]
    assert told
    assert "\u201c9\u201d" in told[0].differs
    assert answer.timings["compare"] > 0
    trusting = Pipeline(lying, RagSettings(min_confidence=0, print_check=False))
    assert {s.verdict for s in trusting.answer(QUESTION, documents=[f"{name}.pdf"]).sentences} == {"quoted"}


@pytest.mark.slow
@pytest.mark.gate
def test_what_others_wrote_is_held_against_the_page_too(lying: Collection) -> None:
    pipeline = Pipeline(lying)
    written = pipeline.check(QUESTION, SAID, documents=["overprinted.pdf"])
    assert [(s.verdict, bool(s.differs)) for s in written.sentences] == [("unconfirmed", True)]
    assert pipeline.recheck(written).sentences[0].verdict == "unconfirmed"
