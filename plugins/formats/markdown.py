"""Markdown -> blocks with the numbers of their lines; the YAML front matter becomes the metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import STRUCK_END, IndexingSettings, Metadata, spell, struck_out
from indexing.conversion import Rendition
from plugins.formats.html import html_text
from plugins.formats.texts import MOST_LINES, lay_out, line_place, paragraph_blocks, read_text
from plugins.formats.typesetting import SourceBlock

if TYPE_CHECKING:
    from markdown_it.token import Token
    from markdown_it.tree import SyntaxTreeNode


MOST_FRONT_LINES = 200
MOST_FRONT_CHARS = 5_000
MAX_NESTING = 60
"""The most quotes and lists inside each other: the parser drops what lies deeper, so such a text is read as plain."""
_DATE = re.compile(r"[12]\d{3}(?:-[01]\d(?:-[0-3]\d)?)?")
_STRIKES = re.compile(r"</?(?:s|del|strike)>")
_Place = Callable[[int, int], str]
"""A function that returns the place of the lines [first, end) of a text, counted from 0."""


def markdown_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a file of Markdown. Raises FileError."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    lines, record = _front_matter(text)
    blocks = list(markdown_blocks(text.split("\n", lines)[-1], lines))
    title = _plain_value(record.get("title")) or next((block.text for block in blocks if block.kind == "heading"), "")
    date = _DATE.match(_plain_value(record.get("date")))
    metadata = Metadata(
        date=date.group() if date else "",
        author=", ".join(_values(record.get("author") or record.get("authors"))),
        tags=tuple(_values(record.get("tags") or record.get("keywords"))),
        language=_plain_value(record.get("lang") or record.get("language"))[:2].lower(),
    )
    return lay_out(path, blocks, settings, title, metadata)


def _front_matter(text: str) -> tuple[int, dict[str, object]]:
    """Parse the YAML between two lines of dashes at the head of a text; return how many lines it has, and its keys."""
    import yaml

    lines = text[:MOST_FRONT_CHARS].split("\n")[:MOST_FRONT_LINES]
    end = next((at for at, line in enumerate(lines) if at and line.rstrip() in ("---", "...")), 0)
    if lines[0].rstrip() != "---" or not end:
        return 0, {}
    try:
        record = yaml.safe_load("\n".join(lines[1:end]))
    except (yaml.YAMLError, ValueError, RecursionError):
        return 0, {}
    if not isinstance(record, dict):
        return 0, {}
    return end + 1, {str(key).lower(): value for key, value in record.items()}


def _plain_value(value: object) -> str:
    """Return a scalar as text; "" for None, a list or a mapping."""
    return "" if value is None or isinstance(value, dict | list | set | bytes) else " ".join(str(value).split())[:500]


def _values(value: object) -> list[str]:
    """Return the texts of a list, or of a text with commas."""
    items = value if isinstance(value, list) else _plain_value(value).split(",")
    texts = (_plain_value(one.get("name") if isinstance(one, dict) else one).strip() for one in items[:50])
    return [text for text in texts if text]


def markdown_blocks(text: str, offset: int = 0, of: str = "") -> Iterator[SourceBlock]:
    """Yield the blocks of a Markdown text. Places are lines: `offset` is added to numbers, `of` put before them."""
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

    tokens = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"]).parse(text)
    if any(token.level >= MAX_NESTING - 2 for token in tokens):
        yield from paragraph_blocks("\n" * offset + text, of)
        return

    def place(first: int, end: int) -> str:
        return line_place(first + 1 + offset, max(end, first + 1) + offset, of)

    blocks = _blocks(SyntaxTreeNode(tokens), place)
    yield from (block for block in blocks if block.text or block.rows)


def _blocks(node: SyntaxTreeNode, place: _Place, depth: int = -1, marker: str = "") -> Iterator[SourceBlock]:
    """Yield the blocks in a node; `depth` is that of lists, from -1, `marker` the bullet of its first paragraph."""
    for child in node.children:
        lines = child.children[0].map if child.type in ("paragraph", "heading") else child.map
        first, end = lines or (0, 0)
        if child.type == "heading":
            yield SourceBlock("heading", _inline_text(child.children[0].token), int(child.tag[1]), place(first, end))
        elif child.type == "paragraph":
            text = _inline_text(child.children[0].token)
            if marker and text:
                yield SourceBlock("list", marker.strip("•") + text, depth, place(first, end))
                marker = ""
            else:
                yield SourceBlock("text", text, place=place(first, end))
        elif child.type in ("bullet_list", "ordered_list"):
            start = int(child.attrs.get("start", 1))
            for number, item in enumerate(child.children, start):
                mark = "•" if child.type == "bullet_list" else f"{number}. "
                yield from _blocks(item, place, depth + 1, mark)
            marker = ""
        elif child.type == "table":
            rows = (row for part in child.children for row in part.children)
            texts = tuple(tuple(_inline_text(cell.children[0].token) for cell in row.children) for row in rows)
            heads = len(child.children[0].children)
            yield SourceBlock("table", place=place(first, end), rows=texts, header_rows=heads)
        elif child.type in ("fence", "code_block"):
            yield from _code_blocks(child, place)
        elif child.type == "html_block":
            yield SourceBlock("text", html_text(child.content), place=place(first, end))
        else:
            yield from _blocks(child, place, depth, marker)
            marker = "" if child.children else marker


def _code_blocks(node: SyntaxTreeNode, place: _Place) -> Iterator[SourceBlock]:
    """Yield a code block in parts of at most MOST_LINES lines, each with its place."""
    start = (node.map or (0, 0))[0] + (node.type == "fence")
    lines = node.content.rstrip("\n").split("\n")
    for first in range(0, len(lines), MOST_LINES):
        numbers = [at for at, line in enumerate(lines[first : first + MOST_LINES], first) if line.strip()]
        if numbers:
            text = "\n".join(lines[numbers[0] : numbers[-1] + 1])
            yield SourceBlock("text", text, place=place(start + numbers[0], start + numbers[-1] + 1), code=True)


def _inline_text(token: Token | None) -> str:
    """Return the text of an inline token: no marks, no tags, the words of pictures, line breaks as newlines.

    What is struck out is marked so, as in HTML.
    """
    parts: list[str] = []
    above, depth = False, 0
    for child in (token.children if token else None) or ():
        tag = str(child.content).lower().replace(" ", "") if child.type == "html_inline" else ""
        if tag in ("<sup>", "</sup>"):
            above = tag == "<sup>"
        elif child.type in ("s_open", "s_close") or _STRIKES.fullmatch(tag):
            depth = max(0, depth + (-1 if child.type == "s_close" or tag.startswith("</") else 1))
        elif child.type in ("text", "code_inline"):
            text = spell(child.content, parts, above=above)
            parts.append(struck_out(text) if depth else text)
        elif child.type == "softbreak":
            parts.append(" ")
        elif child.type == "hardbreak" or tag.startswith("<br"):
            parts.append("\n")
        elif child.type == "image":
            parts.append(_inline_text(child) or child.content)
    return "".join(parts).replace(f"{STRUCK_END}  ", f"{STRUCK_END} ").strip()
