"""A text -> its numbers, amounts, dates and times, each with its value, unit and place in the text.

12.5% is 12.5 percent, 1.2M is 1,200,000, (3.4) is -3.4, "three" is 3, Q1 2021 is the first quarter of 2021, 20,250
under "in thousands of dollars" is $20.25 million, 2 h 5 min is 125 minutes, and half past four is 4:30. Footnote marks,
list and section numbers, versions and model names (GPT-4, 2.0.1) are no quantities; "Table 2" is a label, equal to
another "Table 2" alone.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right, insort
from collections.abc import Iterator
from dataclasses import replace

from indexing.language.lexicon import (
    AMBIGUOUS_NUMBERS,
    BOUNDS,
    CURRENCIES,
    HEDGES,
    MONTHS,
    NUMBER_WORDS,
    ORDINALS,
    SCALE_WORDS,
    SCALES,
    UNITS,
    YEAR,
    lexicon_values,
    lexicon_words,
)
from indexing.language.quantity import Quantity, plain_signs
from indexing.language.superscripts import powers, without_note_marks

_CURRENCY = (
    "|".join(re.escape(c) for c in sorted(CURRENCIES, key=len, reverse=True) if len(c) < 4 and c != "rs") + r"|rs\.?"
)
_DIGITS = (
    r"\d{1,2}(?:,\d\d)+,\d{3}(?:\.\d+)?|"  # as in India: 3,02,16,492
    r"\d{1,3}(?:(?:[,'’\u00a0]\d{3})+|(?: 000)+)(?:\.\d+)?|\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?|"
    r"\d*\.\d+(?:e[-+]?\d+)?|\d+,\d+|\d+"
)
_NUMBER = re.compile(
    rf"(?<![\w.,/])(?P<sign>[-+(]?)\s?(?:(?P<cur>{_CURRENCY})\s?)?(?P<sign2>[-(]?)"
    rf"(?P<num>{_DIGITS})(?P<frac>\s?[¼-¾⅐-⅞])?"
    r"(?P<tail>[A-Za-zµμ°²]+(?:/[hs]\b)?|\s?[%‰])?(?P<close>\s?\))?(?![\w]|[.,]\d|\.\d)",
    re.IGNORECASE,
)
_WORD_NUMBER = re.compile(
    rf"\b(?:(?:{'|'.join(NUMBER_WORDS)})(?:[\s-](?:and\s)?)?|(?:a\s)?(?:hundred|thousand|million|billion|dozen)\s?(?:and\s)?)+"
    r"(?<![\s-])(?<!\sand)(?:[\s-]?(?P<half>and a half))?\b|\b(?P<part>half)\b|\b(?P<th>thirds?|quarters?)\s(?=of\b)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"[\s-]?(?P<scale>{'|'.join(SCALE_WORDS)}|bn|mn|mio|mrd)\b\.?|(?P<none>)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"[\s-]?(?P<u>" + "|".join(re.escape(u).replace(r"\ ", r"\s") for u in sorted(UNITS, key=len, reverse=True)) + r")"
    r"(?![\w/²])|\s?(?:US\s|U\.S\.\s)?(?P<c>"
    + "|".join(re.escape(c) for c in sorted(CURRENCIES, key=len, reverse=True))
    + r")(?!\w|\s?\d)",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"\b(?P<word>{'|'.join(lexicon_words('labels'))})\.?\s?(?:[#№]\s?)?$|[#№]\s?$", re.IGNORECASE)
_SKIP = re.compile(
    r"^[^\S\n]*+\d{1,3}[.)](?=\s)|(?<!\d)(?!\d\d?\.\d\d?\.(?:1[5-9]|20)\d\d\b)\d+(?:\.\d+){2,}(?![\d,])|"
    r"\bv\d+(?:\.\d+)*\b|\b(?:one|two)\s(?:of|another|by)\b",
    re.MULTILINE | re.IGNORECASE,
)
_COUNT = "|".join((*NUMBER_WORDS, r"\d\d?"))
_HALF = r"(?P<{0}>[ap])\.?m\b\.?"
_CLOCK = re.compile(
    r"(?<![\w.,:/])(?P<h>\d{1,3})(?::(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d(?:\.\d+)?))?(?![\w:])(?:\s?"
    + _HALF.format("x")
    + ")?|"
    r"(?:\.(?P<mm>[0-5]\d))?\s?(?:" + _HALF.format("xx") + r"|uhr\b|o['’]clock\b)|h(?P<hm>[0-5]\d)m?(?!\w))|"
    rf"\b(?:(?P<past>half|(?:a\s)?quarter|(?:{_COUNT})(?:\s(?:minutes?|mins?))?)\spast|"
    rf"(?P<to>(?:a\s)?quarter|(?:{_COUNT})\s(?:minutes?|mins?))\sto)\s(?P<hour>{_COUNT})\b"
    r"(?!\s(?:seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?)\b)",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\s?(?:,\s)?(?:(?:and|und|et)\s)?", re.IGNORECASE)
_REFERENCE = re.compile(r"\[\d+(?:\s?[,–-]\s?\d+)*\]")
_ORDINAL_WORD = re.compile(rf"\b(?:{'|'.join(o for o in ORDINALS if o != 'second')})\b", re.IGNORECASE)
_JOIN = re.compile(r"\s?(?:[-–]|to|and|or|bis)\s?", re.IGNORECASE)
_BOUND = re.compile(rf"\b({'|'.join(BOUNDS)})\s+(?:the\s|an?\s)?$", re.IGNORECASE)
_HEDGE = re.compile(rf"(?:\b({'|'.join(HEDGES)})\.?\s+|[~≈])$", re.IGNORECASE)
_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_ENGLISH_MONTHS = "|".join(month.title() for month in lexicon_values("months", "en") if month != "may")
_SHORT_MONTHS = "|".join(month.title() for month in lexicon_values("month_abbreviations", "en") if month != "mar")
_ORDINAL = "|".join(ORDINALS)
_MOMENTS = tuple(
    re.compile(pattern, flags)
    for pattern, flags in (
        (rf"\bQ(?P<q>[1-4])(?:[\s,]*(?:of\s+)?(?:FY\s?)?(?:(?P<y>{YEAR})|['’]?(?P<yy>\d\d)))?\b", 0),
        (rf"\b(?P<q>[1-4])Q\s?['’]?(?:(?P<y>{YEAR})|(?P<yy>\d\d))\b", 0),
        (rf"\bH(?P<h>[12])\s(?:of\s+)?(?P<y>{YEAR})\b", 0),
        (
            (
                rf"\b(?P<ord>{_ORDINAL}|[1-4](?:st|nd|rd|th))[\s-]+(?P<part>quarter|half)"
                rf"(?:\s+of)?(?:\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?P<y>{YEAR}))?\b"
            ),
            re.IGNORECASE,
        ),
        (rf"\b(?P<y>{YEAR})-(?P<mm>0[1-9]|1[0-2])-(?P<d>[0-3]\d)\b", 0),
        (rf"\b(?P<d>[0-3]?\d)\.(?P<mm>0?[1-9]|1[0-2])\.(?P<y>{YEAR})\b", 0),
        (rf"\b(?P<a>[0-3]?\d)/(?P<b>[0-3]?\d)/(?P<y>{YEAR})\b", 0),
        (
            rf"\b(?P<d>[0-3]?\d)(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<m>{_MONTH})\b\.?(?:,?\s(?P<y>{YEAR})\b)?",
            re.IGNORECASE,
        ),
        (
            rf"\b(?P<m>{_MONTH})\.?\s(?P<d>[0-3]?\d)(?:st|nd|rd|th)?\b(?![.,:]\d|%)(?:,?\s(?P<y>{YEAR})\b)?",
            re.IGNORECASE,
        ),
        (rf"\b(?P<m>{_MONTH})\.?,?\s(?:of\s)?(?P<y>{YEAR})\b", re.IGNORECASE),
        (rf"\b(?P<y>{YEAR})[-–/](?P<to>\d\d)\b(?![-/.\d])", 0),
        (r"\bFY\s?['’]?(?P<yy>\d\d)\b", 0),
        (rf"(?<![\w$€£¥#])(?<!\d[.,])(?:FY\s?)?(?P<y>{YEAR})\b(?![.,]?\d|%|[-–]?[A-Za-z])", 0),
        (rf"\b(?P<m>{_SHORT_MONTHS})\b\.?(?!\s[A-Z][a-z])", 0),
        (rf"\b(?P<m>{_ENGLISH_MONTHS})\b", 0),
        (r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Oo]f|[Ff]rom|[Tt]o)\s(?P<m>May)\b", 0),
    )
)


def quantities(text: str) -> list[Quantity]:
    """Return every quantity of a text, in order of appearance and without overlap. Linear in the text's length."""
    plain = without_note_marks(plain_signs(text))
    results: list[Quantity] = []
    taken_spans: list[tuple[int, int]] = [m.span() for m in _SKIP.finditer(plain)]
    taken_spans.sort()
    for reader in (_references, _moments_of, _clocks, _powers, _numbers, _words, _ordinals):
        for quantity in reader(plain):
            if not _is_amount(plain, quantity) and _is_free(taken_spans, quantity.start, quantity.end):
                insort(taken_spans, (quantity.start, quantity.end))
                results.append(quantity)
    results.sort(key=lambda q: q.start)
    return _compounds(plain, _shared_units(plain, results))


