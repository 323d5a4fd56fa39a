"""Web pages: the page at the address of an entry without DOI or arXiv number; its title and its date are its record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from plugins.audit.auditing.online.guarded import GuardedClient
from plugins.audit.auditing.online.online_source import nearest
from plugins.audit.auditing.online.service import Clock, Pace, pace_of
from plugins.audit.auditing.types import WEB_PAGE, Lookup, LookupOutcome, Record
from plugins.audit.errors import SourceUnreachable
from plugins.audit.references import BibliographicFields, Reference

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
