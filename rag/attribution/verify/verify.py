"""A sentence and the element it cites -> supported, partial, contradicted or unsupported, and why.

After CiteAudit: the claims of the sentence; the passage or the cells that match; numbers, units, dates, negation and
names must agree; the rest is entailment, by an injected judge where there is one, else by the share of the sentence
that the passage says and, where given, by embeddings. "supported" must be right: a contradiction is never outvoted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from indexing import Element
from rag.attribution.claims import (
    Claims,
    Contrary,
    TextReading,
    agree,
    best_quote,
    claims_of,
    predicates,
    read_table,
    read_text,
)
from rag.attribution.orders import order_in
from rag.attribution.verify.contradiction import Difference, difference
from rag.logistic import probability
from rag.sentences import sentence_spans
from rag.types import Judge
from rag.verdicts import PROVEN, Verdict

SUPPORTED, PARTIAL = 0.85, 0.4
"""The scores from which a sentence is supported, or partly so. The score is the measured share of right ones."""
VERBATIM, CONTRADICTED, NOTHING = 0.99, 0.03, 0.02
"""The scores of a quote, of a sentence that the text contradicts, and of one of which the text has nothing."""
DOUBTED = 0.7
"""The highest score of a sentence with a part in doubt: it is below SUPPORTED."""
GIST = 0.75
"""The share of a sentence, without the words that only speak of sources, that makes it at least partly supported."""
COEFFICIENTS = (-4.0, 10.0, -3.0)
"""The coefficients of `features` in a logistic model for sentences that nothing contradicts. They were set on the
documents that `evaluation.benches.verify` keeps for fitting and on handwritten pairs: the highest recall whose
precision is over 97%.
"""
AT_ONCE = 8
"""The number of elements about which a judge is asked at the same time."""
MAX_SENTENCE = 4000
"""The most characters of a sentence that is checked; a longer one is refused."""
_FRAME = re.compile(
    r"^\s*(?:according to|as (?:shown|stated|reported|noted|described) (?:in|by)) (?:the|this) "
    r"(?:document|report|text|table|figure|paper|page|manual|article|chart|author|authors)\s*,\s*|"
    r"^\s*the (?:document|report|text|table|figure|paper|page|manual|article|chart) "
    r"(?:says|states|shows|reports|notes|explains) that\s+",
    re.IGNORECASE,
)
"""The words that say only where a sentence comes from: the citation says that."""
_KINDS = {"table": "table", "picture": "figure", "caption": "caption", "heading": "heading"}


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome for one sentence and one element.

    `score` is the calibrated probability (0 to 1) that the element says it; `reason` is for people; `spans` are the
    (start, end) in `element.text` that carry the proof, in order: empty when the verdict is unsupported. Where it is
    contradicted they are the place that says something else, and `difference` says what.
    """

    verdict: Verdict
    score: float
    reason: str
    spans: tuple[tuple[int, int], ...]
    difference: Difference | None = None


def verify(
    sentence: str,
    element: Element,
    *,
    judge: Judge | None = None,
    context: Sequence[str] = (),
) -> Check:
    """Check if the element says the sentence. Caption, section and `context` (a title, say) count for years and names.

    A judge is asked only about what the strict checks leave open, and about nothing that gives it orders: what the
    words do not prove stays open then.
    """
    sentence = _FRAME.sub("", sentence)
    if len(sentence) > MAX_SENTENCE:
        return _refused(f"the sentence is longer than {MAX_SENTENCE} characters")
    claims, kind, around = claims_of(sentence), _kind(element), _around(element, context)
    quoted = _quoted(sentence, claims, element.text, kind, around)
    if quoted is not None:
        return quoted
    if not claims.weight:
        return _refused("the sentence makes no claim that can be checked")
    reading = reading_of(sentence, element, context)
    if judge is not None and (order := _order(sentence, element, context)):
        return _left_open(_compared(sentence, element, reading, None, around), order, kind)
    if judge is not None and element.pictured:
        seen = _looked_at(sentence, element, reading, judge)
        if seen is not None:
            return seen
        judge = None  # it cannot say, and asking about the same picture again would take as long
    return _compared(sentence, element, reading, judge, around)


def _order(sentence: str, element: Element, context: Sequence[str]) -> str:
    """Return an order to the judge in what a judge would be shown; empty without any."""
    shown = (sentence, element.text, element.caption, *element.section[-3:], *context)
    return next((order for text in shown if (order := order_in(text))), "")


