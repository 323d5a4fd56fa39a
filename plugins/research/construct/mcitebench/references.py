"""References to places of a paper ("Section 4.2", "Lines 39--41", "Fig. 2a"), and the parts that they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from plugins.research.construct.mcitebench.paper import Paper, PaperPart
from plugins.research.construct.wording import words

PlaceKind = Literal["section", "line", "figure", "table", "appendix", "page"]
_KINDS: tuple[PlaceKind, ...] = ("section", "figure", "table", "appendix", "line")
"""The kinds in the order of the groups of `_HEAD`."""
_HEAD = re.compile(
    r"(?<![\w.])(?:(sections?\b|secs?\b\.?|§{1,2})|(figures?\b|figs?\b\.?)"
    r"|(tables?\b|tabs?\b\.)|(appendix\b|appendices\b|app\b\.)"
    r"|(lines?\b|ll?\.|(?-i:L)(?=\s?\d{3})))\s{0,3}#?(?=[\dA-Z])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(\d{1,4}(?:\.\d{1,3}){0,4}|[A-Z](?:\.\d{1,3}){0,4})(?:[a-h]|\s?\([a-h]\))?(?![\w%])")
_NEXT = re.compile(r"\s{0,2}(?:(-{1,3}|–|—|\bto\b)|,\s{0,2}(?:and\b|&)?|\band\b|&)\s{0,2}")
_MOST_BETWEEN = 10
"""The most figures, tables or sections that a range such as "Figures 2-4" stands for."""


@dataclass(frozen=True, slots=True)
class PlaceReference:
    """A place that a text names: its kind, its number ("4.2", "39", "B"), the last line of several, and its words.

    A figure's panel is a part of the figure: "Fig. 2a" is figure 2.
    """

    kind: PlaceKind
    number: str
    last: str
    written: str

    @property
    def name(self) -> str:
        """The reference in one spelling: "Section 4.2", "Lines 39-41"."""
        return f"Lines {self.number}-{self.last}" if self.last else f"{self.kind.capitalize()} {self.number}"

    @property
    def lines(self) -> range:
        """The numbers of the lines that it names, none where it names something else."""
        return range(int(self.number), int(self.last or self.number) + 1) if self.kind == "line" else range(0)


def references_in(text: str) -> tuple[PlaceReference, ...]:
    """Return the places that a text names, in its order, each once.

    >>> [reference.name for reference in references_in("See Sec. 4.2, Figs. 2a and 3, and Lines 39--41.")]
    ['Section 4.2', 'Figure 2', 'Figure 3', 'Lines 39-41']
    """
    found: dict[str, PlaceReference] = {}
    head = _HEAD.search(text)
    while head is not None:
        at = head.end()
        for reference, end in _numbered(text, head):
            found.setdefault(reference.name, reference)
            at = end
        head = _HEAD.search(text, at)
    return tuple(found.values())


def _numbered(text: str, head: re.Match[str]) -> Iterator[tuple[PlaceReference, int]]:
    """Yield the references of one head, each with the end of its number in the text."""
    kind = _KINDS[(head.lastindex or 1) - 1]
    number, before, ranged = _NUMBER.match(text, head.end()), "", False
    while number is not None and _fits(kind, number[1]):
        written, end = " ".join(text[head.start() : number.end()].split())[:60], number.end()
        value = str(int(number[1])) if kind == "line" else number[1]
        between = _NEXT.match(text, end)
        following = _NUMBER.match(text, between.end()) if between else None
        if kind == "line" and following and between and between[1] and _fits(kind, following[1]):
            last, end = str(int(following[1])), following.end()
            yield (
                PlaceReference(kind, value, last if int(last) > int(value) else "", text[head.start() : end][:60]),
                end,
            )
            between = _NEXT.match(text, end)
            following = _NUMBER.match(text, between.end()) if between else None
        else:
            for each in _all(before, value) if ranged else (value,):
                lettered = kind == "section" and each[0].isalpha()
                yield PlaceReference("appendix" if lettered else kind, each, "", written), end
        before, ranged, number = value, bool(between and between[1]), following


def _fits(kind: PlaceKind, number: str) -> bool:
    """Return True for a number that places of this kind have: lines are counted, and only appendices go by letters."""
    if kind in ("section", "appendix"):
        return number[0].isdigit() or number[0] in "ABCDEFGH" or kind == "appendix"
    return number.isdigit() if kind == "line" else number[0].isdigit()


def _all(first: str, last: str) -> tuple[str, ...]:
    """Return the numbers of a range after its first; of one that cannot be counted, its last."""
    if first.isdigit() and last.isdigit() and 0 < int(last) - int(first) <= _MOST_BETWEEN:
        return tuple(str(n) for n in range(int(first) + 1, int(last) + 1))
    return (last,)


MOST_CHOICES = 8
"""The most parts that a person may choose among."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A reference with the part that it is tied to, and the parts that it might mean, that one first."""

    reference: PlaceReference
    part: PaperPart
    choices: tuple[PaperPart, ...]
    place: frozenset[str]
    """The ids of all parts that the reference takes in, such as those of its section: none of them is a distractor."""


def tied(reference: PlaceReference, paper: Paper, said: str) -> Tie | None:
    """Return the tie of a reference; None where it leads nowhere.

    A section is long: of its parts the first is the one that has most words in common with `said`, the question and its
    answer. The choices end with parts near the first one, and with others of its kind.
    """
    if reference.kind in ("section", "appendix"):
        meant = _in_section(reference, paper, said)
    elif reference.kind == "line":
        meant = _in_lines(reference, paper)
    else:
        meant = [part for part in paper.parts if part.name == f"{reference.kind.capitalize()} {reference.number}"]
    if not meant:
        return None
    first = meant[0]
    near = [part for part in paper.parts if part.page == first.page]
    alike = [part for part in paper.parts if part.kind == first.kind]
    choices = tuple({part.id: part for part in (*meant, *near, *alike)}.values())[:MOST_CHOICES]
    return Tie(reference, first, choices, frozenset(part.id for part in meant))


def _in_section(reference: PlaceReference, paper: Paper, said: str) -> list[PaperPart]:
    below, wanted = f"{reference.number}.", set(words(said))
    inside = [part for part in paper.parts if part.section == reference.number or part.section.startswith(below)]
    return sorted(inside, key=lambda part: -len(wanted & set(words(f"{part.text} {part.caption}"))))


def _in_lines(reference: PlaceReference, paper: Paper) -> list[PaperPart]:
    """Return the parts beside the lines, the one that takes in most of them first; a paragraph before others."""
    lines = [paper.lines[number] for number in reference.lines[:200] if number in paper.lines]
    beside: dict[str, float] = {}
    for line in lines:
        for part in paper.parts:
            shared = min(line.y1, part.bbox.y1) - max(line.y0, part.bbox.y0)
            if part.page == line.page and shared > (line.y1 - line.y0) / 3:
                beside[part.id] = beside.get(part.id, 0.0) + shared
    found: Sequence[PaperPart] = [part for part in paper.parts if part.id in beside]
    return sorted(found, key=lambda part: (part.kind != "text", -beside[part.id]))
