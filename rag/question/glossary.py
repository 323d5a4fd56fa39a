"""Terms that documents do not use for what they hold: a ratio is searched for by the figures it is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

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
