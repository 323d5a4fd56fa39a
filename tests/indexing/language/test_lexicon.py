"""The lexicons of English, German and French: what their entries are, and that each is read once."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from indexing.language import (
    AMBIGUOUS_NUMBERS,
    CURRENCIES,
    ENGLISH,
    LANGUAGES,
    MODERN_YEAR,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    SCALES,
    STOPWORDS,
    UNITS,
    WEEKDAYS,
    YEAR,
    lexicon,
    lexicon_values,
    lexicon_words,
    names_date,
)

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("vouch", "indexing", "rag", "ui", "evaluation", "configs", "plugins")
LIST = re.compile(r"\bfeb(?:ruar[y]?)?\b.{1,200}?\boct", re.IGNORECASE | re.DOTALL)


def test_each_language_has_twelve_months_and_seven_days() -> None:
    for language in LANGUAGES:
        assert sorted(set(lexicon_values("months", language).values())) == list(range(1, 13))
        assert len(lexicon(language)["weekdays"].split()) >= 7
    assert {"sunday", "sonntag", "dimanche"} <= WEEKDAYS


def test_entries_have_their_values_in_all_languages() -> None:
    months = {"may": 5, "mai": 5, "mars": 3, "märz": 3, "jänner": 1, "août": 8, "sept": 9}
    assert {name: MONTHS[name] for name in months} == months
    numbers = {"zero": 0, "elf": 11, "douze": 12, "dreißig": 30, "ninety": 90}
    assert {word: NUMBER_WORDS[word] for word in numbers} == numbers
    assert AMBIGUOUS_NUMBERS.issubset(NUMBER_WORDS)
    assert (ORDINALS["first"], ORDINALS["twelfth"]) == (1, 12)
    assert (SCALES["lakh"], SCALES["milliarden"], SCALES["mm"]) == (1e5, 1e9, 1e6)
    assert (UNITS["km"], UNITS["square metres"], UNITS["prozent"]) == (("m", 1000.0), ("m²", 1.0), ("%", 1.0))
    assert (CURRENCIES["usd"], CURRENCIES["rs"]) == ("$", "rupee")
    assert ENGLISH < STOPWORDS
    assert {"the", "der", "les"} <= STOPWORDS
    assert lexicon_words("negations", "fr") == ("ne", "pas", "jamais", "sans")
    assert lexicon_words("no such entry") == ()


def test_entries_are_words_in_lower_case() -> None:
    for language in LANGUAGES:
        for entry, value in lexicon(language).items():
            rows = [value] if isinstance(value, str) else value if isinstance(value, list) else value.values()
            assert all(row == row.lower() and row.split() for row in rows), entry


@pytest.mark.parametrize(
    ("word", "named"),
    [*((word, True) for word in ("May", "Sept", "Jänner", "août", "Dienstag", "vendredi", "SUNDAY")),
     *((word, False) for word in ("2024", "ferry", "", "mayor"))],
)  # fmt: skip
def test_names_of_months_and_days_are_known_in_three_languages(word: str, named: bool) -> None:
    assert names_date(word) is named


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


def test_indexing_starts_without_the_lexicons() -> None:
    """Workers that parse pages are started many times, and read no language."""
    code = "import sys, indexing; assert not {'yaml', 'indexing.language'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
