"""Tell superscript digits and letters in a text apart: powers, such as 2³¹, and the marks of notes.

2³¹ and 10⁻⁴ are numbers, km² is a unit; the ¹ of "48.27¹" and of "libraries.¹" marks a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from indexing.language.lexicon import UNITS
from indexing.typography import RAISED_DIGITS, RAISED_LETTERS

POWER = rf"(?<!\d)\d++(?:\^\{{?[-+\u2212]?\d++\}}?|[⁺⁻]?[{RAISED_DIGITS}]++)"
"""The pattern of a power, as it is set or as it is typed: 2³¹, 2^31, 2^{31}."""
_A_POWER = re.compile(POWER)
_RUN = re.compile(rf"[⁺⁻]?[{RAISED_DIGITS}{RAISED_LETTERS}]++(?:[,⁻][{RAISED_DIGITS}]++)*+")
_POWER = re.compile(
    rf"(?<![\w.,^])(?:(?P<times>\d{{1,15}}(?:\.\d{{1,15}})?)\s?[×x·]\s?)?(?P<base>10|2)"
    rf"(?:\^\{{?(?P<typed>[-+]?\d{{1,3}})\}}?|(?P<set>[⁺⁻]?[{RAISED_DIGITS}]{{1,3}}))(?![\w.,]?\d|\w)"
)
_BASES = ("2", "10")
"""The numbers whose powers are written out as such; behind any other a raised number is the mark of a note."""
_LENGTHS = frozenset(
    ("dm", *(unit for unit, (base, _) in UNITS.items() if base in ("m", "mile", "foot") and len(unit) == 2))
)
"""The units of two letters that are squared; a DM by itself is a German mark."""
_PRICE = re.compile(r"[$€£][\d.,]{1,12}\Z")
_AT_LEVEL = str.maketrans(f"{RAISED_DIGITS}⁺⁻\u2212", "0123456789+--")
_MOST_EXPONENT = 300


@dataclass(frozen=True, slots=True)
class Power:
    """The power at `text[start:end]`, its `value`, and the worth of its last digit (`place`)."""

    start: int
    end: int
    value: float
    place: float


def without_note_marks(text: str) -> str:
    """Return a text of the same length with blanks for superscripts that mark notes, in linear time."""
    if text.isascii():
        return text
    pieces: list[str] = []
    at = 0
    for run in _RUN.finditer(text):
        if _marks_note(text, *run.span()):
            pieces += (text[at : run.start()], " " * len(run[0]))
            at = run.end()
    return "".join((*pieces, text[at:])) if pieces else text


def _marks_note(text: str, start: int, end: int) -> bool:
    """Return True if the superscript `text[start:end]` follows a word, a sign or a number that is no power's base."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in ("", "\n"):  # the note's own number, or the C of an isotope's name
        return not after.isalpha() or text[end + 1 : end + 2].isalpha()
    if after.isalnum() or (after and after in "/\u2044⁺⁻") or before == ")" or text[start] in "⁺⁻":
        return False
    if before.isdigit():
        mark = text[start:end].translate(_AT_LEVEL)
        if len(mark) == 2 and _PRICE.search(text[max(0, start - 14) : start]):
            return False  # cents
        return mark == "1" or not mark.isdigit() or not _is_base(text, start)
    if before.isalpha():
        word = _last_word(text, start)
        return len(word) > 1 and word not in _LENGTHS
    return True


def _is_base(text: str, end: int) -> bool:
    number = next((base for base in _BASES if text.endswith(base, 0, end)), "")
    before = text[end - len(number) - 1 : end - len(number)]
    return bool(number) and not (before.isalnum() or (before and before in ".,"))


def _last_word(text: str, end: int) -> str:
    start = end
    while start > max(0, end - 4) and text[start - 1].isalpha():
        start -= 1
    return text[start:end]


def powers(text: str) -> Iterator[Power]:
    """Yield the powers of two and ten in a text, with the factors before them: 2³¹, 10^-4, 1.5 × 10⁶."""
    for match in _POWER.finditer(text):
        exponent = int((match["typed"] or match["set"]).translate(_AT_LEVEL))
        if abs(exponent) > _MOST_EXPONENT or (match["set"] and exponent == 1):
            continue
        worth = float(match["base"]) ** exponent
        decimals = len((match["times"] or "").partition(".")[2])
        times = float(match["times"] or 1)
        place = worth * 10.0**-decimals if match["times"] else 1e-9 * worth
        yield Power(match.start(), match.end(), times * worth, place)


def power_key(word: str) -> str:
    """Return a power in the one form that is compared: 2^31 for 2³¹; "" for a word that is no power."""
    return "".join(sign for sign, _ in power_signs(word))


def power_signs(word: str) -> list[tuple[str, int]]:
    """Return the characters of `power_key`, each with its index in the word; none for a word that is no power."""
    if not _A_POWER.fullmatch(word):
        return []
    base = len(word.partition("^")[0].rstrip(f"{RAISED_DIGITS}⁺⁻"))
    signs = [(sign, at) for at, sign in enumerate(word.translate(_AT_LEVEL)) if sign not in "^+{}"]
    return [*signs[:base], ("^", base), *signs[base:]]
