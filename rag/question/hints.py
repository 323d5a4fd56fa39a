"""The hints of a question about where its answer stands, and terms that documents do not use for what they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from indexing import NUMBERED_NAME, Hints, numbered_name, options_of
from indexing.language import AMBIGUOUS_NUMBERS, NUMBER_WORDS, ORDINALS
from rag.errors import ProfileError
from rag.settings import lookup_file

SHIPPED = "glossary.yaml"


class Glossary:
    """A glossary: terms, and for each the texts to search for instead."""

    def __init__(self, entries: Mapping[str, Sequence[str]]) -> None:
        """Compile `entries`: terms, with `|` between ways to write one, to the texts that are searched for."""
        self._entries = [(_pattern(terms), tuple(phrases)) for terms, phrases in entries.items()]

    def look_for(self, question: str) -> list[str]:
        """Return the texts to search for besides the question, in the order of the glossary, each once."""
        texts = [text for pattern, phrases in self._entries if pattern.search(question) for text in phrases]
        return list(dict.fromkeys(texts))


def load_glossary(path: str = "") -> Glossary:
    """Load the glossary that ships in `configs/`, or one of your own, by path. Raises ProfileError."""
    return _load_cached(path)


@lru_cache(maxsize=8)
def _load_cached(path: str) -> Glossary:
    name, entries = lookup_file(SHIPPED, path, "rag.glossary")
    if not isinstance(entries, dict) or not all(
        isinstance(terms, str) and isinstance(phrases, list) and all(isinstance(w, str) for w in phrases)
        for terms, phrases in entries.items()
    ):
        raise ProfileError(f"{name}: it must map terms to lists of search phrases, as configs/{SHIPPED} does")
    return Glossary(entries)


def _pattern(terms: str) -> re.Pattern[str]:
    """Compile a pattern of any of the terms as whole words; a space in a term also matches dashes and underscores."""
    ways = [r"[\s_-]+".join(map(re.escape, term.split())) for term in terms.split("|") if term.strip()]
    return re.compile(rf"(?<!\w)(?:{'|'.join(ways)})(?!\w)", re.IGNORECASE)


_NUMBERS = {word: value for word, value in NUMBER_WORDS.items() if word not in AMBIGUOUS_NUMBERS}
_OTHERS = {"last": -1, "final": -1, "cover": 1, "title": 1, "front": 1}
PAGE_WORDS = frozenset(("page", "pages", "slide", "slides", *_NUMBERS, *ORDINALS, *_OTHERS))
"""The words by which a question names pages."""
MOST_PAGES = 20
"""The longest range of pages that counts as a hint; a longer one ("pages 1-200") says nothing."""

_PAGE = re.compile(
    rf"\b(?:pages?|slides?|pp?\.|seiten?|s\.)\s*+(?:(?:no\.?|number)\s*+)?(?P<a>\d{{1,5}}|{'|'.join(_NUMBERS)})\b"
    r"(?:\s*(?P<to>-|–|to|and|&|,)\s*(?P<b>\d{1,5})\b)?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"\b(?P<word>{'|'.join((*ORDINALS, *_OTHERS))}|(?P<n>\d{{1,4}})(?:st|nd|rd|th))\s+(?:cover\s+)?(?:page|slide)\b",
    re.IGNORECASE,
)
_COVER = re.compile(r"\b(?:on|in|of) the (?:front |book )?cover\b", re.IGNORECASE)
_MORE = re.compile(r"\s*(?P<to>-|–|to|and|&|,)\s*(?P<b>\d{1,3})\b")

_PICTURES = re.compile(
    r"\b(?:figure|chart|graph|diagram|image|picture|photo(?:graph)?|map|logo|icon|screenshot|drawing|illustration|"
    r"colou?r(?:ed)?|bar|arrow|shape|circle|rectangle|blue|red|green|orange|yellow|purple|black|white|grey|gray|pie|"
    r"axis|legend)s?\b",
    re.IGNORECASE,
)
_TABLES = re.compile(r"\btables?\b", re.IGNORECASE)
_FRONT = re.compile(
    r"\b(?:title|authors?|presenters?|presented by|affiliations?|publisher|published|publication|date|e-?mail|logo|"
    r"cover)\b",
    re.IGNORECASE,
)


def hints_of(question: str) -> Hints:
    """Return the pages, numbered things and kinds that a question names, in English (pages in German, too)."""
    return Hints(
        tuple(sorted(_pages(question))),
        tuple(sorted(_names(question))),
        bool(_PICTURES.search(question)),
        bool(_TABLES.search(question)),
        bool(_FRONT.search(question)),
    )


def _pages(question: str) -> set[int]:
    """Return the numbers, from 1, of the pages that a question names; -1 is the last page."""
    pages: set[int] = {1} if _COVER.search(question) else set()
    for match in _PAGE.finditer(question):
        word = match["a"].lower()
        first = int(word) if word.isdigit() else _NUMBERS[word]
        pages |= _range(first, match["to"], match["b"])
    for match in _ORDINAL.finditer(question):
        word = match["word"].lower()
        pages.add(int(match["n"]) if match["n"] else ORDINALS.get(word) or _OTHERS[word])
    return pages - {0}


def _names(question: str) -> set[str]:
    """Return the names in a question: numbered things ("figures 2 and 3" are two), and options of a command."""
    names = set(options_of(question))
    for match in NUMBERED_NAME.finditer(question):
        name = numbered_name(match)
        names.add(name)
        kind, number = name.split(" ", 1)
        more = _MORE.match(question, match.end())
        if more and number.isdigit() and match[0].lower().rstrip(" 0123456789").endswith(("s", ".")):
            names |= {f"{kind} {n}" for n in _range(int(number), more["to"], more["b"])}
    return names


def _range(first: int, to: str | None, last: str | None) -> set[int]:
    """Return `first`, and the pages that "to", a dash, "and" or a comma adds to it."""
    if not last:
        return {first}
    end = int(last)
    if to in ("and", "&", ","):
        return {first, end} if end != first else {first}
    return set(range(first, end + 1)) if first <= end < first + MOST_PAGES else {first}
