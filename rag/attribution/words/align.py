"""A sentence and an element's text -> where the text says it: tokens with offsets, exact quotes, matching passages.

Everything is compared in a folded form (NFKC, case, ligatures, soft hyphens and directional marks gone, words broken at
line ends joined) that remembers the characters it came from. All of it is linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from indexing.language import sentence_spans
from rag.attribution.raised_signs import POWER, power_key, power_signs, without_note_marks
from rag.attribution.words.lexicon import OPPOSITES, STOP, SYNONYMS

WORD_WEIGHT, NAME_WEIGHT, NUMBER_WEIGHT = 1.0, 2.0, 3.0
"""The weights that a matching word, name and number add to the score of a passage."""
PASSAGE_TOKENS = 60
"""The length, in tokens, of the passages into which text without sentence ends is cut; they overlap by half."""
EXTRA_COST = 0.01
"""The cost, taken off a passage's score, of each of its tokens that the sentence does not have."""

_MARKS = "\u00ad\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LETTERS = rf"[^\W_{_CJK}][{_MARKS}]*"
_WORD = rf"(?:{_LETTERS})+(?:['’](?:{_LETTERS})+)*"
_LOWER = "a-zß-öø-ÿ"
_BROKEN = rf"(?<=[{_LOWER}])[-\u2010]\s+(?!(?:and|or|und|oder|to|et|ou)\b)(?=[{_LOWER}]){_WORD}"
_TOKEN = re.compile(rf"[{_CJK}]|{POWER}|{_WORD}(?:{_BROKEN})?")
_COORDINATES = frozenset(("and", "or", "but", "while", "und", "oder", "aber", "et"))
_INVISIBLE = re.compile(f"[{_MARKS}]")
_SEPARATORS = re.compile(r"[-\u2010\s]+")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text, `text[start:end]`, folded (`key`) and reduced to its meaning (`stem`).

    `at` is its place in the text in words, where a comma counts as four more and the end of a sentence as eight.
    """

    key: str
    stem: str
    start: int
    end: int
    at: float
    name: bool
    stop: bool

    @property
    def weight(self) -> float:
        """The weight that it adds to a match."""
        return 0.0 if self.stop else NAME_WEIGHT if self.name else WORD_WEIGHT


@dataclass(frozen=True, slots=True)
class Passage:
    """The part `text[start:end]` that matches best, and the tokens of the text there that the sentence has too."""

    start: int
    end: int
    score: float
    matched: tuple[Token, ...]


def fold(text: str) -> str:
    """Return a word as it is compared: one form for ligatures, cases and widths, nothing invisible."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))).casefold()
    return _INVISIBLE.sub("", folded)


def look_alike(key: str) -> str:
    """Return a folded word as text recognition may confuse it: o and 0, l and 1, s and 5 are one, accents are none."""
    plain = "".join(c for c in unicodedata.normalize("NFD", key) if not unicodedata.combining(c))
    return plain.translate(_CONFUSED).replace("rn", "m").replace("vv", "w")


_CONFUSED = str.maketrans("01i|!59b6", "ollllsg88")


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of a text in order; in scripts without blanks, the characters."""
    found: list[Token] = []
    at, end, opening = 0.0, 0, True
    text = without_note_marks(text)
    for match in _TOKEN.finditer(text):
        gap = text[end : match.start()]
        step = _step(gap)
        opening = opening or step >= 8
        at += step + (2 if found and found[-1].key in _COORDINATES else 0)
        word = match.group()
        key = power_key(word) or fold(_SEPARATORS.sub("", word)).replace("’", "'")
        key = key.removesuffix("'s")
        lone = len(word) == 1 and word != "I"
        name = _is_name(word) and (not opening or word[1:].upper() == word[1:] != "" or _mixed(word))
        stop = not word[0].isdigit() and key in STOP and not (lone and name)
        found.append(Token(key, meaning(key), *match.span(), at, name and not stop, stop))
        end, opening = match.end(), False
    if len(found) == 1 and len(found[0].key) == 1 and text[found[0].start].isupper():  # a grade, not an article
        return (replace(found[0], name=True, stop=False),)
    return tuple(found)


def _step(gap: str) -> float:
    """Return the distance between two neighbouring words."""
    if gap in (" ", ""):
        return 1.0
    if "\n" in gap or re.search(r"[.!?]\s", gap):
        return 9.0
    return 6.0 if ";" in gap or ":" in gap else 5.0 if re.search(r"[,|()–—]", gap) else 1.0


def _is_name(word: str) -> bool:
    return word[0].isupper() or _mixed(word)


def _mixed(word: str) -> bool:
    """Return True for letters and digits together, which name a thing: GPT4, CR2477."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


