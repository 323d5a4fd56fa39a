"""Number formats: a number of a workbook as its format shows it, dates and times among them.

Names of months and days are English whatever language the format names; the two formats whose form is that of the
reader's machine (14 and 22) are shown as ISO dates. A fraction ("# ?/?") is shown as a decimal number.
"""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import NamedTuple

from indexing.language import lexicon_values, lexicon_words

BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 14: "yyyy-mm-dd",
    15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
}  # fmt: skip
"""The formats that a workbook names by number alone."""
MAX_CODE = 255
MAX_DECIMALS = 30
_TOKEN = re.compile(
    r'"(?P<literal>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]{0,20})[^\]]{0,20}\]|\[(?P<elapsed>h{1,2}|m{1,2}|s{1,2})\]'
    r"|\[(?P<condition>[<>=]{1,2}-?\d[\d.]{0,20})\]|\[(?P<other>[^\]]{0,40})\]|(?P<clock>AM/PM|A/P)|(?P<general>General|@)"
    r"|(?P<date>y+|m+|d+|h+|s+)|(?P<digits>[0#?][0#?,]*)|(?P<power>E[+-])|_(?P<space>.)|\*(?P<fill>.)|(?P<sign>.)",
    re.IGNORECASE | re.DOTALL,
)
_OPERATORS = {"<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "=": operator.eq,
              "<>": operator.ne}  # fmt: skip
_DEFAULTS = ((), ("",), (">=0", ""), (">0", "<0", ""))
"""The conditions of the sections of a format that has one, two or three of them."""
_MONTHS = tuple(month.title() for month in lexicon_values("months", "en"))
_DAYS = tuple(day.title() for day in lexicon_words("weekdays", "en"))
_EPOCH, _EPOCH_1904 = dt.datetime(1899, 12, 30, tzinfo=dt.UTC), dt.datetime(1904, 1, 1, tzinfo=dt.UTC)
_LAST_DAY = 2_958_465.999


class _Token(NamedTuple):
    kind: str
    text: str


_Section = tuple[_Token, ...]


@lru_cache(1024)
def _sections(code: str) -> tuple[_Section, ...]:
    """Cut a format into its sections, and each into tokens."""
    sections: list[list[_Token]] = [[]]
    for match in _TOKEN.finditer(code[:MAX_CODE]):
        kind = match.lastgroup or "sign"
        token = _Token(kind, match[kind])
        if token == ("sign", ";"):
            sections.append([])
        else:
            sections[-1].append(token)
    return tuple(map(tuple, sections))


def format_number(value: float, code: str, *, since_1904: bool = False) -> str:
    """Return a number as the format `code` shows it; days are counted from 1900, or `since_1904`."""
    if not math.isfinite(value):
        return str(value)
    section, signed = _section(value, _sections(code))
    kinds = {token.kind for token in section}
    if kinds & {"date", "elapsed"}:
        return _date(value, section, since_1904)
    if not section or "general" in kinds or ("digits" in kinds and ("sign", "/") in section):
        return general(value)
    text = _number(abs(value), section)
    return f"-{text}" if signed and any(c in "123456789" for c in text) else text