def _is_amount(text: str, quantity: Quantity) -> bool:
    """Return True if an apparent year is an amount: "1500 km", "2000 million"."""
    if quantity.kind != "moment" or not text[quantity.start : quantity.end].isdigit():
        return False
    unit = _UNIT.match(text, quantity.end)
    measured = unit is not None and (unit["u"] or unit["c"]).lower() not in ("x", "times", "second")
    scale = _AFTER.match(text, quantity.end)
    return measured or bool(scale and scale["scale"])


def _is_free(taken_spans: list[tuple[int, int]], start: int, end: int) -> bool:
    at = bisect_right(taken_spans, (start, 1 << 60))
    return (at == 0 or taken_spans[at - 1][1] <= start) and (at == len(taken_spans) or taken_spans[at][0] >= end)


def _references(text: str) -> Iterator[Quantity]:
    """Yield the numbers of literature references as labels: [12, 13]."""
    for match in _REFERENCE.finditer(text):
        for number in re.finditer(r"\d+", match.group()):
            start = match.start() + number.start()
            yield Quantity("label", start, start + len(number.group()), float(number.group()), "[")


def _clocks(text: str) -> Iterator[Quantity]:
    """Yield times of day, and durations that are written alike: 8:15, 2:50:05, 4.30 p.m., half past four, 2h30."""
    for match in _CLOCK.finditer(text):
        part = {key: value.lower() for key, value in match.groupdict().items() if value}
        if "hm" in part:
            value = 3600.0 * int(part["h"]) + 60 * int(part["hm"])
            yield Quantity("number", *match.span(), value, "s", 60.0)
            continue
        am_pm = part.get("x", part.get("xx", ""))
        if "hour" in part:
            minutes = _spoken_number(part.get("past", part.get("to", "")).removeprefix("a ").split()[0])
            value = 3600.0 * _spoken_number(part["hour"]) + 60 * (minutes if "past" in part else -minutes)
        else:
            hour, latest = int(part["h"]), 12 if am_pm else 999 if "m" in part else 24
            if hour > latest or _LABEL.search(text[max(0, match.start() - 30) : match.start()]):
                continue
            hour = hour % 12 + 12 * (am_pm == "p") if am_pm else hour
            value = 3600.0 * hour + 60 * int(part.get("m", part.get("mm", 0))) + float(part.get("s", 0))
        yield Quantity("clock", *match.span(), value, am_pm and f"{am_pm}m", 60.0)


