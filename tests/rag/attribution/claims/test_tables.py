"""Reading a table: which of its heads, rows and cells a sentence speaks of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import Element
from rag.attribution.claims import TextReading, claims_of, read_table
from tests.support import fakes

INCOME = replace(
    fakes.element("Item | 2024 | 2023\nFares | 11,846 | 10,927\nFreight | 1,134 | 1,058", kind="table"),
    caption="Table 3. Income, in thousands of dollars.",
)


def read(sentence: str, element: Element = INCOME) -> TextReading:
    found = read_table(claims_of(sentence), element, [claims_of(element.caption)])
    assert found is not None
    return found


@pytest.mark.parametrize("moment", ["31 March 2023", "March 2023", "Q1 2023"])
def test_a_head_that_says_less_than_a_date_does_not_name_it(moment: str) -> None:
    assert read(f"Fares were 10,927 thousand dollars in {moment}.").objections == (
        f"the table is about 2024, 2023, not {moment}",
    )


LADDERS = fakes.element("Item | Rung 2 | Rung 3\nBolts | 12 | 15\nNails | 40 | 41", kind="table")


def test_a_number_that_stands_beside_the_same_word_in_a_head_names_its_column() -> None:
    right, wrong = read("Rung 3 has 15 bolts.", LADDERS), read("Rung 3 has 12 bolts.", LADDERS)
    assert right.objections == ()
    assert "15" in [LADDERS.text[a:b] for a, b in right.spans]
    assert wrong.objections == ("12 stands under 'Rung 2', not where the sentence says",)
    assert read("There are 3 bolts on a rung.", LADDERS).objections != ()


SCORES = fakes.element("Model | Accuracy\nHeron | 77.40\nGannet | 52.67", kind="table")


def test_a_share_may_stand_in_a_table_that_gives_no_units_but_only_in_part() -> None:
    """Accuracy is printed as 77.40 and told as 77.4%: the number is there, the unit is not."""
    found = read("Heron: 77.4%", SCORES)
    assert (found.objections, found.doubts) == ((), ("the table gives 77.40 without a unit",))
    assert read("Gannet: 77.4%", SCORES).objections != ()
    assert read("Heron: 78%", SCORES).objections != ()
    assert read("Heron: 77.40 kg", SCORES).objections != ()
    assert read("Fares: 11,846%").objections != ()  # that table counts in thousands of dollars
