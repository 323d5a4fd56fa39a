"""Genuine references of three styles, as PDFs print them, beside their true records: none is accused."""
# ruff: noqa: RUF001  accents that stand apart

from pathlib import Path

import pytest

from plugins.audit.auditing import Audited, stream_audit
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.auditing.types import Lookup, Record, RecordSource
from plugins.audit.references import BibliographicFields, Reference, references_of

WORKS = (
    BibliographicFields(
        "Tide talk: reading harbours without a map", ("Hervé Jégrand", "Ana Holm"),
        venue="Proceedings of the Third Meeting on Tides", year="2019", doi="10.1162/tide_a_00638",
    ),
    BibliographicFields(
        "Do gulls count? Evidence from three piers", ("Per Lind", "Eva Berg"),
        venue="Database", year="2018", doi="10.1093/gulls/bay118",
    ),
    BibliographicFields(
        "PierNet: a census of walking birds", ("Fernanda Viñegas", "Jo Katz"),
        venue="bioRxiv", year="2020", doi="10.1101/678187",
    ),
    BibliographicFields(
        "Learning to wait for the ferry in the morning fog", ("Kim Roe", "Łukasz Rehůřek"),
        venue="Annals of Harbour Birds", year="2021", doi="10.1000/ahb-2021.17",
    ),
)  # fmt: skip
"""The true records."""
STYLES = {
    "names and years": """Herv´e J´egrand and Ana Holm. 2019. Tide talk: reading harbours without a map. In Jordan
Boyd-Katz and Tim Rook (eds.), Proceedings of the Third Meeting on Tides. https://doi.org/10.1162/tide
a 00638

Per Lind and Eva Berg. 2018. Do gulls count? Evidence from three piers. Database, 2018:bay118.
https://doi.org/10.1093/gulls
bay118.

Fernanda Vi˜negas and Jo Katz. 2020. PierNet: a census of walking birds. bioRxiv.
https://www.example.org/content/10.1101/678187v1.full

Kim Roe and Łukasz Reh˚uˇrek. 2021. Learning to wait for the ferry in the morning fog. Annals of
Harbour Birds, 12:1–9. doi:10.1000/ahb-
2021.17""",
    "quotes": """[1] H. J´egrand and A. Holm, “Tide talk: reading harbours without a map,” in Proceedings of the
Third Meeting on Tides, 2019, pp. 1–9, doi: 10.1162/tide
a 00638.

[2] P. Lind and E. Berg, “Do gulls count? Evidence from three piers,” Database, vol. 2, 2018, doi:
10.1093/gulls/.

[3] F. Vi˜negas and J. Katz, “PierNet: a census of walking birds,” bioRxiv, 2020,
10.1101/678187arXiv:https://arxiv.org/abs/1905.01234.

[4] K. Roe and Ł. Reh˚uˇrek, “Learning to wait for the ferry in the morning fog,” Annals of Harbour
Birds, vol. 12, 2021, doi: 10.1000/ahb-
2021.17.""",
    "semicolons": """(1) J´egrand, H.; Holm, A. Tide talk: reading harbours without a map. Proceedings of the Third
Meeting on Tides 2019, 1–9, DOI: 10.1162/tide
a 00638.

(2) Lind, P.; Berg, E. Do gulls count? Evidence from three piers. Database 2018, 2, bay118.

(3) Vi˜negas, F.; Katz, J. PierNet: a census of walking birds. bioRxiv 2020, DOI:
10.1101/678187v1.full.

(4) Roe, K.; Reh˚uˇrek, Ł. Learning to wait for the ferry in the morning fog. Annals of Harbour
Birds 2021, 12, DOI: 10.1000/ahb-
2021.17.""",
}
"""The lists as text: the lines are those of the page."""


class Registry:
    """A registry that knows the DOIs of the works, and denies every other."""

    name = "registry"

    def look_up(self, reference: Reference) -> Lookup:
        fields = reference.fields
        found = tuple(Record(work, self.name) for work in WORKS if work.doi == fields.doi)
        outcome = "found" if found else "nothing" if fields.doi else "not covered"
        return Lookup(self.name, outcome, found, f"DOI {fields.doi}")  # type: ignore[arg-type]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("complete", [True, False])
def test_no_genuine_reference_is_accused(style: str, complete: bool, tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("References\n\n" + STYLES[style], encoding="utf-8")
    known = RecordIndex(tmp_path / "known.sqlite", make=True)
    known.fill([Record(work, "") for work in WORKS])
    known.complete = complete
    sources: list[RecordSource] = [Registry(), known]
    *_, last = stream_audit("paper.txt", references_of(paper), sources, workers=1)
    known.close()
    assert isinstance(last, Audited)
    assert [(e.status, e.reason) for e in last.audit.references if e.status != "real"] == []
    assert len(last.audit.references) == len(WORKS)