def _powers(text: str) -> Iterator[Quantity]:
    """Yield powers of ten and two, with their unit: 1.5 × 10⁶ people, 2^31."""
    for power in powers(text):
        sign = "-" if text[max(0, power.start - 2) : power.start].lstrip(" (|:") == "-" else ""
        unit, stop = _unit_behind(text, power.end)
        base, times = _base_unit(unit)
        yield replace(
            _qualifiers(text[max(0, power.start - 30) : power.start]), start=power.start,
            end=stop, sign=sign, value=power.value * times * (-1 if sign else 1),
            unit=base, place=power.place * times, scaled=True,
        )  # fmt: skip


def _spoken_number(word: str) -> float:
    return {"half": 30.0, "quarter": 15.0}.get(word) or float(NUMBER_WORDS.get(word, word))


def _numbers(text: str) -> Iterator[Quantity]:
    """Yield numbers in digits, with their scale, unit, sign and bound."""
    for match in _NUMBER.finditer(text):
        start, number = match.start("num"), match["num"]
        if match["cur"] or not re.search(r"[^\W\d_]-$", text[max(0, start - 2) : start]):
            yield from _read_number(text, match, start, number)


def _read_number(text: str, match: re.Match[str], start: int, number: str) -> Iterator[Quantity]:
    """Yield the quantity or label in a match of `_NUMBER`, whose digits are `number`; none if it is a name."""
    before = text[max(0, match.start() - 30) : match.start("num")]
    tail = (match["tail"] or "").strip()
    label = _LABEL.search(before)
    if label and not match["cur"] and not tail:
        yield Quantity("label", start, match.end("num"), _as_float(number), (label["word"] or "#").lower().rstrip("."))
        return
    value, place = _as_float(number), _place(number)
    if tail == "s" and len(number) == 4:
        yield Quantity("label", start, match.end("tail"), value, "decade")
        return
    if match["frac"]:
        value, place = value + unicodedata.numeric(match["frac"].strip()), 1e-3
    factor, unit, end = _tail(tail, bool(match["cur"]))
    if end is None:
        return
    stop = match.end("tail") if tail else match.end("frac") if match["frac"] else match.end("num")
    scaled = factor != 1.0
    if not unit and not scaled:
        after = _AFTER.match(text, stop)
        if after and after["scale"]:
            factor, scaled, stop = SCALES[after["scale"].lower()], True, after.end()
    if not unit:
        unit, stop = _unit_behind(text, stop)
    if match["cur"]:
        unit = match["cur"].lower().rstrip(".")
    base, times = _base_unit(unit)
    brackets = "(" in (match["sign"], match["sign2"]) and text[stop : stop + 2].lstrip()[:1] == ")"
    brackets = brackets or ("(" in (match["sign"], match["sign2"]) and bool(match["close"]))
    sign = "(" if brackets else "-" if "-" in (match["sign"], match["sign2"]) and _is_minus(text, match) else ""
    worth = factor * times
    yield replace(
        _qualifiers(before), kind="number", start=match.start("cur") if match["cur"] else start, end=stop, sign=sign,
        value=value * worth * (-1 if sign else 1), unit=base, place=place * worth, scaled=scaled,
    )  # fmt: skip


