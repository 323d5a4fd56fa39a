"""A sentence and an element's text -> where the text says it: tokens with offsets, exact quotes, matching passages.

Everything is compared in a folded form (NFKC, case, ligatures, soft hyphens and directional marks gone, words broken at
line ends joined) that remembers the characters it came from. All of it is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from indexing.language import (
    CJK,
    MARKS,
    POWER,
    TOKEN,
    Token,
    fold,
    power_signs,
    sentence_spans,
    tokens,
    without_note_marks,
)

PASSAGE_TOKENS = 60
"""The length, in tokens, of the passages into which text without sentence ends is cut; they overlap by half."""
EXTRA_COST = 0.01
"""The cost, taken off a passage's score, of each of its tokens that the sentence does not have."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The part `text[start:end]` that matches best, and the tokens of the text there that the sentence has too."""

    start: int
    end: int
    score: float
    tokens: tuple[Token, ...]


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
    rf"{POWER}|[^\W_][{MARKS}]*|(?<=\d)[.,:](?=\s?\d)|(?<=\d)\s+(?=\d)|[-−](?=[$€£¥]?\d)|\((?=[$€£¥]?\d[\d.,]*\s?%?\))|[%‰$€£¥]"
)
_PUNCTUATION = {"−": "-"}


def find_quotes(text: str, quote: str) -> list[tuple[int, int]]:
    """Return (start, end) of each place where the text has the quote: whole words only, blanks and line ends aside."""
    compact_quote, _ = _compact(quote)
    if not any(c.isalnum() for c in compact_quote):
        return []
    hay, offsets = _compact(text)
    quotes: list[tuple[int, int]] = []
    text = without_note_marks(text)
    at = hay.find(compact_quote)
    while at >= 0:
        last = at + len(compact_quote)
        start, end = offsets[at], _end(text, offsets[last - 1])
        sign = at > 0 and hay[at - 1] in "-(" and compact_quote[0].isdigit()
        whole = not sign and _edge(text, start - 1, start) and _edge(text, end - 1, end)
        if whole and (not quotes or start >= quotes[-1][1]):
            quotes.append((start, end))
        at = hay.find(compact_quote, last if whole else at + 1)
    return quotes


def best_quote(text: str, quote: str, context: Iterable[str] = ()) -> tuple[int, int] | None:
    """Return the place of a quote; of several, the one with most words of `context` around it, else the first."""
    places = find_quotes(text, quote)
    if len(places) < 2:
        return places[0] if places else None
    context_stems = {t.stem for piece in context for t in tokens(piece) if not t.stop}

    def nearby(place: tuple[int, int]) -> int:
        around = text[max(0, place[0] - 200) : place[0]] + " " + text[place[1] : place[1] + 200]
        return len(context_stems & {t.stem for t in tokens(around)})

    return max(places, key=nearby)


def _end(text: str, start: int) -> int:
    """Return the end of the character at `start` with the invisible ones and marks that follow it."""
    match = re.compile(f".[{MARKS}]*", re.DOTALL).match(text, start)
    return match.end() if match else start + 1


def _edge(text: str, left: int, right: int) -> bool:
    """Return True if a word may end between the characters at `left` and `right`."""
    if left < 0 or right >= len(text):
        return True
    a, b = text[left], text[right]
    if re.match(f"[{CJK}]", a) or re.match(f"[{CJK}]", b):
        return True
    glued = (a.isalnum() or a in "\u00ad^") and (b.isalnum() or (b == "^" and a.isdigit()))
    split_number = a.isdigit() and (b in ("%", "‰") or (b in ".," and text[right + 1 : right + 2].isdigit()))
    return not glued and not split_number and not (a in ".," and b.isdigit() and text[left - 1 : left].isdigit())


def passages(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of the passages to compare: each sentence, each pair of neighbours, pieces of long ones."""
    singles: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        inside = TOKEN.finditer(text, start, end) if end - start > 4 * PASSAGE_TOKENS else ()
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
    weights = {t.stem: t.weight for t in sentence if not t.stop}
    have = tokens(text)
    ranking: list[Passage] = []
    first = 0
    for start, end in passages(text):
        while first < len(have) and have[first].start < start:
            first += 1
        tokens_matched, seen_stems, score, n = [], set[str](), 0.0, 0
        while first + n < len(have) and (token := have[first + n]).start < end:  # a slice would copy all that follows
            n += 1
            if token.stem in weights:
                tokens_matched.append(token)
                if token.stem not in seen_stems:
                    seen_stems.add(token.stem)
                    score += weights[token.stem]
        extra = EXTRA_COST * (n - len(tokens_matched))
        ranking.append(Passage(start, end, score - extra, tuple(tokens_matched)))
    return sorted(ranking, key=lambda p: -p.score)
