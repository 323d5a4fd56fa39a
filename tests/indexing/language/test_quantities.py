"""Quantities: what is one, what only looks like one, and which say the same."""

from dataclasses import fields
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.language import Quantity, Scale, agree, quantities, scale_of


def only(text: str) -> Quantity:
    found = quantities(text)
    assert len(found) == 1, [text[q.start : q.end] for q in found]
    return found[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("12.5%", "12.5 percent"),
        ("12,5 %", "12.5%"),
        ("1.2M", "1,200,000"),
        ("1.2 million", "1,200,000"),
        ("US$5m", "5 million dollars"),
        ("(3.4)", "-3.4"),
        ("three", "3"),
        ("twenty-one boats", "21 boats"),
        ("two hundred and five", "205"),
        ("Q1 2021", "first quarter of 2021"),
        ("3Q19", "Q3 2019"),
        ("31 December 2024", "December 31, 2024"),
        ("31.12.2024", "2024-12-31"),
        ("27/03/2021", "27 March 2021"),
        ("03/27/2021", "27 March 2021"),
        ("04/05/2021", "5 April 2021"),
        ("5 km", "5,000 metres"),
        ("4 yd", "12 feet"),
        ("elf Boote", "11 boats"),
        ("180 seconds", "3 minutes"),
        ("2 h 5 min", "125 minutes"),
        ("1 year and 3 months", "15 months"),
        ("8:15", "08:15"),
        ("9.30 a.m.", "9:30 am"),
        ("5 pm", "17:00"),
        ("12 am", "0:00"),
        ("half past four", "4:30"),
        ("a quarter to six", "5:45"),
        ("9 o'clock", "nine"),
        ("1.234.567,8 Euro", "€1,234,567.8"),
        ("16 000", "16,000"),
        ("1½", "1.5"),
        ("\uff11\uff12", "12"),
    ],
)  # fmt: skip
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert agree(only(one), only(other))
    assert agree(only(other), only(one))


@pytest.mark.parametrize(
    ("asked", "there"),
    [
        ("12.5%", "12.5"), ("12.5%", "12.6%"), ("5%", "5 percentage points"), ("$5", "€5"), ("-3.4", "3.4"),
        ("3.4 million", "3.4 billion"), ("5 km", "5 miles"), ("Q1 2021", "Q1 2020"), ("31 March 2021", "2021"),
        ("Table 2", "Table 3"), ("2", "Table 2"), ("at least 5", "at most 5"), ("1.3 million", "1,236,000"),
        ("2 million", "2.41 million"), ("1990s", "1990"), ("8:15", "8:50"), ("9 am", "9 pm"), ("4:30 pm", "4:30"),
        ("4:30", "16:30"), ("6 am", "six"), ("2:50:05", "2:50:50"), ("2 h 5 min", "2 h"), ("9:10", "9.1"),
        ("9:00", "9 kg"),
    ],
)  # fmt: skip
def test_not_the_same(asked: str, there: str) -> None:
    assert not agree(only(asked), only(there))


@pytest.mark.parametrize(
    ("head", "scale"),
    [
        ("in thousands of dollars", Scale(1e3, "$")), ("($ millions)", Scale(1e6, "$")), ("€'000", Scale(1e3, "€")),
        ("(Dollars in millions)", Scale(1e6, "$")), ("Change (%)", Scale(1.0, "%")), ("(Millions)", Scale(1e6)),
        ("In thousands of litres", Scale(1e3, "l")), ("At December 31, 2018", Scale()), ("58 %", Scale()),
        ("(in euros)", Scale(1.0, "€")), ("Fares (US$)", Scale(1.0, "$")),
        ("rose by 3 million", Scale()), ("boardings in 2024, in thousands.", Scale(1e3)),
    ],
)  # fmt: skip
def test_the_scale_of_a_head(head: str, scale: Scale) -> None:
    assert scale_of(head) == scale


def test_a_scale_counts_for_numbers_that_have_none_of_their_own() -> None:
    thousands = Scale(1e3, "$")
    assert agree(only("$20.25 million"), only("20,250"), thousands)
    assert agree(only("20,250"), only("20,250"), thousands)
    assert not agree(only("$20,250"), only("20,250"), thousands)
    assert agree(only("4.6%"), only("4.6%"), thousands)


def in_words(text: str, found: Quantity) -> str:
    """The words of a quantity, its kind, and what is not as it is where nothing is said."""
    said = [found.kind]
    for field in fields(Quantity)[3:]:
        value = getattr(found, field.name)
        if value is True:
            said.append(field.name)
        elif value != field.default:
            said.append(f"{field.name} {value:.9g}" if isinstance(value, float) else f"{field.name} {value}")
    return f"{text[found.start : found.end]}: {', '.join(said)}"


