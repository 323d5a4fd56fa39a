"""Web: an HTML page -> its blocks in order, nothing fetched and nothing run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_SKIPPED = frozenset(("script", "style", "noscript", "template", "head", "nav", "svg", "math", "iframe", "object"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption", "summary"))
_BLOCKS = _HEADINGS | frozenset(
    ("p", "li", "div", "section", "article", "dd", "dt", "tr", "blockquote", "pre", "ol", "ul", "dl", "table", "aside")
)
DEEPEST = 200
"""The nesting below which elements are read as text of the one above."""

Block = tuple[str, bool, str]
"""A block: its text, whether it is a heading, and the label that its list gives it."""


def html_blocks(source: bytes | str) -> list[Block]:
    """Return the blocks of a page; items of numbered lists have their number as label. Linear in the page."""
    from lxml import html
    from lxml.etree import ParserError, XMLSyntaxError

    data = source.encode("utf-8", "replace") if isinstance(source, str) else source
    try:
        data.decode("utf-8")
        encoding: str | None = "utf-8"
    except UnicodeDecodeError:
        encoding = None  # the page's own word, or Latin-1
    parser = html.HTMLParser(no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding=encoding)
    try:
        root = html.document_fromstring(data, parser=parser)
    except (ParserError, XMLSyntaxError, ValueError):
        return []
    return _Reader().blocks(root)


class _Reader:
    """A walk through the elements of a page that gathers the text between the bounds of blocks."""

    def __init__(self) -> None:
        self._found: list[Block] = []
        self._text: list[str] = []
        self._heading = False
        self._label = ""

    def blocks(self, root: Any) -> list[Block]:
        counters: list[int] = []
        for event, element, depth in _walk(root):
            tag = element.tag if isinstance(element.tag, str) else ""
            block = tag in _BLOCKS and depth < DEEPEST
            if event == "start":
                if block:
                    self._close()
                    self._heading = tag in _HEADINGS
                if tag in ("ol", "ul"):
                    counters.append(_first_of(element) if tag == "ol" else -1)
                elif tag == "li" and counters and counters[-1] >= 0:
                    self._label = str(counters[-1])
                    counters[-1] += 1
                elif tag == "br":
                    self._text.append("\n")
                self._text.append(_plain(element.text))
            else:
                if block:
                    self._close()
                if tag in ("ol", "ul") and counters:
                    counters.pop()
                self._text.append(_plain(element.tail))
        self._close()
        return self._found

    def _close(self) -> None:
        text = "".join(self._text).strip()
        if text:
            self._found.append((text, self._heading, self._label))
            self._label = ""
        self._text, self._heading = [], False


def _walk(root: Any) -> Iterator[tuple[str, Any, int]]:
    """Yield each element as it begins and ends, with its depth; without recursion, and without what is not shown."""
    stack: list[tuple[str, Any, int]] = [("start", root, 0)]
    while stack:
        event, element, depth = stack.pop()
        if event == "start" and (element.tag in _SKIPPED or element.get("hidden") is not None):
            if element.tail:
                yield "end", _Tail(element.tail), depth
            continue
        yield event, element, depth
        if event == "start":
            stack.append(("end", element, depth))
            stack += [("start", child, depth + 1) for child in reversed(element)]


class _Tail:
    """The text behind an element that is left out."""

    def __init__(self, tail: str) -> None:
        self.tag, self.tail = "", tail


def _first_of(element: Any) -> int:
    start = str(element.get("start") or "1")
    return int(start) if start.isdigit() and len(start) < 6 else 1


def _plain(text: str | None) -> str:
    return " ".join(text.split("\n")) if text else ""