def general(value: float) -> str:
    """Return a number as it is without a format: up to ten digits."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.10g}".replace("e", "E")


def _section(value: float, sections: tuple[_Section, ...]) -> tuple[_Section, bool]:
    """Return the section of a format that applies to a value, and True if a minus sign must be put before it."""
    conditions = [next((token.text for token in section if token.kind == "condition"), "") for section in sections]
    has_own = any(conditions[:2])  # without, the second section is for negative numbers, and has its own sign
    for section, condition, default in zip(sections, conditions, _DEFAULTS[min(len(sections), 3)], strict=False):
        if _holds(value, condition or default):
            return section, value < 0 and (has_own or section is sections[0])
    return sections[0], value < 0


def _holds(value: float, condition: str) -> bool:
    sign = condition.rstrip("-.0123456789")
    try:
        return not condition or (sign in _OPERATORS and _OPERATORS[sign](value, float(condition[len(sign) :])))
    except ValueError:
        return False


def _number(value: float, section: _Section) -> str:
    """Return a number >= 0 by the digit placeholders, percent signs or exponent of a section."""
    at = [n for n, token in enumerate(section) if token.kind == "digits"]
    if not at:
        return _literals(section)
    first, last = at[0], at[-1]
    inside = section[first : last + 1]
    point = inside.index(("sign", ".")) if ("sign", ".") in inside else len(inside)
    power = next((n for n, token in enumerate(inside) if token.kind == "power"), len(inside))
    whole = "".join(t.text for t in inside[: min(point, power)] if t.kind == "digits")
    decimals = "".join(t.text for t in inside[point:power] if t.kind == "digits")
    if power < len(inside):
        text = _scientific_text(value, decimals, inside[power].text, inside[-1].text)
    else:
        ends = decimals or whole
        scale = 3 * (len(ends) - len(ends.rstrip(",")))
        amount = Decimal(repr(value)).scaleb(2 * section.count(_Token("sign", "%")) - scale)
        text = _decimal_text(amount, whole.rstrip(","), decimals.replace(",", ""))
    return _literals(section[:first]) + text + _literals(section[last + 1 :])


def _decimal_text(amount: Decimal, whole: str, decimals: str) -> str:
    """Return a number by its placeholders: `0` is always a digit, `#` no needless zero, a comma groups thousands."""
    places = min(len(decimals), MAX_DECIMALS)
    number = amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP) if amount < Decimal(10) ** 20 else amount
    left, _, right = f"{number:f}".partition(".")
    right = right[:places]
    while right and right[-1] == "0" and decimals[len(right) - 1] != "0":
        right = right[:-1]
    left = left.lstrip("0").rjust(whole.count("0"), "0")
    if "," in whole and left:
        left = f"{int(left):0{len(left) + (len(left) - 1) // 3},}"
    return left + (f".{right}" if right else "")


def _scientific_text(value: float, decimals: str, sign: str, digits: str) -> str:
    mantissa, _, power = f"{value:.{min(len(decimals), MAX_DECIMALS)}E}".partition("E")
    mark = "-" if int(power) < 0 else sign[1].replace("-", "")
    return f"{mantissa}E{mark}{abs(int(power)):0{min(len(digits), 4)}d}"


def _literals(section: _Section) -> str:
    """Return the literal text of tokens; padding becomes a space, other tokens nothing."""
    literal_kinds = {"literal", "escaped", "currency", "sign"}
    return "".join(t.text if t.kind in literal_kinds else " " if t.kind == "space" else "" for t in section)


def _date(value: float, section: _Section, since_1904: bool) -> str:
    """Return a value as a date or time, or as a plain number if it is out of range."""
    if not 0 <= value <= _LAST_DAY:
        return general(value)
    extra_day = not since_1904 and 1 <= value < 60  # the days that are counted from 1900 have a 29 February
    places = max((len(t.text) for n, t in enumerate(section) if _is_fraction(section, n)), default=0)
    seconds = round(Decimal(repr(value)) * 86400, min(places, 6))
    try:
        moment = (_EPOCH_1904 if since_1904 else _EPOCH) + dt.timedelta(extra_day, float(seconds))
    except OverflowError:
        return general(value)
    twelve_hours = any(token.kind == "clock" for token in section)
    parts = []
    for n, token in enumerate(section):
        if token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0].lower()]
            parts.append(f"{int(seconds // unit):0{len(token.text)}d}")
        elif token.kind == "date":
            parts.append(_date_part(moment, token.text.lower(), twelve_hours, minutes=_is_minutes(section, n)))
        elif token.kind == "clock":
            parts.append(token.text.split("/")[moment.hour >= 12])
        elif token.kind == "digits":
            parts.append(f"{moment.microsecond:06d}"[: len(token.text)] if _is_fraction(section, n) else token.text)
        else:
            parts.append(_literals((token,)))
    return "".join(parts).strip()


def _is_fraction(section: _Section, at: int) -> bool:
    """Return True for digits after a point, which show fractions of a second."""
    return section[at].kind == "digits" and at > 0 and section[at - 1].text == "."


def _is_minutes(section: _Section, at: int) -> bool:
    """Return True for an m after hours or before seconds: it stands for minutes, any other for months."""
    unit = section[at].text.lower()
    units = {n: token.text[0].lower() for n, token in enumerate(section) if token.kind in ("date", "elapsed")}
    before = next((units[n] for n in range(at - 1, -1, -1) if n in units), "")
    after = next((units[n] for n in range(at + 1, len(section)) if n in units), "")
    return unit in ("m", "mm") and (before == "h" or after == "s")


def _date_part(moment: dt.datetime, unit: str, twelve_hours: bool, *, minutes: bool) -> str:
    """Return the part of a time that a code such as yyyy, mmm or dd stands for."""
    size = len(unit)
    if unit[0] == "y":
        return f"{moment.year:04d}" if size > 2 else f"{moment.year % 100:02d}"
    if unit[0] in "md" and size > 2:
        name = _MONTHS[moment.month - 1] if unit[0] == "m" else _DAYS[moment.weekday()]
        return name[:3] if size == 3 else name
    hour = (moment.hour % 12 or 12) if twelve_hours else moment.hour
    month = moment.minute if minutes else moment.month
    number = {"m": month, "d": moment.day, "h": hour, "s": moment.second}[unit[0]]
    return f"{number:0{min(size, 2)}d}"
