"""The gallery: which questions count as failures, and what is drawn of them, wrong documents included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from evaluation.harness.results import Results, ScoredQuestion
from evaluation.report.gallery import CITED, GOLD, gallery
from evaluation.report.parts import Heading, Paragraph, Picture
from indexing import Collection, IndexingSettings, build_index
from tests.support import documents


def run_of(
    folder: Path, task: str, scored: dict[str, ScoredQuestion], *rows: dict[str, Any], place: str = ""
) -> Results:
    """A run whose predictions are `rows`, of the collection in `place`."""
    folder.mkdir(exist_ok=True)
    (folder / "predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    settings = {"indexing": {"workers": 1, "visual": "none"}}
    return Results("r", folder, {"task": task, "indexed_in": place, "settings": settings}, scored)


def question(
    qid: str, figures: dict[str, float | None], *gold: dict[str, Any], of: tuple[str, ...] = ()
) -> ScoredQuestion:
    return ScoredQuestion(qid, f"{qid}?", {}, {"answer": "", "documents": list(of), "boxes": list(gold)}, figures)


def listed(run: Results, out: Path) -> list[str]:
    parts = gallery(run, out, 9, None)
    return [part.text.partition(":")[0] for part in parts if isinstance(part, Heading) and part.level == 3]


def test_an_answer_where_there_is_none_is_the_worst_failure_of_visa(tmp_path: Path) -> None:
    """Its Box is blank. A wrong answer with the right box fails too, and comes after it."""
    scored = {
        "right": question("right", {"EM": 1.0, "Box": 1.0}),
        "wrong": question("wrong", {"EM": 0.0, "Box": 1.0}),
        "invents": question("invents", {"EM": 0.0, "Box": None}),
        "abstains": question("abstains", {"EM": 1.0, "Box": None}),
    }
    run = run_of(tmp_path / "run", "visa", scored)
    assert listed(run, tmp_path) == ["invents", "wrong"]
    said = [part.text for part in gallery(run, tmp_path, 9, None) if isinstance(part, Paragraph)]
    assert said[0].startswith("2 of 4 questions have less than 100 in Box or EM; here are 2")


def test_samples_that_should_have_been_left_unanswered_are_shown(tmp_path: Path) -> None:
    scored = {
        "half": question("half", {"SAA*": 0.5, "rightly abstained": None}),
        "invents": question("invents", {"SAA*": None, "rightly abstained": 0.0}),
        "abstains": question("abstains", {"SAA*": None, "rightly abstained": 1.0}),
    }
    assert listed(run_of(tmp_path / "run", "questions", scored), tmp_path) == ["invents", "half"]


@pytest.mark.slow
def test_what_is_cited_in_another_document_is_drawn_there(tmp_path: Path) -> None:
    """A citation of a document that the question was not asked of has page 0 in its line, as all that MAVIS cites."""
    for name in ("mill.pdf", "vault.pdf"):
        documents.pdf(tmp_path / name, [name])
    with Collection.create("town", tmp_path / "home", IndexingSettings(workers=1, visual="none")) as town:
        build_index(town, [tmp_path / "mill.pdf", tmp_path / "vault.pdf"])
        mill, vault = (town.document(name).id for name in ("mill.pdf", "vault.pdf"))
    gold = {"page": 1, "bbox": [0.1, 0.1, 0.5, 0.5]}
    row = {"citations": [{"page": 0, "bbox": [0.5, 0.5, 0.9, 0.9]}], "cited": [{"document": vault, "page": 1}]}
    scored = {
        "asked of mill": question("asked of mill", {"R@1": 0.0}, gold, of=(mill,)),
        "of all": question("of all", {"R@1": 0.0}),
    }
    rows = [{"qid": qid, **row} for qid in scored]
    run = run_of(tmp_path / "run", "mmdocir", scored, *rows, place=str(tmp_path / "home" / "town"))
    parts = list(gallery(run, tmp_path, 9, None))
    pictures = [part for part in parts if isinstance(part, Picture)]
    assert sorted(part.caption for part in pictures) == ["Page 1", "Page 1 of vault.pdf", "Page 1 of vault.pdf"]
    for part in pictures:
        with Image.open(tmp_path / part.file) as image:
            colours = {colour for _, colour in image.getcolors(1 << 24) or ()}
        assert (CITED in colours, GOLD in colours) == (part.caption != "Page 1", part.caption == "Page 1")
