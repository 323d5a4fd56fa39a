"""Two documents of the benchmark, from file to cited answer: pages exist, quotes are there, boxes lie on words."""

import json
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing import BBox, Collection, build_index
from rag import Answer, Citation, Pipeline, RagSettings

pytestmark = [pytest.mark.eval, pytest.mark.slow]
NAMES = ("a4f3ced0696009fec3179f493e4f28c4.pdf", "7c3f6204b3241f142f0f8eb8e1fefe7a.pdf")
EACH = 4
"""Questions asked of each document."""


@pytest.fixture(scope="module")
def collection(eval_dir: Path) -> Collection:
    made = Collection.create("real-documents")
    report = build_index(made, [eval_dir / "pdfs" / name for name in NAMES], workers=2)
    assert report.exit_code == 0
    return made


@pytest.fixture(scope="module")
def answers(collection: Collection, eval_dir: Path) -> list[tuple[str, Answer]]:
    """(document, answer) for the first questions of each."""
    pipeline = Pipeline(collection, RagSettings(min_confidence=0.0))
    entries = [json.loads(line) for line in (eval_dir / "dev.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = {entry["doc"]: [q["question"] for q in entry["questions"][:EACH]] for entry in entries}
    return [(name, pipeline.answer(question, documents=[name])) for name in NAMES for question in asked[name]]


def citations(answers: list[tuple[str, Answer]]) -> list[tuple[str, Citation]]:
    return [(name, c) for name, answer in answers for c in answer.citations]


def squeezed(text: str) -> str:
    return "".join(c for c in text if c.isalnum()).lower()


def test_quotes_of_text_pages_stand_in_the_files_own_text(
    answers: list[tuple[str, Answer]], eval_dir: Path, collection: Collection
) -> None:
    checked = 0
    for name, citation in citations(answers):
        element = next(
            e for e in collection.page_elements(citation.doc_id, citation.page) if e.id == citation.element_id
        )
        if element.source != "layer" or element.kind in ("picture", "table"):
            continue
        with pymupdf.open(eval_dir / "pdfs" / name) as original:
            text = squeezed(original[citation.page - 1].get_text())
        words = [squeezed(w) for w in citation.quote.split()]
        assert np.mean([w in text for w in words]) > 0.9
        checked += 1
    assert checked


@pytest.mark.gate
def test_boxes_lie_on_the_words_of_the_quote(answers: list[tuple[str, Answer]], collection: Collection) -> None:
    for _, citation in citations(answers):
        elements = {e.id: e for e in collection.page_elements(citation.doc_id, citation.page)}
        element = elements[citation.element_id]
        start = element.text.index(citation.quote)
        spans = element.words.spans
        inside = (spans[:, 0] < start + len(citation.quote)) & (spans[:, 1] > start)
        assert citation.boxes
        for row in element.words.boxes[inside].tolist():
            word = BBox(*row)
            assert any(box.overlap(word) > 0.95 * word.area for box in citation.boxes)
