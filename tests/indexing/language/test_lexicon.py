"""The lexicons of English, German and French: what their entries are, and that each is read once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from indexing.language import (
    AMBIGUOUS_NUMBERS,
    CURRENCIES,
    ENGLISH,
    LANGUAGES,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    SCALES,
    STOPWORDS,
    UNITS,
    WEEKDAYS,
    lexicon,
    lexicon_values,
    lexicon_words,
)


@pytest.mark.parametrize(
    ("name", "number"), [("may", 5), ("mai", 5), ("mars", 3), ("märz", 3), ("jänner", 1), ("août", 8), ("sept", 9)]
)
def test_months_of_all_languages_have_their_numbers(name: str, number: int) -> None:
    assert MONTHS[name] == number


def test_each_language_has_twelve_months_and_seven_days() -> None:
    for language in LANGUAGES:
        assert sorted(set(lexicon_values("months", language).values())) == list(range(1, 13))
        assert len(lexicon(language)["weekdays"].split()) >= 7
    assert {"sunday", "sonntag", "dimanche"} <= WEEKDAYS


@pytest.mark.parametrize(("word", "number"), [("zero", 0), ("elf", 11), ("douze", 12), ("dreißig", 30), ("ninety", 90)])
def test_number_words_have_their_values(word: str, number: int) -> None:
    assert NUMBER_WORDS[word] == number


def test_ordinals_and_scales_multiply_as_they_say() -> None:
    assert (ORDINALS["first"], ORDINALS["twelfth"]) == (1, 12)
    assert (SCALES["lakh"], SCALES["milliarden"], SCALES["mm"]) == (1e5, 1e9, 1e6)
    assert AMBIGUOUS_NUMBERS.issubset(NUMBER_WORDS)


def test_units_are_in_the_unit_of_their_family() -> None:
    assert UNITS["km"] == ("m", 1000.0)
    assert UNITS["square metres"] == ("m²", 1.0)
    assert UNITS["prozent"] == UNITS["%"] == ("%", 1.0)
    assert (CURRENCIES["usd"], CURRENCIES["rs"]) == ("$", "rupee")


def test_stop_words_are_those_of_all_languages() -> None:
    assert ENGLISH < STOPWORDS
    assert {"the", "der", "les"} <= STOPWORDS


def test_entries_are_words_in_lower_case_each_once() -> None:
    for language in LANGUAGES:
        for entry, value in lexicon(language).items():
            rows = [value] if isinstance(value, str) else value if isinstance(value, list) else value.values()
            for row in rows:
                assert row == row.lower(), entry
                assert row.split(), entry
    assert lexicon_words("negations", "fr") == ("ne", "pas", "jamais", "sans")
    assert lexicon_words("no such entry") == ()


def test_a_lexicon_is_read_once() -> None:
    assert lexicon("en") is lexicon("en")


def test_indexing_starts_without_the_lexicons() -> None:
    """Workers that parse pages are started many times, and read no language."""
    code = "import sys, indexing; assert not {'yaml', 'indexing.language'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
