"""A text -> the spans of its sentences, without a model."""

from __future__ import annotations

import re

_ABBREVIATIONS = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "sr",
        "jr",
        "st",
        "vs",
        "etc",
        "e.g",
        "i.e",
        "cf",
        "al",
        "fig",
        "figs",
        "eq",
        "no",
        "nos",
        "vol",
        "pp",
        "p",
        "ed",
        "eds",
        "inc",
        "ltd",
        "co",
        "corp",
        "dept",
        "approx",
        "est",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "u.s",
        "u.k",
        "a.m",
        "p.m",
        "bzw",
        "z.b",
        "d.h",
        "ca",
        "usw",
        "nr",
        "abb",
        "tab",
        "bd",
        "str",
    ]
)
_MONTHS = (
    "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
    "Dezember",
)  # fmt: skip
_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]+[)\]\"'\u201d\u2019\u00bb]*(?=\s+|$)|[\u3002\uff01\uff1f]")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence of a running text, surrounding blanks left out.

    A full stop ends no sentence after an abbreviation, an initial or a lone number, in a German date ("2. November"),
    nor before a lower-case letter.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match.group()[0] == "." and not _ends(text, match.start(), end):
            continue
        spans.append((start, end))
        start = end
    spans.append((start, len(text)))
    return [trimmed for span in spans if (trimmed := _trim(text, *span))[0] < trimmed[1]]


def _ends(text: str, stop: int, end: int) -> bool:
    """Return True if the full stop at `stop` ends a sentence."""
    rest = text[end:].lstrip()
    if rest[:1].islower():
        return False
    word = text[:stop].rsplit(maxsplit=1)[-1].lstrip("([\"'") if text[:stop].split() else ""
    if word.lower() in _ABBREVIATIONS:
        return False
    if len(word) == 1 and word.isalpha() and word.isupper():
        return False
    if word.isdigit() and len(word) <= 2 and rest.startswith(_MONTHS):
        return False
    line_start = text[:stop].rstrip(word).strip() == ""
    return not (word.isdigit() and line_start)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
