"""A quote is found by its fingerprint, however the page was read; and never in a longer word or another number."""

import pytest
from hypothesis import strategies as st

from indexing import Element
from rag.anchors.fingerprint import Occurrence, find_quote, fingerprint
from tests.support import fakes

WORDS = st.lists(st.text("abcdeé17.,%-(Ωﬁ", min_size=1, max_size=6), min_size=1, max_size=12)


def find(quote: str, *texts: str) -> tuple[Occurrence, ...]:
    elements = [fakes.element(text, ordinal=n) for n, text in enumerate(texts, 1)]
    return find_quote(elements, *fingerprint(quote))


@pytest.mark.parametrize(
    ("quote", "text", "cut"),
    [
        ("It grinds rye.", "Old mill. It grinds rye. Yes.", "It grinds rye."),
        ("it\ngrinds  rye.", "It grinds rye.", "It grinds rye."),
        ("the fish", "the \ufb01sh", "the \ufb01sh"),
        ("\u201cyes\u201d \u2013 no", 'He: "yes" - no', '"yes" - no'),
        ("re\u00adcord", "a record", "record"),
        ("Total | 1,082", "Cash | 4\nTotal | 1,082\nEnd | 3", "Total | 1,082"),
        ("e\u0301tude", "une étude", "étude"),
        ("今天", "我们今天去", "今天"),
        ("2.5% of", "Up 2.5% of all", "2.5% of"),
        ("has 5.", "It has 5. 3 more", "has 5."),
    ],
)
def test_the_same_words_are_found(quote: str, text: str, cut: str) -> None:
    (found,) = find(quote, text)
    assert found.quote == cut


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("5%", "Up 2.5% now"),
        ("50", "Up 50% now"),
        ("3.4", "A loss of -3.4 it was"),
        ("3", "About 3.4 of it"),
        ("1,082", "Cash 11,082"),
        ("1 23", "12 | 3"),
        ("12 3", "123"),
        ("ill was", "The mill was"),
        ("tude", "une étude"),
        ("12.5%", "125%"),
    ],
)
def test_other_words_and_numbers_are_not(quote: str, text: str) -> None:
    assert find(quote, text) == ()


def test_spans_hold_for_an_element_without_places() -> None:
    bare = Element("p", "d", 1, "picture", "A map of Sallow Bay", fakes.element("x").bbox, "ocr")
    (found,) = find_quote([bare], *fingerprint("Sallow Bay"))
    assert found.boxes == ()
    assert found.bbox == bare.bbox
