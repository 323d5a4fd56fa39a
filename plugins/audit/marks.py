"""Find the marks of citation in a text, also by authors and years, and the form in which names are compared."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import partial

from indexing.language import MONTHS, WEEKDAYS
from rag.attribution import MOST_MARKED, CitationMark, citation_marks, without_marks

# ruff: noqa: RUF001, RUF002  the accents themselves


_COMBINING = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "˜": "\u0303", "¸": "\u0327", "ˇ": "\u030c",
    "˘": "\u0306", "˙": "\u0307", "˚": "\u030a", "˝": "\u030b", "˛": "\u0328", "¯": "\u0304",
}  # fmt: skip
_BELOW = frozenset("¸˛")
"""The accents under a letter, which TeX prints behind it; it prints all others before it."""
_DOTLESS = {"ı": "i", "ȷ": "j"}
_VOWELS = frozenset("aeiouyıAEIOUY")
_ACCENT = re.compile(rf"([^\W\d_]?)([{''.join(_COMBINING)}])(\s?)([^\W\d_]?)")
_SIGN = rf"[{''.join(_COMBINING).replace('`', '')}]"
_LOOSE, _BESIDE = re.compile(_SIGN), re.compile(rf"(?<![^\W\d_]){_SIGN}|{_SIGN}(?![^\W\d_])")


def with_accents(text: str) -> str:
    """Return the text with each loose accent joined with its letter, if there is such a character; others stay.

    >>> with_accents("Herv´e J´egou, Mar´ıa and Franc¸ois"), with_accents("a `quoted' word, O´Neill")
    ('Hervé Jégou, María and François', "a `quoted' word, O´Neill")
    """
    return text if text.isascii() and "`" not in text else _ACCENT.sub(_combine_accent, text)


def has_loose_accent(text: str) -> bool:
    """Return True if a text has an accent on no letter, other than one between letters, as an apostrophe is."""
    return _BESIDE.search(text) is not None


def without_loose_accents(text: str) -> str:
    """Return the text without accents that are on no letter."""
    return _LOOSE.sub("", text)


def _combine_accent(match: re.Match[str]) -> str:
    """Put an accent on one of the letters around it, or leave them unchanged."""
    before, sign, gap, after = match.groups()
    if sign == "`" and (gap or not before or not after):
        return match[0]  # an opening quote
    if sign == "´" and before.isupper() and after.isupper() and not gap:
        return match[0]  # an apostrophe
    preceding, following = _add_accent(before, sign), _add_accent(after, sign)
    is_after = sign in _BELOW or not following or (bool(gap) and before in _VOWELS)
    if preceding and is_after:
        return f"{preceding}{gap}{after}"
    return f"{before}{following}" if following else match[0]


def _add_accent(letter: str, sign: str) -> str:
    """Return the letter with the accent; "" if there is no such character."""
    whole = unicodedata.normalize("NFC", _DOTLESS.get(letter, letter) + _COMBINING[sign]) if letter else ""
    return whole if len(whole) == 1 else ""


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


YEAR = re.compile(
    r"\b((?:1[5-9]|20)\d{2})([a-z](?!\w))?((?:\s?[,/&]\s?[a-z](?![\w.])){0,5})"
    r"|\bn\.\s?d\.|\bin press\b|\bforthcoming\b|\bto appear\b|\bim Erscheinen\b|\bo\.\s?J\."
)
_WORD = re.compile(r"[\w'’.\-\u2010\u2011&+]+|[,/;:]")
_SPLIT = re.compile(r";\s?")
PARTICLES = _set_of("van von der den de del della di da dos das du la le les ten ter zu zum zur el al bin ibn af av")
"""The small words that belong to a surname."""
_JOINTS = _set_of("and und et y e & / + ,")
_INSIDE = _set_of("of for the on in & de des du für der")
_ET_AL = frozenset(
    ("al", "al.", "alii", "others", "colleagues", "coworkers", "co-workers", "u.a.", "mitarbeiter", "collègues", "col.")
)
ET_AL = re.compile(r"\bet\.? al(?:ii)?\b", re.IGNORECASE)
_NO_NAMES = _set_of(
    "figure fig fig. figs table tab tab. section sec sec. chapter eq eq. equation appendix step version part page "
    "spring summer autumn fall winter fy q1 q2 q3 q4 since from until before after between by in on at the a an "
    "during enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre abbildung tabelle "
    "kapitel abschnitt accessed retrieved abgerufen copyright"
).union(MONTHS, WEEKDAYS)
"""Capitalized words before a year that are no names."""
_OPENERS = _set_of(
    "as but while although though however and following unlike like see also recently thus hence when where both "
    "our this these those work therefore moreover furthermore similarly finally first second then to with or nor "
    "if because what how such wie nach laut auch siehe vgl aber selon comme voir mais según como véase pero"
)
"""Words that open a sentence with a capital before a name."""


def cited_works(inner: str, before: str) -> tuple[int, tuple[str, ...]] | None:
    """Return the works of "Smith, 2020; Jones 2019a, b" or, where a year comes first, of the names `before` it.

    Returns the number of characters of `before` that belong to the mark, and the keys of the works. None if the
    bracket has no year, or no name is before it.
    """
    first = YEAR.search(inner)
    if first is None:
        return None
    if not inner[: first.start()].strip():
        length, names = names_before(before)
        keys = _keys(inner, names) if names else []
        return (length, tuple(dict.fromkeys(keys))) if keys else None
    keys = [key for piece in _SPLIT.split(inner) for key in _keys(piece, "")]
    return (0, tuple(dict.fromkeys(keys))) if keys else None


def fold_name(name: str) -> str:
    """Return a name without case, accents and punctuation, words one blank apart: the form for comparing names."""
    plain = "".join(
        c for c in unicodedata.normalize("NFKD", with_accents(name).casefold()) if not unicodedata.combining(c)
    )
    return " ".join("".join(c if c.isalnum() else " " for c in plain.replace("'", "").replace("’", "")).split())


def _keys(piece: str, names: str) -> list[str]:
    """Return a key for each year of a piece; a year without a name of its own has the names of the year before it."""
    keys: list[str] = []
    end = 0
    for match in YEAR.finditer(piece):
        between = piece[end : match.start()]
        end = match.end()
        if any(c.isalpha() for c in between) and between.strip(" ,") not in _JOINTS:
            own = _surnames(between)
            if not own and (keys or names):
                continue  # "p. 1987" and the like behind a work that has its year
            names = own
        if names:
            year, letter, more = match[1] or match[0], match[2] or "", match[3] or ""
            keys += [f"{names} {year}{c}" for c in (letter, *(c for c in more if c.isalpha()))]
    return keys


def _surnames(between: str) -> str:
    """Return the surnames before a year, as "Smith & Jones"; "" if these words are no names."""
    words = _WORD.findall(between)
    while words and words[-1] in (",", ":"):
        words.pop()
    while words and not _is_capitalized(words[0]) and words[0] not in ("al", "’t"):
        lower = words.pop(0).lower()
        if lower in PARTICLES and words and (_is_capitalized(words[0]) or words[0] in PARTICLES):
            words.insert(0, lower)
            break
    if not words or any(word.lower() in _NO_NAMES for word in (words[0], words[-1])):
        return ""
    return _join_names(words)


def _join_names(words: list[str]) -> str:
    """Join the words of a list of names as "Smith & Jones", without initials and et al."""
    names: list[list[str]] = [[]]
    for word in words:
        lower = word.lower()
        if lower in _ET_AL:
            break
        if lower in _JOINTS and not (
            lower in _INSIDE and names[-1] and len(words) > 3 and lower not in ("&", "et", "y", "e")
        ):
            names.append([])
        elif _is_capitalized(word) or lower in PARTICLES or (lower in _INSIDE and names[-1]):
            names[-1].append(word.removesuffix("'s").removesuffix("’s").rstrip("."))
        else:
            return ""
    surnames = [" ".join(w for w in name if not _is_initial(w)) for name in names]
    return " & ".join(name for name in surnames if name and (name[0].isupper() or name.split()[0].lower() in PARTICLES))


def names_before(before: str) -> tuple[int, str]:
    """Return the length and the names of the words that end a text: "as Smith and Jones " gives (16, "Smith & Jones").

    Length 0 where it does not end in a name.
    """
    parts: list[str] = []
    start = len(before)
    for match in reversed(list(_WORD.finditer(before))):
        word, gap = match[0], before[match.end() : start]
        low = word.lower()
        if len(gap) > 1 or (gap and not gap.isspace()):
            break
        if word.endswith(".") and not (low in _ET_AL or _is_initial(word.rstrip("."))):
            break
        joint = low in _JOINTS or low in _ET_AL
        if (
            not (_is_capitalized(word) or low in PARTICLES or joint)
            or low in _NO_NAMES
            or (word.capitalize() == word and low in _OPENERS)
        ):
            break
        if word == "," and not any(low in _JOINTS - {","} for low in map(str.lower, parts)):
            break  # the comma of the sentence; that of a list of names has an "and" behind it
        parts.insert(0, word)
        start = match.start()
    while parts and (parts[0].lower() in _JOINTS or parts[0].lower() in _ET_AL):
        start += len(parts.pop(0))
        start += len(before[start:]) - len(before[start:].lstrip())
    if not parts or not any(_is_capitalized(word) for word in parts):
        return 0, ""
    names = _join_names(parts)
    return (len(before) - start, names) if names else (0, "")


def _is_capitalized(word: str) -> bool:
    return word[:1].isupper() and any(c.isalpha() for c in word)


def _is_initial(word: str) -> bool:
    letters = [c for c in word if c.isalpha()]
    return (
        len(letters) <= 2
        and len(word.rstrip(".")) <= 4
        and all(c.isupper() for c in letters)
        and ("." in word or len(letters) == 1)
    )


find_marks = partial(citation_marks, find_works=cited_works)
"""`citation_marks` of all styles."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The marks of a sentence, and its claim without them.

    `claim` keeps a name that is part of the sentence ("Smith (2020) found"), `unnamed` leaves it out: that the author
    found it is proven by the source being the author's.
    """

    marks: tuple[CitationMark, ...]
    claim: str
    unnamed: str


def split_marks(text: str) -> Marked:
    """Return the marks of a sentence, and the sentence without them; a text over MOST_MARKED characters has none."""
    marks = tuple(find_marks(text)) if len(text) <= MOST_MARKED else ()
    return Marked(marks, without_marks(text, marks, with_names=True), without_marks(text, marks, with_names=False))
