"""Which documents and questions a benchmark takes."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from evaluation.benches.inputs import BenchQuestion, pdfs, questions, read_questions, smallest

GOLD = (
    json.dumps({"doc": "a.pdf", "questions": [{"question": "how many?", "pages": [2, 3], "boxes": []}]})
    + "\n\n"
    + json.dumps({"doc": "b.pdf", "questions": [{"question": "why?", "pages": []}]})
)


def test_questions_come_with_document_and_pages() -> None:
    assert read_questions(GOLD) == [BenchQuestion("how many?", "a.pdf", (2, 3)), BenchQuestion("why?", "b.pdf", ())]


def test_only_questions_about_the_documents_are_asked(tmp_path: Path) -> None:
    (tmp_path / "dev.jsonl").write_text(GOLD)
    asked = Namespace(eval=tmp_path, gold=None)
    assert [q.text for q in questions(asked, {"b.pdf"})] == ["why?"]


def test_no_question_about_the_documents_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "dev.jsonl").write_text(GOLD)
    with pytest.raises(SystemExit, match="--gold"):
        questions(Namespace(eval=tmp_path, gold=None), {"c.pdf"})


def test_the_smallest_documents_keep_their_order(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a.pdf", "b.pdf", "c.pdf")]
    for path, size in zip(paths, (20, 30, 10), strict=True):
        path.write_bytes(b"x" * size)
    assert smallest(paths, 2) == [paths[0], paths[2]]
    assert smallest(paths, None) == paths


def test_a_folder_without_documents_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no PDF in"):
        pdfs(Namespace(eval=tmp_path, pdfs=None, limit_docs=None))
