"""Read HTML: headings, paragraphs, lists, tables and code, in their order.

How a page looks is known by its styles alone: what they hide is left out, what is struck out is marked so.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, field, replace

from lxml import etree, html

from indexing import Kind, spell, struck_out
from plugins.formats.hidden_markup import HiddenMarkup
from plugins.formats.typesetting import SourceBlock

MAX_BLOCKS = 100_000
MAX_CELLS = 100_000
MAX_SPAN = 100
_SPACE = re.compile(r"\s+")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_SKIPPED = frozenset(
    ("script", "style", "template", "head", "title", "iframe", "frame", "object", "embed", "audio", "video", "select",
     "datalist", "textarea", "svg", "math", "canvas", "noscript", "button")
)  # fmt: skip
_INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em", "font", "i",
     "img", "ins", "kbd", "label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
     "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """A page: its blocks, title, language (ISO 639-1) and author, as far as it has them, and how many pictures."""

    blocks: tuple[SourceBlock, ...] = ()
    title: str = ""
    language: str = ""
    author: str = ""
    pictures: int = 0


@dataclass(frozen=True, slots=True)
class _Context:
    """The kind of block that text belongs to, by the elements around it.

    `depth` is that of lists, from -1; `above` text is superscript, `struck` text is struck out.
    """

    kind: Kind = "text"
    level: int = 0
    code: bool = False
    depth: int = -1
    above: bool = False
    struck: bool = False


def read_html(content: str | bytes) -> HtmlPage:
    """Read a page or a fragment of HTML; return an empty page if it cannot be parsed."""
    tree = _tree(content)
    if tree is None:
        return HtmlPage()
    body, title = tree.find("body"), tree.findtext(".//title") or ""
    blocks = _Reader(HiddenMarkup(tree)).read(tree if body is None else body)
    author = next((meta.get("content") or "" for meta in tree.iter("meta") if meta.get("name") == "author"), "")
    return HtmlPage(
        tuple(blocks),
        " ".join(title.split())[:300],
        short_language(tree.get("lang") or ""),
        " ".join(author.split())[:200],
        sum(1 for _ in tree.iter("img")),
    )


def html_text(source: str) -> str:
    """Return the visible text of HTML, one line for each line of a block and each row of a table."""
    lines: list[str] = []
    for block in read_html(source).blocks:
        lines += filter(None, (block.caption, block.text, *(" ".join(filter(None, row)) for row in block.rows)))
    return "\n".join(lines)


def short_language(tag: str) -> str:
    """Return the two letters of a language tag such as `en-GB`; "" for one that has others."""
    short = tag.strip().lower().partition("-")[0]
    return short if len(short) == 2 and short.isascii() and short.isalpha() else ""


def _tree(content: str | bytes) -> etree._Element | None:
    """Parse a page; return None if it is empty or cannot be parsed."""
    if isinstance(content, bytes):
        with contextlib.suppress(UnicodeDecodeError):  # then the page itself names its encoding
            content = content.decode("utf-16" if content.startswith(_UTF_16) else "utf-8")
    encoding = "utf-8" if isinstance(content, str) else None
    data = content.removeprefix("\ufeff").encode("utf-8", "replace") if isinstance(content, str) else content
    parser = html.HTMLParser(encoding=encoding, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        return etree.fromstring(data.replace(b"\0", b""), parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return None


@dataclass(slots=True)
class _Reader:
    """The blocks that were read so far, and the paragraph that is being read."""

    styles: HiddenMarkup
    blocks: list[SourceBlock] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def read(self, root: etree._Element) -> list[SourceBlock]:
        """Return the blocks in an element."""
        waiting: list[tuple[etree._Element, _Context, bool]] = [(root, _Context(), False)]
        while waiting and len(self.blocks) < MAX_BLOCKS:
            element, context, leaving = waiting.pop()
            if leaving:
                if element.tag not in _INLINE:
                    self._end_paragraph(_context_in(element.tag, context))
                if element is not root:
                    self._add_text(element.tail, context)
                continue
            inner = self._enter(element, context)
            waiting.append((element, context, True))
            if inner is not None:
                waiting += [(child, inner, False) for child in reversed(element)]
        self._end_paragraph(_Context())
        return self.blocks

    def text(self, element: etree._Element) -> str:
        """Return the visible text of an element, on one line."""
        return " ".join(" ".join(block.text.split()) for block in _Reader(self.styles).read(element))

    def _add_text(self, text: str | None, context: _Context) -> None:
        source = text or "" if context.code else _SPACE.sub(" ", text or "")
        spelling = spell(source, self.parts, above=context.above)
        self.parts.append(struck_out(spelling) if context.struck else spelling)

    def _end_paragraph(self, context: _Context) -> None:
        """Add the text read so far, if any, as a block of the kind of `context`."""
        text = "".join(self.parts)
        self.parts.clear()
        if context.code:
            text = text.strip("\n").replace("\t", "    ")
        else:
            text = "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))
        if text.strip() and len(self.blocks) < MAX_BLOCKS:
            self.blocks.append(SourceBlock(context.kind, text, context.level, code=context.code))

    def _enter(self, element: etree._Element, context: _Context) -> _Context | None:
        """Read an element's first text; return the context of its children, None if they are not to be read."""
        tag = element.tag
        if tag in _SKIPPED or self.styles.hides(element):
            return None
        if tag not in _INLINE:
            self._end_paragraph(context)
        if tag == "br":
            self.parts.append("\n")
            return None
        if tag == "table" and (block := self._table(element)) is not None:
            self.blocks.append(block)
            return None
        inner = _context_in(tag, context)
        inner = replace(inner, struck=True) if self.styles.strikes(element) else inner
        self._add_text(element.text, inner)
        return inner

    def _table(self, element: etree._Element) -> SourceBlock | None:
        """Return a data table as a block; None for a layout table (one with tables or headings) or one too large."""
        inner = {child.tag for child in element.iterdescendants()}
        if "table" in inner or (not inner & {"th", "caption", "thead"} and inner & {*_HEADINGS, "pre", "form"}):
            return None
        grid: list[tuple[str, ...]] = []
        are_headers: list[bool] = []
        cell_count = 0
        for row in element.iter("tr"):
            cells = list(row.iterchildren("td", "th"))
            texts = [text for cell in cells for text in (self.text(cell), *[""] * (_column_span(cell) - 1))]
            cell_count += len(texts)
            if texts and cell_count <= MAX_CELLS:
                grid.append(tuple(texts))
                are_headers.append(all(cell.tag == "th" for cell in cells))
        widest = max(map(len, grid), default=0)
        if len(grid) < 2 or widest < 2 or widest * len(grid) > MAX_CELLS:
            return None
        rows = tuple(cells + ("",) * (widest - len(cells)) for cells in grid)
        caption = element.find("caption")
        return SourceBlock(
            "table", rows=rows, header_rows=[*are_headers, False].index(False),
            caption="" if caption is None else self.text(caption),
        )  # fmt: skip


def _context_in(tag: str, context: _Context) -> _Context:
    """Return the context of the text inside an element with this tag."""
    if tag in _HEADINGS:
        return replace(context, kind="heading", level=_HEADINGS[tag])
    if tag in ("ul", "ol", "menu", "dir"):
        return replace(context, depth=context.depth + 1)
    if tag == "li":
        return replace(context, kind="list", level=max(0, context.depth))
    if tag == "pre":
        return replace(context, kind="text", level=0, code=True)
    if tag == "sup":
        return replace(context, above=True)
    return replace(context, kind="caption") if tag == "figcaption" else context


def _column_span(cell: etree._Element) -> int:
    columns = (cell.get("colspan") or "1").strip()
    return min(MAX_SPAN, max(1, int(columns[:4]))) if columns.isascii() and columns.isdigit() else 1
