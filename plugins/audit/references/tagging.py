"""The field of every token of an entry, by a small convolutional network and a linear chain (a CRF) over its scores.

An entry runs through four states: before the title, its authors, the title, and after it. The labels hold the state, so
that there is one title, and that authors stand before it; an entry may have none. The chain gives probabilities too: of
a title or a name as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from plugins.audit.references.identifiers import ARXIV_MARK, DOI_MARK, URL_MARK

_SIGNS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
"""The signs of scripts that stand on a letter and belong to its word."""
_LETTER = rf"(?:[^\W_]|[{_SIGNS}])"
_JOINED = r"['’‐\-\u00ad´ˇˆ¨˜¸˘]"  # noqa: RUF001  apostrophes, hyphens, and accents that a PDF prints beside their letter
TOKEN = re.compile(rf"\ue000+|\ue001+|\ue002+|{_LETTER}+(?:{_JOINED}[^\W\d_]{_LETTER}*)*|[^\w\s]|_")
YEAR = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?")
MASKED = {DOI_MARK: "<doi>", ARXIV_MARK: "<arxiv>", URL_MARK: "<url>"}
STOP = frozenset((
    "a", "an", "and", "are", "as", "at", "by", "can", "for", "from", "how", "in", "into", "is", "it", "its", "of",
    "on", "or", "that", "the", "to", "toward", "towards", "under", "using", "via", "what", "when", "why", "with",
    "without", "we", "do", "does", "not", "over", "der", "die", "das", "des", "dem", "den", "ein", "eine", "und",
    "für", "im", "mit", "von", "zur", "zum", "auf", "über", "le", "la", "les", "l", "d", "un", "une", "du", "et",
    "pour", "sur", "dans", "par", "avec", "el", "los", "las", "del", "y", "en", "por", "para", "con", "una", "sobre",
))  # fmt: skip
PARTICLE = frozenset((
    "van", "von", "der", "den", "de", "da", "di", "du", "del", "della", "dos", "das", "la", "le", "ten", "ter", "el",
    "al", "bin", "ibn", "zu", "af",
))  # fmt: skip
VENUE = frozenset((
    "proceedings", "proc", "journal", "conference", "symposium", "workshop", "transactions", "trans", "press",
    "university", "publishers", "publishing", "springer", "elsevier", "wiley", "ieee", "acm", "arxiv", "corr",
    "preprint", "review", "letters", "annals", "advances", "international", "association", "lecture", "notes",
    "magazine", "bulletin", "archives", "verlag", "thesis", "dissertation", "report", "technical", "inc", "institute",
    "nature", "science", "neurips", "icml", "iclr", "cvpr", "acl", "emnlp", "naacl", "nips", "aaai", "zeitschrift",
    "revue", "revista", "actes", "tagung", "editorial", "edition", "books", "blog", "vol", "volume",
))  # fmt: skip
MONTH = frozenset((
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "january", "february",
    "march", "april", "june", "july", "august", "september", "october", "november", "december", "januar", "februar",
    "märz", "mai", "juni", "juli", "oktober", "dezember", "janvier", "février", "mars", "avril", "juin", "juillet",
    "août", "septembre", "octobre", "novembre", "décembre", "enero", "febrero", "marzo", "abril", "mayo", "junio",
    "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
))  # fmt: skip
FEATURES = 1 << 13
"""The number of features; 0 stands for none, each name is hashed to one of the others."""
COLUMNS = 11
FAR = 12
_OPENING, _CLOSING = frozenset("“„«‘"), frozenset("”»’")
_MARKS = frozenset(".,:;()[]“”\"'‘’?!/-–—&«»„`…*<>_+#@·•|=")
_GROUPS: tuple[tuple[str, frozenset[str]], ...] = (
    ("&", frozenset(("and", "und", "et", "y", "e", "&"))),
    ("al", frozenset(("al", "others"))),
    ("in", frozenset(("in",))),
    ("ed", frozenset(("ed", "eds", "editor", "editors", "hrsg", "edited"))),
    ("v", VENUE),
    ("m", MONTH),
    ("p", PARTICLE),
    ("s", STOP),
)


@dataclass(frozen=True, slots=True)
class EntryToken:
    """A token: `start` and `end` are its characters in the entry, `word` is in small letters, `shape` its form.

    Shapes: "Xx" a name or first word, "xx", "XX", "X" an initial, "mX" mixed, "Y" a year, "9" a number, "9x" letters
    and digits, "c" a word of a script without capitals, a mark itself, or what was masked.
    """

    start: int
    end: int
    word: str
    shape: str
    spaced: bool


def tokens_of(masked_text: str) -> list[EntryToken]:
    """Return the tokens of a masked entry, in its order."""
    tokens, end = [], 0
    for match in TOKEN.finditer(masked_text):
        word = match.group()
        shape = MASKED.get(word[0]) or _shape(word)
        tokens.append(EntryToken(match.start(), match.end(), word.lower()[:40], shape, match.start() > end))
        end = match.end()
    return tokens


def _shape(word: str) -> str:
    """Return the form of a word or mark."""
    if YEAR.fullmatch(word):
        return "Y"
    if word[0].isdigit():
        return "9" if word.isdigit() else "9x"
    if not word[0].isalpha():
        return word
    return _letters(word)


def _letters(word: str) -> str:
    """Return the form of a word of letters."""
    if len(word) == 1:
        return "X" if word.isupper() else "x" if word.islower() else "c"
    if word.islower():
        return "xx"
    if word.isupper():
        return "XX" if len(word) <= 3 else "XXX"
    if word[0].isupper() and word[1:].islower():
        return "Xx"
    if word[0].isupper() and "-" in word:
        return "Xx-Xx"
    return "mX" if any(c.isupper() for c in word) else "c"


def token_columns(tokens: Sequence[EntryToken]) -> NDArray[np.int16]:
    """Return the numbers of every token's features, (n, COLUMNS), each below `FEATURES`."""
    columns = np.zeros((len(tokens), COLUMNS), np.int16)
    quoted, depth = False, 0
    for i, token in enumerate(tokens):
        shape = token.shape
        opens = shape in _OPENING or (shape == '"' and not quoted)
        closes = shape in _CLOSING or (shape == '"' and quoted)
        if shape in ("(", "["):
            depth = min(depth + 1, 2)
        state = (f"q{int(quoted)}{depth}", f"k{int(opens)}{int(closes)}{int(quoted)}")
        columns[i] = [_number(name) if name else 0 for name in (*_names(tokens, i), *state)]
        quoted = (quoted or opens) and not closes
        if shape in (")", "]"):
            depth = max(depth - 1, 0)
    return columns


