"""Markdown -> blocks with the lines that they stand in; what stands before it between dashes is its record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import STRUCK_END, IndexingSettings, Metadata, spelled, struck_out
from indexing.conversion import Rendition
from plugins.formats.texts.decoding import read_text
from plugins.formats.texts.html_text import html_text
from plugins.formats.texts.paragraphs import MOST_LINES, laid_out, line_place, paragraph_blocks
from plugins.formats.typesetting import SourceBlock

if TYPE_CHECKING:
    from markdown_it.token import Token

MOST_FRONT_LINES = 200
MOST_FRONT_CHARS = 5_000
MAX_NESTING = 60
"""The most quotes and lists inside each other: the parser drops what lies deeper, so such a text is read as plain."""
_DATE = re.compile(r"[12]\d{3}(?:-[01]\d(?:-[0-3]\d)?)?")
_STRIKES = re.compile(r"</?(?:s|del|strike)>")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The record at the head of a text: its title, what else is known, and the number of lines that it takes."""

    title: str = ""
    metadata: Metadata = field(default_factory=Metadata)
    lines: int = 0


def markdown_rendition(path: Path, settings: IndexingSettings) -> Rendition:
    """Lay out a file of Markdown. Raises the FileError that fits."""
    text = read_text(path).replace("\r\n", "\n").replace("\r", "\n")
    front = front_matter(text)
    blocks = list(markdown_blocks(text.split("\n", front.lines)[-1] if front.lines else text, front.lines))
    title = front.title or next((block.text for block in blocks if block.kind == "heading"), "")
    return laid_out(path, blocks, settings, title, front.metadata)


def front_matter(text: str) -> FrontMatter:
    """Read the YAML between two lines of three dashes at the head of a text."""
    import yaml

    lines = text[:MOST_FRONT_CHARS].split("\n")[:MOST_FRONT_LINES]
    if lines[0].rstrip() != "---":
        return FrontMatter()
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    if not end:
        return FrontMatter()
    try:
        found = yaml.safe_load("\n".join(lines[1:end]))
    except (yaml.YAMLError, ValueError, RecursionError):
        return FrontMatter()
    if not isinstance(found, dict):
        return FrontMatter()
    told = {str(key).lower(): value for key, value in found.items()}
    date = _DATE.match(_said(told.get("date")))
    metadata = Metadata(
        date=date.group() if date else "",
        author=", ".join(_list_of(told.get("author") or told.get("authors"))),
        tags=tuple(_list_of(told.get("tags") or told.get("keywords"))),
        language=_said(told.get("lang") or told.get("language"))[:2].lower(),
    )
    return FrontMatter(_said(told.get("title")), metadata, end + 1)


def _said(value: object) -> str:
    """Return a plain value as text; a list or a mapping is none."""
    return "" if value is None or isinstance(value, dict | list | set | bytes) else " ".join(str(value).split())[:500]


def _list_of(value: object) -> list[str]:
    if isinstance(value, list):
        return [said for one in value[:50] if (said := _said(one.get("name") if isinstance(one, dict) else one))]
    return [said for part in _said(value).split(",")[:50] if (said := part.strip())]


