"""Crossref: the works that publishers register there, by DOI, or by title and first author."""

from __future__ import annotations

from plugins.audit.auditing.online.cache import KeptAnswer
from plugins.audit.auditing.online.online_source import (
    MOST_RECORDS,
    OnlineSearch,
    OnlineSource,
    doi_of,
    json_object,
    likeness,
    list_in,
    object_in,
    of_identifier,
    title_words,
)
from plugins.audit.auditing.online.service import Terms
from plugins.audit.auditing.sources import json_record
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

# api.crossref.org, access and authentication: lists, the dearer of the two, have 1 request a second, 3 with mailto.
TERMS = Terms("Crossref", "https://api.crossref.org", frozenset({"api.crossref.org"}), pause=1.0, polite=0.34)
_MOST_NAME = 80


class Crossref(OnlineSource):
    """A `RecordSource` of Crossref. A DOI that it does not know may be another agency's: that is "not covered"."""

    name = TERMS.name

    def _ask(self, fields: BibliographicFields, asking: OnlineSearch) -> None:
        if doi := doi_of(fields):
            found, date = self._service.ask(f"/works/{doi}", {}, self._work)
            asking.add(f"DOI {doi}{date}", of_identifier(found, doi=doi))
            if found and (likeness(fields, found[0]) >= 0.8 or not fields.title):
                return
        if title := title_words(fields):
            query = {"query.bibliographic": title, "rows": str(MOST_RECORDS)}
            if fields.authors:
                query["query.author"] = fields.authors[0][:_MOST_NAME]
            records, date = self._service.ask("/works", query, self._works)
            asking.add(f"title {title[:120]!r}{date}", records)

    def _work(self, answer: KeptAnswer) -> tuple[Record, ...]:
        if answer.status == 404:
            return ()
        record = json_record(object_in(json_object(answer), "message"), self.name)
        return (record,) if record else ()

    def _works(self, answer: KeptAnswer) -> tuple[Record, ...]:
        items = list_in(object_in(json_object(answer), "message"), "items")
        return tuple(filter(None, (json_record(item, self.name) for item in items)))
