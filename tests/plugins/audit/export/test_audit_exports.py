"""The exports of an audit: the marked paper, reports, corrections; hostile words stay words."""

from dataclasses import replace
from pathlib import Path

import bibtexparser
import pymupdf

from plugins.audit.auditing import Audit, Record
from plugins.audit.export import (
    corrections,
    export_audit,
    report_of,
)
from plugins.audit.references import BibliographicFields
from tests.plugins.audit import audits


def hostile() -> Audit:
    """An audit in which every word that comes from outside wants to be more than a word."""
    fields = BibliographicFields(
        title=audits.HOSTILE, authors=(audits.HOSTILE,), venue="100% of it & {more", year="}2001", doi="10.1/x}y"
    )
    one = audits.audited(1, "errors", record=Record(fields, audits.HOSTILE, "k", "article"), reason=audits.HOSTILE)
    one = replace(one, reference=replace(one.reference, text=audits.HOSTILE, label=audits.HOSTILE))
    return Audit(audits.HOSTILE, (one,), (audits.HOSTILE,), (audits.HOSTILE,))


def test_every_entry_is_marked_on_its_page_with_its_verdict_in_words_and_colour(tmp_path: Path) -> None:
    paper, target = audits.paper_in(tmp_path), tmp_path / "seen.pdf"
    assert export_audit(audits.audit(), paper, target) == []
    with pymupdf.open(target) as marked:
        notes = [(a.info["subject"], a.info["content"], a.colors["stroke"]) for a in marked[0].annots()]
    assert [subject for subject, _, _ in notes] == [
        "[1] real, with errors", "[2] real", "[3] likely invented", "[4] unknown"
    ]  # fmt: skip
    assert "year: the paper has 2019, the record 2017" in notes[0][1]
    assert "No sentence of the paper cites it." in notes[2][1]
    assert len({tuple(colour) for _, _, colour in notes}) == 4


def test_the_report_of_a_hostile_paper_holds_words_alone() -> None:
    page = report_of(hostile(), "html").decode()
    assert "<script" not in page
    assert "{{" not in page
    assert "\x1b" not in page


def test_corrections_hold_no_command_and_no_brace_of_a_record() -> None:
    told = corrections(hostile())
    library = bibtexparser.parse_string(told)
    assert len(library.entries) == 1
    assert not library.failed_blocks
    assert "\\input" not in told
    assert "\\textbackslash{}input" in told
    assert r"100\% of it \& \{more" in told
    assert "10.1/x" not in told, "a DOI that would have to be changed is left out"
    assert all(line.startswith("%") for line in told.splitlines() if "alert" in line and "=" not in line)
