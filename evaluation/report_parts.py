"""What a report is made of, and how it is written: as Markdown, and as HTML in which everything is escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #1c1c1c; }
table { border-collapse: collapse; margin: 1rem 0; font-size: 0.9rem; }
th, td { padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 2px solid #555; }
caption { caption-side: top; text-align: left; font-weight: 600; padding-bottom: 0.3rem; }
figure { margin: 1rem 0; }
img { max-width: 100%; border: 1px solid #ccc; } figcaption { color: #555; font-size: 0.9rem; }
@media (prefers-color-scheme: dark) { body { background: #161616; color: #e6e6e6; } th, td { border-color: #444; } }
""".strip()


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a section (level 2) or of a part of it (3)."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts under a caption; the first column names the rows."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """An image file, named as seen from the report, and what it shows."""

    file: str
    caption: str


Part = Heading | Paragraph | Table | Picture


def markdown(title: str, parts: Sequence[Part]) -> str:
    """The report as Markdown; what would be markup in a text is shown as it stands."""
    return f"# {_plain(title)}\n\n" + "\n\n".join(_markdown(part) for part in parts) + "\n"


def page(title: str, parts: Sequence[Part]) -> str:
    """The report as an HTML document that loads nothing but its own pictures."""
    body = "\n".join(_html(part) for part in parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body><h1>{html.escape(title)}</h1>\n{body}\n</body></html>\n"
    )


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
            drawn = "\n".join(f"| {' | '.join(_plain(cell) for cell in line)} |" for line in lines)
            return f"**{_plain(caption)}**\n\n{drawn}"


def _html(part: Part) -> str:
    match part:
        case Heading(text, level):
            return f"<h{level}>{html.escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{html.escape(text)}</p>"
        case Picture(file, caption):
            shown = html.escape(caption)
            return f'<figure><img src="{html.escape(file)}" alt="{shown}"><figcaption>{shown}</figcaption></figure>'
        case Table(caption, head, rows):
            top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
            body = "\n".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows)
            return (
                f"<table><caption>{html.escape(caption)}</caption><thead><tr>{top}</tr></thead>\n"
                f"<tbody>{body}</tbody></table>"
            )


def _plain(text: str) -> str:
    """A text that Markdown takes as it stands: on one line, no tags, no cells of its own."""
    one_line = " ".join(text.split())
    for sign in ("\\", "`", "*", "_", "[", "]", "|"):
        one_line = one_line.replace(sign, "\\" + sign)
    return one_line.replace("<", "&lt;") if not set(one_line) <= {"-", ":"} else one_line
