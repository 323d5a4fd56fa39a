"""A sentence that is nearly a quote -> its changes: a number, a name, a negation, a word for its opposite.

Where most of a sentence runs along with the text, each gap between the parts that are the same is a change, and the
words in the gap on either side have to agree. This complements `rag.attribution.claims.text`, which does not look at
the order of words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rag.attribution.claims.align import Token, opposite
from rag.attribution.claims.claims import Claims, Contrary
from rag.attribution.claims.quantity import Quantity, agree

ALONG = 0.5
"""The share of a sentence's words that must run along with the text, in order, for its gaps to mean something."""
MAX_GAP = 5
"""The most words in a gap that is a change; a longer gap is a part left out or added."""
MAX_TOKENS = 400
"""The most tokens of a sentence or passage that are compared word by word."""

ISLAND = 2
"""The most words in a row that are a coincidence when they agree far from the rest."""


@dataclass(frozen=True, slots=True)
class EditItem:
    """A word, or a quantity of one or more words, under the key by which it is compared."""

    key: str
    token: Token
    quantity: Quantity | None


Gap = tuple[list[EditItem], list[EditItem]]


def changes(claims: Claims, part: Claims) -> list[str]:
    """Return the changes in words; nothing for a sentence that does not run along with the text."""
    ours, theirs = _items(claims), _items(part)
    blocks = _blocks(ours, theirs)
    found: list[str] = []
    along = {n for a, _, size in blocks for n in range(a, a + size)}
    whole = all(n in along or item.token.stop for n, item in enumerate(ours))
    for a, b, size in blocks if not _points_elsewhere(ours, theirs, blocks) else ():
        found += [
            _instead(claims, one.quantity, part, two.quantity)
            for one, two in zip(ours[a : a + size], theirs[b : b + size], strict=True)
            if size > 1
            and one.quantity
            and two.quantity
            and not agree(one.quantity, two.quantity)
            and (whole or not any(agree(one.quantity, q) for q in part.numbers))
        ]
    for here, there in _gaps(ours, theirs, blocks):
        found += _number(claims, part, here, there)
        mine, yours = [i.token for i in here], [i.token for i in there]
        found += _name(claims, part, mine, yours)
        found += _negation(claims, part, mine, yours)
        found += _opposite(claims, part, mine, yours)
    return [Contrary(said) for said in found]


def _points_elsewhere(
    ours: Sequence[EditItem], theirs: Sequence[EditItem], blocks: Sequence[tuple[int, int, int]]
) -> bool:
    """Return True if a part of the sentence that does not run along stands in another place of the text.

    Then it may be about that place: "a diesel crossing costs $23.60" in "an electric crossing costs $10.60, a diesel
    crossing $23.60".
    """
    along = {n for a, _, size in blocks for n in range(a, a + size)}
    rest = [item for n, item in enumerate(ours) if n not in along and not item.token.stop]
    matched = {n for _, b, size in blocks for n in range(b, b + size)}
    others = [item for n, item in enumerate(theirs) if n not in matched]
    return any(
        one.key == two.key and (one.quantity is None or two.quantity is None or agree(one.quantity, two.quantity))
        for one in rest for two in others
    )  # fmt: skip


def _instead(claims: Claims, asked: Quantity, part: Claims, there: Quantity) -> str:
    return f"where the text speaks of this it says {part.said(there)}, not {claims.said(asked)}"


def _items(claims: Claims) -> list[EditItem]:
    """Return the words to compare; a quantity is one item, alike to every other of its kind."""
    found: list[EditItem] = []
    upcoming = iter(claims.quantities)
    quantity = next(upcoming, None)
    for token in claims.tokens:
        while quantity is not None and quantity.end <= token.start:
            quantity = next(upcoming, None)
        if quantity is None or quantity.soft or token.end <= quantity.start:
            found.append(EditItem(token.stem, token, None))
        elif not found or found[-1].quantity is not quantity:
            found.append(EditItem(f"{quantity.kind} {quantity.unit}", token, quantity))
    return found


