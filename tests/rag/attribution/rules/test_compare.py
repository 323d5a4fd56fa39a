"""A sentence and what it cites: confirmed, open or contradicted, with the places."""

from dataclasses import replace
from functools import partial
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing import BBox, Element
from rag.attribution.rules import compare
from tests.support import fakes
from tests.support.hostile_strings import seconds

MILL = fakes.element("The mill was built in 1887 by Anna Holm. It does not grind wheat. Growth was 12.5% in 2019.")
MONEY = replace(
    fakes.element("Item | 2024 | 2023\nFares | 11,846 | 10,927\nFreight | 1,134 | 1,058", kind="table"),
    caption="Table 3. Income, in thousands of dollars.",
)
CANCELLED = fakes.element(
    "We cancelled 1,236 of 118,400 departures, or 1.0 per cent. Weather caused 641 of these, engine trouble 322, and a "
    "missing crew member 187; the remaining 86 were due to harbour works."
)
ASKOY = fakes.element(
    "In 2020 the harbour of Askoy counted 46% more boats than the year before. "
    "Berg Shipping did not sell the old ferry."
)
PORTS = fakes.element("Port | 2019 | 2020\nAskoy | 46 | 64\nVoss | 31 | 29", kind="table")


def outcome(sentence: str, *elements: object, about: tuple[str, ...] = ()) -> str:
    return compare(sentence, elements or [MILL], about=about).outcome  # type: ignore[arg-type]


def test_a_quote_is_confirmed_with_its_place() -> None:
    found = compare("The mill was built in 1887 by Anna Holm.", [MILL])
    assert (found.outcome, found.reason) == ("confirmed", "verbatim in the text")
    ((index, spans),) = found.proofs
    assert (index, [MILL.text[a:b] for a, b in spans]) == (0, ["The mill was built in 1887 by Anna Holm"])


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The mill was built in 1888 by Anna Holm.", "1887"), ("Growth was 42% in 2019.", "42%"),
        ("Growth was 12.5% in 2020.", "2020"), ("Growth was 12.5 kg in 2019.", "12.5"),
        ("The mill was built in 1887 by Anna Berg.", "Berg"), ("The mill does grind wheat.", "not"),
        ("The mill was not built in 1887.", "not"), ("Nine barrels of cider lie in the cellar.", "Nine"),
        ("The mill was sold in 1887 by Anna Holm.", "sold"),
    ],
)  # fmt: skip
def test_what_was_changed_is_not_confirmed_and_is_said(sentence: str, reason: str) -> None:
    found = compare(sentence, [MILL])
    assert found.outcome != "confirmed"
    assert reason in found.reason


@pytest.mark.parametrize(
    ("said", "ours", "theirs"),
    [
        ("In 2020 the harbour of Askoy counted 64% more boats than the year before.", "64%", "46%"),
        ("In 2020 the harbour of Askoy counted 46% fewer boats than the year before.", "fewer", "more"),
        ("Berg Shipping did sell the old ferry.", "", "did not sell"),
    ],
)
def test_what_differs_is_told_with_both_places(said: str, ours: str, theirs: str) -> None:
    found = compare(said, [ASKOY])
    assert found.outcome == "contradicted", found
    assert found.difference is not None
    assert said[slice(*found.difference.said)] == ours
    assert ASKOY.text[slice(*found.difference.found)] == theirs


