"""A running text held against a sentence, the strict part of checking: numbers, dates, names, negation."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from rag.attribution.claims.align import NUMBER_WEIGHT, Passage, Token, meaning, opposite, rank
from rag.attribution.claims.binding import elsewhere, rival
from rag.attribution.claims.claims import (
    NOWHERE,
    Claims,
    Contrary,
    Lacking,
    claims_of,
    predicates,
    qualifiers,
    scope,
    span_of,
    tie,
)
from rag.attribution.claims.edits import changes, misplaced
from rag.attribution.claims.frames import connects, refers
from rag.attribution.claims.lexicon import LINKING, MEASURES
from rag.attribution.claims.quantity import Quantity, agree

CANDIDATES = 3
"""The number of passages of a text that are read closely."""
CLEARER = 1.15
"""The factor by which the words around a word's opposite must fit better for it to stand in the word's place."""
FIGURE = "figure"
UNREADABLE = "of what the figure says this cannot be read from its words: {}"
BARE = 0.5
"""The share of its weight that a number keeps which a figure has without its unit, or in another place."""
ELSEWHERE = 0.5
"""The share of its weight that a word keeps in the heading, the caption or elsewhere in the element."""
REFUSED, DOUBTED = 0.03, 0.03
"""The shares of the sentence's words that a passage without objection, or doubt, may lack and still be preferred."""

MEASURED = frozenset(meaning(word) for word in MEASURES)
"""The stems of the words that say of a number only that it is one."""


@dataclass(frozen=True, slots=True)
class TextReading:
    """The findings: the share of the sentence that is there (0 to 1), contradictions, doubts, and the proof.

    `coverage` counts words, names and numbers, `words` leaves the numbers out, `gist` those words that only speak of
    sources and may be the writer's own; `objections` are contradictions, each
    enough to refuse; `doubts` leave the sentence half proven; `missing` are the words found nowhere; `spans` are
    (start, end) in the element's text; `passage` is the part that was compared.
    """

    coverage: float
    words: float
    objections: tuple[str, ...]
    doubts: tuple[str, ...]
    missing: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    passage: tuple[int, int]
    gist: float = 0.0


def read_text(claims: Claims, text: str, kind: str, context: Sequence[Claims]) -> TextReading | None:
    """Return the best reading of a text; None when it has nothing of the sentence. `kind` is its name in messages."""
    whole = claims_of(text)
    ranked = rank(claims.tokens, text)
    if not ranked:
        return None
    bonus = {(p.start, p.end): _numbers_in(claims, whole.between(p.start, p.end)) for p in ranked[: 4 * CANDIDATES]}
    strongest = sorted(ranked[: 4 * CANDIDATES], key=lambda p: -(p.score + bonus[p.start, p.end]))[:CANDIDATES]
    needed = [p for p in strongest if not any(_as_good(q, p, bonus) for q in strongest)]
    readings = [_read(claims, whole, passage, kind, context) for passage in needed]
    return max(readings, key=lambda r: (r.words - REFUSED * bool(r.objections) - DOUBTED * len(r.doubts), _short(r)))


def _as_good(shorter: Passage, longer: Passage, bonus: dict[tuple[int, int], float]) -> bool:
    """Return True if a part of a passage has all that the passage has."""
    inside = longer.start <= shorter.start and shorter.end <= longer.end and shorter is not longer
    same = {t.stem for t in longer.matched} <= {t.stem for t in shorter.matched}
    return inside and same and bonus[shorter.start, shorter.end] >= bonus[longer.start, longer.end]


def _short(reading: TextReading) -> int:
    return reading.passage[0] - reading.passage[1]


def _numbers_in(claims: Claims, part: Claims) -> float:
    return sum(NUMBER_WEIGHT for q in claims.numbers if any(agree(q, p) for p in part.quantities))


def _read(claims: Claims, whole: Claims, passage: Passage, kind: str, context: Sequence[Claims]) -> TextReading:
    part = whole.between(passage.start, passage.end)
    objections: list[str] = []
    doubts: list[str] = []
    proven, got = _numbers(claims, part, whole, kind, context, objections, doubts)
    stems = {t.stem for t in part.tokens}
    around = {t.stem for c in (*context, whole) for t in c.tokens}
    keys = {t.key for t in part.tokens}
    absent = [t for t in claims.words if t.stem not in stems or (t.name and not _same_name(t.key, keys))]
    idle = [t for t in absent if connects(t) or (t.key in LINKING and not t.name)]
    absent = [t for t in absent if t not in idle]
    _names(absent, part, claims, around, kind, objections, doubts)
    negations(claims, part, objections)
    _opposites(claims, part, objections)
    changed = changes(claims, part)
    objections[:] = [o for o in objections if not (isinstance(o, Lacking) and _replaced(o, changed))]
    objections += changed
    doubts += [] if objections else misplaced(claims, part)
    if kind == FIGURE:
        got += _printed(claims, whole, objections, doubts)
    spare = sum(t.weight for t in idle)
    said = claims.weight - spare - NUMBER_WEIGHT * len(claims.numbers) - sum(t.weight for t in absent)
    said += sum(ELSEWHERE * t.weight for t in absent if t.stem in around)
    shared = {t.stem for t in claims.words}
    spans = [(t.start, t.end) for t in part.words if t.stem in shared] + proven
    missing = tuple(claims.said_word(t) for t in absent if t.stem not in around)
    doubts += [f"the {kind} says {claims.said_word(t)!r} of another number" for t in elsewhere(claims, part, proven)]
    doubts += [] if objections else unsaid(claims, absent, kind, {t.stem for c in context for t in c.tokens})
    coverage = (got + said) / (claims.weight - spare) if claims.weight > spare else 0.0
    glue = sum(t.weight for t in absent if not t.name and refers(t.key))
    whole_weight = claims.weight - spare - glue
    gist = (got + said) / whole_weight if whole_weight > 0 else 0.0
    words = said / (sum(t.weight for t in claims.words) - spare or 1.0)
    return TextReading(
        coverage,
        words,
        tuple(objections),
        tuple(doubts),
        missing,
        joined(part.text, spans),
        (passage.start, passage.end),
        min(gist, 1.0),
    )


