"""A question for a value that is drawn in a figure: the answer points to the figure and quotes no caption."""

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Element, Hints
from indexing.embed.minilm import MiniLM
from rag import Evidence, Pipeline
from rag.methods.quote.regions import figure_of
from rag.methods.quote.select import Quote
from tests.support import fakes

CAPTION = "Figure 2. Boats that left the bay on time, by month."
LABELS = "Jan Feb Mar boats on time"
CHART = replace(fakes.element(LABELS, kind="picture"), caption=CAPTION)
NAMED = fakes.element(CAPTION, ordinal=2, kind="caption")
PAGE = (CHART, NAMED)


def quote(element: Element, text: str = "") -> Quote:
    start = element.text.index(text)
    return Quote(Evidence("E1", element, "bay.pdf", 1.0), start, start + len(text), 0.5)


@pytest.mark.parametrize(
    ("question", "points"),
    [
        ("Which month had the fewest boats on time?", True),
        ("Welche boats on time?", True),
        ("When were the boats on time?", True),
        ("Which mill ground the most rye for the town?", False),
        ("Which month had the fewest boats of Lund on time?", False),
        ("Which colour has the line of Figure 2?", True),
        ("Which colour has the line of Figure 3?", False),
        ("Why were so few boats on time?", False),
        ("What does the chart of boats on time show?", False),
        ("What is the title of the chart of boats on time?", False),
    ],
)
def test_a_value_that_is_drawn_is_in_the_figure(question: str, points: bool) -> None:
    hints = Hints(names=("figure 2",)) if "Figure 2" in question else Hints()
    for each in (quote(CHART), quote(NAMED, CAPTION), quote(CHART, "boats on time")):
        assert figure_of(question, each, PAGE, hints) == (CHART if points else None)


@pytest.mark.parametrize(
    ("question", "label", "says"),
    [
        ("How many boats left on time?", "9 boats on time", True),
        ("Which boats left on time?", "boats on time", False),
        ("Which boats left on time?", "The boats of the bay were on time", True),
        ("When were the boats on time?", "boats on time 1987", True),
    ],
)
def test_a_label_that_says_the_answer_is_quoted(question: str, label: str, says: bool) -> None:
    chart = replace(fakes.element(label, kind="picture"), caption=CAPTION)
    assert figure_of(question, quote(chart, label), (chart,), Hints()) == (None if says else chart)


def test_a_caption_that_was_taken_for_text_points_to_the_figure_beside_it() -> None:
    text, mute = replace(NAMED, kind="text"), replace(CHART, caption="")
    said = quote(text, "Boats that left the bay on time, by month.")
    assert figure_of("Which month had the fewest boats on time?", said, (text, mute), Hints()) == mute
    assert (
        figure_of("Which month had the fewest boats on time?", said, (text, fakes.element("A"), mute), Hints()) is None
    )


def test_text_and_captions_of_no_figure_are_quoted() -> None:
    text = fakes.element("Boats were on time in March.")
    assert figure_of("Which month had boats on time?", quote(text, text.text), PAGE, Hints()) is None
    assert figure_of("Which month had boats on time?", quote(NAMED, CAPTION), (NAMED,), Hints()) is None


def test_an_answer_cites_the_whole_figure_and_shows_other_places_beside(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder, "bay")
    document = fakes.document("bay.pdf", [["page"]])
    prose = fakes.element("Boats were late in some months.", document.id, ordinal=5)
    chart, caption = (replace(e, doc_id=document.id) for e in PAGE)
    page = fakes.parsed(document.id, 1, ())
    fakes.keep(made, document, replace(page, elements=(chart, caption, prose)))
    first, *others = Pipeline(made).answer("Which month had the fewest boats on time?").sentences
    assert (first.text, first.verdict, first.answers) == ("This is in the figure on page 1.", "shown", None)
    (citation,) = first.citations
    assert (citation.kind, citation.bbox, citation.boxes, citation.quote) == ("picture", chart.bbox, (), CAPTION)
    assert citation.context
    assert all(other.beside and other.answers is None and CAPTION not in other.text for other in others)