def _unit_behind(text: str, stop: int) -> tuple[str, int]:
    """Return the unit that follows a number, and where it ends: "" and `stop` if there is none."""
    follows = _UNIT.match(text, stop)
    return ((follows["u"] or follows["c"]).lower(), follows.end()) if follows else ("", stop)


def _base_unit(unit: str) -> tuple[str, float]:
    """Return the base unit of a written one and the factor to it: ("m", 1000.0) for "km"; ("", 1.0) if unknown."""
    return UNITS.get(" ".join(unit.split()), (CURRENCIES.get(unit, ""), 1.0))


def _tail(tail: str, money: bool) -> tuple[float, str, int | None]:
    """Return (scale, unit, 0) of the letters right after a number; (1.0, "", None) if they make it a name."""
    low = tail.lower()
    if not tail:
        return 1.0, "", 0
    if low in ("st", "nd", "rd", "th"):
        return 1.0, "", None
    if low in SCALES and (money or tail in ("k", "K", "M", "B", "bn", "mn", "mio", "mrd") or low not in UNITS):
        return SCALES[low], "", 0
    return (1.0, low, 0) if low in UNITS else (1.0, "", None)


def _is_minus(text: str, match: re.Match[str]) -> bool:
    """Return True if the sign is a minus and no hyphen: it follows a blank, a bracket, "$" or the border of a cell."""
    before, after = text[match.start() - 1 : match.start()], text[match.end("sign") : match.end("sign") + 1]
    return before in " \n\t\u00a0(|:$" and (not before.isspace() or not after.isspace())


def _qualifiers(before: str) -> Quantity:
    """Return a quantity with `bound` and `hedged` set by the words before a number: about, at least, at most."""
    before = re.sub(r"(?<![$€£¥(\s-])[$€£¥(\s-]+$", " ", before)
    bound = _BOUND.search(before)
    return Quantity("number", 0, 0, bound=BOUNDS[bound[1].lower()] if bound else 0, hedged=bool(_HEDGE.search(before)))


def _as_float(number: str) -> float:
    """Return the value of digits, whose decimal sign is a comma in 0,5 and 1.234.567,8, else a point."""
    if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?", number):
        return float(number.replace(".", "").replace(",", "."))
    if re.fullmatch(r"\d+,\d+", number) and not re.fullmatch(r"\d{1,3},\d{3}", number):
        return float(number.replace(",", "."))
    return float(re.sub(r"[,'’\u00a0 ]", "", number))


def _place(number: str) -> float:
    """Return the worth of the last digit: 0.01 of 1.25, 1000 of 12,000, whose zeros can be due to rounding."""
    decimals = re.search(r"[.,](\d+)$", number)
    if decimals and not re.search(r"[,'’.\u00a0]\d{3}$", number):
        return float(10 ** -len(decimals[1]))
    if decimals and number.startswith("0"):
        return float(10 ** -len(decimals[1]))
    digits = re.sub(r"\D", "", number)
    return float(10 ** (len(digits) - len(digits.rstrip("0")))) if digits.strip("0") else 1.0


