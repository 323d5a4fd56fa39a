"""A claim -> its parts, which may rest on different places; and a claim that says little, with what it is about.

"Sales rose to 4.1 million, while costs fell" has two parts. "It was 43%" answers its question and says nothing without
it: the question's words are then part of what has to be proven.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexing.language import tokens
from rag.attribution.words.claims import Claims, claims_of
from rag.attribution.words.frames import refers
from rag.attribution.words.lexicon import MEASURE_WORDS

ENOUGH = 3.0
"""The weight of the words of its own with which a claim stands by itself: three words, or a name and a word."""
LEAST = 2.0
"""The weight of words, names and numbers that makes a part of a claim a claim itself."""
MOST_PARTS = 8
_JOINT = re.compile(
    r"\s?;\s|,\s(?:and|but|while|whereas|although|though|with|which|where|who|as well as|followed by|such as)\s|"
    r",\s(?=[a-z]{2,14}ing\s)|\s(?:while|whereas|compared (?:to|with))\s|(?<=[a-z0-9%)])\.\s(?=[A-Z])|"
    r"\s(?=(?:found|finds|showed|shows|reported|reports|said|says|indicated|indicates|suggests|means)\sthat\s)"
)


_MEASURES = frozenset(t.stem for word in MEASURE_WORDS for t in tokens(word))


def parts(claim: str) -> tuple[str, ...]:
    """Return the parts of a claim, each with the names and dates that it takes from the first; itself where it is one.

    A piece that says too little by itself stays with the one before it.
    """
    pieces: list[str] = []
    at = 0
    for joint in _JOINT.finditer(claim):
        if joint.start() < at or len(pieces) == MOST_PARTS - 1:
            continue
        if _says_enough(claim[at : joint.start()]) and _says_enough(claim[joint.end() :]):
            pieces.append(claim[at : joint.start()])
            at = joint.end()
    pieces.append(claim[at:])
    if len(pieces) == 1:
        return (claim,)
    first = claims_of(pieces[0])
    return (pieces[0], *(_with_subject(piece, first) for piece in pieces[1:]))


def complete_claim(claim: str, about: Sequence[str]) -> str:
    """Return a claim that stands by itself, or one that says little after the words of what it is about.

    `about` is the question and what stands above the claim, from the outermost; the nearest that says something counts.
    """
    if own_weight(claim) >= ENOUGH:
        return claim
    claim_stems = {t.stem for t in tokens(claim)}
    for text in reversed(about):
        every = claims_of(text)
        stems = claim_stems | _MEASURES
        missing = [t for t in every.tokens if not t.stop and t.stem not in stems and not refers(every.said_word(t))]
        if missing:
            return f"{' '.join(every.said_word(t) for t in missing)}: {claim}"
    return claim


def own_weight(claim: str) -> float:
    """Return the weight of the different words of a claim that speak of more than its source; numbers are left out."""
    every = claims_of(claim)
    return sum({t.stem: t.weight for t in every.words if not refers(every.said_word(t))}.values())


def _says_enough(piece: str) -> bool:
    every = claims_of(piece)
    return every.weight >= LEAST and len(every.tokens) >= 2


def _with_subject(piece: str, first: Claims) -> str:
    """Return a later part after the names and dates of the first, unless it has names or dates of its own."""
    own = claims_of(piece)
    lead = []
    if not any(t.name for t in own.words):
        lead += [first.said_word(t) for t in first.words if t.name]
    if not any(q.kind == "moment" for q in own.quantities):
        lead += [first.wording(q) for q in first.quantities if q.kind == "moment"]
    return f"{', '.join(lead)}: {piece}" if lead else piece
