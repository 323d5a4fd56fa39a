"""A plain reading of HTML, for where no browser is: headings, paragraphs, lists, tables and code, in their order.

How the page looks is known by its styles alone: what they hide is left out, what is struck out says so.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace

from lxml import etree, html

from indexing import Kind, spelled, struck_out
from plugins.formats.hidden_markup import HiddenMarkup
from plugins.formats.typesetting import SourceBlock

MAX_BLOCKS = 100_000
MAX_CELLS = 100_000
MAX_SPAN = 100
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED = frozenset(
    ("script", "style", "template", "head", "title", "iframe", "frame", "object", "embed", "audio", "video", "select",
     "datalist", "textarea", "svg", "math", "canvas", "noscript", "button")
)  # fmt: skip
_INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
     "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong",
     "sub", "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Around:
    """The kind of block that text belongs to, by the elements around it.

    `depth` is that of lists, from -1; `above` text stands above the line, `struck` text is struck out.
    """

    kind: Kind = "text"
    level: int = 0
    code: bool = False
    depth: int = -1
    above: bool = False
    struck: bool = False


@dataclass(slots=True)
class _Reading:
    """The blocks that were read so far, and the paragraph that is being read."""

    styles: HiddenMarkup
    blocks: list[SourceBlock] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def read(self, text: str | None, around: _Around) -> None:
        """Read a piece of text."""
        said = spelled(text or "", self.parts, above=around.above)
        self.parts.append(struck_out(said) if around.struck else said)

    def end(self, around: _Around) -> None:
        """End the paragraph, which stands in `around`."""
        text = "".join(self.parts)
        self.parts.clear()
        text = text.strip("\n").replace("\t", "    ") if around.code else " ".join(text.split())
        if text.strip() and len(self.blocks) < MAX_BLOCKS:
            self.blocks.append(SourceBlock(around.kind, text, around.level, code=around.code))


def html_blocks(content: str | bytes) -> list[SourceBlock]:
    """Return the blocks of a page or a piece of HTML; none where nothing can be read."""
    tree = _tree(content)
    if tree is None:
        return []
    reading = _Reading(HiddenMarkup(tree))
    body = tree.find("body")
    waiting: list[tuple[etree._Element, _Around, bool]] = [(tree if body is None else body, _Around(), False)]
    while waiting and len(reading.blocks) < MAX_BLOCKS:
        element, around, leaving = waiting.pop()
        if leaving:
            _leave(element, around, reading)
        else:
            inner = _enter(element, around, reading)
            waiting.append((element, around, True))
            if inner is not None:
                waiting += [(child, inner, False) for child in reversed(element)]
    reading.end(_Around())
    return reading.blocks


def title_of(content: str | bytes) -> str:
    """Return the title that a page gives itself, "" without one."""
    tree = _tree(content)
    found = None if tree is None else tree.find(".//title")
    return "" if found is None else " ".join(_text(found, HiddenMarkup(found)).split())[:300]


def language_of(content: str | bytes) -> str:
    """Return the language that a page says it is in, as ISO 639-1; "" where it does not say."""
    tree = _tree(content)
    return "" if tree is None else short_language(str(tree.get("lang") or ""))


def short_language(said: str) -> str:
    """Return the two letters of a language tag such as `en-GB`; "" for one that has others."""
    short = said.strip().lower().partition("-")[0]
    return short if len(short) == 2 and short.isascii() and short.isalpha() else ""


def _tree(content: str | bytes) -> etree._Element | None:
    """Return the tree of a page, None of one without any."""
    if isinstance(content, bytes):
        with contextlib.suppress(UnicodeDecodeError):  # then it says itself what it is written in
            content = content.decode("utf-16" if content.startswith(_UTF_16) else "utf-8")
    else:
        content = content.removeprefix("\ufeff")
    told = content.encode("utf-8", "replace") if isinstance(content, str) else content
    told = told.replace(b"\0", b"")
    parser = html.HTMLParser(
        encoding="utf-8" if isinstance(content, str) else None,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(told, parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


def _enter(element: etree._Element, around: _Around, reading: _Reading) -> _Around | None:
    """Return what is around the text in an element, and read its first text; None where its inside is not read."""
    tag = element.tag
    if tag in _SKIPPED or reading.styles.hides(element):
        return None
    if tag not in _INLINE and tag != "br":
        reading.end(around)
    if tag == "br":
        reading.parts.append("\n")
        return None
    if tag == "table" and (block := _table(element, reading.styles)) is not None:
        reading.blocks.append(block)
        return None
    inner = _inside(tag, around)
    inner = replace(inner, struck=True) if reading.styles.strikes(element) else inner
    reading.read(element.text, inner)
    return inner


def _leave(element: etree._Element, around: _Around, reading: _Reading) -> None:
    """Read the text behind an element, which belongs to what is around it."""
    tag = element.tag
    if tag not in _INLINE and tag != "br":
        reading.end(_inside(tag, around))
    reading.read(element.tail, around)


def _inside(tag: str, around: _Around) -> _Around:
    if tag in _HEADINGS:
        return replace(around, kind="heading", level=_HEADINGS[tag])
    if tag in ("ul", "ol", "menu", "dir"):
        return replace(around, depth=around.depth + 1)
    if tag == "li":
        return replace(around, kind="list", level=max(0, around.depth))
    if tag == "pre":
        return replace(around, kind="text", level=0, code=True)
    if tag == "sup":
        return replace(around, above=True)
    return replace(around, kind="caption") if tag == "figcaption" else around


def _table(element: etree._Element, styles: HiddenMarkup) -> SourceBlock | None:
    """Return a table of data; None for one that lays out what is in it, such as tables or headings."""
    rows = list(element.iter("tr"))
    inner = {child.tag for child in element.iterdescendants()}
    nested = any(True for _ in element.iterdescendants("table"))
    if nested or (not inner & {"th", "caption", "thead"} and inner & {*_HEADINGS, "pre", "form"}):
        return None
    grid, spent = [], 0
    for row in rows:
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            across = _span(cell)
            cells += [" ".join(_text(cell, styles).split()), *[""] * (across - 1)]
        spent += len(cells)
        if cells and spent <= MAX_CELLS:
            grid.append((tuple(cells), all(cell.tag == "th" for cell in row.iterchildren("td", "th"))))
    widest = max((len(cells) for cells, _ in grid), default=0)
    if len(grid) < 2 or widest < 2 or widest * len(grid) > MAX_CELLS:
        return None
    heads = next((at for at, (_, head) in enumerate(grid) if not head), len(grid))
    filled = tuple(cells + ("",) * (widest - len(cells)) for cells, _ in grid)
    caption = element.find("caption")
    told = "" if caption is None else " ".join(_text(caption, styles).split())
    return SourceBlock("table", rows=filled, header_rows=heads, caption=told)


def _span(cell: etree._Element) -> int:
    said = (cell.get("colspan") or "1").strip()
    return min(MAX_SPAN, max(1, int(said[:4]))) if said.isascii() and said.isdigit() else 1


def _text(element: etree._Element, styles: HiddenMarkup) -> str:
    """Return the text in an element that is shown, with a space where a block or a line ends."""
    parts: list[str] = []
    passed = above = struck = 0
    for event, node in etree.iterwalk(element, events=("start", "end")):
        skipped = node.tag in _SKIPPED - {"title"} or styles.hides(node)
        step = 1 if event == "start" else -1
        passed, above = passed + step * skipped, above + step * (node.tag == "sup")
        struck += step * styles.strikes(node)
        if passed or (event == "end" and node is element):
            continue
        said = node.text if event == "start" else ("" if node.tag in _INLINE else " ") + (node.tail or "")
        if said:
            said = spelled(said, parts, above=above > 0)
            parts.append(struck_out(said) if struck else said)
    return "".join(parts)
