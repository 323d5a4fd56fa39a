"""Quotes are aligned, claims are taken apart."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.language import tokens
from rag.attribution.words import claims_nothing, claims_of, clauses, strip_frames
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


@pytest.mark.parametrize(
    ("text", "negations"),
    [
        ("The mill did not need wheat.", ["not"]), ("It is not one of the nine boats.", ["not"]),
        ("No new boats came.", ["No"]), ("Boat no. 7 came.", []), ("No 7 came.", []),
        ("No more than seven came.", []), ("Not least the boats came.", []), ("They don't sail.", ["don't"]),
    ],
)  # fmt: skip
def test_what_denies_and_what_only_looks_like_it(text: str, negations: list[str]) -> None:
    claims = claims_of(text)
    assert [claims.said_word(t) for t in claims.negations] == negations


QUESTION = "How many ferries left Bergen in 2019?"


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        ("According to the table, the share fell.", "the share fell."),
        ("The chart shows that Oslo grew.", "Oslo grew."),
        ("The answer is: Bergen.", "Bergen."),
        ("Costs fell, as shown in the figure.", "Costs fell."),
        ("According to Anna Holm, the mill was sold.", "According to Anna Holm, the mill was sold."),
    ],
)
def test_frames_are_taken_off(sentence: str, rest: str) -> None:
    assert strip_frames(sentence) == rest


@pytest.mark.parametrize(
    "sentence",
    [
        "To answer the question, we need to look at the table.",
        "To determine how many ferries left Bergen in 2019, let's examine the provided images.",
        "The table shows the relevant information:",
        "Based on the provided information, here is the answer.",
        "Is this the whole list?",
    ],
)
def test_what_claims_nothing(sentence: str) -> None:
    assert claims_nothing(sentence, QUESTION)


@pytest.mark.parametrize(
    "sentence",
    [
        "In 2019 four ferries left Bergen.", "It was 43%.", "Bergen.", "No.", "We can see that sales rose.",
        "The mill was not built in 1887.", "The table does not mention Anna Holm.",
        "The report shows that the ferries were late.",
    ],
)  # fmt: skip
def test_what_may_be_true_or_false_is_a_claim(sentence: str) -> None:
    assert claims_nothing(sentence, QUESTION) == ""


def test_a_claim_is_taken_apart_at_its_joints() -> None:
    assert clauses("Sales rose to 4.1 million, while costs fell by 3%") == (
        "Sales rose to 4.1 million",
        "costs fell by 3%",
    )
