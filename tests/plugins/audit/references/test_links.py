"""The entries that the marks of a text name."""

from __future__ import annotations

import pytest

from plugins.audit.marks import find_marks
from plugins.audit.references import BibliographicFields, Reference, ReferenceIndex


def reference(number: int, text: str, label: str = "", **fields: object) -> Reference:
    return Reference(number, text, BibliographicFields(**fields), label)  # type: ignore[arg-type]


WORKS = [
    reference(1, "Okoro, A. and Lindt, B. 2019. Rain.", authors=("Okoro, A.", "Lindt, B."), year="2019"),
    reference(2, "Okoro, A. and Paz, C. 2019. Hail.", authors=("Okoro, A.", "Paz, C."), year="2019"),
    reference(3, "van der Aa, D. (2020a). Snow. https://www.rain.example/a"),
    reference(4, "van der Aa, D. (2020b). Sleet. doi:10.1000/182", doi="10.1000/182"),
    reference(5, "Ministry of Rain. Floods. 2001."),
]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(Okoro & Lindt, 2019)", [1]),
        ("(Okoro et al., 2019)", [1, 2]),
        ("Aa (2020a)", [3]),
        ("van der Aa (2020)", [3, 4]),
        ("(Ministry of Rain 2001)", [5]),
        ("https://doi.org/10.1000/182", [4]),
        ("[2]", [2]),
        ("(Lindt, 2019)", []),
        ("(Okoro, 2018)", []),
        ("[9]", []),
    ],
)
def test_a_mark_names_its_entries(text: str, numbers: list[int]) -> None:
    [mark] = find_marks(text)
    assert [ref.number for ref in ReferenceIndex(WORKS).entries_of(mark)] == numbers


def test_printed_labels_count_and_not_the_place_in_the_list() -> None:
    index = ReferenceIndex([reference(1, "Rain.", "[7]"), reference(2, "Hail.", "Oko20")])
    named = [[r.number for r in index.entries_of(m)] for m in find_marks("[7] [1] [Oko20]")]
    assert named == [[1], [], [2]]
