"""The exports of an audit: the marked paper, reports, corrections; hostile words stay words."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import bibtexparser
import pymupdf
import pytest

from plugins.audit.auditing import Audit, Record, ReferenceStatus
from plugins.audit.export import (
    STATUS_MEANINGS,
    STATUS_NAMES,
    audit_form_of,
    corrections,
    export_audit,
    marks_of_audit,
    report_of,
    write_corrections,
)
from plugins.audit.references import BibliographicFields
from tests.plugins.audit import audits
from ui.errors import ExportError


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


def test_a_bibliography_on_no_page_has_no_pdf(tmp_path: Path) -> None:
    one = replace(audits.audited(1), reference=audits.reference(1, page=0))
    with pytest.raises(ExportError, match=r"export \.html or \.md"):
        export_audit(Audit("mine.bib", (one,)), tmp_path / "mine.bib", tmp_path / "out.pdf")


def test_files_of_others_are_not_written_over_and_ours_are(tmp_path: Path) -> None:
    target = tmp_path / "seen.md"
    target.write_text("mine")
    with pytest.raises(ExportError, match="not an export of Vouch"):
        export_audit(audits.audit(), tmp_path / "x.pdf", target)
    target.unlink()
    export_audit(audits.audit(), tmp_path / "x.pdf", target)
    export_audit(replace(audits.audit(), paper="other.pdf"), tmp_path / "x.pdf", target)
    assert "other" in target.read_text()
    with pytest.raises(ExportError, match=r"\.pdf"):
        audit_form_of(Path("report.docx"))


def test_the_page_says_both_values_and_what_was_searched_and_needs_nothing_else() -> None:
    page = report_of(audits.audit(), "html").decode()
    for said in ("2019", "2017", "likely invented", "Library of Mills", "[7]", "Crossref could not be reached."):
        assert said in page
    assert (
        "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page or "default-src &#39;none&#39;" in page
    )
    assert "<script" not in page
    assert "http" not in re.sub(r"http-equiv", "", page)


def test_the_reports_of_a_hostile_paper_hold_words_alone() -> None:
    page, lines = report_of(hostile(), "html").decode(), report_of(hostile(), "markdown").decode()
    assert "<script" not in page
    assert "{{" not in page
    assert "\x1b" not in page + lines
    assert "<script" not in lines
    rows = [line for line in lines.splitlines() if line.startswith("| 1 ")]
    assert len(rows) == 1
    assert len(re.findall(r"(?<!\\)\|", rows[0])) == 5, "a bar of the paper made a column of its own"


def test_corrections_are_of_references_with_errors_alone_and_can_be_read(tmp_path: Path) -> None:
    target = tmp_path / "fixed.bib"
    write_corrections(audits.audit(), target)
    library = bibtexparser.parse_file(str(target))
    assert [entry.key for entry in library.entries] == ["ref1"]
    entry = library.entries[0]
    assert entry.entry_type == "article"
    assert entry.fields_dict["year"].value == "2017"
    assert "The mills of the north" in entry.fields_dict["title"].value


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


def test_every_verdict_has_words_a_sign_and_a_colour_wherever_it_is_shown() -> None:
    statuses = get_args(ReferenceStatus)
    assert set(STATUS_NAMES) == set(STATUS_MEANINGS) == set(statuses)
    one = audits.audited(1)
    shown = Audit("mills.pdf", tuple(replace(one, status=status) for status in statuses))
    assert len({mark.colour for mark in marks_of_audit(shown)}) == len(statuses)
    page = report_of(shown, "html").decode()
    assert "?! questionable" in page
    assert "1 questionable" in page