def _words(text: str) -> Iterator[Quantity]:
    """Yield numbers in words: "twenty-one", "three million", "half"."""
    for match in _WORD_NUMBER.finditer(text):
        words = re.findall(r"[^\W\d_]+", match.group().lower())
        if match["part"] or match["th"]:
            value = 0.5 if match["part"] else 1 / 3 if match["th"].lower().startswith("third") else 0.25
            yield Quantity("number", *match.span(), value, soft=True)
            continue
        total, part = 0.0, 0.0
        for word in words:
            if word in NUMBER_WORDS:
                part += NUMBER_WORDS[word]
            elif word in SCALES and SCALES[word] < 1000:
                part = max(part, 1) * SCALES[word]
            elif word in SCALES:
                total, part = total + max(part, 1) * SCALES[word], 0.0
        if set(words) <= AMBIGUOUS_NUMBERS:
            continue
        half = 0.5 if match["half"] else 0.0
        unit, stop = _unit_behind(text, match.end())
        base, times = _base_unit(unit)
        leaning = _qualifiers(text[max(0, match.start() - 30) : match.start()])
        yield replace(
            leaning, start=match.start(), end=stop, unit=base,
            value=(total + part + half) * times, place=times, soft=words == ["one"] and not unit,
        )  # fmt: skip


def _ordinals(text: str) -> Iterator[Quantity]:
    for match in _ORDINAL_WORD.finditer(text):
        yield Quantity("number", *match.span(), float(ORDINALS[match.group().lower()]), "th")
    for match in re.finditer(r"\b(\d+)(?:st|nd|rd|th)\b", text, re.IGNORECASE):
        yield Quantity("number", *match.span(), float(match[1]), "th")


def _shared_units(text: str, results: list[Quantity]) -> list[Quantity]:
    """Return the quantities, in "10 to 15 percent" or "$1.2 to 1.5 million" both with the unit or scale of one."""
    for index in range(len(results) - 2, -1, -1):
        one, two = results[index], results[index + 1]
        if two.kind == "clock" and two.unit and one.kind == "number" and _JOIN.fullmatch(text[one.end : two.start]):
            value = 3600 * (one.value + 12 * (two.unit == "pm"))
            if not (one.unit or one.scaled or one.sign) and value < two.value:  # "9 to 11 am", not "9 to 5 pm"
                results[index] = replace(one, kind="clock", value=value, unit=two.unit)
        if one.kind != "number" or two.kind != "number" or not _JOIN.fullmatch(text[one.end : two.start]):
            continue
        unit = one.unit or two.unit
        if two.unit and not one.unit and not one.scaled and not one.sign:
            times = UNITS.get(re.sub(r"^[\d.,\s-]+", "", text[two.start : two.end].lower()), (unit, 1.0))[1]
            results[index] = replace(one, unit=unit, value=one.value * times, place=one.place * times)
        elif one.unit and not two.unit and not two.sign and one.unit in CURRENCIES.values():
            results[index + 1] = replace(two, unit=unit)
    return results


def _compounds(text: str, results: list[Quantity]) -> list[Quantity]:
    """Return the quantities with "2 hours and 5 minutes" as one: the second in a smaller unit of the same family."""
    compounds: list[Quantity] = []
    for two in results:
        one = compounds[-1] if compounds else two
        unit = UNITS.get(re.sub(r"^.*[^a-z](?=[a-z]+$)", "", text[one.start : one.end].lower()), ("", 0.0))
        value = two.value * (60 if unit == ("s", 3600.0) and text[two.start : two.end].endswith("m") else 1)
        fits = two.unit == one.unit or value != two.value
        if (
            fits and one.unit in _COMPOUND and one is not two and one.kind == two.kind == "number"
            and 0 < value < unit[1] and _BESIDE.fullmatch(text[one.end : two.start])
        ):  # fmt: skip
            compounds[-1] = replace(one, end=two.end, value=one.value + value, place=two.place)
        else:
            compounds.append(two)
    return compounds


_COMPOUND = frozenset(("s", "day", "month", "foot", "lb"))
"""The base units of families of which two units are used together."""


def _moments_of(text: str) -> Iterator[Quantity]:
    """Yield the moments that each pattern matches, the most specific pattern first; they can overlap."""
    for pattern in _MOMENTS:
        for match in pattern.finditer(text):
            yield from _moment(match)


def _moment(match: re.Match[str]) -> Iterator[Quantity]:
    """Yield the moment in a match of one of `_MOMENTS`: two for "2020/21", none for an impossible date."""
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
