"""The lexicons: what the product knows of the words of English, German and French, one YAML file a language.

`lexicons/en.yaml` says what each entry is. A file is read once in a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

LANGUAGES = ("en", "de", "fr")
"""The languages that have a lexicon, as ISO 639-1 codes."""
_FOLDER = Path(__file__).with_name("lexicons")
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def lexicon(name: str) -> Mapping[str, Any]:
    """Return the entries of a file in `lexicons/`: those of a language, or `units`."""
    content: Mapping[str, Any] = yaml.load(_FOLDER.joinpath(f"{name}.yaml").read_bytes(), _Loader)  # noqa: S506  a safe one
    return content


def lexicon_words(entry: str, *languages: str) -> tuple[str, ...]:
    """Return the words of an entry, each once, in these languages or in all.

    >>> lexicon_words("negations", "fr")
    ('ne', 'pas', 'jamais', 'sans')
    """
    texts = (lexicon(language).get(entry, "") for language in languages or LANGUAGES)
    return tuple(dict.fromkeys(word for text in texts for word in text.split()))


def lexicon_values(entry: str, *languages: str) -> dict[str, int]:
    """Return the words of an entry with the number that each stands for, in these languages or in all.

    >>> lexicon_values("month_abbreviations")["sept"]
    9
    """
    rows = (row for language in languages or LANGUAGES for row in lexicon(language).get(entry, {}).items())
    return {word: value for value, text in rows for word in text.split()}
