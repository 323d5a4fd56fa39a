"""The parts of a report, and their writing as Markdown and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.rendering import render


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a section (level 2) or of a part of it (3)."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts under a caption; the first column names the rows."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file, as a path relative to the report, and its caption."""

    file: str
    caption: str


Part = Heading | Paragraph | Table | Picture


def markdown(title: str, parts: Sequence[Part]) -> str:
    """Return the report as Markdown; markup in its texts is escaped."""
    return f"# {_plain(title)}\n\n" + "\n\n".join(_markdown(part) for part in parts) + "\n"


def page(title: str, parts: Sequence[Part]) -> str:
    """Return the report as an HTML document that loads nothing but its own pictures."""
    named_parts = [(type(part).__name__.lower(), part) for part in parts]
    return render("report/templates/page.html", title=title, parts=named_parts) + "\n"


def _markdown(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"{'#' * level} {_plain(text)}"
        case Paragraph(text):
            return _plain(text)
        case Picture(file, caption):
            return f"![{_plain(caption)}]({file})\n\n*{_plain(caption)}*"
        case Table(caption, head, rows):
            lines = [head, ("---", *("---:" for _ in head[1:])), *rows]
            table = "\n".join(f"| {' | '.join(_plain(cell) for cell in line)} |" for line in lines)
            return f"**{_plain(caption)}**\n\n{table}"


def _plain(text: str) -> str:
    """Return a text on one line with the characters escaped that Markdown would take for markup."""
    one_line = " ".join(text.split())
    for sign in ("\\", "`", "*", "_", "[", "]", "|"):
        one_line = one_line.replace(sign, "\\" + sign)
    return one_line.replace("<", "&lt;") if not set(one_line) <= {"-", ":"} else one_line