@pytest.mark.parametrize(
    "said",
    [
        "In 2019 the harbour of Askoy counted 64% more boats than the year before.",  # of another year
        "In 2020 the harbour of Askoy counted about 45% more boats than the year before.",  # rounded
        "In 2020 the harbour of Askoy counted at least 40% more boats than the year before.",  # a bound
        "In 2020 the harbour of Askoi counted 46% more boats than the year before.",  # misspelt
        "The harbour grew by 64%.",  # too little to tell
        "In 2020 the shipyards of Voss and Bergen built 64% more boats for the fishermen of the north.",  # else
    ],
)
def test_what_may_be_about_something_else_is_open(said: str) -> None:
    assert outcome(said, ASKOY) == "open"


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (
            "When a lamp hits the shiny hull of the ferry the light reflects.",
            "When a lamp hits the shiny hull of the ferry the light reflects, and doesn't reflect when it hits a sail.",
        ),
        (
            "Third generation Danes: 37% say all or most of their friends are Danes.",
            "Most (77%) immigrant Danes say all or most of their friends are Danes. Of the third generation it is 37%.",
        ),
        (
            "The panel, the bell and the power button of the ferry are the controls.",
            "The panel, the bell and the power button of the ferry may not work.",
        ),
    ],
)
def test_a_denial_or_a_number_of_something_else_contradicts_nothing(said: str, text: str) -> None:
    assert outcome(said, fakes.element(text)) != "contradicted"


FALSE = "In 2020 the harbour of Askoy counted 64% more boats than the year before."


@pytest.mark.parametrize(
    "sentence",
    [
        "Fares came to $11.8 million in 2024.", "In 2023 freight was 1,058 thousand dollars.",
        "Fares rose from 10,927 in 2023 to 11,846 in 2024.", "Fares | 11,846 | 10,927",
        "In 2024 fares were the highest income, 11,846 thousand dollars.",
    ],
)  # fmt: skip
def test_tables_are_read_with_their_scale(sentence: str) -> None:
    assert outcome(sentence, MONEY) in ("confirmed", "open" if "highest" in sentence else "confirmed")


@pytest.mark.parametrize(
    "sentence",
    [
        "Fares were $10,927 thousand in 2024.", "Fares were $1,134 thousand in 2024.",
        "Fares were $42 thousand in 2024.", "Fares were $11,846 thousand in 2019.", "Fares were $11,846 in 2024.",
        "Fares were $11,846 thousand.", "Income was $11,846 thousand in 2024.",
        "Fares fell from 10,927 in 2023 to 11,846 in 2024.",
    ],
)  # fmt: skip
def test_a_value_must_stand_in_the_row_and_column_that_are_named(sentence: str) -> None:
    assert outcome(sentence, MONEY) != "confirmed"


@pytest.mark.parametrize(
    ("sentence", "text", "about"),
    [
        ("November had the fewest boats.", "Nov had the fewest boats.", ()),
        ("Growth was 12 per cent.", "Growth was 12%.", ()),
        ("The harbour earned $12 million.", "The harbour earned $12m.", ()),
        ("Mr. Kildee has fished since about 1954.", "Kildee has fished since about 1954.", ()),
        ("The topic of Unit 14 is harbours.", "Unit 14: Harbours", ()),
        ("The chart on the slide shows that 43% prefer ferries.", "43% prefer ferries", ()),
        ("Six boats sank.", "6 boats sank.", ()),
    ],
)
def test_other_spellings_and_words_about_places(sentence: str, text: str, about: tuple[str, ...]) -> None:
    assert outcome(sentence, fakes.element(text), about=about) == "confirmed"


def test_what_several_elements_say_together_is_confirmed() -> None:
    halves = (
        fakes.element("The ferry Solvej carried 4,100 riders"),
        fakes.element("Solvej's crossing takes 35 minutes."),
    )
    found = compare("The ferry Solvej carried 4,100 riders; its crossing takes 35 minutes.", halves)
    assert (found.outcome, [n for n, _ in found.proofs]) == ("confirmed", [0, 1])
    assert outcome("The ferry Solvej carried 4,100 riders; its crossing takes 53 minutes.", *halves) == "open"
    assert outcome("The crossing carried 4,100 riders.", *halves) == "open"  # its words are of two places


ODD = st.text(max_size=80) | st.lists(
    st.sampled_from(["12%", "(3.4)", "not", "Holm", "rose", "fell", "2019", " | ", "\n", ". ", "\ufb01", "עם", "-\n"]),
    max_size=25,
).map(" ".join)  # fmt: skip


