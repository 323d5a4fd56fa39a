"""A claim and an element that speaks of the same: what differs is told, and nothing where they may both be right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag.attribution.verify import contradiction, verify
from tests.support import fakes

PLACE = fakes.element(
    "In 2020 the harbour of Askoy counted 46% more boats than the year before. "
    "Berg Shipping did not sell the old ferry."
)
TABLE = "Port | 2019 | 2020\nAskoy | 46 | 64\nVoss | 31 | 29"


@pytest.mark.parametrize(
    ("said", "ours", "theirs"),
    [
        ("In 2020 the harbour of Askoy counted 64% more boats than the year before.", "64%", "46%"),
        ("In 2020 the harbour of Askoy counted 46 kg more boats than the year before.", "46 kg", "46%"),
        ("In 2020 the harbour of Askoy counted 46% fewer boats than the year before.", "fewer", "more"),
        ("In 2020 the harbour of Bergen counted 46% more boats than the year before.", "Bergen", "Askoy"),
        ("Berg Shipping did sell the old ferry.", "", "did not sell"),
    ],
)
def test_what_differs_is_told_with_both_places(said: str, ours: str, theirs: str) -> None:
    check = verify(said, PLACE)
    assert check.verdict == "contradicted", check
    assert check.difference is not None
    assert said[slice(*check.difference.said)] == ours
    assert PLACE.text[slice(*check.difference.found)] == theirs
    assert PLACE.text[slice(*check.spans[0])].endswith(".")


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
def test_what_may_be_about_something_else_is_not_contradicted(said: str) -> None:
    assert verify(said, PLACE).verdict != "contradicted"


def test_a_table_contradicts_by_its_row_and_column() -> None:
    table = replace(fakes.element(TABLE, kind="table"), cells=())
    check = verify("The value of Askoy in 2020 was 61.", table)
    assert (check.verdict, table.text[slice(*check.spans[0])]) == ("contradicted", "64")
    assert verify("The value of Moss in 2020 was 61.", table).verdict != "contradicted"


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
    assert verify(said, fakes.element(text)).verdict != "contradicted"


@pytest.mark.parametrize(
    ("said", "cell", "verdict"),
    [
        ("The value of Askoy in 2020 was $64 million.", "64", "unsupported"),
        ("The value of Askoy in 2020 was 65 million.", "64", "contradicted"),
    ],
)
def test_a_number_whose_unit_stands_aside_contradicts_nothing(said: str, cell: str, verdict: str) -> None:
    element = replace(fakes.element(TABLE.replace("64", cell), kind="table"), cells=())
    assert verify(said, element).verdict == verdict


@pytest.mark.parametrize("kind", ["picture", "heading"])
def test_pictures_and_headings_contradict_nothing(kind: str) -> None:
    element = replace(PLACE, kind=kind)  # type: ignore[arg-type]
    assert contradiction("In 2020 the harbour of Askoy counted 64% more boats than the year before.", [element]) is None