def unsaid(claims: Claims, absent: Sequence[Token], kind: str, context: Set[str] = frozenset()) -> list[str]:
    """Return the doubts about what a sentence says is done, or is, and its source does not: a verb may turn it.

    So may a word that qualifies another ("the planned cost"), unless the stems of the `context` have it.
    """
    own = (*predicates(claims), *(t for t in qualifiers(claims, absent) if t.stem not in context | MEASURED))
    return [f"the {kind} does not say {claims.said_word(t)!r}" for t in absent if t in own and not refers(t.key)]


def _numbers(
    claims: Claims,
    part: Claims,
    whole: Claims,
    kind: str,
    context: Sequence[Claims],
    objections: list[str],
    doubts: list[str],
) -> tuple[list[tuple[int, int]], float]:
    """Return the spans of the quantities that agree, and their weight; add objections for those that do not."""
    spans: list[tuple[int, int]] = []
    got = 0.0
    for asked in claims.quantities:
        same = [q for q in part.quantities if agree(asked, q)]
        if not same and asked.soft:
            if asked.unit == "th" and not any(agree(asked, q) for c in (whole, *context) for q in c.quantities):
                doubts.append(f"the {kind} does not say {claims.said(asked)!r}")
            continue
        if not same and asked.kind != "number" and any(agree(asked, q) for c in context for q in c.quantities):
            got += NUMBER_WEIGHT
            continue
        if not same:
            objections.append(_unlike(claims, asked, part, whole, kind))
            continue
        best = max(same, key=lambda q: tie(claims, asked.start, part, q.start))
        other = None if asked.soft else rival(claims, asked, part, same)
        if other is not None:
            said = f"where the {kind} speaks of this it says {part.said(other)}, not {claims.said(asked)}"
            objections.append(Contrary.of(said, span_of(asked), span_of(other)))
        spans.append((best.start, best.end))
        got += 0.0 if asked.soft else NUMBER_WEIGHT
    return spans, got


def _printed(claims: Claims, whole: Claims, objections: list[str], doubts: list[str]) -> float:
    """Turn objections to what is somewhere in a figure into doubts, and return the weight of its bare numbers.

    The words of a figure have no order that means something, and its numbers often no unit: "43" may be the 43% of the
    sentence, but of what it is cannot be read from its words.
    """
    bare = [q for q in claims.numbers if any(agree(replace(q, unit=""), replace(n, unit="")) for n in whole.numbers)]
    printed = [o for o in objections if any(o.startswith(f"{claims.said(q)} is ") for q in bare)]
    all_printed = len(bare) == len(claims.numbers)  # a number that is nowhere in the figure is an objection
    open_to = [o for o in objections if o in printed or (all_printed and isinstance(o, Contrary))]
    objections[:] = [o for o in objections if o not in open_to]
    doubts += [
        Contrary.of(UNREADABLE.format(o), getattr(o, "said", NOWHERE), getattr(o, "found", NOWHERE)) for o in open_to
    ]
    return BARE * NUMBER_WEIGHT * len(printed)


def _unlike(claims: Claims, asked: Quantity, part: Claims, whole: Claims, kind: str) -> str:
    """Say in words why a quantity is not there."""
    said = claims.said(asked)
    if asked.kind == "moment":
        others = [q for q in part.quantities if q.kind == "moment" and q.year and q.year != asked.year]
        if others and asked.year and not any(agree(asked, q) for q in whole.quantities):
            told = f"the {kind} is about {part.said(others[0])}, not {said}"
            return Contrary.of(told, span_of(asked), span_of(others[0]))
    if any(agree(asked, q) for q in whole.quantities):
        return f"{said} is elsewhere in the {kind}, not where it speaks of this"
    timed = asked.kind == "clock"
    alike = [q for q in part.quantities if q.kind == asked.kind and not q.soft]
    rivals = [q for q in alike if timed or (q.kind == "number" and q.unit == asked.unit)]
    if rivals:
        nearest = max(rivals, key=lambda q: tie(claims, asked.start, part, q.start))
        if tie(claims, asked.start, part, nearest.start) > 1.0:
            told = f"{said} is not in the {kind}, which says {part.said(nearest)}"
            return Contrary.of(told, span_of(asked), span_of(nearest))
    return f"{said} is not in the {kind}"