@given(ODD, ODD, ODD, st.sampled_from(["text", "table", "picture", "heading"]))
def test_any_sentence_on_any_element(sentence: str, text: str, question: str, kind: str) -> None:
    found = compare(sentence, [fakes.element(text, kind=kind)], about=[question])  # type: ignore[arg-type]
    assert 0 <= found.coverage <= 1
    assert found.reason
    assert all(0 <= a < b <= len(text) for _, spans in found.proofs for a, b in spans)
    assert (found.outcome == "contradicted") == (found.difference is not None)


@given(st.integers(2, 9998), st.integers(2, 9998))
def test_another_number_never_passes(said: int, written: int) -> None:
    element = fakes.element(f"The harbour counted {written} boats during the winter.")
    expected = ("confirmed",) if said == written else ("contradicted", "open")
    assert outcome(f"During the winter {said} boats were counted in the harbour.", element) in expected


def halves(first: str, second: str, *, below: bool = False, page: int = 1) -> tuple[Element, Element]:
    """Two elements; the second is at the head of the next column, or of another page, or `below` the first."""
    one = replace(fakes.element(first), bbox=BBox(0.1, 0.6, 0.45, 0.9))
    place = BBox(0.1, 0.91, 0.45, 0.95) if below else BBox(0.55, 0.1, 0.9, 0.3)
    return one, replace(fakes.element(second), id="second", bbox=place, page=page)


@pytest.mark.parametrize("page", [1, 2])
def test_a_paragraph_that_a_column_or_page_breaks_is_one(page: int) -> None:
    broken = halves(
        "It rained. The mill on the river Ash was re-", "built in 1887 by Anna Holm. It burned down.", page=page
    )
    found = compare("The mill on the river Ash was rebuilt in 1887 by Anna Holm.", broken)
    assert found.outcome == "confirmed"
    said = [(n, [broken[n].text[a:b] for a, b in spans]) for n, spans in found.proofs]
    assert said == [(0, ["The mill on the river Ash was re"]), (1, ["built in 1887 by Anna Holm"])]


def test_what_is_struck_out_proves_nothing() -> None:
    ticket = fakes.element("The ticket costs [struck out: 5] 7 crowns in 2024.")
    assert outcome("The ticket costs 7 crowns in 2024.", ticket) == "confirmed"
    assert outcome("The ticket costs 5 crowns in 2024.", ticket) == "contradicted"
    gone = fakes.element("The ticket [struck out: costs 5 crowns in 2024]. It rains.")
    assert outcome("The ticket costs 5 crowns in 2024.", gone) == "open"


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("New York has a museum of art.", "York has a new museum of art."),
        ("South Africa exported gold.", "Africa exported gold to the South."),
        ("COVID-19 was found in 2019.", "In 2019, 19 cases of COVID were found."),
    ],
)
def test_the_parts_of_a_name_that_stand_apart_are_not_the_name(sentence: str, text: str) -> None:
    assert outcome(sentence, fakes.element(text)) == "open"


def test_the_end_of_another_range_is_not_confirmed() -> None:
    museum = fakes.element("The museum is open from 9 to 18, the cafe closes at 17.")
    assert outcome("The museum is open from 9 to 18.", museum) == "confirmed"
    assert outcome("The museum is open from 9 to 17.", museum) != "confirmed"


MOST = 3.0
"""The most times as long that twice as much may take."""
_NEW = count()


def work(text: str) -> None:
    """Compare a sentence with a text that no cache knows."""
    compare("The port had 400 ships", [fakes.element(f"{text} {next(_NEW)}")])


@pytest.mark.parametrize("piece", ["400 ships ", "400 ships, "])
def test_a_text_of_numbers_takes_linear_time(piece: str) -> None:
    """A busy machine is asked again."""
    ratios = (seconds(partial(work, piece * 1600), 2) / seconds(partial(work, piece * 800), 2) for _ in range(4))
    assert any(ratio <= MOST for ratio in ratios)
