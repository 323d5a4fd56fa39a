"""The services that are asked for records: Crossref, OpenAlex, Semantic Scholar, arXiv, and the registry of DOIs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar
from urllib.parse import urlsplit

from lxml import etree

from plugins.audit.auditing.online.cache import KeptAnswer
from plugins.audit.auditing.online.online_source import (
    MOST_RECORDS,
    OnlineSearch,
    OnlineSource,
    ServiceQuestion,
    arxiv_of,
    doi_of,
    json_object,
    list_in,
    object_in,
    of_identifier,
    title_words,
)
from plugins.audit.auditing.online.service import Terms
from plugins.audit.auditing.sources import identifiers, json_record
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

_MOST_TEXT, _MOST_NAMES = 4_000, 5_000
_ATOM = "{http://www.w3.org/2005/Atom}"
_OF_ARXIV = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"


class Crossref(OnlineSource):
    """The works that publishers register. A DOI that it does not know may be another agency's: "not covered"."""

    # api.crossref.org, access and authentication: lists, the dearer of the two, have 1 request a second, 3 with mailto.
    terms = Terms("Crossref", "https://api.crossref.org", frozenset({"api.crossref.org"}), pause=1.0, polite=0.34)

    def _questions(self, fields: BibliographicFields) -> Iterator[ServiceQuestion]:
        if doi := doi_of(fields):
            yield ServiceQuestion(f"DOI {doi}", f"/works/{doi}", {}, doi=doi)
        if title := title_words(fields):
            author = {"query.author": fields.authors[0][:80]} if fields.authors else {}
            query = {"query.bibliographic": title, "rows": str(MOST_RECORDS)} | author
            yield ServiceQuestion(f"title {title[:120]!r}", "/works", query, is_search=True)

    def _one(self, value: dict[str, Any]) -> object:
        return object_in(value, "message")

    def _many(self, value: dict[str, Any]) -> list[Any]:
        return list_in(object_in(value, "message"), "items")


class OpenAlex(OnlineSource):
    """Works of all fields."""

    # OpenAlex allows 100 requests a second, and counts what each costs against a daily allowance: ten will do.
    terms = Terms("OpenAlex", "https://api.openalex.org", frozenset({"api.openalex.org"}), pause=0.1, polite=0.1)
    _selected: ClassVar = {"select": "id,doi,title,authorships,publication_year,primary_location,ids,type"}

    def _questions(self, fields: BibliographicFields) -> Iterator[ServiceQuestion]:
        if doi := doi_of(fields):
            yield ServiceQuestion(f"DOI {doi}", f"/works/doi:{doi}", self._selected, doi=doi)
        if title := title_words(fields):
            query = {"search": title, "per_page": str(MOST_RECORDS)} | self._selected
            yield ServiceQuestion(f"title {title[:120]!r}", "/works", query, is_search=True)

    def _one(self, value: dict[str, Any]) -> object:
        if "id" not in value:
            raise ValueError("no work")
        return value

    def _many(self, value: dict[str, Any]) -> list[Any]:
        return list_in(value, "results")


class SemanticScholar(OnlineSource):
    """Papers by DOI, by arXiv number, or the one whose title is nearest."""

    # One request a second with a key of one's own; without, all share a pool, of which a person takes a third of that.
    terms = Terms(
        "Semantic Scholar",
        "https://api.semanticscholar.org",
        frozenset({"api.semanticscholar.org"}),
        pause=3.0,
        polite=1.0,
    )
    _selected: ClassVar = {"fields": "title,authors,venue,year,externalIds,publicationTypes"}
    _paper = "/graph/v1/paper"

    def _questions(self, fields: BibliographicFields) -> Iterator[ServiceQuestion]:
        arxiv, doi = arxiv_of(fields), doi_of(fields)
        if doi and not doi.lower().startswith("10.48550/"):
            yield ServiceQuestion(f"DOI {doi}", f"{self._paper}/DOI:{doi}", self._selected, doi=doi)
        if arxiv:
            yield ServiceQuestion(f"arXiv {arxiv}", f"{self._paper}/ARXIV:{arxiv}", self._selected, arxiv=arxiv)
        if title := title_words(fields):
            query = {"query": title} | self._selected
            yield ServiceQuestion(f"title {title[:120]!r}", f"{self._paper}/search/match", query, is_search=True)

    def _works(self, answer: KeptAnswer) -> tuple[Record, ...]:
        return () if answer.status == 404 else super()._works(answer)

    def _one(self, value: dict[str, Any]) -> object:
        if "paperId" not in value:
            raise ValueError("no paper")
        return value

    def _many(self, value: dict[str, Any]) -> list[Any]:
        return list_in(value, "data")

    def _record(self, value: Any) -> Record | None:
        if not isinstance(value, dict) or not _text(value.get("title")):
            return None
        names, others, kinds = (value.get(name) for name in ("authors", "externalIds", "publicationTypes"))
        ids = others if isinstance(others, dict) else {}
        people = names[:_MOST_NAMES] if isinstance(names, list) else []
        fields = BibliographicFields(
            title=_text(value.get("title")),
            authors=tuple(name for each in people if isinstance(each, dict) and (name := _text(each.get("name")))),
            venue=_text(value.get("venue")),
            year=_text(value.get("year"))[:4],
            doi=_text(ids.get("DOI"))[:300],
            arxiv=_text(ids.get("ArXiv"))[:60],
        )
        kind = _text(kinds[0])[:40] if isinstance(kinds, list) and kinds else ""
        return Record(fields, self.name, _text(value.get("paperId"))[:200], kind)


