"""Sources over the network: Crossref, OpenAlex, the registry of DOIs, and the web page at the address of an entry."""

from __future__ import annotations

import datetime as dt
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import urlsplit

from rapidfuzz import fuzz

from configs import parsed_json
from plugins.audit.auditing.online.cache import ServiceResponse
from plugins.audit.auditing.online.guarded import GuardedClient
from plugins.audit.auditing.online.service import Clock, Pace, Service, Terms, pace_of
from plugins.audit.auditing.sources import json_record, plain_title, same_identifier, without_version
from plugins.audit.auditing.types import WEB_PAGE, Lookup, LookupOutcome, Record
from plugins.audit.errors import SourceUnreachable
from plugins.audit.references import BibliographicFields, Reference

if TYPE_CHECKING:
    from lxml.html import HtmlElement


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


class OnlineSource(ABC):
    """A `RecordSource` that asks a service over the network."""

    terms: ClassVar[Terms]

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

    @abstractmethod
    def _ask(self, fields: BibliographicFields, search: OnlineSearch) -> None:
        """Ask the service, and note it in `search`. Raises SourceUnreachable."""

    def _records(self, values: Iterable[object]) -> tuple[Record, ...]:
        return tuple(record for value in values if (record := json_record(value, self.name)))


class WorksSource(OnlineSource):
    """A service that is asked for a work by its DOI first, then by the words of its title."""

    before_doi: ClassVar[str] = ""
    """What stands before a DOI in the address of a work."""
    selection: ClassVar[Mapping[str, str]] = {}
    """The part of every question that names the fields to be sent."""

    def _ask(self, fields: BibliographicFields, search: OnlineSearch) -> None:
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

    @abstractmethod
    def _query(self, title: str, author: str) -> dict[str, str]:
        """Return the search for the words of a title, and its first author."""

    @abstractmethod
    def _one(self, value: Any) -> object:
        """Return the record in an answer; a KeyError or TypeError says that it has another form."""

    @abstractmethod
    def _many(self, value: Any) -> object:
        """Return the records in an answer to a search."""

    def _work(self, answer: ServiceResponse) -> tuple[Record, ...]:
        return () if answer.status == 404 else self._records([_part(self._one, answer, dict)])

    def _works(self, answer: ServiceResponse) -> tuple[Record, ...]:
        return self._records(_part(self._many, answer, list)[:20])


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


_SUBJECT = re.compile(r"\.[A-Za-z]{2}(?=/)")
"""The subject class in an old arXiv number ("math.GT/0309136"), which is no part of its DOI."""
_REGISTERED_DAYS = 60
"""The days after which arXiv has surely registered the DOI of a preprint."""


class Crossref(WorksSource):
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


class OpenAlex(WorksSource):
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


SECONDS, MOST_BYTES, PAUSE = 10.0, 2_000_000, 1.0
"""The seconds and bytes of a page with its redirects, and the seconds from one page to the next."""
MOST_TITLE = 400
_TITLES = ("citation_title", "dc.title", "og:title", "twitter:title")
_DATES = ("citation_publication_date", "citation_date", "article:published_time", "datepublished", "dc.date", "date")
_PARTED = re.compile(r"\s[|·•–—-]\s|\s?»\s?")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


class WebPages:
    """A `RecordSource` of the pages that entries name. A page that is gone or has another title denies nothing."""

    name = WEB_PAGE

    def __init__(
        self, agent: str, client: GuardedClient | None = None, clock: Clock | None = None, pace: Pace | None = None
    ) -> None:
        """Keep all; nothing is asked yet. `client`, `clock` and `pace` are for tests."""
        self._client = client or GuardedClient(None, agent=agent, seconds=SECONDS, most_bytes=MOST_BYTES)
        self._clock, self._pace = clock or Clock(), pace or pace_of(self.name)

    def look_up(self, reference: Reference) -> Lookup:
        """Return the page as a record if its title is like the cited one; "not covered" for any other page."""
        fields = reference.fields
        url = fields.url.strip()
        if not url or fields.doi or fields.arxiv:
            return Lookup(self.name, "not covered", (), "the entry names no page, or has an identifier")
        try:
            with self._pace.turn(self._clock, PAUSE):
                response = self._client.get(url if "://" in url else f"https://{url}", "text/html")
        except SourceUnreachable as error:
            return Lookup(self.name, "not reachable", (), f"{url}: {error}")
        if response.status != 200 or response.elsewhere:
            return Lookup(self.name, "not covered", (), f"{url} answers {response.status}")
        titles, year = read_page(response.body)
        search_note = f"{url} has the title “{titles[0]}”" if titles else f"{url} is no page with a title"
        if year and year < fields.year[:4]:  # the entry may give the year of the visit
            year, search_note = "", f"{search_note} and the date {year}"
        records = [
            Record(BibliographicFields(title, year=year, url=url), self.name, url, "webpage") for title in titles
        ]
        near = nearest(fields, records)
        outcome: LookupOutcome = "found" if near else "not covered"
        return Lookup(self.name, outcome, near, search_note)

    def close(self) -> None:
        """End waiting, and close the connections."""
        self._clock.stop()
        self._client.close()


def read_page(body: bytes) -> tuple[list[str], str]:
    """Return the titles that a page gives itself, also without the name of its site, and the year of its date."""
    from lxml import html
    from lxml.etree import ParserError, XMLSyntaxError

    try:
        root = html.document_fromstring(body, parser=html.HTMLParser(no_network=True, huge_tree=False))
    except (ParserError, XMLSyntaxError, ValueError):
        return [], ""
    titles = [" ".join(title.split())[:MOST_TITLE] for title in _titles(root)]
    parts = [part.strip() for title in titles for part in _PARTED.split(title)[:4]]
    date = next((match[0] for text in _meta_contents(root, _DATES) if (match := _YEAR.match(text.strip()))), "")
    return [title for title in dict.fromkeys([*titles, *parts]) if title], date


def _titles(root: HtmlElement) -> Iterator[str]:
    yield from _meta_contents(root, _TITLES)
    for tag in ("title", "h1"):
        yield from (str(element.text_content()) for element in list(root.iter(tag))[:2])


def _meta_contents(root: HtmlElement, names: tuple[str, ...]) -> Iterator[str]:
    """Yield the contents of the page's own descriptions under some names, in the order of the names."""
    contents: dict[str, str] = {}
    for meta in root.iter("meta"):
        for key in ("name", "property", "itemprop"):
            contents.setdefault(str(meta.get(key) or "").casefold(), str(meta.get("content") or ""))
    yield from (contents[name] for name in names if contents.get(name))
