"""Asking in the modes text, image and multi, with one query and with several, with an image, and with bad input."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from PIL import Image

from indexing import Collection, FileError, Hints, Mode, NoVisualEmbedder
from indexing.embed.minilm import MiniLM
from rag import (
    Answer,
    BadLimit,
    EmptyQuestion,
    Pipeline,
    Queries,
    Query,
    QuestionTooLong,
    QuestionUnreadable,
    RagSettings,
)
from tests.support import documents, fakes

BOLD = RagSettings(min_confidence=0.0)
MODES: tuple[Mode, ...] = ("text", "image", "multi")
BRIDGE = "When did the harbour bridge open?"
LIGHTHOUSE = "When was the lighthouse lit?"
MILL = "When was the mill built?"
ALMANAC = (
    "The tram runs every ten minutes.", "Rye is sown in October.", "The mill grinds rye and barley.",
    "A ferry crosses the bay at noon.", "Cider is pressed in autumn.", "The lighthouse warns the ships.",
    "Herring is smoked over beech.", "The choir sings on Sundays.", "Sheep graze on the northern hill.",
)  # fmt: skip


@pytest.fixture(scope="module")
def harbour(seen: Collection) -> Pipeline:
    return Pipeline(seen, BOLD)


@pytest.fixture(scope="module")
def almanac(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    """One page of many sentences that have little to do with one another."""
    made = fakes.collection(tmp_path_factory.mktemp("almanac"), embedder, "almanac")
    fakes.index(made, {"almanac.pdf": [list(ALMANAC)]})
    return made


def best(answer: Answer) -> str:
    return answer.evidence[0].document


# ---- modes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_scan_is_answered_from_in_every_mode(harbour: Pipeline, mode: Mode) -> None:
    answer = harbour.answer(BRIDGE, mode=mode)
    assert answer.mode == mode
    (citation,) = answer.sentences[0].citations
    assert (citation.document, citation.page, citation.quote) == ("scan.pdf", 1, "The harbour bridge opened in 1931.")


def test_each_mode_sees_what_it_should(harbour: Pipeline) -> None:
    found = {
        (mode, question): {e.document for e in harbour.retrieve(question, mode=mode)[1].evidence}
        for mode in MODES
        for question in (LIGHTHOUSE, MILL)
    }
    assert found["text", LIGHTHOUSE] == found["text", MILL] == {"mill.pdf", "scan.pdf"}
    assert found["image", LIGHTHOUSE] == found["image", MILL] == {"poster.pdf", "scan.pdf"}
    assert found["multi", LIGHTHOUSE] == found["multi", MILL] == {"mill.pdf", "poster.pdf", "scan.pdf"}
    assert [best(harbour.answer(q, mode="multi")) for q in (LIGHTHOUSE, MILL, BRIDGE)] == [
        "poster.pdf", "mill.pdf", "scan.pdf",
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["image", "multi"])
def test_a_collection_without_pixels_says_what_to_do(plain: Collection, mode: Mode) -> None:
    says = r"^collection 'plain' .* --mode text, .* --visual ocr_regions$"
    with pytest.raises(NoVisualEmbedder, match=says):
        Pipeline(plain).answer(MILL, mode=mode)
    with pytest.raises(NoVisualEmbedder, match=says):
        Pipeline(plain, RagSettings(mode=mode)).answer(MILL)
    assert best(Pipeline(plain).answer(MILL, mode="text")) == "mill.pdf"


@pytest.mark.parametrize("mode", MODES)
def test_pages_are_told_best_first_each_once(harbour: Pipeline, mode: Mode) -> None:
    for question in (BRIDGE, LIGHTHOUSE, MILL):
        answer = harbour.answer(question, mode=mode)
        assert [p.score for p in answer.pages] == sorted((p.score for p in answer.pages), reverse=True)
        assert len({(p.doc_id, p.number) for p in answer.pages}) == len(answer.pages) > 1
        assert (answer.pages[0].document, answer.pages[0].score) == (best(answer), answer.evidence[0].score)
        assert {(p.document, p.number) for p in answer.pages} >= {(e.document, e.element.page) for e in answer.evidence}


# ---- queries -------------------------------------------------------------------------------------------------------


class Prescribed:
    """A planner that asks what it was told to, as one with a language model could; pixels are asked `images`."""

    def __init__(self, *texts: str, images: tuple[str, ...] = ()) -> None:
        self.texts = texts
        self.images = images or texts

    def plan(self, question: str, n: int, image_text: str = "", image: Image.Image | None = None) -> Queries:
        assert question
        assert (image_text, image) == ("", None)
        texts, images = self.texts[:n], self.images[:n]
        return Queries(tuple(Query(t) for t in texts), tuple(Query(t) for t in images), Hints())


@pytest.mark.parametrize(
    ("text", "image", "best_text", "best_image"),
    [(BRIDGE, LIGHTHOUSE, "scan.pdf", "poster.pdf"), (MILL, BRIDGE, "mill.pdf", "scan.pdf")],
)
def test_text_is_asked_the_text_seeking_form_and_pixels_the_image_seeking_one(
    seen: Collection, text: str, image: str, best_text: str, best_image: str
) -> None:
    pipeline = Pipeline(seen, RagSettings(), Prescribed(text, images=(image,)))
    found = {mode: pipeline.retrieve("Whatever?", mode=mode)[1].evidence for mode in MODES}
    assert [found[mode][0].document for mode in MODES[:2]] == [best_text, best_image]
    assert {e.document for e in found["multi"][:3]} >= {best_text, best_image}


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_found_by_names_the_queries_that_have_it_among_their_own_best(almanac: Collection, limit: int) -> None:
    texts = ("Which cereal does the mill grind?", "When is cider pressed?", "What warns the ships?")
    pipeline = Pipeline(almanac, RagSettings(mode="text"), Prescribed(*texts))
    _, found = pipeline.retrieve("Rye, cider and ships?", top_k=limit, queries=3)
    own = [{h.element.id for h in almanac.search(text, limit=limit).hits} for text in texts]
    truth = {e.element.id: tuple(n for n, ids in enumerate(own, 1) if e.element.id in ids) for e in found.evidence}
    assert {e.element.id: e.found_by for e in found.evidence} == truth
    assert all(truth.values())


def test_a_comparison_is_searched_for_by_its_sides_unless_one_query_is_asked_for(town: Collection) -> None:
    question = "the wheel of the mill versus the ticket of the bus"
    one, many = (Pipeline(town, BOLD).answer(question, queries=n, top_k=2) for n in (1, 4))
    assert one.queries == (question,)
    assert many.queries == (question, "the wheel of the mill", "the ticket of the bus")
    assert {n for e in many.evidence for n in e.found_by} == {1, 2, 3}
    assert {n for e in one.evidence for n in e.found_by} == {1}


@pytest.mark.parametrize("number", [0, -1, 101, 10**9])
def test_numbers_out_of_range_are_refused(harbour: Pipeline, number: int) -> None:
    with pytest.raises(BadLimit, match=f"^top_k is {number}: give a number from 1 to 100$"):
        harbour.answer(MILL, top_k=number)
    with pytest.raises(BadLimit, match=f"^queries is {number}: give a number from 1 to 20$"):
        harbour.answer(MILL, queries=number)


# ---- an attached image ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.gate
def test_an_attached_image_changes_what_is_found(harbour: Pipeline, tmp_path: Path) -> None:
    question, shot = "When did this happen?", tmp_path / "shot.png"
    documents.picture(["The lighthouse", "was lit"]).save(shot)
    without, with_image = (harbour.answer(question, mode="multi", image=image) for image in (None, shot))
    assert best(without) != "poster.pdf"
    assert best(with_image) == "poster.pdf"
    assert without.queries == (question,)
    assert "lighthouse" in with_image.queries[1].lower()
    assert 2 in with_image.evidence[0].found_by


@pytest.mark.parametrize("name", ["missing.png", "text.png"])
def test_an_image_that_cannot_be_read_is_an_error_that_names_it(harbour: Pipeline, tmp_path: Path, name: str) -> None:
    (tmp_path / "text.png").write_text("no image")
    with pytest.raises(FileError, match=re.escape(name)):
        harbour.answer(MILL, image=tmp_path / name)


# ---- bad input -----------------------------------------------------------------------------------------------------

ODD = [
    "1", "of and", "水車はいつ建てられましたか", "mill\x00\x1b[2J", "\u200bmill\u202e", "'; DROP TABLE elements; --",
    "rye " * 499 + "rye",
]  # fmt: skip


@pytest.mark.parametrize("question", ODD)
def test_odd_questions_get_a_ranking_that_is_sound(harbour: Pipeline, question: str) -> None:
    answer = harbour.answer(question, mode="multi")
    scores = [e.score for e in answer.evidence] + [p.score for p in answer.pages]
    assert scores
    assert all(map(math.isfinite, scores))
    assert [e.label for e in answer.evidence] == [f"E{n}" for n in range(1, len(answer.evidence) + 1)]
    assert 0 <= answer.confidence <= 1
    shown = {e.element.id: e.element.text for e in answer.evidence}
    assert all(s.text in shown[c.element_id] for s in answer.sentences for c in s.citations)


@pytest.mark.parametrize("question", ['mill" OR "', "mill AND (rye", "text:mill*", "+mill -rye", "mill\x00"])
def test_signs_of_a_query_language_are_no_query_language(harbour: Pipeline, question: str) -> None:
    for mode in ("text", "multi"):
        assert best(harbour.answer(question, mode=mode)) == "mill.pdf"


@pytest.mark.parametrize(
    ("question", "kind", "says"),
    [
        ("", EmptyQuestion, "has no words"),
        ('?! ... "" ()', EmptyQuestion, "has no words"),
        ("rye " * 2500, QuestionTooLong, "10000 characters, the limit is 2000: shorten it"),
        ("mill \udcff", QuestionUnreadable, "not UTF-8"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(
    harbour: Pipeline, question: str, kind: type[Exception], says: str
) -> None:
    for ask in (harbour.answer, harbour.retrieve):
        with pytest.raises(kind, match=says) as raised:
            ask(question)
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_collection_has_no_answer_in_any_mode(tmp_path: Path, embedder: MiniLM, mode: Mode) -> None:
    answer = Pipeline(fakes.collection(tmp_path, embedder), BOLD).answer(MILL, mode=mode)
    assert (answer.mode, answer.sentences, answer.evidence, answer.pages) == (mode, (), (), ())
    assert answer.confidence == 0.0
    assert answer.nothing.startswith("Collection 'made-up' holds no documents yet: ")


@pytest.mark.parametrize("mode", MODES)
def test_nothing_found_is_explained_where_the_mode_saw_nothing(seen: Collection, mode: Mode) -> None:
    found = {d.name: Pipeline(seen).retrieve(MILL, mode=mode, documents=[d.name])[1] for d in seen.documents()}
    told = {name: "--pixels pages" in each.nothing for name, each in found.items()}
    assert told == {"mill.pdf": mode == "image", "scan.pdf": False, "poster.pdf": False}


@pytest.mark.parametrize("mode", MODES)
def test_pages_of_text_that_mode_image_cannot_see_are_told(seen: Collection, mode: Mode) -> None:
    """Whatever it found elsewhere: pages of text are missing from it, and nobody would know."""
    pipeline = Pipeline(seen, BOLD)
    notes = pipeline.retrieve(LIGHTHOUSE, mode=mode)[1].notes
    assert [("--pixels pages" in note, "1 of the 2 pages" in note) for note in notes] == [(True, True)] * (
        mode == "image"
    )
    assert [note for note in pipeline.answer(LIGHTHOUSE, mode=mode).notes if "--pixels" in note] == list(notes)
    assert pipeline.retrieve(LIGHTHOUSE, mode=mode, documents=["poster.pdf"])[1].notes == ()
