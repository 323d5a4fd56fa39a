"""Number formats: a number of a workbook as its format shows it, dates and times among them.

Names of months and days are English whatever language the format names; the two formats whose form is that of the
reader's machine (14 and 22) are shown as ISO dates.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

from indexing.language import lexicon_values, lexicon_words

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm",
    21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""The formats that a workbook names by number alone."""
MAX_CODE = 255
MAX_DECIMALS = 30
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]{0,20})[^\]]{0,20}\]|\[(?P<elapsed>h{1,2}|m{1,2}|s{1,2})\]'
    r"|\[(?P<condition>[<>=]{1,2}-?\d[\d.]{0,20})\]|\[(?P<other>[^\]]{0,40})\]|(?P<clock>AM/PM|A/P)|(?P<general>General)"
    r"|(?P<date>y+|m+|d+|h+|s+)|(?P<digits>[0#?][0#?,]*)|(?P<power>E[+-])|_(?P<space>.)|\*(?P<fill>.)|(?P<sign>.)",
    re.IGNORECASE | re.DOTALL,
)
_MONTHS = tuple(month.title() for month in lexicon_values("months", "en"))
_DAYS = tuple(day.title() for day in lexicon_words("weekdays", "en"))
_EPOCH, _EPOCH_1904 = dt.datetime(1899, 12, 30, tzinfo=dt.UTC), dt.datetime(1904, 1, 1, tzinfo=dt.UTC)
_LAST_DAY = 2_958_465.999


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


@lru_cache(1024)
def _sections(code: str) -> tuple[tuple[_Token, ...], ...]:
    """Cut a format into its sections, and each into tokens."""
    found: list[list[_Token]] = [[]]
    for match in _TOKEN.finditer(code[:MAX_CODE]):
        kind = match.lastgroup or "sign"
        text = match.group(kind)
        if kind == "sign" and text == ";":
            found.append([])
        else:
            found[-1].append(_Token(kind, text))
    return tuple(tuple(section) for section in found)


def shown(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return a number as the format `code` shows it; days are counted from 1900, or `since_1904`."""
    if not math.isfinite(value):
        return str(value)
    section, signed = _section(value, _sections(code))
    kinds = {token.kind for token in section}
    if kinds & {"date", "elapsed"}:
        return _date(value, section, since_1904)
    if not section or "general" in kinds or any(t.kind == "sign" and t.text == "@" for t in section):
        return general(value)
    text = _number(abs(value), section)
    return f"-{text}" if signed and any(c in "123456789" for c in text) else text


def general(value: float) -> str:
    """Return a number as it is without a format: up to ten digits."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


def _section(value: float, sections: tuple[tuple[_Token, ...], ...]) -> tuple[tuple[_Token, ...], bool]:
    """Return the section for a value, and True where a minus stands before what it shows."""
    for section in sections[:2]:
        condition = next((t.text for t in section if t.kind == "condition"), "")
        if condition and _holds(value, condition):
            return section, value < 0
        if condition and section is sections[0] and len(sections) > 1:
            return (sections[1], value < 0) if len(sections) == 2 or value < 0 else (sections[2], False)
    if value < 0 and len(sections) > 1:
        return sections[1], False
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], value < 0


def _holds(value: float, condition: str) -> bool:
    operator = condition.rstrip("-.0123456789")
    try:
        bound = float(condition[len(operator) :])
    except ValueError:
        return False
    return {"<": value < bound, ">": value > bound, "<=": value <= bound, ">=": value >= bound,
            "=": value == bound, "<>": value != bound}.get(operator, False)  # fmt: skip


def _number(value: float, section: tuple[_Token, ...]) -> str:
    """Return a number of 0 or more by the digits, the percent sign, the power or the fraction of a section."""
    at = [n for n, token in enumerate(section) if token.kind == "digits"]
    signs = [t.text for t in section if t.kind == "sign"]
    if not at:
        return _literals(section)
    first, last = at[0], at[-1]
    before, after = _literals(section[:first]), _literals(section[last + 1 :])
    amount = Decimal(repr(value)) * Decimal(100) ** signs.count("%")
    if any(t.kind == "sign" and t.text == "/" for t in section[first:last]):
        return before + _fraction(amount, section[last].text) + after
    point = next((n for n in range(first, last + 1) if section[n] == _Token("sign", ".")), None)
    power = next((n for n in range(first, last + 1) if section[n].kind == "power"), None)
    end = last if power is None else power - 1
    whole = "".join(t.text for t in section[first : end + 1 if point is None else point] if t.kind == "digits")
    decimals = "" if point is None else "".join(t.text for t in section[point : end + 1] if t.kind == "digits")
    if power is not None:
        return before + _scientific(value, decimals, section[last].text, section[power].text) + after
    scale = len(whole) - len(whole.rstrip(",")) if point is None else len(decimals) - len(decimals.rstrip(","))
    return before + _plain(amount / Decimal(1000) ** scale, whole.rstrip(","), decimals.replace(",", "")) + after


