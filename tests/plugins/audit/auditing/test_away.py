"""An audit whose sources are away: what could not be asked is told, and accuses nobody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from plugins.audit.auditing.audit import stream_audit
from plugins.audit.auditing.online import Crossref, DoiRegistry
from plugins.audit.auditing.sources import RecordIndex
from plugins.audit.auditing.types import Audit, Audited, Record, RecordSource
from plugins.audit.references import BibliographicFields, Bibliography, Reference
from tests.plugins.audit.auditing.online.services import CITED, CSL
from tests.plugins.audit.record_service import Answer, RecordService


def audited(fields: list[BibliographicFields], sources: list[RecordSource]) -> Audit:
    paper = Bibliography(tuple(Reference(number, f.title, f) for number, f in enumerate(fields, 1)))
    *_, last = stream_audit("paper.pdf", paper, sources, workers=1)
    assert isinstance(last, Audited)
    return last.audit


def test_a_source_that_is_away_is_told_once_and_accuses_nobody(tmp_path: Path) -> None:
    known = RecordIndex(tmp_path / "known.sqlite", make=True)
    known.fill([Record(replace(CITED, title="Frost and the Potato", doi=""), "")])
    cited = [CITED, replace(CITED, title="Frost and the Potato", doi=""), replace(CITED, title="On Bells", doi="")]
    with RecordService(Answer(500)) as server:
        audit = audited(cited, [known, Crossref(server.service(Crossref.terms))])
    known.close()
    assert [entry.status for entry in audit.references] == ["unknown", "real", "unknown"]
    assert "could not be reached: Crossref" in audit.references[0].reason
    [note] = audit.notes
    assert "Crossref could not be reached for 2 of the entries" in note
    assert "answers 500, also after 3 tries" in note


def test_a_doi_that_its_registry_denies_is_questionable_and_one_it_has_is_real() -> None:
    with RecordService(Answer(404, {"responseCode": 100})) as server:
        audit = audited([CITED], [DoiRegistry(server.service(DoiRegistry.terms))])
    assert audit.references[0].status == "questionable"
    assert "which does not exist" in audit.references[0].reason
    with RecordService(Answer(200, CSL)) as server:
        audit = audited([CITED], [DoiRegistry(server.service(DoiRegistry.terms))])
    assert audit.references[0].status == "real"
    assert audit.notes == ()
