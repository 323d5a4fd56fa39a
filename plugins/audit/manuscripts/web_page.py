"""A web page -> blocks: what it shows, in its order; scripts are text that is left out, and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from indexing import RAISED_DIGITS, spell
from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts.composition import Block, Link, PassageKind

if TYPE_CHECKING:
    from lxml.html import HtmlElement

MOST_DEPTH = 200
"""The depth of elements beyond which nothing is read: a page that nests deeper is made to do harm."""
MOST_IN_LINK = 100
"""The elements in a link from which on it is none, but a part of the page."""
_SILENT = frozenset(
    [
        "script", "style", "noscript", "template", "head", "svg", "math", "iframe", "object", "embed", "video", "audio",
        "canvas", "select", "option", "textarea", "button", "input", "nav", "map", "dialog", "del", "s", "strike",
    ]
)  # fmt: skip
"""Elements whose content is not shown, is no text of the author's, or is struck out."""
_BLOCKS = frozenset(
    [
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "header", "hr", "html", "li", "main", "ol", "p", "pre", "section",
        "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "h1", "h2", "h3", "h4", "h5", "h6",
    ]
)  # fmt: skip
_HIDDEN = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0+)?(?:;|$)|font-size:0[a-z%]*(?:;|$)"
    r"|(?:left|top|text-indent):-\d{3}"
)
_BACK = frozenset(["\u21a9", "\u2191", "^", "\u21a9\ufe0e"])
"""The signs of a link from a footnote back to its mark."""
_MARK = re.compile(rf"\[?[\d{RAISED_DIGITS}]{{1,3}}\]?|[*\u2020\u2021]")


@dataclass(slots=True)
class _Open:
    """A block that is being filled."""

    kind: PassageKind = "text"
    level: int = 0
    parts: list[str] = field(default_factory=list)
    length: int = 0
    links: list[Link] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Append text with its white space drawn together."""
        text = re.sub(r"\s+", " ", text)
        if not self.parts or self.parts[-1].endswith(" "):
            text = text.lstrip()
        if text:
            self.parts.append(text)
            self.length += len(text)


def web_page_blocks(data: bytes, name: str) -> Iterator[Block]:
    """Yield the blocks of a page. Raises DocumentUnreadable for what is no HTML."""
    from lxml import etree, html

    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root = html.document_fromstring(_as_unicode(data), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        reason = (str(error).splitlines() or ["no element"])[0][:120]
        raise DocumentUnreadable(f"{name}: cannot be read as HTML ({reason}): save it again") from None
    yield from _Walk(root).blocks()


def _as_unicode(data: bytes) -> str:
    """Decode a page: by its byte order mark or the charset that it declares, else UTF-8, else Windows-1252."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    declared = re.search(rb"charset\s*=\s*[\"']?([\w-]{1,30})", data[:4096], re.IGNORECASE)
    text = ""
    for encoding in (declared[1].decode() if declared else "utf-8", "cp1252"):
        try:
            text = data.decode(encoding)
            break
        except (LookupError, UnicodeDecodeError):
            text = data.decode("utf-8", errors="replace")
    # lxml refuses text that declares its encoding in XML's way
    return re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", text)