def _plain(amount: Decimal, whole: str, decimals: str) -> str:
    places = min(len(decimals), MAX_DECIMALS)
    rounded = amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if amount < Decimal(10) ** 20 else amount
    left, _, right = f"{rounded:f}".partition(".")
    right = right[:places]
    while right and right[-1] == "0" and decimals[len(right) - 1] != "0":
        right = right[:-1]
    left = left.lstrip("0").rjust(sum(c == "0" for c in whole), "0")
    if "," in whole:
        left = (
            ",".join(left[max(0, end - 3) : end] for end in range(len(left) % 3 or 3, len(left) + 3, 3)) if left else ""
        )
    return left + (f".{right}" if right or "." in decimals else "")


def _scientific(value: float, decimals: str, digits: str, sign: str) -> str:
    mantissa, _, power = f"{value:.{min(len(decimals), MAX_DECIMALS)}E}".partition("E")
    exponent = int(power)
    mark = "-" if exponent < 0 else "+" if sign.endswith("+") else ""
    return f"{mantissa}E{mark}{abs(exponent):0{min(len(digits), 4)}d}"


def _fraction(amount: Decimal, below: str) -> str:
    whole, rest = divmod(amount, 1)
    part = Fraction(rest).limit_denominator(10 ** min(len(below), 4) - 1)
    if part == 1:
        whole, part = whole + 1, Fraction(0)
    if not part:
        return str(int(whole))
    return (f"{int(whole)} " if whole else "") + f"{part.numerator}/{part.denominator}"


def _literals(section: tuple[_Token, ...]) -> str:
    """Return the words and signs of a part of a section; what only fills a column is a space, or nothing."""
    told = {"quoted", "escaped", "currency", "sign"}
    return "".join(t.text if t.kind in told else " " if t.kind == "space" else "" for t in section)


def _date(value: float, section: tuple[_Token, ...], since_1904: bool) -> str:
    """Return a date or a time. One that no calendar has is shown as its number."""
    if not 0 <= value <= _LAST_DAY:
        return general(value)
    lacking = not since_1904 and 1 <= value < 60  # the days that are counted from 1900 have a 29 February
    tokens = _with_minutes(section)
    places = _second_places(tokens)
    seconds = round(Decimal(repr(value)) * 86400, places)
    try:
        moment = (_EPOCH_1904 if since_1904 else _EPOCH) + dt.timedelta(lacking, float(seconds))
    except OverflowError:
        return general(value)
    if not places:
        moment = (moment + dt.timedelta(milliseconds=500)).replace(microsecond=0)
    half = any(t.kind == "clock" for t in tokens)
    parts = []
    for n, token in enumerate(tokens):
        if token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0].lower()]
            parts.append(f"{int(seconds // unit):0{len(token.text)}d}")
        elif token.kind in ("date", "minute"):
            parts.append(_date_part(moment, token, half))
        elif token.kind == "clock":
            parts.append(token.text.split("/")[moment.hour >= 12])
        elif token.kind == "digits" and n and tokens[n - 1].text == ".":
            parts.append(f"{moment.microsecond:06d}"[: len(token.text)])
        elif token.kind == "digits":
            parts.append(token.text)
        else:
            parts.append(_literals((token,)))
    return "".join(parts).strip()


def _second_places(tokens: tuple[_Token, ...]) -> int:
    """Return how many digits of a second a format shows."""
    found = (t for n, t in enumerate(tokens) if t.kind == "digits" and n and tokens[n - 1].text == ".")
    return min(max((len(t.text) for t in found), default=0), 6)


def _with_minutes(section: tuple[_Token, ...]) -> tuple[_Token, ...]:
    """Return the tokens with those m that are minutes, as after hours and before seconds, named so."""
    units = [n for n, t in enumerate(section) if t.kind in ("date", "elapsed")]
    minutes = set()
    for i, n in enumerate(units):
        before = section[units[i - 1]].text[0].lower() if i else ""
        after = section[units[i + 1]].text[0].lower() if i + 1 < len(units) else ""
        short = section[n].kind == "date" and section[n].text[0].lower() == "m" and len(section[n].text) < 3
        if short and (before == "h" or after == "s"):
            minutes.add(n)
    return tuple(_Token("minute", t.text) if n in minutes else t for n, t in enumerate(section))


def _date_part(moment: dt.datetime, token: _Token, half: bool) -> str:
    size, unit = len(token.text), token.text[0].lower()
    if token.kind == "minute":
        return f"{moment.minute:0{size}d}"
    if unit == "y":
        return f"{moment.year:04d}" if size > 2 else f"{moment.year % 100:02d}"
    if unit in "md" and size > 2:
        name = _MONTHS[moment.month - 1] if unit == "m" else _DAYS[moment.weekday()]
        return name[:3] if size == 3 else name[:1] if size == 5 and unit == "m" else name
    hour = (moment.hour % 12 or 12) if half else moment.hour
    number = {"m": moment.month, "d": moment.day, "h": hour, "s": moment.second}[unit]
    return f"{number:0{min(size, 2)}d}"
