"""A paper as it can be cited: numbered lines in the margin, sections, captions, and what references lead to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from indexing import BBox, Collection, Element, Words
from plugins.research.construct.mcitebench.paper import Paper, margin_lines, paper_of, read_paper
from plugins.research.construct.mcitebench.references import references_in, tied
from tests.support.fakes import document, element

LONG = "The controller reads moisture every ninety seconds and holds the fan."


def numbers(first: int, count: int, x: float = 0.1, step: float = 0.02) -> list[tuple[str, tuple[float, ...]]]:
    return [(f"{first + n:03}", (x, 0.1 + step * n, x + 0.02, 0.11 + step * n)) for n in range(count)]


def test_a_column_of_numbers_in_the_margin_is_read_from_word_boxes() -> None:
    stray = [("12", (0.5, 0.2, 0.52, 0.21)), ("7", (0.02, 0.3, 0.03, 0.31)), ("The", (0.2, 0.1, 0.25, 0.11))]
    found = margin_lines(3, [*stray, *numbers(54, 20)])
    assert [line.number for line in found] == list(range(54, 74))
    assert (found[0].page, found[0].y0, found[-1].y1) == (3, 0.1, pytest.approx(0.49))


def test_numbers_that_do_not_count_upwards_or_are_few_number_no_lines() -> None:
    assert margin_lines(1, numbers(0, 4)) == ()
    assert (
        margin_lines(1, [(text, box) for (text, _), (_, box) in zip(numbers(0, 9), numbers(0, 9)[::-1], strict=True)])
        == ()
    )
    assert len(margin_lines(1, [n for n in numbers(0, 12) if n[0] != "005"])) == 11, "one was not read"


def glued() -> Element:
    """Two paragraphs with the numbers of their lines in them, as parsing glues them together."""
    words, boxes, lines = [], [], []
    for n in range(10):
        words.append(f"{n:03}")
        boxes.append((0.1, 0.1 + 0.02 * n, 0.12, 0.114 + 0.02 * n))
        for m, word in enumerate([] if n == 5 else LONG.split()[:6]):
            words.append(word)
            boxes.append((0.2 + 0.1 * m, 0.1 + 0.02 * n, 0.28 + 0.1 * m, 0.114 + 0.02 * n))
        lines += [n] * (len(words) - len(lines))
    text, spans = " ".join(words), []
    for word in words:
        start = spans[-1][1] + 1 if spans else 0
        spans.append((start, start + len(word)))
    placed = Words(np.array(spans, np.int32), np.array(boxes, np.float32), np.array(lines, np.int32))
    return Element("d-1-9", "d", 1, "header", text, BBox(0.1, 0.1, 0.8, 0.3), "layer", words=placed)


def test_numbers_of_lines_are_taken_out_and_paragraphs_parted() -> None:
    paper = paper_of(document("kilns.pdf", [[LONG]]), [[glued()]])
    assert [part.id for part in paper.parts] == ["d-1-9", "d-1-9.1"]
    assert not any(char.isdigit() for part in paper.parts for char in part.text)
    assert paper.parts[0].bbox.x0 == pytest.approx(0.2)
    assert paper.parts[1].bbox.y0 == pytest.approx(0.22)
    assert tied(references_in("Line 7")[0], paper, "").part.id == "d-1-9.1"  # type: ignore[union-attr]


def sections() -> Paper:
    headings = ["A Study of Kilns", "2 Method", "2.1 Sensors", "3 Results", "A Proofs"]
    elements = [element(text, ordinal=2 * n + 1, kind="heading") for n, text in enumerate(headings)]
    texts = ["abstract", "method", "sensors of kilns were calibrated in an oven", "results", "proofs"]
    elements += [element(f"{text} {LONG}", ordinal=2 * n + 2) for n, text in enumerate(texts)]
    elements.sort(key=lambda one: one.bbox.y0)
    figure = replace(element("", ordinal=12, kind="picture"), caption="Figure 2: Energy by farm.")
    panel = replace(element("", ordinal=13, kind="picture"), caption="Figure 2: Energy by farm.")
    table = replace(element("Setting | Spoiled", ordinal=14, kind="table"), caption="Table 1. Spoiled grain")
    return paper_of(document("kilns.pdf", [[LONG]]), [[*elements, figure, panel, table]])


def test_parts_know_their_section_and_their_name() -> None:
    """A title that begins with a letter is no appendix; the panels of a figure are one part."""
    paper = sections()
    assert [part.section for part in paper.parts if part.kind == "text"] == ["", "2", "2.1", "3", "A"]
    assert [(p.name, p.caption) for p in paper.parts if p.kind != "text"] == [
        ("Figure 2", "Energy by farm."),
        ("Table 1", "Spoiled grain"),
    ]


@pytest.mark.parametrize(
    ("written", "leads_to", "place"),
    [
        ("Fig. 2a", "d-1-12", 1), ("Table 1", "d-1-14", 1), ("Section 3", "d-1-8", 1), ("Section 2.1", "d-1-6", 1),
        ("Appendix A", "d-1-10", 3), ("Section 9", None, 0), ("Table 7", None, 0), ("Line 3", None, 0),
    ],
)  # fmt: skip
def test_a_reference_leads_to_a_part(written: str, leads_to: str | None, place: int) -> None:
    found = tied(references_in(written)[0], sections(), "How were sensors calibrated?")
    assert (found and found.part.id) == leads_to
    assert found is None or (len(found.place), len(found.choices)) == (place, 7)


def test_of_a_section_the_part_with_the_words_of_the_question_is_tied() -> None:
    found = tied(references_in("Section 2")[0], sections(), "How were sensors calibrated in an oven?")
    assert found is not None
    assert found.part.text.startswith("sensors")
    assert found.place == {"d-1-4", "d-1-6"}


@pytest.mark.slow
def test_a_submission_in_iclrs_form_is_read_from_its_file(kilns: Collection) -> None:
    paper = read_paper(kilns, kilns.documents()[0])
    assert set(paper.lines) == set(range(100))
    assert (paper.lines[49].page, paper.lines[50].page) == (1, 2)
    assert {part.name for part in paper.parts} == {"", "Figure 1", "Figure 2", "Table 1"}
    leads = {
        name: tied(references_in(name)[0], paper, "drift over a winter") for name in ("Section 2.1", "Lines 18-19")
    }
    assert {name: tie and "drift over a winter" in tie.part.text for name, tie in leads.items()} == dict.fromkeys(
        leads, True
    )
    assert not any(part.text[:3].isdigit() for part in paper.parts if part.kind == "text")
