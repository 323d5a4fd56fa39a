"""Alignment: quotes found whatever their form, whole words only, offsets that lead back, in linear time."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.language import tokens
from rag.attribution.words.align import best_quote, find_quotes, passages


def quotes(text: str, quote: str) -> list[str]:
    return [text[a:b] for a, b in find_quotes(text, quote)]


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("The of\ufb01ce con-\ntinued to grow.", "office continued to grow", "of\ufb01ce con-\ntinued to grow"),
        ("con\u00adtinued growth", "continued growth", "con\u00adtinued growth"),
        ("Caf\u0065\u0301 open", "café open", "Caf\u0065\u0301 open"),
        ("שבת חבר", "חבר", "חבר"),
        ("これは水車です", "水車", "水車"),
        ("value 1,\n234 x", "1,234", "1,\n234"),
        ("in 2019, 12 boats", "12 boats", "12 boats"),
        ("a | b | c", "a b c", "a | b | c"),
    ],
)
def test_a_quote_is_found_in_any_form(text: str, quote: str, found: str) -> None:
    assert quotes(text, quote) == [found]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("category", "cat"), ("grew 3.5%", "grew 35%"), ("1,234,567", "234"), ("1,234", "234"), ("1.5 km", "5 km"),
        ("12 34", "1234"), ("(3.4)", "3.4"),
        ("rose 3.5%", "rose 3.5"), ("some text", ""), ("some text", "..."), ("", "text"), ("-5 degrees", "5 degrees"),
    ],
)  # fmt: skip
def test_what_is_not_a_quote(text: str, quote: str) -> None:
    assert find_quotes(text, quote) == []


def test_a_quote_that_occurs_twice_is_chosen_by_its_surroundings() -> None:
    text = "In spring the ferry was late. " + "x " * 150 + "In autumn the ferry was late."
    assert len(find_quotes(text, "the ferry was late")) == 2
    assert best_quote(text, "the ferry was late", ["autumn"]) == find_quotes(text, "the ferry was late")[1]
    assert best_quote(text, "the ferry was late") == find_quotes(text, "the ferry was late")[0]
    assert best_quote(text, "the ferry was early") is None


TEXTS = st.text(max_size=150) | st.lists(
    st.sampled_from(["of\ufb01ce", "con-\ntinued", "1,234", "-", "\u00ad", "é", "e\u0301", "עם", " ", ". ", "水", "%"]),
    max_size=40,
).map("".join)  # fmt: skip


@given(TEXTS)
def test_tokens_are_in_order_disjoint_and_inside(text: str) -> None:
    found = tokens(text)
    assert all(0 <= t.start < t.end <= len(text) for t in found)
    assert all(a.end <= b.start and a.at < b.at for a, b in itertools.pairwise(found))
    assert all(0 <= a < b <= len(text) for a, b in passages(text))


WORDS = st.lists(
    st.sampled_from(["mill", "of\ufb01ce", "Caf\u00e9", "12%", "1,234", "(3.4)", "a\u00adb", "x-y"]), min_size=3
)