def _left_open(check: Check, order: str, kind: str) -> Check:
    """Return what the words alone prove, and say why no judge was asked about the rest."""
    if check.verdict in ("supported", "contradicted"):
        return check
    return replace(check, reason=f"the {kind} gives orders to its judge ({order!r}), so none was asked: {check.reason}")


def _compared(
    sentence: str,
    element: Element,
    reading: TextReading | None,
    judge: Judge | None,
    around: Sequence[Claims],
) -> Check:
    """Check by comparing words; a judge decides the open cases."""
    kind = _kind(element)
    if reading is not None and reading.objections:
        found = difference(claims_of(sentence), element, reading, around)
        if found is not None:
            return Check("contradicted", CONTRADICTED, found.reason, (found.place,), found)
        return Check("unsupported", CONTRADICTED, reading.objections[0], ())
    if reading is None or not reading.spans:
        return _refused(f"nothing of this is in the {kind}")
    return _concluded(_score(sentence, element, reading, judge), reading, kind)


def _refused(reason: str) -> Check:
    return Check("unsupported", NOTHING, reason, ())


def _score(sentence: str, element: Element, reading: TextReading, judge: Judge | None) -> float:
    """Return the score. A judge may doubt a match of words, and believe open claims; contradictions never reach it.

    It proves in part, at most, a sentence with a word that the element does not have: a judge may be talked into it.
    """
    passage = element.text[reading.passage[0] : reading.passage[1]]
    graded = _graded(judge, sentence, passage, element) if judge is not None else None
    score = probability(features(reading), COEFFICIENTS)
    if graded is not None:
        return max(score, min(graded, DOUBTED)) if reading.missing and graded > score else graded
    return max(score, PARTIAL) if reading.gist >= GIST else score


def _graded(judge: Judge, sentence: str, passage: str, element: Element) -> float | None:
    """Return the judge's probability, brought into 0 to 1; None when it cannot say."""
    probable = judge.entails(sentence, passage, element)
    if probable is None:
        return None
    return 0.0 if math.isnan(probable) else min(max(probable, 0.0), 1.0)


def _looked_at(sentence: str, element: Element, reading: TextReading | None, judge: Judge) -> Check | None:
    """Return the verdict of a judge who sees the picture; None when the judge cannot say.

    A sentence that the printed words of the picture contradict, or do not all say, is proven in part at most: values
    that are read off a drawing are estimates, and a judge may be wrong, or be talked into it.
    """
    score = _graded(judge, sentence, element.text, element)
    if score is None:
        return None
    against = () if reading is None else (*reading.objections, *(d for d in reading.doubts if isinstance(d, Contrary)))
    if reading is None or reading.objections or reading.doubts or reading.missing:
        score = min(score, DOUBTED)
    spans = reading.spans if reading is not None else ()
    if score >= SUPPORTED:
        return Check("supported", score, "the figure shows this", spans)
    if score >= PARTIAL:
        return Check("partial", score, against[0] if against else "the figure shows this only in part", spans)
    return Check("unsupported", score, against[0] if against else "the figure does not show this", ())


def verify_all(
    sentence: str,
    elements: Sequence[Element],
    *,
    judge: Judge | None = None,
    context: Sequence[str] = (),
) -> list[Check]:
    """Run `verify` for each element, in order; a judge is asked about several at once."""
    check = partial(verify, sentence, judge=judge, context=context)
    if judge is None or len(elements) < 2:
        return [check(element) for element in elements]
    with ThreadPoolExecutor(min(AT_ONCE, len(elements)), "check") as pool:
        return list(pool.map(check, elements))


def repair(
    sentence: str,
    candidates: Sequence[Element],
    *,
    judge: Judge | None = None,
    context: Sequence[str] = (),
) -> tuple[int, Check] | None:
    """Return the candidate (its index) that supports the sentence best, supported before partial; None if none does."""
    claims = claims_of(_FRAME.sub("", sentence[: MAX_SENTENCE + 1]))
    tried = [n for n, element in enumerate(candidates) if not _lacks_a_number(claims, element, context)]
    every = verify_all(sentence, [candidates[n] for n in tried], judge=judge, context=context)
    checks = {n: check for n, check in zip(tried, every, strict=True) if check.verdict in PROVEN}
    if not checks:
        return None
    best = max(checks, key=lambda n: (checks[n].verdict == "supported", checks[n].score, -len(candidates[n].text), -n))
    return best, checks[best]


