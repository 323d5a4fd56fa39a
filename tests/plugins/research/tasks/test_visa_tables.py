"""VISA: its tables, and the boxes that a model drew."""

import doctest
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from evaluation.metrics.core import PageBox
from evaluation.tasks.prediction import nothing, prediction
from evaluation.tasks.questions import Gold, GoldQuestion
from indexing import BBox
from plugins.research.tasks import items, visa
from rag import Answer
from rag.types import DrawnBox


def image(colour: str, size: tuple[int, int] = (98, 200), form: str = "PNG") -> dict[str, Any]:
    data = io.BytesIO()
    Image.new("RGB", size, colour).save(data, form)
    return {"bytes": data.getvalue(), "path": f"{colour}.png"}


def row(name: str, colour: str, **other: Any) -> dict[str, Any]:
    asked = {"id": name, "question": f"What is {name}?", "short_answer": name, "long_answer_type": "p"}
    box = {"bounding_box": [9.8, 20, 49, 100], "image_size": [98, 200], "candidates": [], "pos_idx": -1}
    return {**asked, "image": image(colour), **box, **other}


def table(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def load(data: Path, folder: Path) -> Gold:
    return visa.load(data, None, folder / "material", None)


def test_the_worked_examples_are_right() -> None:
    assert doctest.testmod(items) == (0, 1)
    assert doctest.testmod(visa) == (0, 1)


def test_rows_are_read_alone_and_with_their_candidates(tmp_path: Path) -> None:
    """The image is written as it is in the row; pos_idx counts from 0, and -1 is no answer."""
    several = {"candidates": ["b", "a"], "pos_idx": 1}
    rows = [row("a", "red", **several), row("b", "blue", candidates=["a", "c"]), row("c", "green")]
    gold = load(table(tmp_path / "test-0.parquet", *rows), tmp_path)
    assert (gold.problems, gold.left_out) == ((), 0)
    found = {q.qid: q for q in gold.questions}
    assert list(found) == ["a", "a among 2", "b", "b among 2", "c"]
    assert [q.groups["setting"][0] for q in gold.questions] == [
        visa.SINGLE,
        visa.WITH,
        visa.SINGLE,
        visa.WITHOUT,
        visa.SINGLE,
    ]
    with_it = found["a among 2"]
    colours = []
    for document in with_it.documents:
        with Image.open(gold.files[document]) as opened:
            colours.append(opened.getpixel((0, 0)))
    assert colours == [(0, 0, 255), (255, 0, 0)]
    assert with_it.shown == tuple((document, 1) for document in with_it.documents)
    assert with_it.boxes[0].place == (2, 1)
    assert with_it.boxes[0].bbox == pytest.approx((0.1, 0.1, 0.5, 0.5))
    assert (found["b among 2"].boxes, found["b among 2"].answer) == ((), "")
    assert gold.files[found["a"].documents[0]].read_bytes() == rows[0]["image"]["bytes"]


def test_a_box_is_cut_at_the_end_of_the_screenshot(tmp_path: Path) -> None:
    rows = [row("a", "red", bounding_box=[0, 100, 98, 900]), row("b", "blue", bounding_box=[0, 300, 98, 900])]
    rows.append(row("c", "green", bounding_box=[0, None, 98, 900]))
    gold = load(table(tmp_path / "t.parquet", *rows), tmp_path)
    assert [q.boxes[0].bbox for q in gold.questions] == [(0, 0.5, 1, 1)]
    assert "t.parquet, row 2: the box" in gold.problems[0]
    assert "t.parquet, row 3: [0, None, 98, 900] is not a box" in gold.problems[1]


def test_what_is_no_good_is_named_and_missing_candidates_are_told_once(tmp_path: Path) -> None:
    rows = [row(name, "red", candidates=["gone", name], pos_idx=1) for name in ("a", "b", "c")]
    rows[2]["image"] = {"bytes": b"no image", "path": "x.png"}
    gold = load(table(tmp_path / "t.parquet", *rows), tmp_path)
    assert [q.qid for q in gold.questions] == ["a", "b"]
    assert gold.problems[0].startswith("t.parquet, row 3: its image cannot be read")
    assert gold.problems[1].startswith("candidates of 2 questions (such as 'gone') are in none of the tables")
    assert gold.left_out == 3


GOLD = BBox(0.1, 0.2, 0.9, 0.4)
DRAWN = DrawnBox("b", 1, GOLD)


def question(*documents: str) -> GoldQuestion:
    """Asked of these documents, of which `b` answers."""
    boxes = (PageBox(1, GOLD.as_tuple(), documents.index("b") + 1),) if "b" in documents else ()
    return GoldQuestion("q", "When?", "at noon" if boxes else "", documents, frozenset(b.page for b in boxes), boxes)


def row_of_visa_drawn(asked: GoldQuestion, drawn: DrawnBox | None = DRAWN, **other: Any) -> dict[str, Any]:
    answer = Answer("When?", "text", (), (), 0.5, {}, "0" * 12, drawn=drawn, **{"method": "visa", **other})
    return prediction(asked, answer, 1.0)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (row_of_visa_drawn(question("a", "b")), 1),
        (row_of_visa_drawn(question("a", "b"), DrawnBox("a", 1, GOLD)), 0),
        (row_of_visa_drawn(question("a", "b"), DrawnBox("b", 1, BBox(0.1, 0.2, 0.3, 0.4))), 0),
        (row_of_visa_drawn(question("a", "b"), None), 0),
        (nothing(question("a", "b"), "too long", "visa"), 0),
        (nothing(question("a", "b"), "too long"), None),
        (row_of_visa_drawn(question("a", "b"), None, method="cot"), None),
    ],
)
def test_what_was_drawn_is_scored_and_nothing_counts_as_wrong(line: dict[str, Any], wanted: float | None) -> None:
    assert visa.figures(question("a", "b"), line)["Box drawn"] == wanted
