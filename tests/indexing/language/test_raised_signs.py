"""Raised signs: powers are numbers, marks of notes are nothing; neither is read in line."""

import pytest

from indexing.language import without_note_marks
from rag.attribution.rules import compare
from rag.attribution.words.align import find_quotes
from tests.support import fakes

VECTORS = fakes.element("Only such builds support long vectors, those with 2³¹ or more elements.")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("the dataset¹ was", "the dataset  was"), ("libraries.² The", "libraries.  The"), ("48.27¹", "48.27 "),
        ("Holm¹,² and Li³", "Holm    and Li "), ("¹See the annex", " See the annex"),
        ("2015¹ and 1,234²", "2015  and 1,234 "), ("10¹ boats", "10  boats"), ("0.10³ and 3,10²", "0.10  and 3,10 "),
        ("(Table 2).³⁹ As", "(Table 2).   As"),
        *((text, text) for text in ("2³¹", "10⁻⁴", "10⁶ boats", "an area of µm²", "x² + y²", "Ca²⁺ ions", "¹⁴C dating",
                                    "2¹/2", "$19⁹⁹")),
    ],
)  # fmt: skip
def test_the_marks_of_notes_are_blanks_and_powers_and_units_stay(text: str, plain: str) -> None:
    assert without_note_marks(text) == plain


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("those with 2³¹ or more", "with 2^31 or", ["with 2³¹ or"]), ("those with 2^31 or more", "2³¹", ["2^31"]),
        ("a rate of 10⁻⁴.", "10^-4", ["10⁻⁴"]), ("the dataset¹ was", "the dataset was", ["the dataset¹ was"]),
        ("the dataset was", "the dataset¹ was", ["the dataset was"]),
        ("with 2³¹ or", "231", []), ("with 2³¹ or", "2", []), ("with 2³¹ or", "31", []), ("with 2^31 or", "2", []),
        ("with 2^31 or", "31", []), ("with 231 or", "2³¹", []), ("10⁻⁴", "10^4", []), ("10⁻⁴", "104", []),
    ],
)  # fmt: skip
def test_quotes_are_found_with_and_without_marks_and_no_other_number(text: str, quote: str, found: list[str]) -> None:
    assert [text[a:b] for a, b in find_quotes(text, quote)] == found


@pytest.mark.parametrize(
    ("number", "confirmed"),
    [("2³¹", True), ("2^31", True), ("2^{31}", True), ("2,147,483,648", True), ("231", False), ("2^30", False),
     ("2³⁰", False), ("31", False)],
)  # fmt: skip
def test_who_says_the_power_is_supported(number: str, confirmed: bool) -> None:
    outcome = compare(f"Long vectors have {number} or more elements.", [VECTORS]).outcome
    assert (outcome == "confirmed") is confirmed
