"""Which lines are headings, and the level that the number of one names."""

from __future__ import annotations

from indexing.parse.headings import may_head, states_unit
from indexing.settings import IndexingSettings

SETTINGS = IndexingSettings(visual="none", ocr="never")
PROSE = (
    "The ferry leaves the quay at six and comes back at nine. Its crew of four counts the passengers, the "
    "bicycles and the crates of fish, and writes the numbers into a book that the harbour keeps. "
)


UNITS = (
    "(amounts in millions)", "$ in millions", "In thousands", "(Dollars in millions, except per share amounts)",
    "(Rs. in crores)", "Angaben in Tsd. €", "Amounts expressed in thousands of euros", "(in thousands, unaudited)",
)  # fmt: skip
MORE_THAN_UNITS = ("Investing in millions of people", "Growth in percent of sales", "In brief", "Units")
NO_HEADINGS = (
    "4", "21-13199", "- 7 -", "(unaudited)", "[continued]", "First, in Figure 3 we ob-", "Smith, Jones,",
    "and so the tide turned early", *UNITS,
)  # fmt: skip
HEADINGS = ("III.", "Costs", "2.1 Stops", "iPhone", "Who pays?", "27% of seniors go online", *MORE_THAN_UNITS)


def test_units_numbers_remarks_and_half_lines_are_no_headings() -> None:
    assert [text for text in (*UNITS, *MORE_THAN_UNITS) if states_unit(text)] == [*UNITS]
    assert [text for text in (*NO_HEADINGS, *HEADINGS) if may_head(text)] == [*HEADINGS]
