"""A web page -> blocks: its visible text in order; scripts are left out, and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from indexing import RAISED_DIGITS, spell
from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts.composition import Block, Link, PassageKind

if TYPE_CHECKING:
    from lxml.html import HtmlElement

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
    label: str = ""
    parts: list[str] = field(default_factory=list)
    length: int = 0
    links: list[Link] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Append text with each run of white space as one blank; a line break stays."""
        text = text if text == "\n" else re.sub(r"\s+", " ", text)
        if not self.parts or self.parts[-1].endswith((" ", "\n")):
            text = text.lstrip()
        if text:
            self.parts.append(text)
            self.length += len(text)


def web_page_blocks(data: bytes, name: str) -> Iterator[Block]:
    """Yield the blocks of a page. Raises DocumentUnreadable if it cannot be parsed as HTML."""
    from lxml import etree, html

    try:
        data.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        has_charset = b"charset" in data[:4096].lower() or data.startswith((b"\xff\xfe", b"\xfe\xff"))
        encoding = None if has_charset else "cp1252"
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding=encoding)
    try:
        root = html.document_fromstring(data.removeprefix(b"\xef\xbb\xbf"), parser=parser)
    except (etree.LxmlError, ValueError) as error:
        reason = (str(error).splitlines() or ["no element"])[0][:120]
        raise DocumentUnreadable(f"{name}: cannot be read as HTML ({reason}): save it again") from None
    yield from _Walk({key: e for e in root.iter() if (key := e.get("id") or e.get("name"))}).blocks(root)


class _Walk:
    """A walk through a page, or a part of it, in its order; `notes` are the possible targets of links, by id."""

    def __init__(self, notes: Mapping[str, HtmlElement]) -> None:
        self._notes = notes
        self._texts: dict[str, str] = {}
        self._open = _Open()
        self._done: list[Block] = []
        self._counters: list[int] = []
        self._links: list[tuple[_Open, int, int]] = []
        self._above = 0

    def blocks(self, root: HtmlElement) -> Iterator[Block]:
        """Yield the blocks of an element, each when it is complete."""
        from lxml import etree

        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            is_shown = not _is_silent(element)
            if event == "start" and is_shown and not self._table(element):
                self._enter(element)
            elif event == "start":
                walk.skip_subtree()
            else:
                if is_shown:
                    self._leave(element)
                self._add_text(element.tail if element is not root else "")
            yield from self._done
            self._done = []
        self._close()
        yield from self._done

    def _table(self, element: HtmlElement) -> bool:
        """Read a table without inner tables as rows; return False for anything else."""
        if element.tag != "table" or element.find(".//table") is not None:
            return False
        self._close()
        self._done += _rows(element)
        return True

    def _enter(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._close()
        if tag in ("ol", "ul"):
            start = element.get("start") or "1"
            first = int(start) if start.isascii() and start.isdigit() and len(start) < 6 else 1
            self._counters.append(first if tag == "ol" else -1)
        elif tag in ("li", "dd"):
            numbered = tag == "li" and bool(self._counters) and self._counters[-1] >= 0
            label = str(self._counters[-1]) if numbered else ""
            self._open = _Open("item", max(len(self._counters) - 1, 0), label)
            if numbered:
                self._counters[-1] += 1
        elif tag[0] == "h" and tag[1:].isdigit():
            self._open = _Open("heading", int(tag[1:]))
        elif tag == "br":
            self._open.add("\n")
        elif tag == "a":
            self._links.append((self._open, self._open.length, len(self._open.parts)))
        self._above += tag == "sup"
        self._add_text(element.text)

    def _leave(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self._close()
        if tag in ("ol", "ul") and self._counters:
            self._counters.pop()
        elif tag == "a" and self._links:
            self._link(element, *self._links.pop())
        self._above -= tag == "sup"

    def _add_text(self, text: str | None) -> None:
        """Add text to the open block, with superscript characters inside of <sup>."""
        self._open.add(spell(text or "", self._open.parts, above=self._above > 0))

    def _link(self, element: HtmlElement, block: _Open, start: int, first: int) -> None:
        """Record a link whose text began at `start` in a block; drop a footnote's mark, and a link around blocks."""
        address = (element.get("href") or "").strip()[:2000]
        if block is not self._open or not address:
            return
        text = "".join(block.parts[first:])
        note = self._note(address, text)
        if note or text.strip() in _BACK:
            del block.parts[first:]
            block.length = start
        end = max(block.length, start + 1)
        if note:
            block.links.append(Link(max(start - 1, 0), end, note=note))
        elif address.lower().startswith(("http://", "https://", "doi:", "mailto:")):
            block.links.append(Link(start, end, address))

    def _note(self, address: str, text: str) -> str:
        """Return the text of the footnote that a link leads to; "" unless the link's text is the mark of one."""
        target = self._notes.get(address[1:]) if address.startswith("#") else None
        if target is None or not _MARK.fullmatch(text.strip()):
            return ""
        if address not in self._texts:
            self._texts[address] = _text_of(target).replace("\u21a9", "").strip()[:1000]
        return self._texts[address]

    def _close(self) -> None:
        """Complete the open block, and begin another."""
        block = self._open
        text = "".join(block.parts).rstrip()
        if text:
            self._done.append(Block(block.kind, text, block.level, label=block.label, links=tuple(block.links)))
        self._open = _Open()


def _is_silent(element: HtmlElement) -> bool:
    if not isinstance(element.tag, str) or element.tag in _SILENT:
        return True
    style = re.sub(r"\s", "", (element.get("style") or "")[:2000].lower())
    return element.get("hidden") is not None or element.get("aria-hidden") == "true" or bool(_HIDDEN.search(style))


def _text_of(element: HtmlElement) -> str:
    """Return the visible text of an element, on one line."""
    return " ".join(" ".join(block.text for block in _Walk({}).blocks(element)).split())


def _rows(table: HtmlElement) -> Iterator[Block]:
    """Yield the rows of a table; the first is its head if its cells are <th>, or have no number."""
    head: tuple[str, ...] = ()
    for number, row in enumerate(r for r in table.iter("tr") if not _is_silent(r)):
        row_cells = [cell for cell in row if cell.tag in ("td", "th") and not _is_silent(cell)]
        cells = tuple(map(_text_of, row_cells))
        if not any(cells):
            continue
        is_head = all(c.tag == "th" for c in row_cells) or (number == 0 and not any(re.search(r"\d", c) for c in cells))
        head = cells if is_head and len(cells) > 1 else head
        yield Block("head" if is_head and len(cells) > 1 else "row", " | ".join(cells), cells=cells, head=head)
