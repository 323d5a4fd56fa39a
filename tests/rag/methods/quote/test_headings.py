"""What is asked for by "How do I ...?" is told by all steps below the heading that names it, each cited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Element, Page, ParsedPage
from indexing.embed.minilm import MiniLM
from rag import Citation, Evidence, Pipeline, Sentence
from rag.methods.quote.headings import MOST_THINGS, counted_steps, with_steps
from rag.methods.quote.run_on import MOST_ITEMS, MOST_LISTED
from tests.support import fakes

ASKED = "How do I moor the ferry?"
HEADING = fakes.element("4.1 Mooring the ferry", "d", 1, 1, kind="heading")
SECTION = ("4 Ferries", "4.1 Mooring the ferry")


def below(text: str, number: int, page: int = 1, kind: str = "list") -> Element:
    return replace(fakes.element(text, "d", page, number, kind="list"), kind=kind, section=SECTION)  # type: ignore[arg-type]


STEPS = (
    below("• Stop the engine", 2),
    below("It stops by itself after a minute.", 3, kind="text"),
    below("• Throw both ropes", 4),
    below("• Close the gate.", 1, page=2),
)
NEXT = fakes.element("4.2 Leaving", "d", 2, 2, kind="heading")
AFTER = replace(fakes.element("• Open the gate.", "d", 2, 3, kind="list"), section=("4 Ferries", "4.2 Leaving"))
PAGES = (HEADING, *STEPS, NEXT, AFTER)


def told(element: Element, *pages: Element, question: str = ASKED) -> tuple[Sentence, list[Evidence]] | None:
    said = Evidence("E1", element, "a.pdf", 1.0)
    sentence = Sentence(element.text, (Citation.of(said, element.text, ()),), "quoted", answers=0.5)
    return with_steps(sentence, said, question, lambda _: pages)


def test_all_steps_are_told_from_any_of_them_and_each_is_cited() -> None:
    figure = fakes.element("Quay", "d", 1, 5, kind="picture")
    pages = (HEADING, *STEPS[:3], figure, STEPS[3], NEXT, AFTER)
    for step in STEPS:
        found = told(step, *pages)
        assert found is not None
        sentence, others = found
        assert sentence.text == (
            "4.1 Mooring the ferry: Stop the engine; It stops by itself after a minute. Throw both ropes; "
            "Close the gate."
        )
        assert sentence.answers == 0.5
        assert [(c.page, c.quote) for c in sentence.citations] == [
            (1, "4.1 Mooring the ferry"),
            (1, "Stop the engine"),
            (1, "It stops by itself after a minute."),
            (1, "Throw both ropes"),
            (2, "Close the gate."),
        ]
        assert [e.element for e in others] == [e for e in (HEADING, *STEPS) if e is not step]
        labels = [c.label for c in sentence.citations]
        assert len(set(labels)) == len(labels)
        assert "E1" in labels


@pytest.mark.parametrize(
    ("question", "element", "pages"),
    [
        ("Why do I moor the ferry?", STEPS[0], PAGES),
        ("How do I paint the ferry?", STEPS[0], PAGES),
        (ASKED, AFTER, PAGES),
        (ASKED, STEPS[1], (HEADING, STEPS[1], below("The crew sees to it.", 4, kind="text"), STEPS[2], NEXT)),
        (ASKED, STEPS[0], (HEADING, *(below(f"• Step {n}", n) for n in range(2, 3 + MOST_ITEMS)), NEXT)),
        (ASKED, STEPS[0], (HEADING, STEPS[0], below("• rope " * MOST_LISTED, 3), NEXT)),
        (ASKED, STEPS[0], (NEXT, *STEPS)),
        (ASKED, STEPS[0], STEPS),
    ],
    ids=["not how", "another deed", "another section", "an explanation", "many", "long", "heading", "no heading"],
)
def test_what_is_no_step_of_the_deed_is_left_alone(question: str, element: Element, pages: tuple[Element, ...]) -> None:
    assert told(element, *pages, question=question) is None


COUNTED = tuple(
    replace(e, section=("5 Evenings",))
    for e in (
        fakes.element("It is done at sunset.", "d", 3, 2),
        fakes.element("1 Climb the mast", "d", 3, 3, kind="list"),
        fakes.element("The ladder stands at its foot.", "d", 3, 4),
        fakes.element("2. Turn the lamp", "d", 3, 5),
        fakes.element("3) Climb down.", "d", 4, 1, kind="list"),
        fakes.element("• Wear a vest.", "d", 4, 2, kind="list"),
    )
)
EVENINGS = fakes.element("5 Evenings", "d", 3, 1, kind="heading")


@pytest.mark.parametrize("step", COUNTED[1:5])
def test_numbered_steps_are_told_below_any_heading_and_nothing_else(step: Element) -> None:
    found = told(step, EVENINGS, *COUNTED, question="How do I light the lamp?")
    assert found is not None
    assert found[0].text == (
        "5 Evenings: 1 Climb the mast; The ladder stands at its foot. 2. Turn the lamp; 3) Climb down."
    )


def placed(element: Element, left: float, section: str) -> Element:
    """The same with another left edge, below another heading by the order of reading."""
    return replace(element, bbox=replace(element.bbox, x0=left), section=("4 Ferries", section))


def test_steps_below_a_box_of_warnings_are_those_of_the_heading_above_it() -> None:
    """The box has a heading of its own, which is set in, and one beside it stands at the right."""
    box = placed(fakes.element("Caution", "d", 1, 2, kind="heading"), 0.2, "")
    warning = placed(fakes.element("• Ropes may snap.", "d", 1, 3, kind="list"), 0.2, "Caution")
    beside = placed(fakes.element("Important", "d", 1, 4, kind="heading"), 0.7, "")
    steps = [
        placed(fakes.element(text, "d", 1, n, kind="list"), 0.11, "Important")
        for n, text in enumerate(("• Stop the engine", "• Throw both ropes"), 5)
    ]
    pages = (HEADING, box, warning, beside, *steps, replace(NEXT, page=1), AFTER)
    for step in steps:
        found = told(step, *pages)
        assert found is not None
        assert found[0].text == "4.1 Mooring the ferry: Stop the engine; Throw both ropes"
    assert told(warning, *pages) is None
    assert told(steps[0], *pages, question="How do I paint the ferry?") is None


def test_a_step_in_a_frame_with_its_drawing_is_one_of_the_steps() -> None:
    frame = fakes.element("Climb the mast", "d", 3, 6, kind="picture")
    found = told(frame, EVENINGS, *COUNTED[:4], frame, question="How do I light the lamp?")
    assert found is not None
    assert found[0].text == "5 Evenings: 1 Climb the mast; The ladder stands at its foot. 2. Turn the lamp"
    assert all(c.element_id != frame.id for c in found[0].citations)
    drawn = fakes.element("A mast", "d", 3, 6, kind="picture")
    assert told(drawn, EVENINGS, *COUNTED[:4], drawn, question="How do I light the lamp?") is None


@pytest.mark.parametrize(
    ("question", "element", "pages"),
    [
        ("When is the lamp lit?", COUNTED[1], (EVENINGS, *COUNTED)),
        ("How do I light the lamp?", COUNTED[0], (EVENINGS, *COUNTED)),
        ("How do I light the lamp?", COUNTED[5], (EVENINGS, *COUNTED)),
        ("How do I light the lamp?", COUNTED[3], (EVENINGS, *COUNTED[2:])),
        ("How do I light the lamp?", COUNTED[1], (EVENINGS, COUNTED[1], COUNTED[4])),
    ],
    ids=["not how", "before", "behind", "no first", "one missing"],
)
def test_what_is_not_numbered_in_a_row_is_left_alone(
    question: str, element: Element, pages: tuple[Element, ...]
) -> None:
    assert told(element, *pages, question=question) is None


def test_two_rows_of_steps_are_not_mixed() -> None:
    again = tuple(
        replace(fakes.element(text, "d", 4, n, kind="list"), section=("5 Evenings",))
        for n, text in enumerate(("1 Lower the flag", "2 Fold it"), 3)
    )
    for step, text in ((COUNTED[1], "3) Climb down."), (again[1], "1 Lower the flag; 2 Fold it")):
        found = told(step, EVENINGS, *COUNTED, *again, question="How do I light the lamp?")
        assert found is not None
        assert found[0].text.endswith(text)


def test_the_steps_are_the_answer(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder, "ferry")
    document = fakes.document("ferry.pdf", [["page"]] * 2)
    elements = [replace(e, id=f"{document.id}-{e.id}", doc_id=document.id) for e in PAGES]
    pages = (Page(document.id, number, 420.0, 595.0) for number in (1, 2))
    fakes.keep(made, document, *(ParsedPage(p, tuple(e for e in elements if e.page == p.number)) for p in pages))
    first, *_ = Pipeline(made).answer(ASKED).sentences
    assert first.text.startswith("4.1 Mooring the ferry: Stop the engine; ")
    assert [len(citation.boxes) for citation in first.citations] == [1] * 5


NAMED = fakes.element("Ferry Applications", "d", 1, 1, kind="heading")
THINGS = tuple(
    replace(fakes.element(f"• {text}", "d", 1, n, kind="list"), section=("Ferry Applications",))
    for n, text in enumerate(("Mail", "Freight", "Tours"), 2)
)


def test_a_list_is_told_whole_where_it_is_asked_for_by_its_name() -> None:
    for thing in THINGS:
        found = told(thing, NAMED, *THINGS, NEXT, question="What are the ferry applications?")
        assert found is not None
        assert found[0].text == "Ferry Applications: Mail; Freight; Tours"
        assert len(found[0].citations) == 4


def test_another_list_or_one_that_is_too_long_is_not() -> None:
    assert told(THINGS[0], NAMED, *THINGS, question="What are the applications?") is None
    assert told(THINGS[0], NAMED, *THINGS, question="What is mailed?") is None
    assert told(THINGS[0], NAMED, THINGS[0], NEXT, question="What are the ferry applications?") is None
    many = tuple(replace(THINGS[0], id=f"d-1-{n}", text=f"• Tour {n}") for n in range(2, MOST_THINGS + 3))
    assert told(many[0], NAMED, *many, question="What are the ferry applications?") is None


@pytest.mark.parametrize(
    "question", ["How many steps are needed to moor the ferry?", "How many steps does it take to moor the ferry?"]
)
def test_steps_are_counted_where_their_number_is_asked_for(question: str) -> None:
    found = told(STEPS[0], *PAGES, question=question)
    assert found is not None
    number = counted_steps(question, found[0])
    assert number is not None
    assert (number.text, number.short) == ("3 (counted the steps below “4.1 Mooring the ferry”).", (0, 1))
    assert (number.verdict, number.citations, number.answers) == ("computed", found[0].citations, found[0].answers)
    assert counted_steps(ASKED, found[0]) is None


def test_numbered_steps_count_and_what_is_among_them_does_not() -> None:
    steps = (below("1 Stop the engine", 2), below("• slowly", 3), below("2 Throw the ropes", 4))
    question = "How many steps are required to moor the ferry?"
    found = told(steps[0], HEADING, *steps, NEXT, question=question)
    assert found is not None
    number = counted_steps(question, found[0])
    assert number is not None
    assert number.text.startswith("2 (")
