"""Lines: those of a document in reading order, whatever its format, and the text that they join to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from indexing import BBox
from plugins.audit.marks import with_accents

_ADDRESS_END = re.compile(r"(?:https?:|www\.|doi[.:]|10\.\d{4}|\barxiv:)\S{0,500}$", re.IGNORECASE)
_DOI_END = re.compile(r"\b10\.(?:\d{4,9}/\S{0,100}\.)?$")
"""The end of a line that broke a DOI at one of its stops."""
_YEAR = re.compile(r"(?:18|19|20)\d\d")
_ADDRESS_PART = re.compile(r"[\w%#?&=~+,.:/()@!$*'-]+")
_ARXIV_START = re.compile(r"arxiv\D{0,20}(\d{4})\.(\d{0,4})$", re.IGNORECASE)
"""An arXiv number that may be cut: behind the point it has four digits, five since 2015."""
_WORDS = re.compile(r"\w+(?:-\w+)*")
_HYPHENS = ("-", "\u2010", "\u00ad")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line: its text, its page from 1 (0 where the format has none) and its column, counted through the document.

    `left`, `right`, `top` and `bottom` are points of the page, or of a page as wide as the text has characters; `size`
    is the size of most of its letters in points, `bold` says that most are. `raised` are the spans of its text that
    stand above the line. `new_block` says that the format itself starts a block here: a paragraph, an item of a list.
    """

    text: str
    page: int
    column: int
    left: float
    right: float
    top: float
    bottom: float
    size: float
    bold: bool = False
    box: BBox | None = None
    raised: tuple[tuple[int, int], ...] = ()
    new_block: bool = False
    label: str = field(default="", kw_only=True)
    """The mark that the format gives the line apart from its text: a key, or the number of a list item."""

    @property
    def height(self) -> float:
        """The height of the line in points."""
        return self.bottom - self.top


def plain_lines(text: str) -> list[TextLine]:
    """Return the lines of a plain text, indents and empty lines as geometry. Linear in the text."""
    lines: list[TextLine] = []
    top, empty = 0.0, True
    for raw in with_accents(text).split("\n"):
        line = raw.expandtabs(4).rstrip()
        content = line.lstrip()
        if not content:
            top, empty = top + 12.0, True
            continue
        left = 5.0 * (len(line) - len(content))
        lines.append(TextLine(content, 0, 0, left, left + 5.0 * len(content), top, top + 10.0, 10.0, new_block=empty))
        top, empty = top + 12.0, False
    return lines


def block_lines(blocks: list[tuple[str, bool, str]]) -> list[TextLine]:
    """Return lines for (text, bold, label) of blocks that the format itself tells apart; breaks inside stay lines."""
    results: list[TextLine] = []
    top = 0.0
    for text, bold, label in blocks:
        top += 12.0
        for number, part in enumerate(filter(None, (" ".join(p.split()) for p in with_accents(text).split("\n")))):
            results.append(
                TextLine(part, 0, 0, 0.0, 5.0 * len(part), top, top + 10.0, 10.0, bold, new_block=not number,
                         label="" if number else label)
            )  # fmt: skip
            top += 12.0
    return results


def known_words(lines: Sequence[str]) -> frozenset[str]:
    """Return the words and compounds that stand whole inside the lines, in lower case: they tell which hyphens stay."""
    result: set[str] = set()
    for line in lines:
        words = _WORDS.findall(line.casefold())
        result.update(words[:-1] if line.rstrip().endswith(_HYPHENS) else words)
    return frozenset(result)


def join_lines(lines: Sequence[str], vocabulary: frozenset[str] = frozenset()) -> str:
    """Return the lines as one text. A broken word loses its hyphen, unless the compound is in `vocabulary`.

    An address goes on without a blank where the line breaks after one of its signs, or where the next line begins with
    what can only be its rest.
    """
    text = ""
    for line in map(str.strip, lines):
        if not line:
            continue
        if not text:
            text = line
        elif text.endswith("\u00ad"):
            text = text[:-1] + line
        elif _goes_on(text, line):
            text += line
        elif text.endswith(_HYPHENS) and len(text) > 1 and text[-2].isalnum():
            text = _join_hyphen(text, line, vocabulary)
        else:
            text += f" {line}"
    return text


def _join_hyphen(text: str, line: str, vocabulary: frozenset[str]) -> str:
    head, tail = (_WORDS.findall(text[-60:-1]) or [""])[-1], (_WORDS.findall(line[:60]) or [""])[0]
    whole, compound = f"{head}{tail}".casefold(), f"{head}-{tail}".casefold()
    part = f"{head.rpartition('-')[2]}{tail}".casefold()
    broken = line[0].islower() and text[-2].isalpha()
    if (text[-2].islower() and line[0].isupper()) or not broken or (compound in vocabulary and whole not in vocabulary):
        return text + line
    if "-" in head and part not in vocabulary and len(tail) > 2:
        return text + line
    return text[:-1] + line


def _goes_on(text: str, line: str) -> bool:
    """Return True if a text ends in an address that `line` continues."""
    address = _ADDRESS_END.search(text[-520:])
    if address is None:
        return False
    first = line.split(maxsplit=1)[0]
    if not _ADDRESS_PART.match(first) or first.startswith(("(", "http")):
        return False
    last = text[-1]
    of_doi = _DOI_END.search(address[0]) and first[0].isdigit() and not _YEAR.fullmatch(first.rstrip(".,;)"))
    if last in "/_=?&#%-" or of_doi:
        return True
    if last == ".":
        return first[0].islower() or (first[0].isdigit() and "." in address[0][8:-1] and any(c in first for c in "/-_"))
    if last in ",;)]":
        return False
    has_sign = any(c in first.rstrip(".,;") for c in "/_=%") or (first[0] in "./?=&#-_%" and len(first) > 1)
    return (
        has_sign
        or (any(c.isdigit() for c in first) and any(c.isalpha() for c in first) and len(first) > 5)
        or _is_rest(address[0], first)
    )


def _is_rest(address: str, first: str) -> bool:
    """Return True for the digits that end a DOI or an arXiv number ("10.18653/v1/D17-" and "1168")."""
    bare = first.rstrip(".,;")
    if (number := _ARXIV_START.search(address)) and bare.isdigit():
        return len(number[2]) + len(bare) == (5 if number[1] >= "1501" else 4)
    return bare.isdigit() and len(bare) >= 4 and not 1800 <= int(bare) <= 2100 and "10." in address and "/" in address
