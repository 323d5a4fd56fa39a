"""Parse the places that a question or a page names, such as "page 5", "Figure 3" or "the chart"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from indexing.types import Element

NAMES = {
    "figure": r"fig(?:ure|\.)?|abb(?:ildung|\.)|figura",
    "table": r"table|tab\.|tabelle|tableau|tabla|tabella|tabela",
    "chart": r"chart|graph|graphique|diagramm?",
    "exhibit": r"exhibit|annex|anlage|annexe",
    "appendix": r"appendix|anhang",
    "section": r"section|sec\.|abschnitt|§",
    "chapter": r"chapter|kapitel|chapitre|cap[ií]tulo",
    "part": r"part|teil|partie",
    "step": r"step|schritt",
    "example": r"example|beispiel",
}
"""The words under which captions, headings and steps are numbered, each with the ways in which it is written."""
_NUMBER = r"(?P<number>\d++(?:\.\d++)*+|(?-i:[A-Z]))(?![\w])(?!\.\d)"
_WORD = "|".join(f"(?P<{name}>{ways})" for name, ways in NAMES.items())
NUMBERED_NAME = re.compile(rf"(?<!\w)(?:{_WORD})s?\s*(?:no\.?\s*)?{_NUMBER}", re.IGNORECASE)
"""The pattern of a reference such as "Figure 3", "Tab. 2.1" or "Appendix C"."""
_DASH = r"\-\u2010\u2212"
"""The signs with which manuals set the dashes of an option: a hyphen, or the minus of a man page."""
_OPTION = re.compile(
    rf"(?<![^\s(\[\"'`‘“|,/])(?:[{_DASH}]{{2}}[A-Za-z][\w{_DASH}]{{0,60}}+|[{_DASH}][A-Za-z?](?![\w{_DASH}]))"
)
_AS_HYPHENS = str.maketrans("\u2010\u2212", "--")
AS_CAPTION, AS_TEXT = 1.0, 0.7
"""The certainty that a caption or heading, or another element, that begins with a name is what the name refers to."""
MOST_HEADING = 200
"""The characters of a heading in which options are looked for."""
FULL_SHARE = 0.5
"""The share of a page's area in pictures (or tables) from which it is wholly a page of pictures."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints of a question about the place of its answer, apart from its subject.

    `pages` are page numbers, from 1, or -1 for the last page; `names` are captions and headings that it refers to, such
    as "figure 3", "appendix c" or "--jobs"; `pictures`, `tables` and `front` say that it asks about a picture, about a
    table, about the content of a title page.
    """

    pages: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    pictures: bool = False
    tables: bool = False
    front: bool = False


def numbered_name(match: re.Match[str]) -> str:
    """Return a match of `NUMBERED_NAME` in one spelling: "figure 3"."""
    kind = next(name for name in NAMES if match.group(name))
    return f"{kind} {match.group('number').lower()}"


def option_named(text: str) -> str:
    """Return the option of a command that a text begins with; nothing for other text.

    >>> option_named("--jobs=N [default: 2]"), option_named("- two jobs")
    ('--jobs', '')
    """
    match = _OPTION.match(text)
    return match[0].translate(_AS_HYPHENS) if match else ""


def options_of(text: str) -> list[str]:
    """Return the options of a command in a text, with hyphens.

    >>> options_of("What do −j and --jobs=2 do?")
    ['-j', '--jobs']
    """
    return [option.translate(_AS_HYPHENS) for option in _OPTION.findall(text)]


@dataclass(frozen=True, slots=True)
class Landmarks:
    """The landmarks of a page: `names` that its captions and headings begin with, each with its strength (0 to 1).

    `labels` are the whole numbers in its headers and footers, one of which may be its printed page number; `pictures`
    and `tables` say how much of it they cover, 0 to 1 (at half of the page).
    """

    names: tuple[tuple[str, float], ...]
    labels: tuple[int, ...]
    pictures: float
    tables: float


def landmarks(elements: Iterable[Element]) -> Landmarks:
    """Return the landmarks of a page with these elements."""
    names: dict[str, float] = {}
    labels: set[int] = set()
    shares = {"picture": 0.0, "table": 0.0}
    for element in elements:
        if element.kind in ("header", "footer"):
            labels |= {int(n) for n in re.findall(r"(?<![\d.,])\d{1,4}(?![\d.,]\d|\d)", element.text)}
            continue
        if element.kind == "group":
            continue
        if element.kind in shares:
            shares[element.kind] += element.bbox.area / FULL_SHARE
        match = NUMBERED_NAME.match(element.text.lstrip(" \t\n([•*-"))
        if match:
            name, strength = numbered_name(match), AS_CAPTION if element.kind in ("caption", "heading") else AS_TEXT
            names[name] = max(strength, names.get(name, 0.0))
        options = options_of(element.text[:MOST_HEADING]) if element.kind == "heading" else [option_named(element.text)]
        for option in filter(None, options):
            names[option] = max(AS_CAPTION if element.kind == "heading" else AS_TEXT, names.get(option, 0.0))
    return Landmarks(tuple(names.items()), tuple(sorted(labels)), *(min(1.0, s) for s in shares.values()))
