"""The disagreement of several answers to one question: numbers and names that stand in one and not in all. Pure.

Numbers are compared as checking compares them: 12.5% is 12.5 percent, 1.2 million no other number than 1,236,000; and
one without a unit, as in the cell of a table, is that number with any. Names are single words with a capital, wherever
in a sentence the other answer has them. What most of the answers say is no difference of theirs: those differ that
say something else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexing.language import Quantity, Token, agree
from rag.attribution.words import Claims, claims_of
from ui.show import HTML, clean, render

Answered = Sequence[str]
"""The sentences of one answer; none where it abstained or failed, which is no disagreement."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A difference: `text[start:end]` of a sentence (as `clean` leaves it), which other answers (by position) lack."""

    start: int
    end: int
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """The content of an answer: its quantities, and every word of it, folded."""

    quantities: tuple[Quantity, ...]
    words: frozenset[str]


def differences(answers: Sequence[Answered]) -> tuple[tuple[tuple[Disagreement, ...], ...], ...]:
    """Return for each answer and sentence the parts that most answers lack, in order and without overlap."""
    claims = [[claims_of(clean(sentence)) for sentence in answer] for answer in answers]
    values = {n: _collect_values(of_answer) for n, of_answer in enumerate(claims) if of_answer}
    return tuple(
        tuple(_of_sentence(sentence, {m: s for m, s in values.items() if m != n}) for sentence in of_answer)
        for n, of_answer in enumerate(claims)
    )


def _collect_values(claims: Sequence[Claims]) -> _Said:
    words = {token.key for one in claims for token in one.tokens}
    return _Said(tuple(q for one in claims for q in one.quantities), frozenset(words | {w + "s" for w in words}))


def _of_sentence(claims: Claims, others: dict[int, _Said]) -> tuple[Disagreement, ...]:
    candidates = sorted((*_numbers(claims, others), *_names(claims, others)), key=lambda d: (d.start, -d.end))
    disagreements: list[Disagreement] = []
    for one in candidates:
        if not disagreements or one.start >= disagreements[-1].end:  # not a word inside a number that is marked already
            disagreements.append(one)
    return tuple(disagreements)


def _numbers(claims: Claims, others: dict[int, _Said]) -> Iterator[Disagreement]:
    for quantity in claims.numbers:
        missing = tuple(n for n, values in others.items() if not _has(values, quantity))
        if _differs(missing, others):
            yield Disagreement(quantity.start, quantity.end, missing)


def _differs(missing: Sequence[int], others: Mapping[int, _Said]) -> bool:
    """Return True where at least half of the answers that say anything, the one that is looked at too, lack a part."""
    return 2 * len(missing) >= len(others) + 1


def _has(said: _Said, quantity: Quantity) -> bool:
    """Return True if an answer has the same quantity, at the precision of either; a bare number has any unit."""
    return any(agree(quantity, o) or agree(o, quantity) or _bare(quantity, o) for o in said.quantities)


def _bare(one: Quantity, other: Quantity) -> bool:
    """Return True for the same number of which one has no unit."""
    numbers = one.kind == other.kind == "number" and one.sign == other.sign
    return numbers and one.value == other.value and "" in (one.unit, other.unit)


def _names(claims: Claims, others: dict[int, _Said]) -> list[Disagreement]:
    """Return names word by word; those that stand side by side, and that the same answers lack, are one."""
    disagreements: list[Disagreement] = []
    for token in claims.words:
        if not (token.name or _opens_name(claims, token)):
            continue
        missing = tuple(n for n, values in others.items() if token.key not in values.words)
        if not _differs(missing, others):
            continue
        if (
            disagreements
            and missing == disagreements[-1].missing
            and claims.text[disagreements[-1].end : token.start] == " "
        ):
            disagreements[-1] = replace(disagreements[-1], end=token.end)
        else:
            disagreements.append(Disagreement(token.start, token.end, missing))
    return disagreements


def _opens_name(claims: Claims, token: Token) -> bool:
    """Return True if the word that opens a sentence, capital or not, belongs to the name after it: Anna Holm."""
    at = bisect_right(claims.tokens, token.start, key=lambda t: t.start)
    follows = claims.tokens[at] if at < len(claims.tokens) else None
    capital = claims.text[token.start].isupper()
    return capital and follows is not None and follows.name and follows.start == token.end + 1


def marked_html(text: str, found: Sequence[Disagreement], names: Sequence[str]) -> HTML:
    """Return a sentence with the differences underlined; `names` are those of the answers, by position.

    `found` are the differences of this sentence: in order, inside the cleaned text.
    """
    text = clean(text)
    parts: list[tuple[str, str | None]] = []
    at = 0
    for one in found:
        lacking = " and ".join(names[n] for n in one.missing)
        parts += [(text[at : one.start], None), (text[one.start : one.end], lacking)]
        at = one.end
    return render("web/compare/templates/marked.html", parts=[*parts, (text[at:], None)])


def said_by(answers: Sequence[Answered]) -> tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]:
    """Return each part that most answers lack, once: (its first wording, who says it, who does not), in order."""
    disagreements = differences(answers)
    by_wording: dict[str, tuple[str, set[int], set[int]]] = {}
    for n, (answer, of_answer) in enumerate(zip(answers, disagreements, strict=True)):
        for sentence, of_sentence in zip(answer, of_answer, strict=True):
            for one in of_sentence:
                wording = clean(sentence)[one.start : one.end]
                _, by, missing = by_wording.setdefault(wording.casefold(), (wording, set(), set()))
                by.add(n)
                missing.update(one.missing)
    return tuple(
        (wording, tuple(sorted(by)), tuple(sorted(missing - by))) for wording, by, missing in by_wording.values()
    )