@lru_cache(maxsize=20_000)
def meaning(key: str) -> str:
    """Return the stem that stands for a folded word and its synonyms."""
    stem = _stem(key)
    return _SAME.get(stem, stem)


def opposite(one: str, other: str) -> bool:
    """Return True if two stems mean the opposite of each other."""
    return other in _OPPOSED.get(one, ())


def _stem(key: str) -> str:
    """Take plural and verb endings off: this is crude, but the same for both sides of a comparison."""
    if len(key) <= 3 or not key.isalpha():
        return key
    for ending, instead, least in _ENDINGS:
        if key.endswith(ending) and len(key) - len(ending) >= least:
            key = key[: len(key) - len(ending)] + instead
            break
    if len(key) > 3 and key[-1] == key[-2] and key[-1] not in "lsz":
        key = key[:-1]
    return key[:-1] if len(key) > 3 and key[-1] == "e" else key


_ENDINGS = (
    ("sses", "ss", 2), ("ies", "y", 2), ("ied", "y", 2), ("ings", "", 3), ("ing", "", 3), ("ches", "ch", 2),
    ("shes", "sh", 2), ("xes", "x", 2), ("ss", "ss", 0), ("us", "us", 0), ("is", "is", 0), ("s", "", 3),
    ("eed", "eed", 0), ("ed", "", 3), ("ply", "ply", 0), ("ily", "ily", 0), ("ly", "", 4),
)  # fmt: skip
_SAME = {_stem(word): _stem(group) for word, group in SYNONYMS.items()}
_OPPOSED: dict[str, set[str]] = {}
for _pair in OPPOSITES:
    _one, _other = (meaning(word) for word in _pair)
    if _one != _other:
        _OPPOSED.setdefault(_one, set()).add(_other)
        _OPPOSED.setdefault(_other, set()).add(_one)