def _names(tokens: Sequence[EntryToken], i: int) -> Iterator[str]:
    """Yield the names of a token's features, "" for one that it lacks; the last two columns are the caller's."""
    token, count = tokens[i], len(tokens)
    word, shape = token.word, token.shape
    if len(shape) == 1 and not shape.isalnum() and shape not in _MARKS:
        shape = "*"
    spaced, followed = token.spaced or i == 0, i + 1 >= count or tokens[i + 1].spaced
    long = word[:1].isalpha() and len(word) > 3
    group = next((name for name, words in _GROUPS if word in words), "")
    yield f"s{shape}|{int(spaced)}{int(followed)}"
    yield f"S{shape}"
    yield f"n{len(word)}" if shape in ("Y", "9", "9x") else f"w{word}"
    yield f"x{word[-3:]}" if long else ""
    yield f"p{word[:3]}" if long else ""
    yield f"g{group}|{shape}" if group else ""
    yield f"l{shape[:2]}{min(len(word), 9)}"
    yield f"i{min(i, FAR)}"
    yield f"e{min(count - i, FAR)}"


@lru_cache(maxsize=1 << 16)
def _number(name: str) -> int:
    return 1 + crc32(name.encode()) % (FEATURES - 1)


LABELS = (
    "name", "in name", "between names", "year before", "before", "title", "in title", "venue", "in venue", "year",
    "after",
)  # fmt: skip
"""The labels of tokens: the first and the further ones of a name, a title and a venue, a year, and all else."""
DILATIONS = (1, 2, 4, 8, 16, 1)
"""The distances at which the convolutions look to both sides of a token."""
POOLED = 3
"""The convolution behind which the whole entry is looked at."""
_EARLY = frozenset(("name", "in name", "between names", "year before", "before"))
_NEXT = {"in name": ("name", "in name"), "in title": ("title", "in title"), "in venue": ("venue", "in venue")}
_NEVER = -1e4
Weights = Mapping[str, NDArray[np.float32]]


@cache
def transition_losses() -> NDArray[np.float32]:
    """Return 0 where a label may follow another, and a large loss where it may not: (L + 1, L), the start last."""
    size = len(LABELS)
    loss = np.zeros((size + 1, size), np.float32)
    for i, first in enumerate((*LABELS, "before")):
        for j, second in enumerate(LABELS):
            late_first, late_second = first not in _EARLY, second not in _EARLY
            before = _NEXT.get(second)
            wrong = before is not None and (i == size or first not in before)
            wrong = wrong or (late_first and not late_second) or (late_first and second == "title")
            loss[i, j] = _NEVER if wrong else 0
    return loss


