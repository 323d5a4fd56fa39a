"""A source over the network: by identifier first, by title then, and "not reachable" for whatever goes wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from rapidfuzz import fuzz

from configs import parsed_json
from plugins.audit.auditing.online.cache import ServiceResponse
from plugins.audit.auditing.online.service import Service, Terms
from plugins.audit.auditing.sources import json_record, plain_title, same_identifier, without_version
from plugins.audit.auditing.types import Lookup, LookupOutcome, Record
from plugins.audit.errors import SourceUnreachable
from plugins.audit.references import BibliographicFields, Reference

NEAR, LEAST = 0.8, 0.55
"""The similarity of titles, 0 to 1, from which a record counts as found, and from which it is shown to the judge."""
MOST_RECORDS = 5
T = TypeVar("T")
_WORD = re.compile(r"[^\W_]+")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]{1,300}")
_ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Za-z]{2})?/\d{7})(?:v\d{1,3})?", re.IGNORECASE)
_ARXIV_DOI = "10.48550/arxiv."


@dataclass(slots=True)
class OnlineSearch:
    """The course of one look-up: what was searched, in words, and what came of it.

    `denied` is set where a registry says that there is no such work.
    """

    words: list[str] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    denied: bool = False

    def add(self, words: str, records: Iterable[Record] = ()) -> None:
        """Note a question, and the records that answered it."""
        self.words.append(words)
        self.records += [record for record in records if record not in self.records]


class OnlineSource:
    """A `RecordSource` of a service: a work is asked for by its identifiers first, then by the words of its title."""

    terms: ClassVar[Terms]
    before_doi: ClassVar[str] = ""
    """What stands before a DOI in the address of a work."""
    selection: ClassVar[Mapping[str, str]] = {}
    """The part of every question that names the fields to be sent."""

    def __init__(self, service: Service) -> None:
        """Keep the service."""
        self._service = service

    @property
    def name(self) -> str:
        """The name of the service."""
        return self.terms.name

    def look_up(self, reference: Reference) -> Lookup:
        """Return what the service has. Whatever goes wrong is "not reachable", with the reason in `searched`."""
        fields = reference.fields
        search = OnlineSearch()
        failure = ""
        try:
            self._ask(fields, search)
        except SourceUnreachable as error:
            failure = f"{self.name}: {error}"
        near = nearest(fields, search.records)
        outcome: LookupOutcome = "nothing" if search.denied else "not covered"
        if near and (same_identifier(fields, near[0].fields) or likeness(fields, near[0]) >= NEAR):
            outcome = "found"
        elif failure:
            outcome = "not reachable"
        report = "; ".join([*search.words, failure] if failure else search.words) or "nothing that it could look for"
        return Lookup(self.name, outcome, near, report)

    def close(self) -> None:
        """End waiting, and close the connections."""
        self._service.close()

    def _ask(self, fields: BibliographicFields, search: OnlineSearch) -> None:
        """Ask the service, and note it. Raises SourceUnreachable."""
        doi, title = doi_of(fields), title_words(fields)
        if doi:
            records, date = self._service.ask(f"/works/{self.before_doi}{doi}", self.selection, self._work)
            search.add(f"DOI {doi}{date}", of_identifier(records, doi))
            if records and (likeness(fields, records[0]) >= NEAR or not fields.title):
                return
        if title:
            query = self._query(title, fields.authors[0][:80] if fields.authors else "")
            records, date = self._service.ask("/works", {**query, **self.selection}, self._works)
            search.add(f"title {title[:120]!r}{date}", records)

    def _query(self, title: str, author: str) -> dict[str, str]:
        """Return the search for the words of a title, and its first author."""
        raise NotImplementedError

    def _one(self, value: Any) -> object:
        """Return the record in an answer; what it raises for another form is told as one that cannot be read."""
        raise NotImplementedError

    def _many(self, value: Any) -> object:
        """Return the records in an answer to a search."""
        raise NotImplementedError

    def _work(self, answer: ServiceResponse) -> tuple[Record, ...]:
        return () if answer.status == 404 else self._records([_part(self._one, answer, dict)])

    def _works(self, answer: ServiceResponse) -> tuple[Record, ...]:
        return self._records(_part(self._many, answer, list)[:20])

    def _records(self, values: Iterable[object]) -> tuple[Record, ...]:
        return tuple(record for value in values if (record := json_record(value, self.name)))


def of_identifier(records: Iterable[Record], doi: str = "", arxiv: str = "") -> tuple[Record, ...]:
    """Return the records that an identifier led to, with it: a work with several is told under another one."""
    return tuple(
        replace(r, fields=replace(r.fields, doi=doi or r.fields.doi, arxiv=arxiv or r.fields.arxiv)) for r in records
    )


def nearest(fields: BibliographicFields, records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the records that may be the work: those with its identifier first, then by title; no more than five."""
    likenesses = [(same_identifier(fields, record.fields), likeness(fields, record), record) for record in records]
    near = [each for each in likenesses if each[0] or each[1] >= LEAST]
    return tuple(record for *_, record in sorted(near, key=lambda each: (-each[0], -each[1])))[:MOST_RECORDS]


def likeness(fields: BibliographicFields, record: Record) -> float:
    """Return how near the titles are, 0 to 1."""
    return fuzz.token_sort_ratio(plain_title(fields.title), plain_title(record.fields.title)) / 100


def doi_of(fields: BibliographicFields) -> str:
    """Return the DOI in a form that an address can hold; empty for what is none."""
    match = _DOI.fullmatch(fields.doi.strip().rstrip(".,;"))
    safe = match and match[0].isprintable() and not {".", ".."} & set(match[0].split("/"))
    return match[0] if match and safe else ""


def arxiv_of(fields: BibliographicFields) -> str:
    """Return the arXiv number without its version, also out of arXiv's own DOI; empty for what is none."""
    doi = doi_of(fields)
    number = fields.arxiv.strip() or (doi[len(_ARXIV_DOI) :] if doi.lower().startswith(_ARXIV_DOI) else "")
    return without_version(number) if number.isascii() and _ARXIV.fullmatch(number) else ""


def title_words(fields: BibliographicFields) -> str:
    """Return the words of the title, as they are searched for: no signs that a service takes for operators."""
    return " ".join(_WORD.findall(fields.title[:500]))[:300].strip()


def json_object(answer: ServiceResponse) -> dict[str, Any]:
    """Return the JSON object of an answer. Raises ValueError for anything else."""
    try:
        value = parsed_json(answer.body.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError("no UTF-8") from error
    if not isinstance(value, dict):
        raise ValueError("no JSON object")  # noqa: TRY004  what it says, not what type we gave
    return value


def _part(read: Callable[[Any], object], answer: ServiceResponse, form: type[T]) -> T:
    """Return a part of the JSON object of an answer. Raises ValueError where it is not there, or has another form."""
    try:
        part = read(json_object(answer))
    except (KeyError, TypeError) as error:
        raise ValueError(f"no {error}") from None
    if not isinstance(part, form):
        raise ValueError(f"no {form.__name__} of works")  # noqa: TRY004  what it says, not what type we gave
    return part
