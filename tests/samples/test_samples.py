"""The sample collection: the boxes of every question hold its answer."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import pymupdf
import pytest
import yaml

from indexing.types import BBox
from samples import DOCUMENTS

QUESTIONS: list[dict[str, Any]] = yaml.safe_load((DOCUMENTS.parent / "questions.yaml").read_text("utf-8"))
ANSWERED = [q for q in QUESTIONS if q["answer"] is not None]
WITH_TEXT = [q for q in ANSWERED if q["kind"] not in {"scan", "formula"} and not q["document"].endswith(".png")]
WORDED = {  # answers that say in other words what the box says
    "In which month of 2024 were the ferries least punctual, and how bad was it?": "Nov 74",
    "How much did the ferry cooperative's operating surplus come to in 2024?": "Operating surplus 1,082",
    "How much cash did the ferries have at the end of 2023?": "Cash 3,364",
    "How many people used the Harbour Loop in 2024?": "Harbour Loop 968",
    "How much diesel did the ferry fleet burn in 2021?": "3,020 2021",
    "What delay still counts as an on-time ferry departure?": "no more than five minutes after the published",
    "How many people may stand on the footbridge at once?": "40",
    "How wide is the sensor housing of the TG-40?": "118",
    "How thick must the earth wire of the tide gauge be?": "copper at least 16 square millimetres",
    "How much more than planned was spent on guards for the night buses?": "Security 58 83",
    "What is to become of line N2?": "Replace N2 shared taxi on request",
    "Kann man mit dem Rollstuhl in den Dachstuhl?": "Dachstuhl steile Treppe mit 34 Stufen",
    "How old is the oldest clock in the museum in Falkenrode?": "1611",
    "Which colony lies furthest above the fitted line?": "H",
}


def _words(text: str) -> set[str]:
    """Lower-case words without final stops; the ligatures of the typeset pages are taken apart."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return {w.strip(".,") for w in re.findall(r"[\w.,$€%]+", folded)} - {""}


def _inside(page: Any, box: BBox) -> Iterator[str]:
    """The words of the displayed page whose middle lies in the box."""
    width, height = page.rect.width, page.rect.height
    for word in page.get_text("words"):
        rect = pymupdf.Rect(word[:4]) * page.rotation_matrix
        x, y = (rect.x0 + rect.x1) / 2 / width, (rect.y0 + rect.y1) / 2 / height
        if box.x0 <= x <= box.x1 and box.y0 <= y <= box.y1:
            yield word[4]


@pytest.mark.parametrize("question", ANSWERED, ids=lambda q: q["question"])
def test_every_answer_has_valid_boxes_on_pages_that_exist(question: dict[str, Any]) -> None:
    with pymupdf.open(DOCUMENTS / question["document"]) as document:
        assert question["boxes"]
        assert all(1 <= b["page"] <= document.page_count for b in question["boxes"])
        assert all(0 < BBox(*b["bbox"]).area < 0.6 for b in question["boxes"])


@pytest.mark.parametrize("question", WITH_TEXT, ids=lambda q: q["question"])
def test_the_boxes_hold_the_words_of_the_answer(question: dict[str, Any]) -> None:
    wanted = _words(WORDED.get(question["question"], question["answer"]))
    with pymupdf.open(DOCUMENTS / question["document"]) as document:
        found = [w for b in question["boxes"] for w in _inside(document[b["page"] - 1], BBox(*b["bbox"]))]
    missing = wanted - _words(" ".join(found))
    assert not missing - {"the", "a", "it", "is", "from", "of", "to", "be", "and", "with", "by", "up"}
