"""What several answers to one question say differently: numbers and names that stand in one and not in all. Pure.

Numbers are compared as checking compares them: 12.5% is 12.5 percent, 1.2 million no other number than 1,236,000.
Names are single words with a capital, wherever in a sentence the other answer has them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.check.align import Token
from rag.check.amounts import Quantity, agree
from rag.check.claims import Claims, claims_of
from ui.render import escape
from ui.sanitize import clean

Answered = Sequence[str]
"""The sentences of one answer; none where it abstained or failed, which is no disagreement."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What `text[start:end]` of a sentence (as `clean` leaves it) says, other answers (by position) do not."""

    start: int
    end: int
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """All that an answer says: its quantities, and every word of it, folded."""

    quantities: tuple[Quantity, ...]
    words: frozenset[str]


def differences(answers: Sequence[Answered]) -> tuple[tuple[tuple[Difference, ...], ...], ...]:
    """For each answer and each of its sentences, what is not in every other answer, in order and without overlap."""
    claims = [[claims_of(clean(sentence)) for sentence in answer] for answer in answers]
    said = {n: _said(of_answer) for n, of_answer in enumerate(claims) if of_answer}
    return tuple(
        tuple(_of_sentence(sentence, {m: s for m, s in said.items() if m != n}) for sentence in of_answer)
        for n, of_answer in enumerate(claims)
    )


def _said(claims: Sequence[Claims]) -> _Said:
    words = {token.key for one in claims for token in one.tokens}
    return _Said(tuple(q for one in claims for q in one.quantities), frozenset(words | {w + "s" for w in words}))


def _of_sentence(claims: Claims, others: dict[int, _Said]) -> tuple[Difference, ...]:
    found = sorted((*_numbers(claims, others), *_names(claims, others)), key=lambda d: (d.start, -d.end))
    kept: list[Difference] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:  # not a word inside a number that is marked already
            kept.append(one)
    return tuple(kept)


def _numbers(claims: Claims, others: dict[int, _Said]) -> Iterator[Difference]:
    for quantity in claims.numbers:
        missing = tuple(n for n, said in others.items() if not _has(said, quantity))
        if missing:
            yield Difference(quantity.start, quantity.end, missing)


def _has(said: _Said, quantity: Quantity) -> bool:
    """Whether an answer has the same quantity, at the precision of either."""
    return any(agree(quantity, other) or agree(other, quantity) for other in said.quantities)


def _names(claims: Claims, others: dict[int, _Said]) -> list[Difference]:
    """Names word by word; those that stand side by side, and that the same answers lack, are one."""
    found: list[Difference] = []
    for token in claims.words:
        if not (token.name or _opens_name(claims, token)):
            continue
        missing = tuple(n for n, said in others.items() if token.key not in said.words)
        if found and missing == found[-1].missing and claims.text[found[-1].end : token.start] == " ":
            found[-1] = replace(found[-1], end=token.end)
        elif missing:
            found.append(Difference(token.start, token.end, missing))
    return found


def _opens_name(claims: Claims, token: Token) -> bool:
    """Whether the word that opens a sentence, capital or not, belongs to the name that follows it: Anna Holm."""
    at = bisect_right(claims.tokens, token.start, key=lambda t: t.start)
    follows = claims.tokens[at] if at < len(claims.tokens) else None
    capital = claims.text[token.start].isupper()
    return capital and follows is not None and follows.name and follows.start == token.end + 1


def marked_html(text: str, found: Sequence[Difference], names: Sequence[str]) -> str:
    """A sentence as HTML, escaped, with what differs underlined; `names` are those of the answers, by position.

    `found` are the differences of this sentence: in order, inside the cleaned text.
    """
    text = clean(text)
    parts, at = [], 0
    for one in found:
        parts.append(_escaped(text[at : one.start]))
        lacking = " and ".join(names[n] for n in one.missing)
        parts.append(
            f'<mark class="v-differs" title="{escape(f"Not said by {lacking}")}">'
            f"{_escaped(text[one.start : one.end])}</mark>"
        )
        at = one.end
    return "".join((*parts, _escaped(text[at:])))


def _escaped(part: str) -> str:
    """A part of a cleaned text: `escape` would take the spaces at its ends for margins."""
    inner = part.strip(" ")
    if not inner:
        return part
    before, after = len(part) - len(part.lstrip(" ")), len(part) - len(part.rstrip(" "))
    return " " * before + escape(inner) + " " * after


def said_by(answers: Sequence[Answered]) -> tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]:
    """Each thing that is not in all answers, once: (as it is worded first, who says it, who does not), in order."""
    found = differences(answers)
    worded: dict[str, tuple[str, set[int], set[int]]] = {}
    for n, (answer, of_answer) in enumerate(zip(answers, found, strict=True)):
        for sentence, of_sentence in zip(answer, of_answer, strict=True):
            for one in of_sentence:
                said = clean(sentence)[one.start : one.end]
                _, by, missing = worded.setdefault(said.casefold(), (said, set(), set()))
                by.add(n)
                missing.update(one.missing)
    return tuple((said, tuple(sorted(by)), tuple(sorted(missing - by))) for said, by, missing in worded.values())