def _names(
    absent: Sequence[Token],
    part: Claims,
    claims: Claims,
    around: set[str],
    kind: str,
    objections: list[str],
    doubts: list[str],
) -> None:
    """Object to names that the sentence has and the passage has not; doubt them where the text has them elsewhere."""
    said = {t.stem for t in claims.tokens}
    initials = {"".join(t.key[0] for t in run) for run in _runs(part)}
    others = [t for t in part.words if t.name and t.stem not in said]
    for token in absent:
        if not token.name or token.key in initials:
            continue
        name = claims.said_word(token)
        if token.stem not in around:
            objections.append(Lacking.of(f"{name} is not in the {kind}", span_of(token)))
        elif others:
            doubts.append(f"the {kind} says {part.said_word(others[0])} here, {name} elsewhere")
    opening = next((t for t in claims.words), None)
    if opening is not None and not opening.name and opening in absent and opening.start == _first(claims):
        doubts.append(f"the {kind} does not say {claims.said_word(opening)!r}")


def _replaced(lacking: Lacking, changed: Sequence[Contrary]) -> bool:
    """Return True if a change tells what stands in the place of the word that is lacking."""
    return any(c.said[0] <= lacking.said[0] and lacking.said[1] <= c.said[1] and c.found != NOWHERE for c in changed)


def _same_name(key: str, keys: set[str]) -> bool:
    """Return True if names are the same: they are not reduced to a meaning, at most a plural ending may differ."""
    return key in keys or key + "s" in keys or key.removesuffix("s") in keys


def _first(claims: Claims) -> int:
    return next((t.start for t in claims.tokens if not t.stop), 0)


def _runs(part: Claims) -> list[list[Token]]:
    """Return the names of several words."""
    runs: list[list[Token]] = [[]]
    for token in part.tokens:
        if token.name or (runs[-1] and token.stop and token.key in ("of", "and", "the")):
            runs[-1] += [token] if token.name else []
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if len(run) > 1]


def negations(claims: Claims, part: Claims, objections: list[str]) -> None:
    """Object to a negation on one side whose words the other side has without one."""
    ours, theirs = _denied(claims), _denied(part)
    for word in (t for t in claims.tokens if (ours or theirs) and not t.stop):
        places = [t for t in part.tokens if t.stem == word.stem and not t.stop]
        if not places:
            continue
        ours_too = [t for t in claims.tokens if t.stem == word.stem and not t.stop]
        if len(ours_too) == len(places):  # the word is as frequent in both: pair by order
            there = places[ours_too.index(word)]
        else:
            there = max(places, key=lambda t: tie(claims, word.start, part, t.start))
        here, yonder = ours.get(word.start), theirs.get(there.start)
        if here is not None and here[1] and yonder is None:
            told = f"the text does not say {claims.phrase(here[0])!r}"
            objections.append(Contrary.of(told, claims.around(here[0]), span_of(there)))
        if yonder is not None and yonder[1] and here is None:
            told = f"the text says {part.phrase(yonder[0])!r}"
            objections.append(Contrary.of(told, span_of(word), part.around(yonder[0])))


def _denied(claims: Claims) -> dict[int, tuple[Token, bool]]:
    """Map the places of the words that a negation reaches to (the negation, True for the first word it reaches)."""
    found: dict[int, tuple[Token, bool]] = {}
    for negation in claims.negations:
        for n, token in enumerate(scope(claims, negation)):
            found.setdefault(token.start, (negation, n == 0))
    return found


def _opposites(claims: Claims, part: Claims, objections: list[str]) -> None:
    """Object to a word of the sentence whose opposite stands in its place."""
    for token in claims.tokens:
        against = [t for t in part.tokens if opposite(token.stem, t.stem)]
        if not against:
            continue
        found = max(against, key=lambda t: tie(claims, token.start, part, t.start))
        fits = tie(claims, token.start, part, found.start)
        same = max((tie(claims, token.start, part, t.start) for t in part.tokens if t.stem == token.stem), default=0.0)
        owned = max(
            (tie(claims, t.start, part, found.start) for t in claims.tokens if t.stem == found.stem), default=0.0
        )
        if fits > max(CLEARER * same, owned, 0.2):
            told = f"the text says {part.said_word(found)!r}, not {claims.said_word(token)!r}"
            objections.append(Contrary.of(told, span_of(token), span_of(found)))


def joined(text: str, spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return spans in order; those with at most three words between them are made one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and (start <= merged[-1][1] or _close(text[merged[-1][1] : start])):
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _close(gap: str) -> bool:
    return len(gap) < 40 and len(gap.split()) <= 3 and "\n" not in gap and ". " not in gap
