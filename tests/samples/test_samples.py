"""The sample collection: made again it is the same, and every question's boxes hold its answer."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
import yaml
from PIL import Image

from indexing.types import BBox
from samples.make import HERE, SAMPLES, make

DOCUMENTS = HERE / "documents"
QUESTIONS: list[dict[str, Any]] = yaml.safe_load((HERE / "questions.yaml").read_text("utf-8"))
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


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the collection made anew."""
    folder = tmp_path_factory.mktemp("samples")
    make(folder)
    return folder


def test_the_folder_holds_the_samples_and_nothing_else() -> None:
    assert {p.name for p in DOCUMENTS.iterdir()} == set(SAMPLES)


def test_the_collection_stays_small() -> None:
    assert sum(p.stat().st_size for p in DOCUMENTS.iterdir()) < 5_000_000


@pytest.mark.slow
@pytest.mark.gate
def test_making_them_again_gives_the_same_questions_and_boxes(again: Path) -> None:
    assert yaml.safe_load((again / "questions.yaml").read_text("utf-8")) == QUESTIONS


@pytest.mark.slow
@pytest.mark.gate
def test_making_them_again_gives_the_same_pages(again: Path) -> None:
    """Words and places, not bytes: another version of MuPDF may compress otherwise."""
    for name in (n for n in SAMPLES if n.endswith(".pdf")):
        with pymupdf.open(DOCUMENTS / name) as kept, pymupdf.open(again / "documents" / name) as made:
            assert [p.get_text("words") for p in made] == [p.get_text("words") for p in kept], name
            assert [p.rect for p in made] == [p.rect for p in kept], name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mill-lane-inspection-1987.pdf", "sallow-bay-annual-report.pdf"])
def test_making_them_twice_gives_the_same_bytes(again: Path, tmp_path: Path, name: str) -> None:
    sample = SAMPLES[name]
    sample.build().save(tmp_path / name, sample.title, sample.author, sample.date)
    assert (tmp_path / name).read_bytes() == (again / "documents" / name).read_bytes()


@pytest.mark.slow
def test_the_poster_is_the_same_picture(again: Path) -> None:
    name = "tap-water-infographic.png"
    with Image.open(DOCUMENTS / name) as kept, Image.open(again / "documents" / name) as made:
        assert kept.size == made.size == (1200, 1800)
        assert np.abs(np.asarray(kept, np.int16) - np.asarray(made, np.int16)).mean() < 1


def test_the_register_map_lies_sideways_in_the_file() -> None:
    with pymupdf.open(DOCUMENTS / "tg40-tide-gauge-manual.pdf") as manual:
        assert [page.rotation for page in manual] == [0, 0, 90, 0, 0, 0]
        assert (manual[2].mediabox.width, manual[2].rect.width) == (595, 842)


def test_the_drawing_is_cut_out_by_a_crop_box_with_an_offset() -> None:
    with pymupdf.open(DOCUMENTS / "tg40-tide-gauge-manual.pdf") as manual:
        page = manual[3]
        assert page.rect == pymupdf.Rect(0, 0, 500, 640)
        assert page.cropbox_position == pymupdf.Point(70, 96)
        assert "PRINTER" not in page.get_text()
        page.set_cropbox(page.mediabox)
        assert "PRINTER" in page.get_text()


def test_the_scan_has_no_text_layer() -> None:
    with pymupdf.open(DOCUMENTS / "mill-lane-inspection-1987.pdf") as letter:
        assert [page.get_text() for page in letter] == ["", ""]
        assert all(page.get_images() for page in letter)


def test_there_are_questions_enough() -> None:
    assert len(ANSWERED) >= 30
    assert len(QUESTIONS) - len(ANSWERED) >= 5
    assert {q["document"] for q in ANSWERED} == set(SAMPLES)
    assert len({q["question"] for q in QUESTIONS}) == len(QUESTIONS)


def test_a_question_without_an_answer_points_nowhere() -> None:
    assert all(q["document"] is None and q["boxes"] == [] for q in QUESTIONS if q["answer"] is None)


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
