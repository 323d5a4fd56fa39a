"""A sentence that is nearly a quote -> its changes: a number, a name, a negation, a word for its opposite.

Where most of a sentence runs along with the text, each gap between the parts that are the same is a change, and the
words in the gap on either side have to agree. This complements `rag.attribution.claims.text`, which does not look at
the order of words: "the council rejected the tunnel" has all its words in "the council approved the bridge, after the
engineers had rejected the tunnel".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from rag.attribution.claims.align import NUMBER_WEIGHT, Token, opposite
from rag.attribution.claims.claims import NOWHERE, Claims, Contrary, position, predicates, span_of
from rag.attribution.claims.frames import connects, refers
from rag.attribution.claims.lexicon import LEADING, ORDERING, PARTICLES
from rag.attribution.claims.quantity import Quantity, agree

ALONG = 0.5
"""The share of a sentence's words that must run along with the text, in order, for its gaps to mean something."""
MAX_GAP = 5
"""The most words in a gap that is a change; a longer gap is a part left out or added."""
MAX_TOKENS = 400
"""The most tokens of a sentence or passage that are compared word by word."""

BREAK = 5
"""A step between words (`Token.at`) at which a part of a sentence ends: a comma or more."""
_END = re.compile(r";|[.!?]\s")
ITS_OWN = 0.34
"""The least share of a sentence's other words that stand in one clause with its predicate."""
FOLLOWING = 3
"""The most content words after a word such as "before", "from" or "than" that it leads."""
ISLAND = 2
"""The most words in a row that are a coincidence when they agree far from the rest."""


@dataclass(frozen=True, slots=True)
class EditItem:
    """A word, or a quantity of one or more words, under the key by which it is compared."""

    key: str
    token: Token
    quantity: Quantity | None


Gap = tuple[list[EditItem], list[EditItem]]


def changes(claims: Claims, part: Claims) -> list[Contrary]:
    """Return the changes in words; nothing for a sentence that does not run along with the text."""
    ours, theirs = _items(claims), _items(part)
    blocks = _blocks(ours, theirs)
    found: list[Contrary] = []
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
    return found


def misplaced(claims: Claims, part: Claims) -> list[str]:
    """Return what stands in the place of words that the text has in another place, and words that lead others there.

    "The engineers approved the bridge" puts engineers where the text has the council; "open the valve after you stop
    the pump" has other words behind its "after". These are doubts: a sentence may be put together anew, and be true.
    """
    ours, theirs = _items(claims), _items(part)
    blocks = _blocks(ours, theirs)
    said, known = {t.stem for t in claims.tokens}, {t.stem for t in part.tokens}
    found: list[str] = []
    for here, there in _gaps(ours, theirs, blocks):
        mine, yours = _content(here), _content(there)
        if here and there and _apart(here, there, ours, theirs):
            continue
        counted = [_counted(here), _counted(there)]
        if bool(counted[0]) != bool(counted[1]) and not (mine and yours):  # "at six" where the text says "at noon"
            mine = [t for t in mine + counted[0] if t.stem in known or t in counted[0]]
            yours = yours + counted[1]
        shared = {t.stem for t in mine} & {t.stem for t in yours}
        put = next((t for t in mine if t.stem not in shared), None)
        instead = next((t for t in yours if t.stem not in shared), None)
        if put is not None and instead is not None and not _elided(claims, part, put, instead, there):
            found.append(f"the text says {part.said_word(instead)} here, not {claims.said_word(put)}")
    for before, block in pairwise(blocks):
        skipped = [i.token for i in theirs[before[1] + before[2] - 1 : block[1]]]
        doer = _new_doer(skipped, theirs[block[1]].token) if before[0] + before[2] == block[0] else None
        if doer is not None and doer.stem not in said:
            found.append(f"the text says {part.said_word(doer)} here")
    turned = _turned_round(claims, part, ours, theirs, blocks)
    return [*found, *turned, *_led_elsewhere(claims, part), *_done_elsewhere(claims, part)]


def _apart(
    here: Sequence[EditItem], there: Sequence[EditItem], ours: Sequence[EditItem], theirs: Sequence[EditItem]
) -> bool:
    """Return True if what stands at an end of the sentence is a part by itself in the text: it is in nobody's place."""
    after = next((i.token for i in theirs if i.token.start > there[-1].token.start), None)
    before = next((i.token for i in reversed(theirs) if i.token.start < there[0].token.start), None)
    first = here[0] is ours[0] and after is not None and after.at - there[-1].token.at >= BREAK
    return first or (here[-1] is ours[-1] and before is not None and there[0].token.at - before.at >= BREAK)


