"""Names of months and days, which all readers of dates take from one list."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from indexing.language import MODERN_YEAR, YEAR, names_date

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("vouch", "indexing", "rag", "ui", "evaluation", "configs", "plugins")
LIST = re.compile(r"\bfeb(?:ruar[y]?)?\b.{1,200}?\boct", re.IGNORECASE | re.DOTALL)


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


def test_months_are_listed_nowhere_else() -> None:
    """A list has an early month close to a late one; what reads bibliographies has patterns of its own."""
    apart = ("rag/references/", "plugins/audit/")
    modules = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    lists = [path.relative_to(ROOT).as_posix() for path in modules if LIST.search(path.read_text(encoding="utf-8"))]
    assert [name for name in lists if not name.startswith(apart)] == []
