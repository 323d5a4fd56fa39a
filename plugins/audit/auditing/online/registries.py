"""The services that are asked for records: Crossref, OpenAlex, and the registry of DOIs, those of arXiv among them."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, ClassVar
from urllib.parse import urlsplit

from plugins.audit.auditing.online.cache import ServiceResponse
from plugins.audit.auditing.online.online_source import (
    MOST_RECORDS,
    OnlineSearch,
    OnlineSource,
    arxiv_of,
    doi_of,
    json_object,
    of_identifier,
)
from plugins.audit.auditing.online.service import Terms
from plugins.audit.auditing.sources import json_record
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

_SUBJECT = re.compile(r"\.[A-Za-z]{2}(?=/)")
"""The subject class in an old arXiv number ("math.GT/0309136"), which is no part of its DOI."""
_REGISTERED_DAYS = 60
"""The days after which arXiv has surely registered the DOI of a preprint."""


class Crossref(OnlineSource):
    """The works that publishers register. A DOI that it does not know may be another agency's: "not covered"."""

    # api.crossref.org, access and authentication: lists, the dearer of the two, have 1 request a second, 3 with mailto.
    terms = Terms("Crossref", "https://api.crossref.org", frozenset({"api.crossref.org"}), pause=1.0, polite=0.34)

    def _query(self, title: str, author: str) -> dict[str, str]:
        query = {"query.bibliographic": title, "rows": str(MOST_RECORDS)}
        return query | ({"query.author": author} if author else {})

    def _one(self, value: Any) -> object:
        return value["message"]

    def _many(self, value: Any) -> object:
        return value["message"]["items"]


class OpenAlex(OnlineSource):
    """Works of all fields."""

    # OpenAlex allows 100 requests a second, and counts what each costs against a daily allowance: ten will do.
    terms = Terms("OpenAlex", "https://api.openalex.org", frozenset({"api.openalex.org"}), pause=0.1, polite=0.1)
    before_doi = "doi:"
    selection: ClassVar = {"select": "id,doi,title,authorships,publication_year,primary_location,ids,type"}

    def _query(self, title: str, author: str) -> dict[str, str]:  # noqa: ARG002  it searches in titles alone
        return {"search": title, "per_page": str(MOST_RECORDS)}

    def _one(self, value: Any) -> object:
        return value if value["id"] else None

    def _many(self, value: Any) -> object:
        return value["results"]


class DoiRegistry(OnlineSource):
    """The registry of all agencies, asked for the record of a DOI, or an arXiv number's, by content negotiation.

    doi.org redirects to the agency that has the record. A DOI that it does not know is asked for once more, in the
    interface that says so in words of its own, and is "nothing" then: a page that somebody puts in between denies
    nothing. The number of a new preprint, whose DOI may not be registered yet, is not denied.
    """

    # DataCite, the strictest of the agencies, allows 500 requests in five minutes, and 1,000 with mailto.
    terms = Terms(
        "DOI",
        "https://doi.org",
        frozenset({
            "doi.org", "api.crossref.org", "data.crossref.org", "api.datacite.org", "data.datacite.org",
            "data.crosscite.org", "data.medra.org",
        }),
        pause=0.7,
        polite=0.35,
    )  # fmt: skip

    def _ask(self, fields: BibliographicFields, search: OnlineSearch) -> None:
        doi, arxiv = doi_of(fields), arxiv_of(fields)
        name = f"DOI {doi}" if doi else f"arXiv {arxiv}"
        path = doi or f"10.48550/arXiv.{_SUBJECT.sub('', arxiv)}"
        if not doi and not arxiv:
            search.add("the entry has no DOI and no arXiv number")
            return
        accept = "application/vnd.citationstyles.csl+json"
        records, date = self._service.ask(f"/{path}", {}, self._of_agency, accept, redirected=True)
        if records is None:
            denied, date = self._service.ask(f"/api/handles/{path}", {"type": "URL"}, _is_denied)
            search.denied = denied and not _is_new(arxiv)
        if search.denied:
            search.add(f"{name}, which does not exist{date}")
        elif records:
            search.add(f"{name}{date}", of_identifier(records, doi=doi, arxiv=arxiv))
        else:
            search.add(f"{name}, of which there is no record{date}")

    def _of_agency(self, answer: ServiceResponse) -> tuple[Record, ...] | None:
        """Return the record; none where the agency has none to give, and None where doi.org knows no such DOI."""
        if answer.status == 404:
            return None if answer.host == urlsplit(self._service.terms.address).hostname else ()
        if answer.elsewhere:  # to a page of the publisher, who has no records for machines
            return ()
        record = json_record(json_object(answer), self.name)
        if record is None:
            raise ValueError("no record")
        return (record,)


def _is_denied(answer: ServiceResponse) -> bool:
    """Return True where the Handle system has no such DOI. Raises ValueError for all but "found" and "not found"."""
    code = json_object(answer).get("responseCode")
    if code == 100 and answer.status == 404:
        return True
    if code in (1, 200):  # 200: it exists, and has no address
        return False
    raise ValueError(f"the registry says {str(code)[:20]}")


def _is_new(arxiv: str) -> bool:
    """Return True for an arXiv number ("2611.01234") of the last weeks."""
    now = dt.datetime.now(dt.UTC)
    return f"{now - dt.timedelta(days=_REGISTERED_DAYS):%y%m}" <= arxiv[:4] <= f"{now:%y%m}"
