"""The short answer in a quote: one that is surely meant, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.methods.quote.short import short_of


def short(question: str, text: str) -> str | None:
    found = short_of(question, text)
    return text[slice(*found)] if found else None


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("How many fatalities were there?", "Fatalities:150", "150"),
        ("What type of aircraft was it?", "Aircraft: Airbus A320", "Airbus A320"),
        ("What share of riders pay?", "In 2024, 43% of riders paid.", "43%"),
        ("What share of riders pay?", "In spring 43% paid, in autumn 50%.", None),
        ("How many boats sail?", "The 9 boats sail at 10.", "9"),
        ("How many boats sail?", "Of 12 boats 9 boats sail.", None),
        ("How many boats sank?", "19,261 out of more than 24,539 boats sank.", "19,261"),
        ("How many chapters does it have?", "Chapter 1.", None),
        ("When was the mill built?", "Built 1887-03-24.", "1887-03-24"),
        ("When was the mill built?", "It was built on 24 March 1887 by Anna Holm.", "24 March 1887"),
        ("When was the mill built?", "Built in 1887, it burnt down in 1912.", None),
        ("How much does a ticket cost?", "A ticket costs $2.50.", "$2.50"),
        ("How long is the course?", "It is a rotating course of 20 months.", "20 months"),
        ("How many elements can a vector have?", "Such vectors have 2³¹ elements.", "2³¹"),
        ("How many boats sail?", "There are 48² boats.", "48"),
        ("What is the default value of SACKS?", "SACKS: The miller sets the value to 40 a day.", "40"),
        ("What does SACKS do?", "SACKS: The sacks that are ground in a day.", None),
        ("Why do boats sail?", "The 9 boats sail.", None),
        ("Who owns it?", "Time: 10:45", None),
    ],
)
def test_one_that_is_surely_meant(question: str, text: str, answer: str | None) -> None:
    assert short(question, text) == answer


@given(st.text(max_size=100), st.text(max_size=300))
def test_it_stands_in_the_text(question: str, text: str) -> None:
    found = short_of(question, text)
    assert found is None or 0 <= found[0] < found[1] <= len(text)


ADVERTISING = (
    "Advertising expenses were $714.3 million , $533.1 million and $404.0 million for the years ended December 31, "
    "2015 , 2014 and 2013 , respectively."
)


@pytest.mark.parametrize(
    ("question", "text", "short"),
    [
        ("What were the advertising expenses in 2014?", ADVERTISING, "$533.1 million"),
        ("what is advertising expense in FY 2015?", ADVERTISING, "$714.3 million"),
        ("How much rent was paid in FY2014?", "In 2015 and 2014, rent was 3% and 4%, respectively, of 12.", "4%"),
        ("What was income in 2013?", "Income was 3,100 and costs 1 in 2013 and 2014.", None),
        ("What were the advertising expenses in 2012?", ADVERTISING, None),
        ("What were the advertising expenses?", ADVERTISING, None),
    ],
)
def test_values_and_years_in_one_order(question: str, text: str, short: str | None) -> None:
    found = short_of(question, text)
    assert (text[slice(*found)] if found else None) == short
