"""Ties: the part of a paper that a reference leads to, and the other parts that it might mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plugins.research.construct.mcitebench.paper import Paper, PaperPart
from plugins.research.construct.mcitebench.references import PlaceReference
from plugins.research.construct.wording import words

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
