"""The language of a document, guessed from the beginning of its text by the letters that follow one another.

The model (97 languages) comes with py3langid, after Lui and Baldwin, "langid.py: An Off-the-shelf Language
Identification Tool", ACL 2012. It is loaded when the first document needs it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

SAMPLE = 3000
"""The characters from which a language is guessed."""
LEAST_LETTERS = 40
"""The fewest letters for a guess: below, numbers and names decide."""
SURE = 0.8
"""The least probability for a guess to be kept."""


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the language of a text, "" if it is too short or unclear.

    >>> language_of("Der Vorstand hat im Mai beschlossen, das Lager zu erweitern."), language_of("12,300 14 %")
    ('de', '')
    """
    sample = " ".join(text[:SAMPLE].split())
    if sum(c.isalpha() for c in sample) < LEAST_LETTERS:
        return ""
    code, probability = _identifier().classify(sample)
    return str(code) if probability >= SURE else ""


@lru_cache(maxsize=1)
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