READ = [
    *((text, '') for text in ("GPT-4", "TG-40", "CR2477", "v2.0", "see 3.2.1", "gets its people home.1", "A380",
                              "1. Open the valve")),
    ('(about 12)', '12: number, value 12, hedged'),
    ('(of the boats 12)', '12: number, value 12'),
    ('12)', '12: number, value 12'),
    ('Table 2 of [12, 13], page 5', ('2: label, value 2, unit table / 12: label, value 12, unit [ / '
     '13: label, value 13, unit [ / 5: label, value 5, unit page')),
    ('10 to 15 percent', '10: number, value 10, unit %, place 10 / 15 percent: number, value 15, unit %'),
    ('in 2018-19', '2018: moment, year 2018 / 19: moment, year 2019'),
    ('open 9 to 11 am', '9: clock, value 32400, unit am / 11 am: clock, value 39600, unit am, place 60'),
    ('open 9 to 5 pm', '9: number, value 9 / 5 pm: clock, value 61200, unit pm, place 60'),
    ('five to ten people', 'five: number, value 5 / ten: number, value 10'),
    ('20 minutes to 2 hours', ('20 minutes: number, value 1200, unit s, place 600 / 2 hours: number, value 7200, '
     'unit s, place 3600')),
    ('Table 3 am Rand', '3: label, value 3, unit table'),
    ('5 m, 3 s', '5 m: number, value 5, unit m / 3 s: number, value 3, unit s'),
    ('1.234.567,8', '1.234.567,8: number, value 1234567.8, place 0.1'),
    ('1.25e-3', '1.25e-3: number, value 0.00125'),
    ('$1.2 million', '$1.2 million: number, value 1200000, unit $, place 100000, scaled'),
    ('US$5m', 'US$5m: number, value 5000000, unit $, place 1000000, scaled'),
    ('5M', '5M: number, value 5000000, place 1000000, scaled'),
    ('2 dozen', '2 dozen: number, value 24, place 12, scaled'),
    ('(3.4%)', '3.4%: number, value -3.4, unit %, place 0.1, sign ('),
    ('- 3.4', '3.4: number, value -3.4, place 0.1, sign -'),
    ('from 3 -4', '3: number, value 3 / 4: number, value -4, sign -'),
    ('-$1.2', '$1.2: number, value -1.2, unit $, place 0.1, sign -'),
    ('12) Twelfth', 'Twelfth: number, value 12, unit th'),
    ('No. 7', '7: label, value 7, unit no'),
    ('1990s', '1990s: label, value 1990, unit decade'),
    ('3 ½', '3 ½: number, value 3.5, place 0.001'),
    ('three thousand two hundred', 'three thousand two hundred: number, value 3200'),
    ('two and a half', 'two and a half: number, value 2.5'),
    ('half of it', 'half: number, value 0.5, soft'),
    ('a hundred', 'a hundred: number, value 100'),
    ('one boat', 'one: number, value 1, soft'),
    ('21st', '21st: number, value 21, unit th'),
    ('one hundred km', 'one hundred km: number, value 100000, unit m, place 1000'),
    ('5 km/h', '5 km/h: number, value 5, unit km/h'),
    ('5 km²', '5 km²: number, value 5000000, unit m², place 1000000'),
    ('100 °C', '100 °C: number, value 100, unit °C, place 100'),
    ('5 µm', '5 µm: number, value 5e-06, unit m, place 1e-06'),
    ('5 x', '5 x: number, value 5, unit x'),
    ('3-fold', '3-fold: number, value 3, unit x'),
    ('5 bps', '5 bps: number, value 0.05, unit pp, place 0.01'),
    ('5 ‰', '5 ‰: number, value 0.5, unit %, place 0.1'),
    ('1.2 to $1.5', '1.2: number, value 1.2, unit $, place 0.1 / $1.5: number, value 1.5, unit $, place 0.1'),
    ('1 or 2 hours', '1: number, value 3600, unit s, place 3600 / 2 hours: number, value 7200, unit s, place 3600'),
    ('3 kg and 4', '3 kg: number, value 3, unit kg / 4: number, value 4'),
    ('nearly 5 million', '5 million: number, value 5000000, place 1000000, scaled, hedged'),
    ('no more than 5', '5: number, value 5, bound -1'),
    ('[3, 4-6]', '3: label, value 3, unit [ / 4: label, value 4, unit [ / 6: label, value 6, unit ['),
    ('2000 million', '2000 million: number, value 2e+09, place 1e+09, scaled'),
    ('−5', '5: number, value -5, sign -'),
    ('5.5.2021', '5.5.2021: moment, year 2021, month 5, day 5'),
    ('32.12.2024', ''),
    ('4th of March 2021', '4th of March 2021: moment, year 2021, month 3, day 4'),
    ('may 5', '5: number, value 5'),
    ('May 5', 'May 5: moment, month 5, day 5'),
    ('in may 2021', '2021: moment, year 2021'),
    ('sept 3', 'sept 3: moment, month 9, day 3'),
    ("Q2 '19", "Q2 '19: moment, year 2019, quarter 2"),
    ('H1 2021', 'H1 2021: moment, year 2021, quarter 5'),
    ('2nd half of 2020', '2nd half of 2020: moment, year 2020, quarter 6'),
    ('5th quarter', '5th: number, value 5, unit th'),
    ("FY '21", "FY '21: moment, year 2021"),
    ('2019/20', '2019: moment, year 2019 / 20: moment, year 2020'),
    ('2100', '2100: number, value 2100, place 100'),
    ('$2019', '$2019: number, value 2019, unit $'),
    ('31st March', '31st March: moment, month 3, day 31'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "read"), READ)
def test_what_is_read_out_of_a_phrase(text: str, read: str) -> None:
    assert " / ".join(in_words(text, found) for found in quantities(text)) == read


PIECES = st.sampled_from(
    ["1,234", "$", "(3.4)", "%", "Q1 2021", "-", " ", "\n", "three", "million", ".", "é", "٣", "²"]
)


@given(st.text(max_size=80) | st.lists(PIECES, max_size=30).map("".join))
def test_quantities_are_in_order_and_inside_the_text(text: str) -> None:
    found = quantities(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(a.start < b.start for a, b in pairwise(found))


@given(st.integers(0, 10**9), st.sampled_from(["", "%", " km", " million"]))
def test_what_is_written_agrees_with_itself_with_and_without_commas(value: int, unit: str) -> None:
    texts = f"it was {value}{unit} then", f"it was {value:,}{unit} then"
    one, other = (quantities(t)[0] for t in texts)
    assert agree(one, other)
    assert agree(other, one)
