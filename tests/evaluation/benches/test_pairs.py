"""The adversarial pairs: each differs from the truth in what it says, the same every time; the report's numbers."""

from __future__ import annotations

import random

import pytest

from evaluation.benches.pairs import CHANGES, FALSE_KINDS, TRUE_KINDS, Pair, half, pairs
from evaluation.benches.paraphrase import RULES, paraphrases
from evaluation.benches.verify import Outcome, brier, judged, precision, recall, report
from indexing import BBox, Cell, Element
from rag.attribution.rules import Compared
from rag.attribution.words.align import find_quotes
from tests.support import fakes

TEXT = (
    "In 2019, the harbour of Merrow handled 1,236 boats and was closed for 14 days during the winter. "
    "The fleet burned 2.4 million litres of diesel, 22 % less than before the war in Quayside. "
    "Repairs increased by 5 percent because the old crane near Saltergate was not used by Merrow."
)


def sheet() -> Element:
    text, cells = "", []
    for r, row in enumerate([["Stage", "2023", "2024"], ["Merrow", "12", "15"], ["Quayside", "9", "7"]]):
        text += "\n" if r else ""
        for c, value in enumerate(row):
            text += " | " if c else ""
            box = BBox(0.1 + 0.2 * c, 0.1 * (r + 1), 0.2 + 0.2 * c, 0.1 * (r + 1) + 0.05)
            cells.append(Cell(r, c, 1, 1, len(text), len(text) + len(value), box, r == 0))
            text += value
    made = fakes.element(text, page=3, kind="table")
    return Element(made.id, "d", 3, "table", text, made.bbox, "layer", cells=tuple(cells))


OTHER = "The Cathedral of Lindmark has two towers of stone, and nobody in the town remembers who drew them first."
DOCUMENTS = {"a.pdf": [fakes.element(TEXT), fakes.element(OTHER * 2, page=2), sheet()]}


@pytest.fixture(scope="module")
def made() -> list[Pair]:
    return pairs(DOCUMENTS, per_kind=50)


def test_the_same_every_time_and_of_every_sort(made: list[Pair]) -> None:
    assert made == pairs(DOCUMENTS, per_kind=50)
    assert {p.kind for p in made} >= {"paraphrase", "table read out", "number", "entity", "negation", "row", "column"}
    assert all(p.kind in (TRUE_KINDS if p.label else FALSE_KINDS) for p in made)
    assert [p.sentence for p in made if find_quotes(p.element.text, p.sentence)] == [], "no verbatim quotes"
    few = pairs(DOCUMENTS, per_kind=1)
    assert len(few) == len({p.kind for p in few})


def test_a_row_or_column_is_read_out_with_its_neighbours_value(made: list[Pair]) -> None:
    values = {("Merrow", "2023"): "12", ("Merrow", "2024"): "15", ("Quayside", "2023"): "9", ("Quayside", "2024"): "7"}
    of_table = [p for p in made if p.element.kind == "table"]
    assert of_table
    for pair in of_table:
        (true,) = (v for (label, head), v in values.items() if label in pair.sentence and head in pair.sentence)
        words = pair.sentence.replace(".", " ").replace(":", " ").split()
        assert (true in words) == pair.label


@pytest.mark.parametrize("kind", list(CHANGES))
def test_a_change_changes(kind: str) -> None:
    for seed in range(5):
        changed = CHANGES[kind](TEXT, DOCUMENTS["a.pdf"][0], ["Lindmark"], random.Random(seed))
        assert changed is None or changed != TEXT


def test_paraphrases_keep_numbers_unless_a_rule_rewrites_them() -> None:
    sentence = "In 2019, 1,236 boats and 12 % more ferries were used by Merrow."
    reworded = paraphrases(sentence, random.Random(1), 5)
    assert reworded
    assert sentence not in reworded
    assert all("1,236" in p or "1236" in p for p in reworded)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_leaves_alone_what_it_does_not_know(rule: object) -> None:
    assert rule("Boats came late again because of snow") == "Boats came late again because of snow"


def test_a_document_is_in_one_half() -> None:
    assert {half(f"{n}.pdf") for n in range(50)} == {0, 1}
    assert half("a.pdf") == half("a.pdf")


def outcome(label: bool, verdict: str, score: float) -> Outcome:
    pair = Pair("s", DOCUMENTS["a.pdf"][0], label, "paraphrase" if label else "number", "a.pdf")
    return Outcome(pair, Compared(verdict, "r", score), 1.0)  # type: ignore[arg-type]


def test_precision_recall_and_brier() -> None:
    said = [outcome(True, "confirmed", 1.0), outcome(True, "open", 0.5), outcome(False, "confirmed", 0.8)]
    assert precision(said) == 0.5
    assert recall(said) == 0.5
    assert brier(said) == pytest.approx((0 + 0.25 + 0.64) / 3)
    assert precision([]) != precision([])


def test_the_report_names_every_kind(made: list[Pair], capsys: pytest.CaptureFixture[str]) -> None:
    report(judged(made))
    printed = capsys.readouterr().out
    assert all(kind in printed for kind in (*TRUE_KINDS, *FALSE_KINDS))
    assert "precision of confirmed" in printed
