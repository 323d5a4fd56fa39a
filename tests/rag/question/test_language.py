"""A question in another language than the embedder reads is told so, and answered by its own words only."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing import Collection, IndexingSettings
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from rag.question import embedder_note, is_foreign, unread
from rag.question.language import FOREIGN, UNFITTED
from tests.support import fakes


@pytest.mark.parametrize(
    ("question", "foreign"),
    [
        ("Wie viele Senioren nutzen das Internet?", True),
        ("Quelle est la date de publication ?", True),
        ("潮位はどのように測定されますか", True),
        ("How many boats sail?", False),
        ("When did the Musée d'Orsay open?", False),
        ("What does die Brücke mean?", False),
        ("micro-F1 MAVEN-ERE", False),
        ("", False),
    ],
)
def test_a_language_is_known_by_its_function_words(question: str, foreign: bool) -> None:
    assert is_foreign(question) is foreign


def test_it_is_not_answered_with_noise(town: Collection) -> None:
    answer = Pipeline(town, RagSettings(min_confidence=0.0)).answer("Wie viele Fässer liegen im Keller?")
    assert answer.sentences == ()
    assert FOREIGN in answer.notes


def test_a_document_of_that_language_answers_it(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder, "leaflet")
    fakes.index(made, {"museum.pdf": [["Das Museum öffnet um zehn Uhr. Der Eintritt kostet zwei Kronen."]]})
    answer = Pipeline(made, RagSettings(min_confidence=0.0)).answer("Wann öffnet das Museum?")
    assert [sentence.text for sentence in answer.sentences if not sentence.beside] == ["Das Museum öffnet um zehn Uhr."]


def test_only_who_quotes_is_told_so(town: Collection) -> None:
    """What a model writes does not rest on the words of the question."""
    pipeline = Pipeline(town, model=fakes.ScriptedModel(lambda _: ""))
    asked = "Wann öffnet das Museum?"
    events = pipeline.stream(asked, method="vanilla")
    assert FOREIGN not in next(events).queries.notes  # type: ignore[union-attr]
    events.close()
    assert FOREIGN in pipeline.answer(asked).notes


def test_of_an_embedder_of_one_s_own_nothing_is_known_but_that_marks_are_not_fitted_to_it() -> None:
    asked = "Wann öffnet das Museum?"
    minilm, colbert, openai = (IndexingSettings(embedder=name) for name in ("minilm", "colbert", "openai"))
    assert unread(asked, minilm)
    assert not unread(asked, colbert)
    assert embedder_note(asked, minilm) == (FOREIGN,)
    assert embedder_note("When does the museum open?", minilm) == ()
    assert embedder_note(asked, colbert) == embedder_note("When does it open?", openai) == (UNFITTED,)


GERMAN = "Wann wurde die alte Mühle am Ufer des großen Flusses von den Brüdern gebaut?"
FRENCH = "Quand est-ce que le vieux moulin au bord de la grande rivière a été construit par les frères?"


@pytest.mark.parametrize(
    ("languages", "question", "told"),
    [((), FRENCH, False), (("en", "de"), FRENCH, True), (("en", "de"), GERMAN, False),
     (("en",), "Wann öffnet es?", True), (("en", "de"), "Où est-ce?", False)],
)  # fmt: skip
def test_an_embedder_of_ones_own_reads_the_languages_that_are_said(
    languages: tuple[str, ...], question: str, told: bool
) -> None:
    made_with = IndexingSettings(embedder="colbert", text_languages=languages)
    assert unread(question, made_with) is told
    notes = embedder_note(question, made_with)
    assert (len(notes), notes[0]) == (1 + told, UNFITTED)
    assert not told or f"({', '.join(languages)})" in notes[1]
