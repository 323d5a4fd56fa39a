"""The disagreement of several answers to one question: numbers and names that some have and others lack. Pure.

Numbers are compared as in checking: 12.5% equals 12.5 percent, and 1.2 million equals 1,236,000 at its precision; a
number without a unit, as in the cell of a table, equals that number with any unit. Names are compared word by word,
wherever in a sentence the other answer has them. What most of the answers say is no difference of these answers, but
of those that say something else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from indexing.language import Quantity, Token, agree
from rag.attribution.words import Claims, claims_of
from ui.show import HTML, clean, render

Answered = Sequence[str]
"""The sentences of one answer; empty if it abstained or failed, which is no disagreement."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A difference: `text[start:end]` of a cleaned sentence, which the answers at the indices `missing` lack."""

    start: int
    end: int
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of an answer: its quantities, and its words, folded, also with an s at the end."""

    quantities: tuple[Quantity, ...]
    words: frozenset[str]


def differences(answers: Sequence[Answered]) -> tuple[tuple[tuple[Disagreement, ...], ...], ...]:
    """Return for each answer, for each sentence, the parts that most answers lack, in order and without overlap."""
    claims = [[claims_of(clean(sentence)) for sentence in answer] for answer in answers]
    values = {n: _content(of_answer) for n, of_answer in enumerate(claims) if of_answer}
    return tuple(
        tuple(_of_sentence(sentence, {m: s for m, s in values.items() if m != n}) for sentence in of_answer)
        for n, of_answer in enumerate(claims)
    )


def _content(claims: Sequence[Claims]) -> _Content:
    words = {token.key for one in claims for token in one.tokens}
    return _Content(tuple(q for one in claims for q in one.quantities), frozenset(words | {w + "s" for w in words}))


def _of_sentence(claims: Claims, others: dict[int, _Content]) -> tuple[Disagreement, ...]:
    candidates = sorted((*_numbers(claims, others), *_names(claims, others)), key=lambda d: (d.start, -d.end))
    disagreements: list[Disagreement] = []
    for one in candidates:
        if not disagreements or one.start >= disagreements[-1].end:  # not a word inside a number that is marked already
            disagreements.append(one)
    return tuple(disagreements)


def _numbers(claims: Claims, others: dict[int, _Content]) -> Iterator[Disagreement]:
    for quantity in claims.numbers:
        missing = tuple(n for n, values in others.items() if not _has(values, quantity))
        if _differs(missing, others):
            yield Disagreement(quantity.start, quantity.end, missing)


def _differs(missing: Sequence[int], others: Mapping[int, _Content]) -> bool:
    """Return True if at least half of the answers with sentences, the present one included, lack a part of it."""
    return 2 * len(missing) >= len(others) + 1


def _has(content: _Content, quantity: Quantity) -> bool:
    """Return True if an answer has an equal quantity, at the precision of either; a bare number has any unit."""
    return any(agree(quantity, o) or agree(o, quantity) or _bare(quantity, o) for o in content.quantities)


def _bare(one: Quantity, other: Quantity) -> bool:
    """Return True for two equal numbers, at least one of them without a unit."""
    numbers = one.kind == other.kind == "number" and one.sign == other.sign
    return numbers and one.value == other.value and "" in (one.unit, other.unit)


def _names(claims: Claims, others: dict[int, _Content]) -> list[Disagreement]:
    """Return the words of names that differ; adjacent words that the same answers lack are one disagreement."""
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
    """Return True if a word with a capital is directly before a name, as Anna in `Anna Holm` opens a sentence."""
    at = bisect_right(claims.tokens, token.start, key=lambda t: t.start)
    follows = claims.tokens[at] if at < len(claims.tokens) else None
    capital = claims.text[token.start].isupper()
    return capital and follows is not None and follows.name and follows.start == token.end + 1


def marked_html(text: str, disagreements: Sequence[Disagreement], names: Sequence[str]) -> HTML:
    """Return a sentence with its differences, in order, underlined; `names` are those of the answers, by index."""
    text = clean(text)
    parts: list[tuple[str, str | None]] = []
    at = 0
    for one in disagreements:
        lacking = " and ".join(names[n] for n in one.missing)
        parts += [(text[at : one.start], None), (text[one.start : one.end], lacking)]
        at = one.end
    return render("web/compare/templates/marked.html", parts=[*parts, (text[at:], None)])


def said_by(answers: Sequence[Answered]) -> tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]:
    """Return (first wording, indices of answers with it, of answers without it) of each part that most lack."""
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
