"""Split a text into the spans of its sentences, without a model."""

from __future__ import annotations

import re

from indexing.language.lexicon import lexicon_values, lexicon_words
from indexing.typography import RAISED_DIGITS

_MONTH_ABBREVIATIONS = lexicon_values("month_abbreviations")
_ABBREVIATIONS = frozenset((*lexicon_words("abbreviations"), *_MONTH_ABBREVIATIONS))
_MONTHS = tuple(month.title() for month in lexicon_values("months", "de"))
_DAY_AND_MONTH = re.compile(rf"\d{{1,2}}[-\u2013](?:{'|'.join(month.title() for month in _MONTH_ABBREVIATIONS)})")
_MARKS = r"[.!?\u2026\u3002\uff01\uff1f]"
_NOTE = rf"(?:[{RAISED_DIGITS}][{RAISED_DIGITS},⁻]*+)?+"
"""The superscript number of a note after the sentence."""
_END = re.compile(rf"(?<!{_MARKS}){_MARKS}++[)\]\"'\u201d\u2019\u00bb]*+{_NOTE}(?=\s|$)|[\u3002\uff01\uff1f]")
_ADDRESS = re.compile(r"(?:https?://|www\.)", re.IGNORECASE)
_GOES_ON = re.compile(r"[^\s./]{3,100}+[./]\w")
"""The rest of an address that a line breaks behind a full stop: "https://CRAN." and "R-project.org"."""
_OPENER = re.compile(r"(?:The|This|These|As|For|In|It|We|If|When|However|There|An?)\s")
"""A word that begins a sentence, and no name."""
_INITIALS = re.compile(r"(?:[^\W\d_]\.){0,9}[^\W\d_]")
"""The initials of a name, but for their last full stop: "J", "J.H.M"; they are capitals."""
_BLANKS = re.compile(r"\s*")


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence of a text, without surrounding white space.

    A full stop does not end a sentence after an abbreviation, an initial or a lone number, in a German date
    ("2. November"), or before a lower-case letter.
    """
    spans: list[tuple[int, int]] = []
    start, first = 0, _BLANKS.match(text).end()  # type: ignore[union-attr]
    for match in _END.finditer(text):
        end = match.end()
        if match.group()[0] == "." and not _ends_sentence(text, match.start(), end, first):
            continue
        spans.append((start, end))
        start = end
    spans.append((start, len(text)))
    return [inner for span in spans if (inner := _trim(text, *span))[0] < inner[1]]


def _ends_sentence(text: str, stop: int, end: int, first: int) -> bool:
    """Return True if the full stop at `stop`, with its quotes up to `end`, ends a sentence; `first` skips blanks."""
    following = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
    if text[following : following + 1].islower():
        return False
    begin, last = _word_before(text, stop)
    word = text[begin:last].lstrip("([\"'")
    if _ADDRESS.match(word) and _GOES_ON.match(text, following):
        return False
    if word.lower() in _ABBREVIATIONS or _DAY_AND_MONTH.fullmatch(word):
        return False
    if word.isupper() and _INITIALS.fullmatch(word):
        return _OPENER.match(text, following) is not None  # "in R. The ..."; a name goes on ("J. R. Holm")
    if word.isdigit() and len(word) <= 2 and text.startswith(_MONTHS, following):
        return False
    return not (word.isdigit() and (stop - len(word), stop) == (first, last))


def _word_before(text: str, stop: int) -> tuple[int, int]:
    """Return (start, end) of the last word before `stop`."""
    last = stop
    while last > 0 and text[last - 1].isspace():
        last -= 1
    begin = last
    while begin > 0 and not text[begin - 1].isspace():
        begin -= 1
    return begin, last


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
