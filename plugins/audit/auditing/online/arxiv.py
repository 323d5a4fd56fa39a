"""arXiv: preprints by number, or by the words of the title. It is the registry of its numbers."""

from __future__ import annotations

from typing import Any

from lxml import etree

from plugins.audit.auditing.online.cache import KeptAnswer
from plugins.audit.auditing.online.online_source import (
    MOST_RECORDS,
    OnlineSearch,
    OnlineSource,
    arxiv_of,
    likeness,
    title_words,
)
from plugins.audit.auditing.online.service import Terms
from plugins.audit.auditing.sources import identifiers
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

# arXiv's terms of use: one request every three seconds, one connection at a time.
TERMS = Terms("arXiv", "https://export.arxiv.org", frozenset({"export.arxiv.org"}), pause=3.0, polite=3.0)
_ATOM = "{http://www.w3.org/2005/Atom}"
_OWN = "{http://arxiv.org/schemas/atom}"
_TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"
_XML = "application/atom+xml"
_MOST_TEXT, _MOST_NAMES = 4_000, 5_000


class Arxiv(OnlineSource):
    """A `RecordSource` of arXiv. A number that it says it does not have, asked twice, is "nothing"."""

    name = TERMS.name

    def _ask(self, fields: BibliographicFields, asking: OnlineSearch) -> None:
        if number := arxiv_of(fields):
            found, date = self._by_number(number, 1)
            if not found:  # its answers are sometimes empty by mistake: what accuses is asked again
                found, date = self._by_number(number, 2)
                asking.denied = not found
            asking.add(f"arXiv {number}{date}", found)
            if found and (likeness(fields, found[0]) >= 0.8 or not fields.title):
                return
        if title := title_words(fields):
            query = {"search_query": f'ti:"{title}"', "max_results": str(MOST_RECORDS)}
            records, date = self._service.ask("/api/query", query, self._entries, _XML)
            asking.add(f"title {title[:120]!r}{date}", records)

    def _by_number(self, number: str, most: int) -> tuple[tuple[Record, ...], str]:
        query = {"id_list": number, "max_results": str(most)}
        return self._service.ask("/api/query", query, self._entries, _XML)

    def _entries(self, answer: KeptAnswer) -> tuple[Record, ...]:
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
        return tuple(record for record in map(self._record, entries) if record.fields.title)

    def _record(self, entry: Any) -> Record:
        doi, arxiv, _ = identifiers(_text(entry, f"{_OWN}doi"), _text(entry, f"{_ATOM}id"))
        people = entry.findall(f"{_ATOM}author")[:_MOST_NAMES]
        fields = BibliographicFields(
            title=_text(entry, f"{_ATOM}title"),
            authors=tuple(name for name in (_text(each, f"{_ATOM}name") for each in people) if name),
            venue=_text(entry, f"{_OWN}journal_ref") or "arXiv",
            year=_text(entry, f"{_ATOM}published")[:4],
            doi=doi,
            arxiv=arxiv,
        )
        return Record(fields, self.name, arxiv, "preprint")


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


def _text(parent: Any, name: str) -> str:
    return " ".join((parent.findtext(name) or "")[:_MOST_TEXT].split())
