"""Audits of papers that we made up: every verdict, findings, hostile words, entries on pages and on none."""

from dataclasses import replace
from pathlib import Path

from indexing import BBox
from plugins.audit.auditing import Audit, AuditedReference, FieldVerdict, Lookup, Record, ReferenceFinding
from plugins.audit.manuscripts import PagePlace
from plugins.audit.references import BibliographicFields, Reference
from tests.support import documents

HOSTILE = "<script>alert(1)</script> \\input{/etc/passwd} {{7*7}} | [a](javascript:b) \x1b[31m"
LINES = [
    "References",
    "[1] A. Holm. The mills of the north. Journal of Mills, 2019.",
    "[2] B. Falk. Cider in barrels. Press of Sallow Bay, 2001.",
    "[3] C. Vasko. Ferries that think. Proceedings of Ferries, 2024.",
    "[4] D. Oren. A private letter, 1987.",
]


def entry(fields: BibliographicFields, text: str = "") -> Reference:
    """An entry of these fields, as sources are asked for it."""
    return Reference(1, text, fields)


def reference(number: int, *, label: str = "", page: int = 1) -> Reference:
    """Entry `number` of LINES, on a page of its own where one is given; page 0 is none."""
    text = LINES[number].partition("] ")[2]
    name, title, rest = _parts(text)
    top = 0.1 + 0.06 * number
    places = (PagePlace(page, (BBox(0.1, top, 0.8, top + 0.02),)),) if page else ()
    fields = BibliographicFields(title=title, authors=(name,), venue=rest.rpartition(",")[0], year=text[-5:-1])
    return Reference(number, text, fields, label or f"[{number}]", places)


def _parts(text: str) -> tuple[str, str, str]:
    """Name, title and the rest of a line of LINES."""
    initial, name, title, *rest = text.split(". ")
    return f"{initial}. {name}", title, ". ".join(rest)


def audited(number: int, status: str = "real", **changed: object) -> AuditedReference:
    """A verdict on entry `number`: with its record, if it is real."""
    cited = reference(number)
    fields = replace(cited.fields, year="2017") if status == "errors" else cited.fields
    record = Record(fields, "Library of Mills", f"mill{number}", "journal-article")
    found = status in ("real", "errors")
    years = FieldVerdict("year", cited.fields.year, fields.year, status == "real", status == "real")
    titles = FieldVerdict("title", cited.fields.title, fields.title, True, True)
    outcome = {"real": "found", "errors": "found", "unknown": "not covered"}.get(status, "nothing")
    one = AuditedReference(
        cited,
        status,  # type: ignore[arg-type]
        {
            "real": "A record agrees in every field.",
            "errors": "The work exists; its year is another.",
            "questionable": "Library of Mills promises all works on mills, and lacks this one.",
            "invented": "Library of Mills has all works on mills, and not this one.",
            "unknown": "No source that was asked covers it.",
        }[status],
        record if found else None,
        (titles, years) if found else (),
        status == "real",
        (Lookup("Library of Mills", outcome, (record,) if found else (), "title and authors"),),  # type: ignore[arg-type]
    )
    return replace(one, **changed)  # type: ignore[arg-type]


def audit(paper: str = "mills.pdf") -> Audit:
    """An audit with one entry of each verdict, a finding, a mark without an entry, and a note."""
    finding = ReferenceFinding("never-cited", "No sentence of the paper cites it.")
    return Audit(
        paper,
        (audited(1, "errors"), audited(2), audited(3, "invented", findings=(finding,)), audited(4, "unknown")),
        ("[7]",),
        ("Crossref could not be reached.",),
        1.5,
    )


def paper_in(folder: Path) -> Path:
    """A PDF whose page has LINES."""
    return documents.pdf(folder / "mills.pdf", LINES)