def _blocks(ours: Sequence[EditItem], theirs: Sequence[EditItem]) -> list[tuple[int, int, int]]:
    """Return (place in one, place in the other, length) of the blocks that run along; nothing when too little does."""
    if not ours or len(ours) > MAX_TOKENS or len(theirs) > MAX_TOKENS:
        return []
    matcher = SequenceMatcher(None, [i.key for i in ours], [i.key for i in theirs], autojunk=False)
    blocks = _mainland([(m.a, m.b, m.size) for m in matcher.get_matching_blocks() if m.size])
    return blocks if sum(size for _, _, size in blocks) >= ALONG * len(ours) else []


def _gaps(
    ours: Sequence[EditItem], theirs: Sequence[EditItem], blocks: Sequence[tuple[int, int, int]]
) -> Iterator[Gap]:
    if not blocks:
        return
    a, b = 0, max(0, blocks[0][1] - MAX_GAP)
    for left, right, size in [*blocks, (len(ours), min(len(theirs), blocks[-1][1] + blocks[-1][2] + MAX_GAP), 0)]:
        here, there = list(ours[a:left]), list(theirs[b:right])
        if (here or (there and 0 < a < len(ours) and size)) and max(len(here), len(there)) <= MAX_GAP:
            yield here, _same_sentence(there, at_end=not size, at_start=not a)
        a, b = left + size, right + size


def _mainland(blocks: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Leave out the first and last blocks that are small and far from the next."""
    while len(blocks) > 1 and blocks[0][2] <= ISLAND and blocks[1][1] - blocks[0][1] - blocks[0][2] > MAX_GAP:
        blocks = blocks[1:]
    while len(blocks) > 1 and blocks[-1][2] <= ISLAND and blocks[-1][1] - blocks[-2][1] - blocks[-2][2] > MAX_GAP:
        blocks = blocks[:-1]
    return blocks


def _same_sentence(gap: list[EditItem], *, at_end: bool, at_start: bool) -> list[EditItem]:
    """Return the items of an outer gap up to the end of the sentence."""
    cuts = [n for n in range(1, len(gap)) if gap[n].token.at - gap[n - 1].token.at >= 8]
    if at_end and cuts:
        return gap[: cuts[0]]
    return gap[cuts[-1] :] if at_start and cuts else gap


def _number(claims: Claims, part: Claims, ours: Sequence[EditItem], theirs: Sequence[EditItem]) -> list[str]:
    there = [i.quantity for i in theirs if i.quantity]
    asked = [i.quantity for i in ours if i.quantity]
    return [
        _instead(claims, q, part, there[0])
        for q in asked if there and there[0].unit == q.unit and not any(agree(q, t) for t in there)
    ]  # fmt: skip


def _name(claims: Claims, part: Claims, ours: Sequence[Token], theirs: Sequence[Token]) -> list[str]:
    names, others = [t for t in ours if t.name], [t for t in theirs if t.name]
    if not names or not others or {t.key for t in names} & {t.key for t in others}:
        return []
    initials = "".join(t.key[0] for t in others)
    if any(t.key == initials or (t.key[0] == others[0].key[0] and len(t.key) == len(others)) for t in names):
        return []
    return [f"the text says {part.said_word(others[0])} here, not {claims.said_word(names[0])}"]


def _negation(claims: Claims, part: Claims, ours: Sequence[Token], theirs: Sequence[Token]) -> list[str]:
    starts = {t.start for t in part.negations}
    here, there = [t for t in ours if t in claims.negations], [t for t in theirs if t.start in starts]
    if there and not here:
        return [f"the text says {part.phrase(there[0])!r}"]
    if here and not there:
        return [f"the text does not say {claims.phrase(here[0])!r}"]
    return []


def _opposite(claims: Claims, part: Claims, ours: Sequence[Token], theirs: Sequence[Token]) -> list[str]:
    return [
        f"the text says {part.said_word(t)!r}, not {claims.said_word(o)!r}"
        for o in ours for t in theirs if opposite(o.stem, t.stem)
    ]  # fmt: skip
