"""Claims to check against a region: one that it supports, one that it contradicts, one of which it says nothing."""

from __future__ import annotations

import random
import re

from evaluation.fit.reader.corpus import AskedQuestion
from evaluation.fit.reader.negatives import other_number
from evaluation.fit.reader.regions import Material, TrainingRegion
from evaluation.fit.reader.wording import NAME, NUMBER, capital, names_in, plain, without_asking

LONGEST_ANSWER = 150
# Of questions whose words stand one space apart.
_BE = re.compile(r"^(what|who|which|where|when) (is|are|was|were) (.+)$", re.IGNORECASE)
_DID = re.compile(r"^(what|who|where|when|why|how) (?:did|does|do) (.+?) (\w+)( .*)?$", re.IGNORECASE)
_MANY = re.compile(r"^how (many|much) (.+)$", re.IGNORECASE)
_SUBJECT = re.compile(
    r"^(who|what|which [\w -]+?|what [\w -]+?) ((?:is|was|are|were|has|had|won|made|said|led|became|\w+ed|\w+s)\b.*)$",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(is|are|was|were|has|have|had|can|could|will|would|did|does|do)\b(?! not)")


def claim_of(q: AskedQuestion, right: TrainingRegion, rng: random.Random) -> str | None:
    """Say the answer as a sentence; None for an answer that is too long for one."""
    if q.sentence:
        return q.sentence
    answer = right.text[slice(*right.spans[0])]
    return stated(q.text, answer, rng) if len(answer) <= LONGEST_ANSWER else None


def stated(question: str, answer: str, rng: random.Random) -> str:
    """Write a sentence that answers a question: by its form where that is known, else question and answer together."""
    bare = " ".join(question.rstrip("? .").split())
    if rng.random() < 0.15:
        return f"{bare}? {answer}" if rng.random() < 0.5 else f"{answer}."
    if m := _BE.match(bare):
        return _said_to_be(m[1].lower(), m[2], m[3], answer, rng)
    if m := _MANY.match(bare):
        return f"{answer} {m[2]}." if rng.random() < 0.6 else f"The number of {m[2]} is {answer}."
    if m := _SUBJECT.match(bare):
        return f"{capital(answer)} {m[2]}."
    if m := _DID.match(bare):
        at = "in " if m[1].lower() == "when" and not answer.lower().startswith("in") else ""
        return f"{capital(m[2])} {m[3]}{m[4] or ''} {at}{answer}."
    return f"{capital(without_asking(bare))}: {answer}."


def _said_to_be(word: str, be: str, rest: str, answer: str, rng: random.Random) -> str:
    placed = word in ("when", "where")
    at = "in " if placed and not answer.lower().startswith(("in ", "on ", "at ")) else ""
    said = f"{capital(rest)} {be} {at}{answer}."
    return said if rng.random() < 0.7 or placed else f"{capital(answer)} {be} {rest}."


def made_false(
    material: Material, q: AskedQuestion, right: TrainingRegion, claim: str, rng: random.Random
) -> str | None:
    """Put another answer of its kind into a claim: a cell near by, a number, a name; or deny it. None if none fits."""
    answer = right.text[slice(*right.spans[0])]
    at = claim.find(answer)
    if q.cells and at >= 0 and rng.random() < 0.6:
        other = _other_cell(material, q, answer, rng)
        if other:
            return claim[:at] + other + claim[at + len(answer) :]
    numbers = [m.span() for m in NUMBER.finditer(claim)]
    inside = [s for s in numbers if at >= 0 and s[0] >= at and s[1] <= at + len(answer)] or numbers
    if inside and rng.random() < 0.85:
        a, b = rng.choice(inside)
        there = [n for n in NUMBER.findall(right.text) if n != claim[a:b]]
        fitting = there and rng.random() < 0.5
        number = rng.choice(there) if fitting else other_number(claim[a:b], claim, material.numbers, rng)
        return claim[:a] + number + claim[b:] if number else None
    if at >= 0 and NAME.fullmatch(answer) and rng.random() < 0.8:
        lowered = q.text.lower()
        near = [n for n in names_in(right.text) if n not in answer and answer not in n and n.lower() not in lowered]
        if near or material.names:
            return claim[:at] + rng.choice(near or material.names) + claim[at + len(answer) :]
    return _DENIED.sub(r"\1 not", claim, count=1) if _DENIED.search(claim) else None


def _other_cell(material: Material, q: AskedQuestion, answer: str, rng: random.Random) -> str | None:
    """Draw another cell of the answer's column, or of its row; None where there is none."""
    t, (r, c) = material.corpus.tables[q.table], q.cells[0]
    column = [row[c] for i, row in enumerate(t.rows) if i >= t.headers and i != r and c < len(row)]
    beside = [cell for i, cell in enumerate(t.rows[r]) if i != c]
    others = [o for o in (column if rng.random() < 0.6 else beside) if o and plain(o) != plain(answer)]
    return rng.choice(others) if others else None