def _turned_round(
    claims: Claims,
    part: Claims,
    ours: Sequence[EditItem],
    theirs: Sequence[EditItem],
    blocks: Sequence[tuple[int, int, int]],
) -> list[str]:
    """Return what a sentence says behind its subject and the text before it: "birds count wardens", by "wardens count
    birds". In the passive this may be right, and a phrase that opens with a small word may stand anywhere.
    """
    if any(t.key == "by" for t in claims.tokens) != any(t.key == "by" for t in part.tokens):
        return []
    for block, after in pairwise([*blocks, (len(ours), len(theirs), 0)]):
        moved = ours[block[0] + block[2] : after[0]]
        words = _content(moved)
        if len(words) < 2 or moved[0].token not in words or _content(theirs[block[1] + block[2] : after[1]]):
            continue
        before = {i.token.key for i in theirs[: block[1]]}
        glued = moved[0].token.at - ours[block[0] + block[2] - 1].token.at < BREAK
        if glued and all(t.key in before for t in words):
            return [f"the text says {claims.said_word(words[0])} before this, not behind it"]
    return []


def _counted(items: Sequence[EditItem]) -> list[Token]:
    return [i.token for i in items if i.quantity is not None and not i.quantity.soft]


def _content(items: Sequence[EditItem]) -> list[Token]:
    words = [i.token for i in items if i.quantity is None and not i.token.stop]
    return [t for t in words if not connects(t) and not refers(t.key)]


def _done_elsewhere(claims: Claims, part: Claims) -> list[str]:
    """Return the predicates of a plain sentence that the text has only where it speaks of little else of it."""
    known = {t.stem: t.weight for t in claims.words}
    if len(list(_clauses(claims))) > 1:
        return []
    said = []
    for clause in _clauses(part):
        there = part.between(clause[0].start, clause[-1].end).quantities
        agreed = {f"#{n}" for n, q in enumerate(claims.numbers) if any(agree(q, other) for other in there)}
        said.append({t.stem for t in clause if t.stem in known} | agreed)
    known |= {f"#{n}": NUMBER_WEIGHT for n in range(len(claims.numbers))}
    found = []
    for token in predicates(claims):
        others = {stem for clause in said for stem in clause} - {token.stem}
        where = [clause for clause in said if token.stem in clause]
        most = max((sum(known[s] for s in clause - {token.stem}) for clause in where), default=None)
        if most is not None and others and most < sum(known[s] for s in others) * ITS_OWN:
            found.append(f"the text says {claims.said_word(token)} of something else")
    return found


def _clauses(part: Claims) -> Iterator[list[Token]]:
    """Yield the words of a text between semicolons and ends of sentences."""
    clause: list[Token] = []
    for token in part.tokens:
        if clause and _END.search(part.text[clause[-1].end : token.start]):
            yield clause
            clause = []
        clause.append(token)
    if clause:
        yield clause


def _elided(claims: Claims, part: Claims, put: Token, instead: Token, there: Sequence[EditItem]) -> bool:
    """Return True if the text leaves out what the sentence says again.

    "The motor draws 2 kW and weighs 18 kg" says of the motor that it weighs that; and in "an electric crossing costs
    $10, a diesel crossing $23" each word has its own number, which is that of the sentence.
    """
    before = there[-1].token
    places = [t for t in part.tokens if t.stem == put.stem]
    if before.key in ("and", "or", "but") and any(not _breaks(part, t, before) for t in places):
        return True
    asked = claims.numbers
    for place in places:
        own, other = _nearest(part, place, asked), _nearest(part, instead, asked)
        if own and other and own.start != other.start and any(agree(q, own) for q in asked):
            return not any(agree(q, other) for q in asked)
    return False


def _breaks(part: Claims, first: Token, last: Token) -> bool:
    """Return True if a part of a sentence ends between two words, or if the second comes first."""
    inside = [t for t in part.tokens if first.start <= t.start <= last.start]
    return not inside or any(b.at - a.at >= BREAK for a, b in pairwise(inside))