class _Walk:
    """A walk through a page in its order, without recursion, which yields each block when it is complete."""

    def __init__(self, root: HtmlElement) -> None:
        self._root = root
        self._notes = {key: e for e in root.iter() if isinstance(e.tag, str) and (key := e.get("id") or e.get("name"))}
        self._said: dict[str, str] = {}
        self._open = _Open()
        self._done: list[Block] = []
        self._lists = 0
        self._above = 0

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks."""
        stack: list[tuple[HtmlElement, bool]] = [(self._root, False)]
        while stack:
            element, leaves = stack.pop()
            if leaves:
                self._leave(element)
            elif _is_silent(element):
                self._say(element.tail)
            elif element.tag == "table" and not element.xpath(".//table"):
                self._close()
                self._done += _rows(element)
                self._say(element.tail)
            elif element.tag != "a" or not self._link(element):
                self._enter(element)
                stack.append((element, True))
                if _depth_within(element):
                    stack += [(child, False) for child in reversed(element)]
            yield from self._flush_text()
        self._close()
        yield from self._flush_text()

    def _flush_text(self) -> list[Block]:
        done, self._done = self._done, []
        return done

    def _enter(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._close()
            self._lists += tag in ("ul", "ol")
            if tag[0] == "h" and tag[1:].isdigit():
                self._open = _Open("heading", int(tag[1:]))
            elif tag in ("li", "dd"):
                self._open = _Open("item", max(self._lists - 1, 0))
        elif tag == "br":
            self._open.add(" ")
        self._above += tag == "sup"
        self._say(element.text)

    def _leave(self, element: HtmlElement) -> None:
        if element.tag in _BLOCKS:
            self._close()
            self._lists -= element.tag in ("ul", "ol")
        self._above -= element.tag == "sup"
        self._say(element.tail)

    def _say(self, text: str | None) -> None:
        """Add text to the open block, spelled raised where it stands above the line."""
        self._open.add(spell(text or "", self._open.parts, above=self._above > 0))

    def _link(self, element: HtmlElement) -> bool:
        """Take a link with its text, and return True; a link around blocks, or without a target, is walked through."""
        address = (element.get("href") or "").strip()[:2000]
        inside = [child.tag for child in islice(element.iterdescendants(), MOST_IN_LINK)]
        if not address or len(inside) == MOST_IN_LINK or not _BLOCKS.isdisjoint(inside):
            return False
        text = _text_of(element)
        note = self._note(address, text)
        begun = self._open.length
        if not note and text.strip() not in _BACK:
            self._say(text)
        end = max(self._open.length, begun + 1)
        if note:
            self._open.links.append(Link(max(begun - 1, 0), end, note=note))
        elif address.lower().startswith(("http://", "https://", "doi:", "mailto:")):
            self._open.links.append(Link(begun, end, address))
        self._say(element.tail)
        return True

    def _note(self, address: str, text: str) -> str:
        """Return the text of the footnote that a link leads to, where its own is the mark of one."""
        target = self._notes.get(address[1:]) if address.startswith("#") else None
        if target is None or not _MARK.fullmatch(text.strip()):
            return ""
        if address not in self._said:
            self._said[address] = " ".join(_text_of(target).replace("\u21a9", "").split())[:1000]
        return self._said[address]

    def _close(self) -> None:
        """Complete the open block, and begin another."""
        block = self._open
        text = "".join(block.parts).rstrip()
        if text:
            self._done.append(Block(block.kind, text, block.level, links=tuple(block.links)))
        self._open = _Open()


def _is_silent(element: HtmlElement) -> bool:
    if not isinstance(element.tag, str) or element.tag in _SILENT:
        return True
    style = re.sub(r"\s", "", (element.get("style") or "")[:2000].lower())
    return element.get("hidden") is not None or element.get("aria-hidden") == "true" or bool(_HIDDEN.search(style))


def _depth_within(element: HtmlElement) -> bool:
    """Return True while an element stands no deeper than is read."""
    depth = 0
    above = element.getparent()
    while above is not None and depth <= MOST_DEPTH:
        above, depth = above.getparent(), depth + 1
    return depth <= MOST_DEPTH


def _text_of(element: HtmlElement) -> str:
    """Return the text that an element shows, without what is hidden in it."""
    parts, above = [element.text or ""], 0
    stack = [(child, 1) for child in reversed(element)]
    while stack:
        child, depth = stack.pop()
        if depth == 0 or _is_silent(child):
            above -= depth == 0 and child.tag == "sup"
            text = child.tail or ""
        else:
            above += child.tag == "sup"
            text = (" " if child.tag in _BLOCKS or child.tag == "br" else "") + (child.text or "")
            stack.append((child, 0))
            stack += [(inner, 1) for inner in reversed(child)]
        if text:
            parts.append(spell(text, parts, above=above > 0))
    return re.sub(r"\s+", " ", "".join(parts))


def _rows(table: HtmlElement) -> Iterator[Block]:
    """Yield the rows of a table; the first is its head where its cells are of a head, or it has no number."""
    head: tuple[str, ...] = ()
    for number, row in enumerate(r for r in table.iter("tr") if not _is_silent(r)):
        row_cells = [cell for cell in row if cell.tag in ("td", "th") and not _is_silent(cell)]
        cells = tuple(_text_of(cell).strip() for cell in row_cells)
        if not any(cells):
            continue
        heads = all(c.tag == "th" for c in row_cells) or (number == 0 and not any(re.search(r"\d", c) for c in cells))
        head = cells if heads and len(cells) > 1 else head
        yield Block("head" if heads and len(cells) > 1 else "row", " | ".join(cells), cells=cells, head=head)