@lru_cache(maxsize=64)
def _compact(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the letters and digits of a text without blanks and most punctuation, and the offset of each in the text.

    Signs that make another number of the same digits are kept: points and commas inside numbers, minus, percent,
    currencies, and that digits are raised.
    """
    out: list[str] = []
    offsets: list[int] = []
    text = without_note_marks(text)
    for match in _KEPT.finditer(text):
        piece = match.group()
        if power := power_signs(piece):
            out += [sign for sign, _ in power]
            offsets += [match.start() + at for _, at in power]
            continue
        piece = fold(piece) if piece[0].isalnum() else " " if piece.isspace() else _PUNCTUATION.get(piece[0], piece[0])
        out.append(piece)
        offsets.extend([match.start()] * len(piece))
    return "".join(out), tuple(offsets)


_KEPT = re.compile(
    rf"{POWER}|[^\W_][{_MARKS}]*|(?<=\d)[.,:](?=\s?\d)|(?<=\d)\s+(?=\d)|[-−](?=[$€£¥]?\d)|\((?=[$€£¥]?\d[\d.,]*\s?%?\))|[%‰$€£¥]"
)
_PUNCTUATION = {"−": "-"}


def find_quotes(text: str, quote: str) -> list[tuple[int, int]]:
    """Return (start, end) of each place where the text has the quote: whole words only, blanks and line ends aside."""
    wanted, _ = _compact(quote)
    if not any(c.isalnum() for c in wanted):
        return []
    hay, offsets = _compact(text)
    found: list[tuple[int, int]] = []
    text = without_note_marks(text)
    at = hay.find(wanted)
    while at >= 0:
        last = at + len(wanted)
        start, end = offsets[at], _end(text, offsets[last - 1])
        sign = at > 0 and hay[at - 1] in "-(" and wanted[0].isdigit()
        whole = not sign and _edge(text, start - 1, start) and _edge(text, end - 1, end)
        if whole and (not found or start >= found[-1][1]):
            found.append((start, end))
        at = hay.find(wanted, last if whole else at + 1)
    return found


def best_quote(text: str, quote: str, context: Iterable[str] = ()) -> tuple[int, int] | None:
    """Return the place of a quote; of several, the one with most words of `context` around it, else the first."""
    places = find_quotes(text, quote)
    if len(places) < 2:
        return places[0] if places else None
    wanted = {t.stem for piece in context for t in tokens(piece) if not t.stop}

    def nearby(place: tuple[int, int]) -> int:
        around = text[max(0, place[0] - 200) : place[0]] + " " + text[place[1] : place[1] + 200]
        return len(wanted & {t.stem for t in tokens(around)})

    return max(places, key=nearby)


def _end(text: str, start: int) -> int:
    """Return the end of the character at `start` with the invisible ones and marks that follow it."""
    match = re.compile(f".[{_MARKS}]*", re.DOTALL).match(text, start)
    return match.end() if match else start + 1


def _edge(text: str, left: int, right: int) -> bool:
    """Return True if a word may end between the characters at `left` and `right`."""
    if left < 0 or right >= len(text):
        return True
    a, b = text[left], text[right]
    if re.match(f"[{_CJK}]", a) or re.match(f"[{_CJK}]", b):
        return True
    glued = (a.isalnum() or a in "\u00ad^") and (b.isalnum() or (b == "^" and a.isdigit()))
    split_number = a.isdigit() and (b in ("%", "‰") or (b in ".," and text[right + 1 : right + 2].isdigit()))
    return not glued and not split_number and not (a in ".," and b.isdigit() and text[left - 1 : left].isdigit())


def passages(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of the passages to compare: each sentence, each pair of neighbours, pieces of long ones."""
    singles: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        inside = _TOKEN.finditer(text, start, end) if end - start > 4 * PASSAGE_TOKENS else ()
        words = [m.span() for m in inside]
        if len(words) <= PASSAGE_TOKENS:
            singles.append((start, end))
            continue
        half = PASSAGE_TOKENS // 2
        pieces = (words[at : at + PASSAGE_TOKENS] for at in range(0, max(len(words) - half, 1), half))
        singles += [(piece[0][0], piece[-1][1]) for piece in pieces]
    pairs = [(a[0], b[1]) for a, b in pairwise(singles) if b[0] >= a[1]]
    return sorted({*singles, *pairs})


def rank(sentence: Sequence[Token], text: str) -> list[Passage]:
    """Return the passages of a text, best first: by the weight of the sentence's words, less the cost of extra ones."""
    wanted = {t.stem: t.weight for t in sentence if not t.stop}
    have = tokens(text)
    ranked: list[Passage] = []
    first = 0
    for start, end in passages(text):
        while first < len(have) and have[first].start < start:
            first += 1
        matched, seen, score, n = [], set[str](), 0.0, 0
        while first + n < len(have) and (token := have[first + n]).start < end:  # a slice would copy all that follows
            n += 1
            if token.stem in wanted:
                matched.append(token)
                if token.stem not in seen:
                    seen.add(token.stem)
                    score += wanted[token.stem]
        extra = EXTRA_COST * (n - len(matched))
        ranked.append(Passage(start, end, score - extra, tuple(matched)))
    return sorted(ranked, key=lambda p: -p.score)
