"""Words of questions and texts: sentences, numbers and names, and how questions and headings are put.

Patterns that join `.+` and words run over text in which words stand one space apart: none takes more than linear time.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import pairwise

COUNTING = re.compile(
    r"\b(how many|how much|number of|total|combined|difference|average|sum|how long)\b", re.IGNORECASE
)
"""Questions whose answer is computed: where it equals a cell, that is by chance."""
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)")
NAME = re.compile(r"[A-Z][\w'’-]+(?: (?:of|the|and|de|van|von)? ?[A-Z][\w'’-]+)*")
YEAR = re.compile(r"(19|20)\d\d")
_SENTENCE = re.compile(r"[.!?]['\")\]]*\s+(?=[\"'(\[]?[A-Z0-9])")
_SPACED = (
    (re.compile(r"-LRB- ?"), "("),
    (re.compile(r" ?-RRB-"), ")"),
    (re.compile(r"-LSB- ?"), "["),
    (re.compile(r" ?-RSB-"), "]"),
    (re.compile(r"`` ?"), '"'),
    (re.compile(r" ?''"), '"'),
    (re.compile(r"` "), "'"),
    (re.compile(r" ([,.;:!?%)\]}]|n't\b|'s\b|'re\b|'ve\b|'ll\b|'d\b|'m\b|'(?=\s|$))"), r"\1"),
    (re.compile(r"([(\[{$#]) "), r"\1"),
)
_ASKING = re.compile(
    r"^(what|which|who|whom|whose|when|where|why|how|in what|in which)\b"
    r"(\s+(many|much|is|are|was|were|did|does|do|the|a|an))*\s*",
    re.IGNORECASE,
)
_POLITE = (
    *[""] * 6,
    "According to the report, ",
    "In the document, ",
    "Please answer: ",
    "Based on the table, ",
)


def sentences_of(text: str) -> tuple[tuple[int, int], ...]:
    """Find (start, end) of each sentence."""
    cuts = [0, *(m.end() for m in _SENTENCE.finditer(text)), len(text)]
    return tuple((a, b) for a, b in pairwise(cuts) if text[a:b].strip())


def unspaced(text: str) -> str:
    """Put a text together again whose tokens stand apart."""
    for pattern, by in _SPACED:
        text = pattern.sub(by, text)
    return " ".join(text.split())


def iter_words(text: str) -> Iterator[str]:
    """Yield lower-case words and numbers."""
    return (m.group().lower() for m in re.finditer(r"[^\W_]+", text))


def names_in(text: str) -> list[str]:
    """Find names: words with capitals, but not those that a text begins with."""
    return [m.group() for m in NAME.finditer(text) if m.start() and len(m.group()) > 3]


def plain(text: str) -> str:
    """Reduce a text to its words, by which two texts are compared."""
    return " ".join(re.findall(r"[^\W_]+(?:[.,]\d+)*", text.lower()))


def has(text: str, keys: set[str]) -> bool:
    """Say whether a text holds one of the keys, which are `plain`, as whole words."""
    whole = f" {plain(text)} "
    return any(key and f" {key} " in whole for key in keys)


def shared(question: str, text: str) -> float:
    """Give the share of a question's longer words that a text has."""
    words = {w for w in iter_words(question) if len(w) > 3}
    return len(words & set(iter_words(text))) / (len(words) or 1)


def asked(question: str, rng: random.Random) -> str:
    """Put a question as people do: capitals and marks come and go."""
    text = rng.choice(_POLITE) + question if rng.random() < 0.15 else question
    if rng.random() < 0.15:
        text = text.rstrip("? .")
    return capital(text) if rng.random() < 0.5 else text


def as_heading(question: str, rng: random.Random) -> str:
    """Put the words of a question as a heading does."""
    text = capital(without_asking(question).rstrip("?. "))
    return text.title() if rng.random() < 0.3 else text


def without_asking(question: str) -> str:
    """Leave out the words with which a question begins."""
    return _ASKING.sub("", question)


def capital(text: str) -> str:
    """Make the first letter a capital, and leave the others."""
    return text[:1].upper() + text[1:]


def looked_up(key: str, head: str, value: str, rng: random.Random) -> str:
    """Ask for a cell by the first cell of its row and the head of its column; `value` is the cell."""
    low = head if head.isupper() else head[:1].lower() + head[1:]
    forms = [
        f"What is the {low} of {key}?",
        f"What was the {low} for {key}?",
        f"{key} {low}?",
        f"{head} of {key}",
        f"what {low} did {key} have",
        f"Which {low} belongs to {key}?",
    ]
    if NUMBER.fullmatch(re.sub(r"[$€£%]", "", value)):
        forms += [
            f"How many {low} did {key} have?",
            f"How many {low} for {key}?",
            f"How much {low} in {key}?",
            f"how many {low} does {key} have",
        ]
    if YEAR.fullmatch(key):
        forms = [
            f"What was the {low} in {key}?",
            f"In {key}, what was the {low}?",
            f"{head} {key}",
            f"How much was the {low} in {key}?",
            f"Which {low} was it in {key}?",
        ]
    if any(w in head.lower() for w in ("year", "date", "when")):
        forms += [f"When was {key}?", f"In which year was {key}?"]
    return rng.choice(forms)
