"""Boxes on the samples: those of lines and cells hold the words that answer, and little else.

Of quotes as the pipeline makes them, and of sentences as a model might write them, cited to the element that answers.
"""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pymupdf
import pytest

from indexing import BBox, Collection, Element
from rag import Answer, Citation, Evidence, Pipeline, RagSettings
from rag.attribution.attribute import Checker
from tests.samples.test_samples import DOCUMENTS, WITH_TEXT, WORDED, _inside, _words

SMALL = {
    "the", "a", "it", "is", "from", "of", "to", "be", "and", "with", "by", "up", "at", "no", "an", "in", "or", "more",
}  # fmt: skip
"""Words that carry no answer."""
CONTAINED, AREA = 0.95, 1 / 3
LEAST_QUOTED, LEAST_WRITTEN = 12, 9
"""Boxes that there must be to judge by."""
WRITTEN = {
    "How much did the ferry cooperative's operating surplus come to in 2024?": "Operating surplus in 2024 was 1,082.",
    "How much cash did the ferries have at the end of 2023?": "Cash stood at 3,364 in 2023.",
    "Since when can you get on at Merrow without steps?": "Merrow has been step-free since 2023.",
    "How many seats are there at the Mint Wharf landing stage?": "Mint Wharf has 44 seats.",
    "What delay still counts as an on-time ferry departure?": "A departure is on time if it is no more than five "
    "minutes after the published minute.",
    "Which ferry stops can wheelchair users not reach yet?": "Observatory, Lantern Point and Cold Harbour are left.",
    "What interest do holders of the Harbour Bond get?": "The Harbour Bond pays 1.5 per cent a year.",
    "Why did fewer people travel to Gull Island?": "The abbey was closed for roof repairs from April to July.",
    "How long will the Fish Market stage be shut?": "The Fish Market stage will be closed for eleven weeks.",
    "Which Modbus register holds the supply voltage?": "Register 40006 holds the supply voltage.",
    "What is the default slave address of the tide gauge?": "The slave address is 17 by default.",
    "How heavy is the gauge with its bracket?": "With its bracket the gauge weighs 4.3 kg.",
    "How tight should the bracket bolts be?": "The bolts of the bracket are tightened to 35 Nm.",
    "How thick must the earth wire of the tide gauge be?": "The earth wire is of copper and has at least 16 square "
    "millimetres.",
    "The lamp blinks red five times. What should I do?": "The desiccant has to be changed within 30 days.",
    "How do I put the gauge back to factory settings?": "Hold a magnet against the dot on the housing for 12 seconds.",
    "How much more than planned was spent on guards for the night buses?": "Security cost 83 instead of 58.",
    "Was kostet die Familienkarte im Uhrenmuseum?": "Die Familienkarte kostet 21,00 €.",
    "Wie oft werden die Gewichte der Turmuhr aufgezogen?": "Jeden Montag und Donnerstag werden Gewichte aufgezogen.",
    "How old is the oldest clock in the museum in Falkenrode?": "The oldest clock is from 1611.",
    "How many evenings should one record to estimate a swift colony?": "Three evenings are enough for an estimate.",
    "How many nests were counted at the brewery in Ostley?": "35 nests were counted at the brewery in Ostley.",
    "What did the microphone set for recording swifts cost?": "The microphone set cost $210.",
}


@dataclass(frozen=True)
class Boxed:
    """A citation of the right words: whether its boxes hold them, and their area as a share of the element's."""

    question: str
    holds: bool
    share: float


def wanted(question: dict[str, Any]) -> set[str]:
    return _words(WORDED.get(question["question"], question["answer"])) - SMALL


def boxed(question: dict[str, Any], citation: Citation, element: Element) -> Boxed:
    """A citation with tight boxes, looked at with MuPDF's own words of the page. A cell is read with its headers."""
    with pymupdf.open(DOCUMENTS / question["document"]) as document:
        page = document[citation.page - 1]
        read = (*citation.boxes, *citation.context)
        found = _words(" ".join(w for b in read for w in _inside(page, grown(b, page))))
    share = sum(b.area for b in citation.boxes) / element.bbox.area
    return Boxed(question["question"], wanted(question) <= found, share)


def of_quotes(question: dict[str, Any], answer: Answer) -> Iterator[Boxed]:
    """The citations on a gold page that quote what answers and have tight boxes."""
    pages = {b["page"] for b in question["boxes"]}
    elements = {e.label: e.element for e in answer.evidence}
    for citation in answer.citations:
        if citation.page in pages and citation.boxes and wanted(question) <= _words(citation.quote):
            yield boxed(question, citation, elements[citation.label])


def of_written(question: dict[str, Any], collection: Collection) -> Iterator[Boxed]:
    """The citations of a written sentence that names an element in the gold box with the words that answer."""
    document = collection.document(question["document"])
    gold = [(b["page"], BBox(*b["bbox"])) for b in question["boxes"]]
    here = [
        element
        for page, box in gold
        for element in collection.page_elements(document.id, page)
        if element.kind != "group"
        and element.bbox.overlap(box) > 0.5 * element.bbox.area
        and wanted(question) <= _words(element.text)
    ]
    for element in here[:1]:
        evidence = Evidence("E1", element, document.name, 1.0)
        sentence = Checker()(WRITTEN[question["question"]], [evidence], [evidence])
        yield from (boxed(question, citation, element) for citation in sentence.citations if citation.boxes)


def grown(box: BBox, page: Any) -> BBox:
    """The box and half a point around it: rounding is no fault."""
    width, height = page.rect.width, page.rect.height
    x0, y0, x1, y1 = box.to_page(width, height)
    around = BBox.from_page(x0 - 0.5, y0 - 0.5, x1 + 0.5, y1 + 0.5, width, height)
    assert around is not None
    return around


@pytest.fixture(scope="module")
def quoted(samples: Collection) -> list[Boxed]:
    """What the pipeline cites for each question that has an answer, asked of its document."""
    pipeline = Pipeline(samples, RagSettings(min_confidence=0.0, max_sentences=5, sentence_margin=1.0))
    return [
        each
        for question in WITH_TEXT
        for each in of_quotes(question, pipeline.answer(question["question"], documents=[question["document"]]))
    ]


@pytest.fixture(scope="module")
def written(samples: Collection) -> list[Boxed]:
    return [each for q in WITH_TEXT if q["question"] in WRITTEN for each in of_written(q, samples)]


@pytest.mark.slow
@pytest.mark.gate
def test_there_are_boxes_to_look_at(quoted: list[Boxed], written: list[Boxed]) -> None:
    assert len({each.question for each in quoted}) >= LEAST_QUOTED
    assert len({each.question for each in written}) >= LEAST_WRITTEN


@pytest.mark.slow
@pytest.mark.gate
def test_lines_and_cells_hold_the_words_that_answer(quoted: list[Boxed], written: list[Boxed]) -> None:
    missing = [each.question for each in quoted + written if not each.holds]
    assert len(missing) <= (1 - CONTAINED) * len(quoted + written), missing


@pytest.mark.slow
@pytest.mark.gate
def test_they_are_a_third_of_their_element_in_the_median(quoted: list[Boxed], written: list[Boxed]) -> None:
    assert statistics.median(each.share for each in quoted) <= AREA
    assert statistics.median(each.share for each in written) <= AREA


def test_every_written_sentence_answers_a_question_of_the_samples() -> None:
    assert WRITTEN.keys() <= {q["question"] for q in WITH_TEXT}
