"""Headings: which lines that the layout model takes for headings are some, and the level that a heading's number shows.

The model goes by the look of a line alone, and takes units, page numbers and half lines for headings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf

Face = tuple[str, float, int]
"""The look of letters: name of the font, size in half points, colour."""
Group = dict[str, Any]
"""A group that the layout model found (`indexing.parse.layout`)."""
Level = tuple[int, int]
"""The level of a numbered heading: the rank of its kind of number (0 Roman, 1 letters, 2 digits), and its depth."""

HEADINGS = ("title", "section-header")
_BODY = ("text", "list-item", "footnote")
MIN_BODY_CHARS = 200
"""The least characters of running text on a page by which its face is known."""
MOST_IN_BODY = 0.6
"""The share of the letters of a heading in the face of running text from which it is running text itself."""

_MONEY = r"(?:u\.?s\.?|usd?|eur|gbp|rs\.?|[$€£¥₹])"
_UNIT = re.compile(
    rf"[\s(\[*]{{0,8}}(?:(?:all|amounts?|figures|numbers|values|dollars|currency|expressed|presented|stated|and|are|angaben"
    rf"|beträge|montants|importes|cifras|valores|{_MONEY})[\s,]{{1,4}}){{0,12}}(?:in|en|em)\s{{1,4}}(?:{_MONEY}\s{{0,4}}|(?:hundreds?|tens?)\s{{1,4}}of\s{{1,4}}){{0,4}}"
    rf"(?:thousands?|millions?|billions?|lakhs?|crores?|percent|per\s{{1,4}}cent|%|0{{0,3}}'?000'?s?|tausend|tsd|mio|mrd|milliers"
    rf"|milliards|miles|millones|milhares|milhões)\b\.?(?:\s{{0,4}}{_MONEY}|\s{{1,4}}(?:of|d'|de)\s{{0,4}}\w{{1,40}})?"
    rf"(?:(?:\s{{0,4}}[,;–—]|\s{{1,4}}(?:except|unless|and)\b)[^().]{{0,60}})?[\s)\]*.:]{{0,8}}",
    re.IGNORECASE,
)
_TRAILING = re.compile(r"\s{0,8}[(\[][^()\[\]]{0,200}[)\]]\s{0,8}$")
_ROMAN = re.compile(r"([IVX]{1,6})(?:[.):]\s*$|[.):]\s+\S|\s+[–—-]\s)")
_LETTER = re.compile(r"([A-Z])((?:\.\d{1,2})*)(?:([.):])\s+\S|(?<=\d)\s+\S|\s+[A-Z])")
_FIGURES = re.compile(
    r"(?:(?i:chapter|section|part|kapitel|abschnitt|teil|chapitre|cap[íi]tulo)\s+)?"
    r"(\d{1,2}(?:\.\d{1,2})*)(?:[.):]?\s*$|[.):]\s+\S|(?<=\.\d)\s+\S|(?<=\.\d\d)\s+\S|\s+[^\sa-z])"
)


def states_unit(text: str) -> bool:
    """Return True for a line that only names the unit of the numbers beside it, as "(in millions)"."""
    return len(text) <= 120 and _UNIT.fullmatch(text) is not None


def title_of(heading: str) -> str:
    """Return the text of a heading without a unit in brackets at its end."""
    bracket = _TRAILING.search(heading)
    return heading[: bracket.start()] if bracket and bracket.start() and states_unit(bracket.group()) else heading


def may_be_heading(text: str) -> bool:
    """Return False if a line cannot be a heading: a number, a remark in brackets, a unit, a part of a sentence."""
    text = text.strip()
    if not re.search(r"[^\W\d_]{2}", text) and not _ROMAN.match(text):
        return False
    if re.fullmatch(r"\([^()]*\)|\[[^\[\]]*\]", text) or states_unit(text):
        return False
    if text.endswith((",", ";")) or re.search(r"[a-z][-\u2010]$", text):
        return False
    return not (text[0].islower() and len(text.split()) > 3)


def level_of(text: str, open_headings: Sequence[tuple[Level | None, str]] = ()) -> Level | None:
    """Return the level that a heading's number shows: Roman above letters above digits; None for one without a number.

    A letter that may be a Roman numeral, or a word, counts if it follows the letter of one of `open_headings`, the
    headings above it with their levels; "A" alone begins the appendices behind numbered chapters too.
    """
    if match := _FIGURES.match(text):
        return 2, match[1].count(".")
    roman, letter = _ROMAN.match(text), _LETTER.match(text)
    if letter:
        before = next((title[0] for level, title in open_headings if level == (1, 0)), "")
        follows = ord(letter[1]) - 1 == ord(before) if before else False
        appendix = letter[1] == "A" and any(level == (2, 0) for level, _ in open_headings)
        if follows or (not roman and (letter[2] or letter[3] or appendix)):
            return 1, letter[2].count(".")
    return (0, 0) if roman else None


def with_true_headings(page: pymupdf.Page, regions: Sequence[Group]) -> list[Group]:
    """Return the model's groups with headings as text that are set in the face of the running text of the page.

    A line in that face stays a heading if it is in capitals or has a number.
    """
    headings = [n for n, region in enumerate(regions) if region["class_name"] in HEADINGS]
    if not headings:
        return list(regions)
    spans = list(_spans(page))
    body: Counter[Face] = Counter()
    for middle, face, text in spans:
        if any(r["class_name"] in _BODY and _contains(r["group_bbox"], middle) for r in regions):
            body[face] += len(text)
    result = list(regions)
    if body.total() < MIN_BODY_CHARS:
        return result
    face = body.most_common(1)[0][0]
    for n in headings:
        runs = [(f, text) for middle, f, text in spans if _contains(regions[n]["group_bbox"], middle)]
        line = " ".join(text for _, text in runs).strip()
        alike = sum(len(text) for f, text in runs if f == face)
        if alike > MOST_IN_BODY * sum(len(text) for _, text in runs) and not line.isupper() and level_of(line) is None:
            result[n] = {**regions[n], "class_name": "text"}
    return result


def _spans(page: pymupdf.Page) -> Iterator[tuple[tuple[float, float], Face, str]]:
    """Yield each piece of text in one face on a page: its middle in points, its face and its text."""
    for block in page.get_text("dict", flags=pymupdf.TEXT_PRESERVE_WHITESPACE)["blocks"]:
        for line in block.get("lines", ()):
            for span in line["spans"]:
                if text := span["text"].strip():
                    x0, y0, x1, y1 = span["bbox"]
                    yield ((x0 + x1) / 2, (y0 + y1) / 2), (span["font"], round(2 * span["size"]), span["color"]), text


def _contains(box: Sequence[float], point: tuple[float, float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]
