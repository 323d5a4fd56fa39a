"""A text -> its dates, months, quarters, halves and years."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.check.amounts import Quantity
from rag.check.lexicon import MONTHS, ORDINALS

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_YEAR = r"(?:1[5-9]|20)\d\d"
_ORDINAL = "|".join(ORDINALS)
_MOMENTS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (rf"\bQ(?P<q>[1-4])(?:[\s,]*(?:of\s+)?(?:FY\s?)?(?:(?P<y>{_YEAR})|['’]?(?P<yy>\d\d)))?\b", 0),
        (rf"\b(?P<q>[1-4])Q\s?['’]?(?:(?P<y>{_YEAR})|(?P<yy>\d\d))\b", 0),
        (rf"\bH(?P<h>[12])\s(?:of\s+)?(?P<y>{_YEAR})\b", 0),
        (
            (
                rf"\b(?P<ord>{_ORDINAL}|[1-4](?:st|nd|rd|th))[\s-]+(?P<part>quarter|half)"
                rf"(?:\s+of)?(?:\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?P<y>{_YEAR}))?\b"
            ),
            re.IGNORECASE,
        ),
        (rf"\b(?P<y>{_YEAR})-(?P<mm>0[1-9]|1[0-2])-(?P<d>[0-3]\d)\b", 0),
        (rf"\b(?P<d>[0-3]?\d)\.(?P<mm>0?[1-9]|1[0-2])\.(?P<y>{_YEAR})\b", 0),
        (rf"\b(?P<a>[0-3]?\d)/(?P<b>[0-3]?\d)/(?P<y>{_YEAR})\b", 0),
        (
            rf"\b(?P<d>[0-3]?\d)(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<m>{_MONTH})\b\.?(?:,?\s(?P<y>{_YEAR})\b)?",
            re.IGNORECASE,
        ),
        (
            rf"\b(?P<m>{_MONTH})\.?\s(?P<d>[0-3]?\d)(?:st|nd|rd|th)?\b(?![.,:]\d|%)(?:,?\s(?P<y>{_YEAR})\b)?",
            re.IGNORECASE,
        ),
        (rf"\b(?P<m>{_MONTH})\.?,?\s(?:of\s)?(?P<y>{_YEAR})\b", re.IGNORECASE),
        (rf"\b(?P<y>{_YEAR})[-–/](?P<to>\d\d)\b(?![-/.\d])", 0),
        (r"\bFY\s?['’]?(?P<yy>\d\d)\b", 0),
        (rf"(?<![\w$€£¥#])(?<!\d[.,])(?:FY\s?)?(?P<y>{_YEAR})\b(?![.,]?\d|%|[-–]?[A-Za-z])", 0),
        (r"\b(?P<m>January|February|March|April|June|July|August|September|October|November|December)\b", 0),
        (r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Oo]f|[Ff]rom|[Tt]o)\s(?P<m>May)\b", 0),
    )
)


def moments(text: str) -> Iterator[Quantity]:
    """Moments as each pattern finds them, the most telling first; they may overlap."""
    for pattern in _MOMENTS:
        for match in pattern.finditer(text):
            yield from _moment(match)


def _moment(match: re.Match[str]) -> Iterator[Quantity]:
    part = {key: value for key, value in match.groupdict().items() if value}
    year = int(part.get("y", 0)) or (2000 + int(part["yy"]) if "yy" in part else 0)
    month = MONTHS[part["m"].lower()] if "m" in part else int(part.get("mm", 0))
    day = int(part.get("d", 0))
    quarter = int(part.get("q", 0)) or (4 + int(part["h"]) if "h" in part else 0)
    if "ord" in part:
        number = ORDINALS.get(part["ord"].lower(), 0) or int(part["ord"][0])
        if number > (4 if part["part"].lower() == "quarter" else 2):
            return
        quarter = number if part["part"].lower() == "quarter" else 4 + number
    if "a" in part:
        a, b = int(part["a"]), int(part["b"])
        day, month = (a, b) if a > 12 else (b, a)
    if "d" in part and not 1 <= day <= 31:
        return
    if month == 5 and "m" in part and part["m"][0].islower():
        return
    start, end = match.span("m") if match.re is _MOMENTS[-1] else match.span()
    if "to" in part:
        middle = match.end("y")
        yield Quantity("moment", start, middle, year=year)
        year, start = year // 100 * 100 + int(part["to"]), middle + 1
    yield Quantity("moment", start, end, year=year, quarter=quarter, month=month, day=day)
