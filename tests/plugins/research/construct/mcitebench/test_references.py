"""References in the words of reviews, and the linear time that finding them takes."""

from __future__ import annotations

import pytest

from plugins.research.construct.mcitebench.references import references_in
from tests.support.hostile_strings import MOST, Shape, growth

FORMS = {
    "See Section 4.2.": ["Section 4.2"],
    "Sec. 4.2 and Sec 5": ["Section 4.2", "Section 5"],
    "Sections 4.1, 4.2 and 5 say so": ["Section 4.1", "Section 4.2", "Section 5"],
    "§3.1 has it": ["Section 3.1"],
    "Line 39": ["Line 39"],
    "Lines 39--41, and lines 050 to 052": ["Lines 39-41", "Lines 50-52"],
    "L. 39-41 and L152": ["Lines 39-41", "Line 152"],
    "Figure 2, Fig. 2a, Figs. 3(b) and 4": ["Figure 2", "Figure 3", "Figure 4"],
    "Figures 2-4": ["Figure 2", "Figure 3", "Figure 4"],
    "Table 5 (see Tab. 6)": ["Table 5", "Table 6"],
    "Appendix B and Appendix C.1, Section A.2": ["Appendix B", "Appendix C.1", "Appendix A.2"],
    "the L2 norm, a line of 3 tables, 40 lines, section by section": [],
    "In this section I show a table with 5 rows": [],
    "Figure 5% and baseline 3": [],
}


@pytest.mark.parametrize(("text", "names"), FORMS.items())
def test_places_are_found_in_the_words_of_people(text: str, names: list[str]) -> None:
    assert [reference.name for reference in references_in(text)] == names


def test_a_reference_keeps_its_words_and_its_lines() -> None:
    (found,) = references_in("as in Lines 39--41 it says")
    assert (found.written, list(found.lines)) == ("Lines 39--41", [39, 40, 41])
    assert list(references_in("Figure 2")[0].lines) == []


@pytest.mark.parametrize(
    "piece", ["Figures 1, ", "Line ", "§", "Sections 4.1 and ", "Figs. 1-9 ", "L. 1--2, ", "1.1.1.", "Tab.   "]
)
def test_finding_them_takes_linear_time(piece: str) -> None:
    assert growth(references_in, Shape("", piece)) <= MOST
