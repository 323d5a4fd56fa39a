"""Written from notes, on the evidence or on every page: what the model is shown, and how its sentences are checked."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import BBox, Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from rag.errors import OptionRefused, RagError, TooManyPages
from rag.events import Answered, Event, Shown
from rag.llm.chat import Message
from rag.settings import WritingSettings
from tests.support import fakes
from tests.support.fakes import ScriptedModel, text_of
from tests.support.writers import Writer, said

ASK = "How many litres does the toilet take?"
RULES = RagSettings(method="vanilla", mode="text", judge="rules", print_check=False)
TRUE, FALSE = "The toilet takes 38 litres.", "The toilet takes 99 litres."
NOTES = {"facts": [FALSE]}
CHART = {"kind": "chart", "shows": "Water by use.", "axes": "", "facts": [], "seen": ["The toilet takes a fifth."]}


@pytest.fixture
def water(tmp_path: Path, embedder: MiniLM) -> Collection:
    """A poster of water: a figure, two labels in it, and a passage; nothing of it can be drawn."""
    made = fakes.collection(tmp_path, embedder, "water")
    document = fakes.document("water.png", [["x"]])
    figure = replace(fakes.element("Toilet 38 litres", document.id, 1, 1, kind="picture"), bbox=BBox(0, 0, 1, 0.3))
    labels = [fakes.element(text, document.id, 1, n) for n, text in ((2, "Toilet"), (3, "38 litres"))]
    passage = fakes.element("The toilet takes 38 litres of water a day.", document.id, 1, 10)
    with made.writer() as writer:
        writer.add(replace(fakes.parsed(document.id, 1, []), elements=(figure, *labels, passage)))
        writer.finish(document, Path("/nowhere"))
        writer.flush()
    return made


def speaking(*sentences: str, notes: object = NOTES) -> Callable[[Sequence[Message]], str | RagError]:
    """Fill the forms of extraction, and answer with the sentences, each of which names every label that is shown."""

    def says_(messages: Sequence[Message]) -> str | RagError:
        text = text_of(messages)
        if "Take notes of it." in text:
            return notes if isinstance(notes, RagError) else json.dumps(notes)
        if "Describe it." in text:
            return json.dumps(CHART)
        labels = re.findall(r"^\[(E\d+)\]", text, re.MULTILINE)
        return said(*((sentence, labels) for sentence in sentences), find=labels, extract=[])

    return says_


def answered(pipeline: Pipeline, **options: object) -> tuple[Answered, list[Event]]:
    *told, last = pipeline.stream(ASK, extract=True, **options)  # type: ignore[arg-type]
    assert isinstance(last, Answered)
    return last, told


def test_a_sentence_is_held_against_the_page_and_never_against_the_knowledge(water: Collection) -> None:
    """The model noted 99 litres where the page says 38: its answer repeats its own note, and is not believed."""
    model = ScriptedModel(speaking(FALSE, TRUE), images=0)
    answer = answered(Pipeline(water, RULES, model=model))[0].answer
    assert f"| - {FALSE}" in text_of(model.asked[-1])
    false, true = answer.sentences
    assert (false.verdict, false.proof) == ("unconfirmed", ())
    assert true.verdict == "confirmed"
    assert true.proof[0].boxes
    assert "38 litres" in true.proof[0].quote


class TestEveryPage:
    """Counts and lists over a whole document: a model reads all pages, and answers from its notes."""

    ASKED = "In how many years did the mill grind rye?"

    def test_all_pages_are_read_and_the_answer_is_written_from_the_notes(self, long: Collection) -> None:
        notes = [said((f"It ground rye in batch {n}.", [f"E{2 * n - 1}"])) for n in range(1, 5)]
        model = Writer(*notes, said(answerable=False), said(("The mill of year 1 ground rye.", ["E1"])))
        settings = RULES.model_copy(update={"writing": WritingSettings(pages=2)})  # type: ignore[arg-type]
        *told, last = Pipeline(long, settings, model=model).stream(self.ASKED, documents=["mill.pdf"], every_page=True)
        shown = [[page.number for page in event.pages] for event in told if isinstance(event, Shown)]
        assert shown == [[1, 2], [3, 4], [5, 6], [7, 8], [9]]
        final = text_of(model.asked[-1])
        assert [f"| It ground rye in batch {n}." in final for n in range(1, 5)] == [True] * 4
        assert "ground rye and wheat" not in final
        assert isinstance(last, Answered)
        sentence, *noted = last.answer.sentences
        assert (sentence.verdict, sentence.citations[0].page) == ("confirmed", 1)
        assert [(s.citations[0].page, s.beside) for s in noted] == [(3, True), (5, True), (7, True)]
        assert "9 of 9 pages were read, in 5 calls" in last.answer.notes
        assert last.answer.usage.calls == 6

    @pytest.mark.parametrize(
        ("first", "note"),
        [
            ([said(*[(f"Rye {n}.", ["E1"]) for n in range(20)])] * 3, "page 2 of mill.pdf may say more than was noted"),
            (["no JSON"] * 6,
             "0 of 2 pages were read, in 3 calls; these could not be read: page 1 of mill.pdf, page 2 of mill.pdf"),
            (["no JSON"] * 4 + [said(("The mill of year 2 ground rye.", ["E2"]))] * 2,
             "1 of 2 pages were read, in 3 calls; these could not be read: page 1 of mill.pdf"),
        ],
    )  # fmt: skip
    def test_pages_are_read_in_halves(self, embedder: MiniLM, tmp_path: Path, first: list[str], note: str) -> None:
        made = fakes.collection(tmp_path, embedder, "short")
        fakes.index(made, {"mill.pdf": [[f"The mill of year {n} ground rye."] for n in (1, 2)]})
        model = Writer(*first, said(answerable=False))
        answer = Pipeline(made, RULES, model=model).answer(self.ASKED, documents=["mill.pdf"], every_page=True)
        assert any(note in one for one in answer.notes), answer.notes

    def test_without_documents_or_with_another_method_it_is_refused_before_any_call(self, long: Collection) -> None:
        model = Writer()
        with pytest.raises(TooManyPages, match="which documents"):
            Pipeline(long, RULES, model=model).stream(self.ASKED, every_page=True)
        with pytest.raises(OptionRefused, match="vanilla or cot"):
            Pipeline(long, RULES, model=model).stream(
                self.ASKED, documents=["mill.pdf"], every_page=True, method="quote"
            )
        assert model.asked == []