def contradiction(sentence: str, elements: Sequence[Element], context: Sequence[str] = ()) -> tuple[int, Check] | None:
    """Return the element (its index) that speaks most of the same and says something else, and its check.

    None where no element does, or where several say different things: then they are about different things.
    """
    checks = verify_all(sentence, elements, context=context) if len(sentence) <= MAX_SENTENCE else []
    found = {n: check.difference for n, check in enumerate(checks) if check.difference is not None}
    if not found:
        return None
    best = max(found, key=lambda n: (found[n].words, -n))
    alike = [n for n, other in found.items() if other.said == found[best].said]
    said = {" ".join(elements[n].text[slice(*found[n].found)].split()).casefold() for n in alike}
    return (best, checks[best]) if len(said) == 1 else None


def _lacks_a_number(claims: Claims, element: Element, context: Sequence[str]) -> bool:
    """Return True if a text lacks a number of the sentence, which `verify` would find out only later and refuse for.

    Tables may have it in another scale, and pictures unprinted.
    """
    if not claims.numbers or element.pictured or element.cells or element.kind == "table":
        return False
    own = claims_of(element.text).quantities
    around = [q for said in _around(element, context) for q in said.quantities]
    return any(
        not any(agree(asked, q) for q in (own if asked.kind == "number" else (*own, *around)))
        for asked in claims.numbers
    )


def features(reading: TextReading) -> tuple[float, ...]:
    """Return 1 for the bias, the coverage, and the logarithm of the number of missing words."""
    return (1.0, reading.coverage, math.log1p(len(reading.missing)))


def says_some(sentence: str, element: Element) -> bool:
    """Return True if the element has a word or number of a sentence: without any it proves no part of it.

    What is said is one, not of whom: "Danes are happy" is not said where Danes are named.
    """
    reading = reading_of(sentence, element)
    if reading is None or reading.coverage <= 0:
        return False
    said = claims_of(sentence)
    words = {token.stem for token in predicates(said)}
    if said.numbers or not words:
        return True
    around = (element.caption, *element.section[-3:])
    return not words.isdisjoint(t.stem for text in (element.text, *around) for t in claims_of(text).words)


def reading_of(sentence: str, element: Element, context: Sequence[str] = ()) -> TextReading | None:
    """Return the findings of the strict checks, before they become a verdict; None when there is nothing to compare."""
    claims, kind, around = claims_of(_FRAME.sub("", sentence)), _kind(element), _around(element, context)
    if element.cells or element.kind == "table":
        return read_table(claims, element, around)
    return read_text(claims, element.text, kind, around)


def _kind(element: Element) -> str:
    return _KINDS.get(element.kind, "table" if element.cells else "text")


def _around(element: Element, context: Sequence[str]) -> tuple[Claims, ...]:
    """Return the claims that count as said of the element: of its caption, the headings above it and `context`."""
    return tuple(claims_of(piece) for piece in (element.caption, *element.section[-3:], *context) if piece)


def _quoted(sentence: str, claims: Claims, text: str, kind: str, around: tuple[Claims, ...]) -> Check | None:
    """Accept a verbatim quote as proven, unless a negation before it in its sentence turns it round."""
    place = best_quote(text, sentence, [c.text for c in around])
    if place is None:
        return None
    whole = claims_of(text)
    start, end = place
    inside = whole.between(start, end)
    cut = [q for q in claims.numbers if not any(agree(q, there) for there in inside.quantities)]
    if cut:
        return None
    opening = max((a for a, b in _sentences(text) if a <= start < b), default=start)
    turned = whole.between(opening, start).negations
    if turned and kind != "table":
        return Check("partial", DOUBTED, f"the text says {whole.phrase(turned[-1])!r} before these words", (place,))
    return Check("supported", VERBATIM, f"verbatim in the {kind}", (place,))


@lru_cache(maxsize=64)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(sentence_spans(text))


def _concluded(score: float, reading: TextReading, kind: str) -> Check:
    if reading.doubts:
        score = min(score, DOUBTED)
    if score >= SUPPORTED:
        return Check("supported", score, f"the {kind} says this in other words", reading.spans)
    lacking = ", ".join(reading.missing[:3])
    why = reading.doubts[0] if reading.doubts else f"the {kind} does not say: {lacking}" if lacking else ""
    if score >= PARTIAL:
        return Check("partial", score, why or f"the {kind} says this only in part", reading.spans)
    return Check("unsupported", score, why or f"too little of this is in the {kind}", ())
