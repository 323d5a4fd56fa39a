"""Find the short answer in a quote: the number, share, date or value that the question asks for, if there is one.

Nothing is guessed: if two parts of a quote are possible, there is no short answer.
"""

from __future__ import annotations

import re

from indexing.language import POWER, WORD, YEAR, names_date, stem, without_note_marks
from rag.methods.quote.form import MOST_WORDS, NEAR, plain_words, wanted_of
from rag.question import conditions_of

_NUMBER = re.compile(rf"[-−+]?{POWER}|[$€£]?[-−+]?\d[\d.,:]*\d%?|[$€£]?[-−+]?\d%?")
_UNIT = re.compile(
    r"[\s-]?(?:per ?cent|million|billion|thousand|(?:second|minute|hour|day|week|month|year)s?)\b|\s?%", re.IGNORECASE
)
_RESPECTIVELY = re.compile(r"\brespectively\b|\bjeweils\b|\brespectivement\b", re.IGNORECASE)
_AND = re.compile(r"\s?(?:,|;|/)?\s?(?:(?:and|or|und|et|bzw\.)\s)?")
_YEAR = re.compile(YEAR)
_ISO = re.compile(r"-\d\d-\d\d(?![\w-])")
_OF = re.compile(r" (?:out )?of (?:(?:the|all|its|their|our|these|those) )?(?:(?:about|some|over|more than) )?")
REACH = 40
"""The characters around a number in which the noun that it counts is looked for."""


def short_of(question: str, text: str) -> tuple[int, int] | None:
    """Return (start, end) of the short answer in a quote; None if the question asks for none, or if several fit.

    >>> short_of("How many fatalities were there?", "Fatalities: 150")
    (12, 15)
    """
    target = wanted_of(question)
    text = without_note_marks(text[: 8 * MOST_WORDS])
    if (value := _value(question, text)) is not None:
        return value
    spans = [_with_unit(text, m.start(), m.end()) for m in _NUMBER.finditer(text) if not _within_word(text, m)]
    spans = [(a, b) for a, b in spans if text[a:b].rstrip("%").replace(",", "") not in target.numbers]
    if (respective := _respective(text, spans, target.numbers.union(conditions_of(question)))) is not None:
        return respective
    if target.share:
        spans = [(a, b) for a, b in spans if text[a:b].endswith("%") or "cent" in text[a:b].lower()]
    elif target.date:
        spans = _dates(text, spans)
    elif target.count_noun:
        before = dict(zip(spans[1:], spans, strict=False))
        counting = [(a, b) for a, b in spans if _counts(target.count_noun[-1], text, a, b)]
        spans = list(dict.fromkeys(_part(text, whole, before.get(whole)) for whole in counting))
    elif not target.number:
        return None
    return spans[0] if len(spans) == 1 else None


def _respective(text: str, found: list[tuple[int, int]], asked: frozenset[str]) -> tuple[int, int] | None:
    """Return the value for the year in the question, if values and years are listed in parallel ("respectively").

    `found` are the numbers of the text except those `asked`. There must be one run of years with that year, and one run
    of as many values.
    """
    if not _RESPECTIVELY.search(text):
        return None
    every = sorted({*found, *(m.span() for m in _NUMBER.finditer(text) if text[slice(*m.span())] in asked)})
    runs: list[list[tuple[int, int]]] = []
    for a, b in (_without_stop(text, *span) for span in every):
        if runs and _AND.fullmatch(text, runs[-1][-1][1], a) and _is_year(text, a, b) == _is_year(text, *runs[-1][-1]):
            runs[-1].append((a, b))
        else:
            runs.append([(a, b)])
    years = [run for run in runs if len(run) > 1 and any(text[a:b] in asked and _is_year(text, a, b) for a, b in run)]
    if len(years) != 1:
        return None
    values = [run for run in runs if len(run) == len(years[0]) and not _is_year(text, *run[0])]
    place = next(n for n, (a, b) in enumerate(years[0]) if text[a:b] in asked)
    return values[0][place] if len(values) == 1 else None


def _without_stop(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of a number without punctuation at its end."""
    return start, start + len(text[start:end].rstrip(".,:"))


def _is_year(text: str, start: int, end: int) -> bool:
    return bool(_YEAR.fullmatch(text, start, end))


def _value(question: str, text: str) -> tuple[int, int] | None:
    """Return the span after the colon of a short line whose key has words of the question, or None."""
    head, colon, value = text.partition(":")
    if not colon or not value.strip() or len(text.split()) > 4 * NEAR or ":" in value.replace("://", ""):
        return None
    if value.rstrip().endswith(".") and len(value.split()) > NEAR:  # a sentence that explains a term
        return None
    question_words = {stem(word) for word in plain_words(question)}
    if not question_words & {stem(word) for word in plain_words(head)}:
        return None
    start = len(head) + 1 + len(value) - len(value.lstrip())
    return (start, len(text.rstrip()))


def _with_unit(text: str, start: int, end: int) -> tuple[int, int]:
    unit = _UNIT.match(text, end)
    return (start, unit.end()) if unit else (start, end)


def _within_word(text: str, found: re.Match[str]) -> bool:
    """Return True for the 40 of "TG40" and the 9525 of "4U9525"."""
    before, after = text[max(found.start() - 1, 0) : found.start()], text[found.end() : found.end() + 1]
    return before.isalnum() or after.isalpha()


def _dates(text: str, numbers: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the dates: years with the month and day before them, or after them as in 2026-11-27."""
    dates = []
    for a, b in numbers:
        if _YEAR.fullmatch(text[a:b].rstrip(".,")):
            start = a
            for word in reversed(list(WORD.finditer(text, max(0, a - REACH), a))[-3:]):
                if not (names_date(word[0]) or word[0].rstrip("thsndr").isdigit() or word[0].lower() == "of"):
                    break
                start = word.start()
            rest = _ISO.match(text, a + 4)
            dates.append((start, rest.end() if rest else a + 4))
    return dates


def _counts(noun: str, text: str, start: int, end: int) -> bool:
    """Return True if the noun stands close after a number, or right before it: "Boats: 9", but not "Boat 9", a name."""
    after = [stem(w) for w in WORD.findall(text[end : end + REACH])[:NEAR]]
    front = text[max(0, start - REACH) : start]
    before = [w for w in WORD.findall(front)[-2:] if w.lower().endswith("s") or front.rstrip().endswith(":")]
    return noun in after or noun in map(stem, before)


def _part(text: str, whole: tuple[int, int], before: tuple[int, int] | None) -> tuple[int, int]:
    """Return the number `before` another that is the whole of it ("12 of the 30 boats sank"), else that other."""
    return before if before and _OF.fullmatch(text, before[1], whole[0]) else whole
