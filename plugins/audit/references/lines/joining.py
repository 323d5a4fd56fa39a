"""Joining: the lines of an entry -> its text, words that the line ends broke whole again."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ADDRESS_END = re.compile(r"(?:https?:|www\.|doi[.:]|10\.\d{4}|\barxiv:)\S{0,500}$", re.IGNORECASE)
_ADDRESS_PART = re.compile(r"[\w%#?&=~+,.:/()@!$*'-]+")
_ARXIV_START = re.compile(r"arxiv\D{0,20}(\d{4})\.(\d{0,4})$", re.IGNORECASE)
"""An arXiv number that may be cut: behind the point it has four digits, five since 2015."""
_WORDS = re.compile(r"\w+(?:-\w+)*")
_HYPHENS = ("-", "\u2010", "\u00ad")


def known_words(lines: Sequence[str]) -> frozenset[str]:
    """Return the words and compounds that stand whole inside the lines, in lower case: they tell which hyphens stay."""
    found: set[str] = set()
    for line in lines:
        words = _WORDS.findall(line.casefold())
        found.update(words[:-1] if line.rstrip().endswith(_HYPHENS) else words)
    return frozenset(found)


def joined(lines: Sequence[str], known: frozenset[str] = frozenset()) -> str:
    """Return the lines as one text. A broken word loses its hyphen, unless the compound is a `known` word.

    An address goes on without a blank where the line breaks after one of its signs, or where the next line begins with
    what can only be its rest.
    """
    text = ""
    for line in map(str.strip, lines):
        if not line:
            continue
        if not text:
            text = line
        elif text.endswith("\u00ad"):
            text = text[:-1] + line
        elif _goes_on(text, line):
            text += line
        elif text.endswith(_HYPHENS) and len(text) > 1 and text[-2].isalnum():
            text = _hyphenated(text, line, known)
        else:
            text += f" {line}"
    return text


def _hyphenated(text: str, line: str, known: frozenset[str]) -> str:
    head, tail = (_WORDS.findall(text[-60:-1]) or [""])[-1], (_WORDS.findall(line[:60]) or [""])[0]
    whole, compound = f"{head}{tail}".casefold(), f"{head}-{tail}".casefold()
    part = f"{head.rpartition('-')[2]}{tail}".casefold()
    broken = line[0].islower() and text[-2].isalpha()
    if (text[-2].islower() and line[0].isupper()) or not broken or (compound in known and whole not in known):
        return text + line
    if "-" in head and part not in known and len(tail) > 2:
        return text + line
    return text[:-1] + line


def _goes_on(text: str, line: str) -> bool:
    """Return True if a text ends in an address that `line` continues."""
    address = _ADDRESS_END.search(text[-520:])
    if address is None:
        return False
    first = line.split(maxsplit=1)[0]
    if not _ADDRESS_PART.match(first) or first.startswith(("(", "http")):
        return False
    last = text[-1]
    if last in "/_=?&#%-":
        return True
    if last == ".":
        return first[0].islower() or (first[0].isdigit() and "." in address[0][8:-1] and any(c in first for c in "/-_"))
    if last in ",;)]":
        return False
    has_sign = any(c in first.rstrip(".,;") for c in "/_=%") or (first[0] in "./?=&#-_%" and len(first) > 1)
    return (
        has_sign
        or (any(c.isdigit() for c in first) and any(c.isalpha() for c in first) and len(first) > 5)
        or _is_rest(address[0], first)
    )


def _is_rest(address: str, first: str) -> bool:
    """Return True for the digits that end a DOI or an arXiv number ("10.18653/v1/D17-" and "1168")."""
    bare = first.rstrip(".,;")
    if (number := _ARXIV_START.search(address)) and bare.isdigit():
        return len(number[2]) + len(bare) == (5 if number[1] >= "1501" else 4)
    return bare.isdigit() and len(bare) >= 4 and not 1800 <= int(bare) <= 2100 and "10." in address and "/" in address
