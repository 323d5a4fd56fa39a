"""References to places of a paper: "Section 4.2", "Lines 39--41", "Fig. 2a", "Tables 1 and 5", "Appendix B"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

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
