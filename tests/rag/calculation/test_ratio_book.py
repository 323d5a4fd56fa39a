"""The list of ratios that ships is whole; one of your own takes its place, and what is wrong with it is told."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from rag.calculation import load_ratios
from rag.calculation.statements import _is, _norm
from rag.errors import ProfileError

OWN = """
flows:
  catch: total catch | catch
balances:
  boats: boats
ratios:
  catch per boat: catch / average(boats)
"""


def test_the_one_that_ships_names_only_what_it_has() -> None:
    book = load_ratios()
    assert {"current ratio", "cash conversion cycle", "ROE"} <= {ratio.name for _, ratio in book.ratios}
    assert all(figure.labels for figure in book.figures.values())


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("the operating cash flow ratio", "operating cash flow ratio"),
        ("Cash_Ratio, please", "Cash Ratio"),
        ("ratio of sales to total assets", "ratio of sales to total assets"),
        ("the current ratio and the cash ratio", ""),
        ("the ratio of cats to dogs", ""),
    ],
)
def test_the_longest_name_is_meant_and_two_are_none(question: str, name: str) -> None:
    ratio = load_ratios().asked_for(question)
    assert (ratio.name if ratio else "") == name


def test_one_of_your_own(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(OWN, "utf-8")
    book = load_ratios(str(path))
    assert set(book.figures) == {"catch", "boats"}
    found = book.asked_for("What is the catch per boat?")
    assert found is not None
    assert ast.unparse(found.formula) == "catch / average(boats)"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("flows: {a: b}\nratios: {}", "'balances'"),
        ("flows: {a: b}\nbalances: {}\nratios: {x: a / c}", "there is no figure named c"),
        ("flows: {a: b}\nbalances: {}\nratios: {x: __import__('os')}", "is not a formula"),
        ("flows: {a: b}\nbalances: {}\nratios: {x: a /}", "invalid syntax"),
        ("[1, 2]", "own.yaml: "),
        ("a: [", "is not YAML (line 1"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(ProfileError, match=r"own\.yaml") as told:
        load_ratios(str(path))
    assert fault in str(told.value)


def test_a_file_that_is_not_there_names_the_setting() -> None:
    with pytest.raises(ProfileError, match=r"check rag\.ratios in the profile"):
        load_ratios("/nowhere/ratios.yaml")


@pytest.mark.parametrize(
    ("label", "way", "same"),
    [
        ("Total assets ......... $", "total assets", True),
        ("Total assets held for sale", "total assets", False),
        ("Cash, cash equivalents and short-term investments", "cash", False),
        ("Net income (loss) (Note 4)", "net income", True),
        ("Net income attributable to Merrow", "net income", False),
        ("Total Merrow Inc. stockholders’ equity", "total * stockholders' equity", True),
        ("Total liabilities and stockholders’ equity", "total * stockholders' equity", False),
        ("Depreciation and amortization of property and boats", "depreciation and amortization of property*", True),
    ],
)
def test_the_label_of_a_row(label: str, way: str, same: bool) -> None:
    assert _is(_norm(label), _norm(way)) is same
