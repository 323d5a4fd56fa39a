"""Names of months and days, which all readers of dates take from one list."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from indexing.language import MODERN_YEAR, YEAR, names_date

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("word", ["May", "Sept", "Jänner", "août", "Dienstag", "vendredi", "SUNDAY"])
def test_names_of_months_and_days_are_known_in_three_languages(word: str) -> None:
    assert names_date(word)


@pytest.mark.parametrize("word", ["2024", "ferry", "", "mayor"])
def test_other_words_name_no_date(word: str) -> None:
    assert not names_date(word)


@pytest.mark.parametrize(
    ("year", "known", "modern"), [("1503", True, False), ("1999", True, True), ("2134", False, False)]
)
def test_years_have_four_digits_of_their_centuries(year: str, known: bool, modern: bool) -> None:
    assert (bool(re.fullmatch(YEAR, year)), bool(re.fullmatch(MODERN_YEAR, year))) == (known, modern)


def test_no_module_of_answering_has_a_list_of_months_of_its_own() -> None:
    """A list has the first months and a late one; what reads bibliographies or writes files of others is left out."""
    apart = ("rag/references", "rag/audit")
    every = {path.relative_to(ROOT).as_posix(): path for path in sorted((ROOT / "rag").rglob("*.py"))}
    lists = [
        name
        for name, path in every.items()
        if not name.startswith(apart)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"(?i)\bfeb(?:ruary|ruar)?\b", node.value) and re.search(r"(?i)\boct(?:ober)?\b", node.value)
    ]
    assert lists == []