class DoiRegistry(OnlineSource):
    """The registry of all agencies, asked for the record of a DOI by content negotiation.

    doi.org redirects to the agency that has the record. A DOI that it does not know is asked for once more, in the
    interface that says so in words of its own, and is "nothing" then: a page that somebody puts in between denies
    nothing.
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
        doi = doi_of(fields)
        if not doi:
            search.add("the entry has no DOI")
            return
        accept = "application/vnd.citationstyles.csl+json"
        found, date = self._service.ask(f"/{doi}", {}, self._of_agency, accept, redirected=True)
        if found is None:
            search.denied, date = self._service.ask(f"/api/handles/{doi}", {"type": "URL"}, _is_denied)
        if search.denied:
            search.add(f"DOI {doi}, which does not exist{date}")
        else:
            known = f"DOI {doi}" if found else f"DOI {doi}, which exists; its agency gives no record"
            search.add(f"{known}{date}", of_identifier(found or (), doi=doi))

    def _of_agency(self, answer: KeptAnswer) -> tuple[Record, ...] | None:
        """Return the record; none where the agency has none to give, and None where doi.org knows no such DOI."""
        if answer.status == 404:
            return None if answer.host == urlsplit(self._service.terms.address).hostname else ()
        if answer.elsewhere:  # to a page of the publisher, who has no records for machines
            return ()
        record = json_record(json_object(answer), self.name)
        if record is None:
            raise ValueError("no record")
        return (record,)


def _is_denied(answer: KeptAnswer) -> bool:
    """Return True where the Handle system has no such DOI. Raises ValueError for all but "found" and "not found"."""
    code = json_object(answer).get("responseCode")
    if code == 100 and answer.status == 404:
        return True
    if code in (1, 200):  # 200: it exists, and has no address
        return False
    raise ValueError(f"the registry says {str(code)[:20]}")


class Arxiv(OnlineSource):
    """The registry of preprints. A number that it says it does not have, asked twice, is "nothing"."""

    # arXiv's terms of use: one request every three seconds, one connection at a time.
    terms = Terms("arXiv", "https://export.arxiv.org", frozenset({"export.arxiv.org"}), pause=3.0, polite=3.0)
    accept = "application/atom+xml"
    denial: ClassVar = {"max_results": "2"}  # an empty answer may be a mistake, and this one is in no cache

    def _questions(self, fields: BibliographicFields) -> Iterator[ServiceQuestion]:
        if number := arxiv_of(fields):
            yield ServiceQuestion(f"arXiv {number}", "/api/query", {"id_list": number, "max_results": "1"})
        if title := title_words(fields):
            query = {"search_query": f'ti:"{title}"', "max_results": str(MOST_RECORDS)}
            yield ServiceQuestion(f"title {title[:120]!r}", "/api/query", query, is_search=True)

    def _work(self, answer: KeptAnswer) -> tuple[Record, ...]:
        return self._works(answer)

    def _works(self, answer: KeptAnswer) -> tuple[Record, ...]:
        """Return the records of a feed. Raises ValueError for what is no feed, or tells of an error."""
        feed = _feed(answer)
        total = feed.findtext(_TOTAL)
        entries = feed.findall(f"{_ATOM}entry")[:20]
        if answer.status != 200 or total is None or not total.strip().isdecimal():
            raise ValueError("no feed of results")
        if any("/api/errors" in (entry.findtext(f"{_ATOM}id") or "") for entry in entries):
            raise ValueError("the feed tells of an error")
        if not entries and int(total.strip()[:12]):
            raise ValueError("the feed lacks its results")
        return self._records(entries)

    def _record(self, value: Any) -> Record | None:
        doi, arxiv, _ = identifiers(_line(value, f"{_OF_ARXIV}doi"), _line(value, f"{_ATOM}id"))
        people = value.findall(f"{_ATOM}author")[:_MOST_NAMES]
        fields = BibliographicFields(
            title=_line(value, f"{_ATOM}title"),
            authors=tuple(name for each in people if (name := _line(each, f"{_ATOM}name"))),
            venue=_line(value, f"{_OF_ARXIV}journal_ref") or "arXiv",
            year=_line(value, f"{_ATOM}published")[:4],
            doi=doi,
            arxiv=arxiv,
        )
        return Record(fields, self.name, arxiv, "preprint") if fields.title else None


def _feed(answer: KeptAnswer) -> Any:
    """Return the root of an XML document without a DTD. Raises ValueError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False)
    try:
        root = etree.fromstring(answer.body, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError("no XML") from error
    if root is None or root.getroottree().docinfo.internalDTD is not None:
        raise ValueError("XML with a DTD")
    return root


def _line(parent: Any, name: str) -> str:
    """Return the text of an element's child as one line."""
    return _text(parent.findtext(name) or "")


def _text(value: object) -> str:
    return " ".join(str(value)[:_MOST_TEXT].split()) if isinstance(value, str | int) else ""
