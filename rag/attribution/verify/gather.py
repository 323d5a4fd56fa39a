"""A claim whose words and numbers stand in several places of one page -> those places: it is proven in part, at most.

A slide says "1914" in one box, "Employees" in the next and "Assurance" above both. That they belong together cannot be
told from their words; that each stands there can.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from indexing import Element
from rag.attribution.claims import agree, claims_of, refers

SHARE = 0.75
"""The least share of a claim's words that stand on the page."""
LEAST = 4.0
"""The least weight of a claim that is gathered: less is on any page."""
MOST_PLACES = 3


def gathered(claim: str, elements: Sequence[Element]) -> tuple[int, ...]:
    """Return the fewest elements (their indices) of one page that have the numbers, names and most words of a claim.

    At most MOST_PLACES; none where no page has them, and none for a claim that denies something.
    """
    said = claims_of(claim)
    words = {t.stem: t for t in said.words if t.name or not refers(said.said_word(t))}
    if said.weight < LEAST or not words or said.negations:
        return ()
    pages: dict[tuple[str, int], list[int]] = defaultdict(list)
    for n, element in enumerate(elements):
        if not element.cells:  # a table says of what its values are, and was read
            pages[element.doc_id, element.page].append(n)
    numbers = [f"#{n}" for n in range(len(said.numbers))]
    weights = {stem: t.weight for stem, t in words.items()}
    best: tuple[float, tuple[int, ...]] = (0.0, ())
    for members in pages.values():
        has = {n: _has(claim, elements[n]) & {*weights, *numbers} for n in members}
        chosen = _cover(has)
        there = set[str]().union(*(has[n] for n in chosen))
        if len(chosen) == 1 and not elements[chosen[0]].pictured:  # one text that has them all was read, too
            continue
        names = all(stem in there for stem, t in words.items() if t.name)
        share = sum(weights[stem] for stem in there if stem in weights) / sum(weights.values())
        if names and there.issuperset(numbers) and share >= SHARE and share > best[0]:
            best = (share, chosen)
    return best[1]


def _has(claim: str, element: Element) -> set[str]:
    """Return the stems of the words of an element with what stands around it, and "#n" for each number of the claim."""
    own = claims_of(element.text)
    around = [claims_of(text) for text in (element.caption, *element.section[-3:]) if text]
    stems = {t.stem for c in (own, *around) for t in c.tokens}
    asked = claims_of(claim).numbers
    return stems | {f"#{n}" for n, q in enumerate(asked) if any(agree(q, there) for there in own.quantities)}


def _cover(has: dict[int, set[str]]) -> tuple[int, ...]:
    """Return at most MOST_PLACES elements that have most, each adding something, the best first."""
    chosen: list[int] = []
    covered: set[str] = set()
    for _ in range(MOST_PLACES):
        best = max(has, key=lambda n: (len(has[n] - covered), -n))
        if not has[best] - covered:
            break
        chosen.append(best)
        covered |= has[best]
    return tuple(chosen)