def markdown_blocks(text: str, skipped: int = 0, of: str = "") -> Iterator[SourceBlock]:
    """Yield the blocks of a Markdown text. Their places are lines, `skipped` before the first, after `of` if given."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING}).enable(["table", "strikethrough"]).parse(text)
    if any(token.level >= MAX_NESTING - 2 for token in tokens):
        yield from paragraph_blocks("\n" * skipped + text, of)
        return
    yield from MarkdownReader(skipped, of).blocks(tokens)


class MarkdownReader:
    """Walks the tokens of a Markdown text and makes blocks of them."""

    def __init__(self, skipped: int, of: str) -> None:
        """Take the number of lines before the first, and what is said before a line's number."""
        self._skipped, self._of = skipped, of
        self._lists: list[int | None] = []
        self._marker = ""
        self._rows: list[tuple[str, ...]] = []
        self._cells: list[str] = []
        self._heads = 0
        self._table_place = ""

    def blocks(self, tokens: Sequence[Token]) -> Iterator[SourceBlock]:
        """Yield the blocks of the tokens, in order."""
        place = ""
        opened = ""
        for token, following in zip(tokens, [*tokens[1:], None], strict=False):
            if token.map is not None:
                place = self._place(token.map[0], _end(token, following))
            if token.type == "inline":
                yield from self._inline(token, opened, place)
            elif token.type in ("fence", "code_block"):
                yield from self._code(token)
            elif token.type == "html_block":
                if shown := html_text(token.content):
                    yield SourceBlock("text", shown, place=place)
            elif token.type == "table_close":
                yield SourceBlock("table", place=self._table_place, rows=tuple(self._rows), header_rows=self._heads)
            else:
                self._structure(token, place)
            opened = token.type if token.type != "heading_open" else token.tag

    def _place(self, first: int, end: int) -> str:
        return line_place(first + 1 + self._skipped, max(end, first + 1) + self._skipped, self._of)

    def _structure(self, token: Token, place: str) -> None:
        """Follow where a list or a table begins and ends."""
        if token.type in ("bullet_list_open", "ordered_list_open"):
            ordered = token.type.startswith("ordered")
            self._lists.append(int(token.attrs.get("start", 1)) if ordered else None)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._lists.pop()
        elif token.type == "list_item_open":
            number = self._lists[-1]
            self._marker = "•" if number is None else f"{number}."
            if number is not None:
                self._lists[-1] = number + 1
        elif token.type == "table_open":
            self._rows, self._heads, self._table_place = [], 0, place
        elif token.type == "tr_open":
            self._cells = []
        elif token.type == "tr_close":
            self._rows.append(tuple(self._cells))
        elif token.type == "thead_close":
            self._heads = len(self._rows)

    def _inline(self, token: Token, opened: str, place: str) -> Iterator[SourceBlock]:
        text = _plain(token)
        if opened in ("th_open", "td_open"):
            self._cells.append(text)
        elif opened.startswith("h") and opened[1:].isdigit():
            yield SourceBlock("heading", text, int(opened[1:]), place)
        elif self._lists and text:
            marker, self._marker = self._marker, ""
            depth = len(self._lists) - 1
            if marker:
                yield SourceBlock("list", text if marker == "•" else f"{marker} {text}", depth, place)
            else:
                yield SourceBlock("text", text, place=place)
        elif text:
            yield SourceBlock("text", text, place=place)

    def _code(self, token: Token) -> Iterator[SourceBlock]:
        """Cut a block of code into some lines at a time, each with its place."""
        start = (token.map or [0])[0] + (token.type == "fence")
        lines = token.content.rstrip("\n").split("\n")
        for first in range(0, len(lines), MOST_LINES):
            part = lines[first : first + MOST_LINES]
            blank = next((at for at, line in enumerate(part) if line.strip()), None)
            if blank is not None:
                end = max(at for at, line in enumerate(part) if line.strip()) + 1
                place = self._place(start + first + blank, start + first + end)
                yield SourceBlock("text", "\n".join(part[blank:end]), place=place, code=True)


def _end(token: Token, following: Token | None) -> int:
    """Return the line after the last of a token; an item of a list ends with its first paragraph."""
    found = following.map if following is not None and following.type == "inline" and following.map else token.map
    return found[1] if found else 0


def _plain(token: Token) -> str:
    """Return the text of an inline token: no marks, no tags, the words of pictures, line breaks as newlines.

    What is struck out says so, as in HTML.
    """
    parts: list[str] = []
    above, struck = False, 0
    for child in token.children or ():
        tag = str(child.content).lower().replace(" ", "") if child.type == "html_inline" else ""
        if tag in ("<sup>", "</sup>"):
            above = tag == "<sup>"
        elif child.type in ("s_open", "s_close") or _STRIKES.fullmatch(tag):
            struck = max(0, struck + (-1 if child.type == "s_close" or tag.startswith("</") else 1))
        elif child.type in ("text", "code_inline"):
            said = spelled(child.content, parts, above=above)
            parts.append(struck_out(said) if struck else said)
        elif child.type == "softbreak":
            parts.append(" ")
        elif child.type == "hardbreak" or tag.startswith("<br"):
            parts.append("\n")
        elif child.type == "image":
            parts.append(_plain(child) or child.content)
    return "".join(parts).replace(f"{STRUCK_END}  ", f"{STRUCK_END} ").strip()
