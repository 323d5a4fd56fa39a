"""OpenAlex: works of all fields, by DOI, or by the words of the title."""

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
    of_identifier,
    title_words,
)
from plugins.audit.auditing.online.service import Terms
from plugins.audit.auditing.sources import json_record
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

# OpenAlex allows 100 requests a second, and counts what each costs against a daily allowance: ten will do.
TERMS = Terms("OpenAlex", "https://api.openalex.org", frozenset({"api.openalex.org"}), pause=0.1, polite=0.1)
_SELECT = "id,doi,title,authorships,publication_year,primary_location,ids,type"


class OpenAlex(OnlineSource):
    """A `RecordSource` of OpenAlex."""

    name = TERMS.name

    def _ask(self, fields: BibliographicFields, asking: OnlineSearch) -> None:
        if doi := doi_of(fields):
            found, date = self._service.ask(f"/works/doi:{doi}", {"select": _SELECT}, self._work)
            asking.add(f"DOI {doi}{date}", of_identifier(found, doi=doi))
            if found and (likeness(fields, found[0]) >= 0.8 or not fields.title):
                return
        if title := title_words(fields):
            query = {"search": title, "select": _SELECT, "per_page": str(MOST_RECORDS)}
            records, date = self._service.ask("/works", query, self._works)
            asking.add(f"title {title[:120]!r}{date}", records)

    def _work(self, answer: KeptAnswer) -> tuple[Record, ...]:
        if answer.status == 404:
            return ()
        value = json_object(answer)
        if "id" not in value:
            raise ValueError("no work")
        record = json_record(value, self.name)
        return (record,) if record else ()

    def _works(self, answer: KeptAnswer) -> tuple[Record, ...]:
        items = list_in(json_object(answer), "results")
        return tuple(filter(None, (json_record(item, self.name) for item in items)))
