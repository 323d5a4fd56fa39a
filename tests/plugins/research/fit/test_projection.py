"""The fit of the axes: principal axes of a folder of PDFs, trained on questions, written with their hash."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing.embed import minilm
from plugins.research.fit.corpus import read
from plugins.research.fit.projection import blocks, main, principal, training_set

TEXTS = {
    "mill": "The mill at the river was built in 1887 by two brothers. It grinds rye for the bakers of the valley.",
    "ferry": "The ferry to the island leaves at ten in the evening. A ticket costs two crowns, for children one.",
    "lamp": "The lamp of the old lighthouse burns gas. Its keeper lights it an hour before the sun goes down.",
}
ASKED = (("mill", "When was the mill built?", "1887"), ("ferry", "What does a ticket cost?", "two crowns"),
         ("lamp", "What does the lamp burn?", "gas"))  # fmt: skip
ROWS = [["Year", "Guests"], ["1999", "120"], ["2001", "87"]]


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [
        {"source": "made", "group": group, "title": "", "question": text, "answers": [answer], "rows": None,
         "context": TEXTS[group]}
        for group, text, answer in ASKED
    ]  # fmt: skip
    table = {"source": "tables", "group": "inn", "title": "Inn", "question": "How many guests were there in 1999?"}
    rows.append(table | {"answers": ["120"], "rows": ROWS, "context": None})
    path = tmp_path / "qa.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    return path


@pytest.fixture
def pdfs(tmp_path: Path) -> Path:
    folder = tmp_path / "pdfs"
    folder.mkdir()
    with pymupdf.open() as document:
        for text in TEXTS.values():
            document.new_page().insert_textbox((50, 50, 500, 300), text)
        document.save(folder / "town.pdf")
    return folder


@pytest.fixture(scope="module")
def unprojected() -> minilm.MiniLM:
    return minilm.MiniLM(projection=np.eye(384, dtype=np.float32), trained=False)


def test_blocks_are_the_same_each_time(pdfs: Path) -> None:
    assert blocks(pdfs, 2) == blocks(pdfs, 2)
    assert len(blocks(pdfs, 2)) == 2
    assert {text.split()[1] for text in blocks(pdfs, 9)} == set(TEXTS)


def test_principal_axes_are_orthonormal_and_keep_most(unprojected: minilm.MiniLM) -> None:
    axes, kept = principal(unprojected, TEXTS.values(), 40)
    assert axes.shape == (384, 40)
    assert np.allclose(axes.T @ axes, np.eye(40), atol=1e-4)
    assert 0.8 < kept <= 1


def test_questions_are_taken_with_the_texts_that_answer(questions: Path, unprojected: minilm.MiniLM) -> None:
    asked, texts = training_set(read(questions), unprojected)
    assert [q.source for q in asked] == ["made", "made", "made", "tables"]
    assert all(texts[q.text].group == q.group for q in asked)
    assert all(q.states.shape[1] == 384 and q.weights.sum() == pytest.approx(1) for q in asked)
    assert {t.group for t in texts} == {q.group for q in asked}


def test_axes_are_written_with_their_hash(
    questions: Path, pdfs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "axes.npy"
    common = ["--pdfs", str(pdfs), "--out", str(out), "--dim", "16"]
    main(common)
    plain = np.load(out)
    assert plain.shape == (384, 16)
    assert hashlib.sha256(out.read_bytes()).hexdigest() in capsys.readouterr().out
    main([*common, "--questions", str(questions), "--steps", "3"])
    told = capsys.readouterr().out
    assert "questions to train on" in told
    assert not np.array_equal(np.load(out), plain)


def test_the_shipped_axes_are_not_the_principal_ones() -> None:
    axes = minilm.axes()
    assert axes.shape == (384, minilm.DIM)
    assert not np.allclose(axes.T @ axes, np.eye(minilm.DIM), atol=0.01)  # training has bent them