@cache
def shipped_weights() -> Weights:
    """Return the weights of the network and the chain: whole numbers of eight bits with a scale each."""
    with resources.files("plugins.audit.references").joinpath("fields.npz").open("rb") as file:
        arrays = np.load(file, allow_pickle=False)
        return {
            name: arrays[name].astype(np.float32) * arrays[f"{name}/scale"]
            for name in arrays.files
            if not name.endswith("/scale")
        }


def label_scores(columns: NDArray[np.int16], weights: Weights) -> NDArray[np.float32]:
    """Return the score of every label for every token, (n, L), from its features."""
    embeddings = weights["embedding"][columns].sum(1)
    state = np.maximum(embeddings @ weights["input"].T + weights["input/bias"], 0)
    count, width = state.shape
    for number, distance in enumerate(DILATIONS):
        kernel = weights[f"convolution {number}"]
        edge = np.zeros((distance, width), np.float32)
        padded_state = np.concatenate((edge, state, edge))
        gates = weights[f"convolution {number}/bias"] + sum(
            padded_state[k * distance : k * distance + count] @ kernel[:, :, k].T for k in range(3)
        )
        state = state + gates[:, :width] / (1 + np.exp(-np.clip(gates[:, width:], -30, 30)))
        if number == POOLED:
            whole = np.concatenate((state.mean(0), state.max(0)))
            state = state + np.maximum(weights["pooled"] @ whole + weights["pooled/bias"], 0)
    scores: NDArray[np.float32] = state @ weights["output"].T + weights["output/bias"]
    return scores


@dataclass(frozen=True)
class LabelChain:
    """The labels of one entry: `scores` of its tokens, (n, L), and `moves` from label to label, (L + 1, L)."""

    scores: NDArray[np.float32]
    moves: NDArray[np.float32]

    @classmethod
    def of(cls, columns: NDArray[np.int16]) -> LabelChain:
        """Return the chain of an entry's tokens."""
        weights = shipped_weights()
        scores = label_scores(columns, weights) if len(columns) else np.zeros((0, len(LABELS)), np.float32)
        return cls(scores, weights["moves"] + transition_losses())

    def best_path(self) -> list[int]:
        """Return the numbers of the best labels, by Viterbi; time is linear in the tokens."""
        if not len(self.scores):
            return []
        best = self.moves[-1] + self.scores[0]
        back = np.zeros(self.scores.shape, np.int8)
        for i in range(1, len(self.scores)):
            scores = best[:, None] + self.moves[:-1]
            back[i] = scores.argmax(axis=0)
            best = scores.max(axis=0) + self.scores[i]
        path = [int(best.argmax())]
        for i in range(len(self.scores) - 1, 0, -1):
            path.append(int(back[i, path[-1]]))
        return path[::-1]

    def probability(self, labels: Sequence[str], field: str) -> float:
        """Return how probable it is that the first span of a field is exactly the one that the labels name."""
        start = labels.index(field)
        end = next((i for i in range(start + 1, len(labels)) if labels[i] != f"in {field}"), len(labels))
        return float(np.exp(min(0.0, self.holding(field, start, end).total - self.total)))

    def holding(self, field: str, start: int, end: int) -> LabelChain:
        """Return the chain of the entry if the tokens from `start` to `end` are known to be exactly one such field."""
        first, inner = LABELS.index(field), LABELS.index(f"in {field}")
        scores = self.scores.copy()
        scores[start:end] = _NEVER
        scores[start, first] = self.scores[start, first]
        scores[start + 1 : end, inner] = self.scores[start + 1 : end, inner]
        scores[end : end + 1, inner] = _NEVER
        return LabelChain(scores, self.moves)

    @cached_property
    def total(self) -> float:
        """The logarithm of the sum over all paths."""
        scores = self.moves[-1] + self.scores[0]
        for row in self.scores[1:]:
            most = float(scores.max())
            sums = np.exp(scores - most) @ self._factors
            scores = np.log(np.maximum(sums, 1e-30)) + most + row
        most = float(scores.max())
        return float(np.log(np.exp(scores - most).sum())) + most

    @cached_property
    def _factors(self) -> NDArray[np.float32]:
        return np.exp(self.moves[:-1])
