"""DBLP's dump (dblp.xml) -> records. Its entities are those of HTML's Latin letters; no other is read, and no DTD."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import IO, Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

from plugins.audit.auditing.sources.identifiers import identifiers
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

_KINDS = {"article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis"}
_PART = 1_000_000
_MOST_ENTITY, _MOST_DEPTH = 40, 30
_ENTITY = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)[A-Za-z][A-Za-z0-9]{0,30};")
_DOCTYPE = re.compile(r"<!DOCTYPE[^<>\[\]]{0,500}>")
_NUMBERED = re.compile(r" \d{4}$")


def read_dblp(file: IO[bytes], source: str) -> Iterator[Record]:
    """Yield the records of the dump. Raises SyntaxError for XML that is not whole, or brings entities of its own."""
    parser: Any = XMLPullParser(("start", "end"))
    root: Element | None = None
    depth = 0
    rest = ""
    while data := file.read(_PART):
        text = rest + data.decode("latin-1")
        cut = text.rfind("&", len(text) - _MOST_ENTITY)
        text, rest = (text[:cut], text[cut:]) if cut >= 0 and ";" not in text[cut:] else (text, "")
        parser.feed(_without_entities(text))
        for event, element in parser.read_events():
            root = element if root is None else root
            depth += 1 if event == "start" else -1
            if depth > _MOST_DEPTH:
                raise ParseError(f"elements are nested more than {_MOST_DEPTH} deep")
            if event == "end" and depth == 1:
                if element.tag in _KINDS:
                    yield _record(element, source)
                root.clear()  # pages of persons too, of which there are millions
    parser.feed(_without_entities(rest))
    parser.close()


def _without_entities(text: str) -> str:
    """Return the text with named letters as themselves. Raises ParseError where entities are declared."""
    if "<!ENTITY" in text:
        raise ParseError("it declares its own entities, which are not read")
    return _ENTITY.sub(lambda found: html.unescape(found[0]), _DOCTYPE.sub("", text))


def _record(element: Element, source: str) -> Record:
    def texts(name: str) -> list[str]:
        found = element.findall(name)
        return [" ".join("".join(one.itertext()).split()) for one in found]

    def first(*names: str) -> str:
        return next((text for name in names for text in texts(name) if text), "")

    doi, arxiv, url = identifiers(*texts("ee"))
    fields = BibliographicFields(
        title=first("title").removesuffix("."),
        authors=tuple(_NUMBERED.sub("", name) for name in texts("author") or texts("editor")),
        venue=first("journal", "booktitle", "school", "publisher"),
        year=first("year")[:4],
        doi=doi,
        arxiv=arxiv,
        url=url,
    )
    return Record(fields, source, str(element.get("key", ""))[:200], str(element.tag))
