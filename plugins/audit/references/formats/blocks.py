"""Blocks: an HTML page or a Word file -> its blocks in order; nothing is fetched and nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from plugins.audit.errors import DocumentUnreadable
from plugins.audit.manuscripts import open_docx

if TYPE_CHECKING:
    from docx.document import Document

Block = tuple[str, bool, str]
"""A block: its text, whether it is a heading, and the label that its list gives it."""
_SKIPPED = frozenset(("script", "style", "noscript", "template", "head", "nav", "svg", "math", "iframe", "object"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption", "summary"))
_BLOCKS = _HEADINGS | frozenset(
    ("p", "li", "div", "section", "article", "dd", "dt", "tr", "blockquote", "pre", "ol", "ul", "dl", "table", "aside")
)
_HEADING_STYLES = ("heading", "title", "überschrift", "titre")


def html_blocks(source: bytes | str) -> list[Block]:
    """Return the blocks of a page; items of numbered lists have their number as label. Linear in the page."""
    from lxml import etree, html

    data = source.encode("utf-8", "replace") if isinstance(source, str) else source
    try:
        data.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # the page's own word, or Latin-1
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding=encoding)
    try:
        root = html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return []
    page = _Page()
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        is_shown = element.tag not in _SKIPPED and element.get("hidden") is None
        if event == "end":
            page.leave(element, is_shown=is_shown)
        elif is_shown:
            page.enter(element)
        else:
            walk.skip_subtree()
    page.close()
    return page.blocks


class _Page:
    """The text of a page as it is gathered between the bounds of blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._text: list[str] = []
        self._heading = False
        self._label = ""
        self._counters: list[int] = []

    def enter(self, element: Any) -> None:
        tag = element.tag
        if tag in _BLOCKS:
            self.close()
            self._heading = tag in _HEADINGS
        if tag in ("ol", "ul"):
            start = str(element.get("start") or "1")
            first = int(start) if start.isdigit() and len(start) < 6 else 1
            self._counters.append(first if tag == "ol" else -1)
        elif tag == "li" and self._counters and self._counters[-1] >= 0:
            self._label = str(self._counters[-1])
            self._counters[-1] += 1
        self._text.append("\n" if tag == "br" else (element.text or "").replace("\n", " "))

    def leave(self, element: Any, *, is_shown: bool) -> None:
        if is_shown and element.tag in _BLOCKS:
            self.close()
        if is_shown and element.tag in ("ol", "ul") and self._counters:
            self._counters.pop()
        self._text.append((element.tail or "").replace("\n", " "))

    def close(self) -> None:
        """End the block."""
        if text := "".join(self._text).strip():
            self.blocks.append((text, self._heading, self._label))
            self._label = ""
        self._text, self._heading = [], False


def docx_blocks(data: bytes, name: str) -> list[Block]:
    """Return the paragraphs of a document, headings by their style; rows of tables are blocks too.

    Raises DocumentUnreadable where the file is no DOCX, or would unpack to more than the limit, and
    DocumentUnreadable where its paragraphs or tables are damaged.
    """
    from docx.oxml.exceptions import XmlchemyError

    try:
        return [block for block in _docx_blocks(open_docx(data, name)) if block[0].strip()]
    except (XmlchemyError, KeyError, ValueError, AttributeError) as error:
        raise DocumentUnreadable(
            f"{name}: cannot be read as a Word file ({str(error)[:120]}): open it in a word processor and save it again"
        ) from None


def _docx_blocks(document: Document) -> Iterator[Block]:
    from docx.table import Table

    for item in document.iter_inner_content():
        if isinstance(item, Table):
            yield from ((" ".join(cell.text for cell in row.cells), False, "") for row in item.rows)
            continue
        style = str(item.style.name if item.style is not None else "").casefold()
        bold = bool(item.runs) and all(run.bold for run in item.runs if run.text.strip())
        yield item.text, style.startswith(_HEADING_STYLES) or (bold and len(item.text) < 110), ""