def _nearest(part: Claims, token: Token, asked: Sequence[Quantity]) -> Quantity | None:
    """Return the number of the text, of a kind that is asked for, that stands nearest to a word."""
    kinds = {q.kind for q in asked}
    every = [q for q in part.numbers if q.kind in kinds]
    return min(every, key=lambda q: abs(position(part, q.start) - token.at), default=None)


def _new_doer(skipped: Sequence[Token], onward: Token) -> Token | None:
    """Return the last word of a skipped part if that begins anew before it, and the text runs on behind it.

    `skipped` begins with the word before it.
    """
    said = [t for t in skipped[1:] if not t.stop]
    if not said or onward.at - said[-1].at >= BREAK or said[-1].key.endswith("ly"):
        return None
    anew = any(b.at - a.at >= BREAK for a, b in pairwise(skipped) if b.start <= said[-1].start)
    return said[-1] if anew else None


def _led_elsewhere(claims: Claims, part: Claims) -> list[str]:
    """Return the words that lead other words in the text: "before", "from", "than"."""
    found = []
    ordered = any(t.key in ORDERING for t in part.tokens)
    for key, led in _led(claims):
        if key in ("before", "after") and led and not ordered:
            found.append(f"the text does not say {key}")
        there = [t for other, words in _led(part) if other == key for t in words]
        known = {t.stem for t in part.tokens}
        if there and led and led[0].stem in known and led[0].stem not in {t.stem for t in there}:
            found.append(f"the text says {key} {part.said_word(there[0])}, not {key} {claims.said_word(led[0])}")
    return found


def _led(claims: Claims) -> list[tuple[str, list[Token]]]:
    """Return each word that leads others, and the content words that it leads, in its part of the sentence."""
    found, known = list[tuple[str, list[Token]]](), {q.start for q in claims.quantities}
    for n, token in enumerate(claims.tokens):
        if token.key in LEADING:
            led: list[Token] = []
            for last, word in pairwise(claims.tokens[n:]):
                if word.at - last.at >= BREAK or word.key in LEADING or len(led) == FOLLOWING or word.start in known:
                    break
                led += [] if word.stop else [word]
            found.append((token.key, led))
    return found


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


def _instead(claims: Claims, asked: Quantity, part: Claims, there: Quantity) -> Contrary:
    told = f"where the text speaks of this it says {part.said(there)}, not {claims.said(asked)}"
    return Contrary.of(told, span_of(asked), span_of(there))


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


def _number(claims: Claims, part: Claims, ours: Sequence[EditItem], theirs: Sequence[EditItem]) -> list[Contrary]:
    there = [i.quantity for i in theirs if i.quantity]
    asked = [i.quantity for i in ours if i.quantity]
    return [
        _instead(claims, q, part, there[0])
        for q in asked if there and there[0].unit == q.unit and not any(agree(q, t) for t in there)
    ]  # fmt: skip


def _name(claims: Claims, part: Claims, ours: Sequence[Token], theirs: Sequence[Token]) -> list[Contrary]:
    names, others = [t for t in ours if t.name], [t for t in theirs if t.name]
    if not names or not others or {t.key for t in names} & {t.key for t in others}:
        return []
    initials = "".join(t.key[0] for t in others)
    if any(t.key == initials or (t.key[0] == others[0].key[0] and len(t.key) == len(others)) for t in names):
        return []
    told = f"the text says {part.said_word(others[0])} here, not {claims.said_word(names[0])}"
    return [Contrary.of(told, (names[0].start, names[-1].end), (others[0].start, others[-1].end))]


def _negation(claims: Claims, part: Claims, ours: Sequence[Token], theirs: Sequence[Token]) -> list[Contrary]:
    starts = {t.start for t in part.negations}
    here, there = [t for t in ours if t in claims.negations], [t for t in theirs if t.start in starts]
    if there and not here:
        return [Contrary.of(f"the text says {part.phrase(there[0])!r}", NOWHERE, part.around(there[0]))]
    if here and not there:
        return [Contrary.of(f"the text does not say {claims.phrase(here[0])!r}", claims.around(here[0]), NOWHERE)]
    return []


def _opposite(claims: Claims, part: Claims, ours: Sequence[Token], theirs: Sequence[Token]) -> list[Contrary]:
    return [
        Contrary.of(f"the text says {part.said_word(t)!r}, not {claims.said_word(o)!r}", span_of(o), span_of(t))
        for o in ours for t in theirs if opposite(o.stem, t.stem) or {o.key, t.key} in PARTICLES
    ]  # fmt: skip
