"""The paragraphs of files as their sources have them, read without any of Vouch's readers."""

from __future__ import annotations

import csv
import email
import email.policy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import html
from markdown_it import MarkdownIt

from evaluation.benches.conversion.office import paragraphs as package_paragraphs

_BLOCKS = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "dt", "dd", "td", "th", "pre", "blockquote", "figcaption")
_HOLDERS = (*_BLOCKS, "ul", "ol", "dl", "table", "div", "section", "figure", "details")
_UNSEEN = "ancestor-or-self::*[@hidden or self::script or self::style or self::template or self::head]"


def source_paragraphs(path: Path) -> list[str]:
    """Return the paragraphs of a file that have a letter or a digit; none of a kind that has no reader here."""
    read = _READERS.get(path.suffix.lower(), package_paragraphs)
    return [text for text in read(path) if any(c.isalnum() for c in text)]


def _pieces(text: str) -> Iterator[str]:
    """Yield what empty lines part."""
    yield from re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n"))


def _html(content: str | bytes) -> Iterator[str]:
    """Yield the text of the blocks that hold no other; what their HTML itself hides is left out."""
    tree = html.fromstring(content)
    for node in tree.iter(*_BLOCKS):
        if not node.xpath(_UNSEEN) and next(node.iterdescendants(*_HOLDERS), None) is None:
            yield "".join(map(str, node.itertext()))


def _markdown(text: str) -> Iterator[str]:
    """Yield the blocks of a Markdown text, with raw HTML left out."""
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        if token.type == "inline":
            yield "".join(
                " " if c.type in ("softbreak", "hardbreak") else c.content
                for c in token.children or ()
                if c.type not in ("html_inline", "image")
            )
        elif token.type in ("fence", "code_block"):
            yield from _pieces(token.content)


def _mail(path: Path) -> Iterator[str]:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    body = message.get_body(("plain",))
    if body is not None:
        yield from _pieces(body.get_content())


def _notebook(path: Path) -> Iterator[str]:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
        yield from _markdown(source) if cell["cell_type"] == "markdown" else _pieces(source)


def _rows(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            yield from row


_READERS: dict[str, Callable[[Path], Iterator[str]]] = {
    ".html": lambda path: _html(path.read_bytes()),
    ".md": lambda path: _markdown(path.read_text(encoding="utf-8")),
    ".txt": lambda path: _pieces(path.read_text(encoding="utf-8")),
    ".csv": _rows,
    ".ipynb": _notebook,
    ".eml": _mail,
}
