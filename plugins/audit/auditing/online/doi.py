"""DOI: the registry of all agencies, asked for the record of a DOI by content negotiation.

doi.org redirects to the agency that has the record. A DOI that it does not know is asked for once more, in the
interface that says so in words of its own: a page that somebody else puts in between denies nothing.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from plugins.audit.auditing.online.cache import KeptAnswer
from plugins.audit.auditing.online.online_source import OnlineSearch, OnlineSource, doi_of, json_object, of_identifier
from plugins.audit.auditing.online.service import Terms
from plugins.audit.auditing.sources import json_record
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

_AGENCIES = (
    "api.crossref.org", "data.crossref.org", "api.datacite.org", "data.datacite.org", "data.crosscite.org",
    "data.medra.org",
)  # fmt: skip
# DataCite, the strictest of the agencies, allows 500 requests in five minutes, and 1,000 with mailto.
TERMS = Terms("DOI", "https://doi.org", frozenset({"doi.org", *_AGENCIES}), pause=0.7, polite=0.35)
_CSL = "application/vnd.citationstyles.csl+json"
_FOUND, _NOT_FOUND = 1, 100
"""The response codes of the Handle system."""


class DoiRegistry(OnlineSource):
    """A `RecordSource` of the registry of DOIs: one that does not exist is "nothing"."""

    name = TERMS.name

    def _ask(self, fields: BibliographicFields, asking: OnlineSearch) -> None:
        doi = doi_of(fields)
        if not doi:
            asking.add("the entry has no DOI")
            return
        found, date = self._service.ask(f"/{doi}", {}, self._work, _CSL, redirected=True)
        if found is not None:
            there = f"DOI {doi}{date}" if found else f"DOI {doi}, which exists; its agency gives no record"
            asking.add(there, of_identifier(found, doi=doi))
            return
        code, date = self._service.ask(f"/api/handles/{doi}", {"type": "URL"}, _response_code)
        if code == _NOT_FOUND:
            asking.denied = True
            asking.add(f"DOI {doi}, which does not exist{date}")
        else:
            asking.add(f"DOI {doi}, which exists; its agency gives no record{date}")

    def _work(self, answer: KeptAnswer) -> tuple[Record, ...] | None:
        """Return the record; none where the agency has none to give, and None where doi.org knows no such DOI."""
        if answer.status == 404:
            ours = urlsplit(self._service.terms.address).hostname
            return None if answer.host == ours else ()
        if answer.elsewhere:  # to a page of the publisher, who has no records for machines
            return ()
        record = json_record(json_object(answer), self.name)
        if record is None:
            raise ValueError("no record")
        return (record,)


def _response_code(answer: KeptAnswer) -> int:
    """Return the code of the Handle system. Raises ValueError for all but "found" and "not found"."""
    code = json_object(answer).get("responseCode")
    if code == _NOT_FOUND and answer.status == 404:
        return _NOT_FOUND
    if code in (_FOUND, 200):  # 200: it exists, and has no address
        return _FOUND
    raise ValueError(f"the registry says {str(code)[:20]}")
