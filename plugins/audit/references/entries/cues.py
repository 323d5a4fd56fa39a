"""Cues: the words and marks by which an entry is known: its label, how it begins, how it ends, its year."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from plugins.audit.marks import YEAR
from plugins.audit.references.lines import TextLine

_PARTICLE = r"(?:(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|ten|ter|zu|zur|el|al|bin|ibn|d['’]|O['’])\s?){0,3}"
_SURNAME = rf"{_PARTICLE}[^\W\d_a-z][\w'’.\-]{{0,30}}"
_INVERTED = re.compile(
    rf"{_SURNAME}(?:[\s-]{_SURNAME}){{0,2}},?\s(?:[^\W\d_a-z]\.[\s,;-]?|[^\W\d_a-z]{{1,3}}[,.;]|[^\W\d_a-z]\w{{1,20}}[,.;\s])"
)
_DIRECT = re.compile(rf"(?:[^\W\d_a-z][\w'’.\-]{{0,20}}\s){{1,3}}{_SURNAME}(?:,|\.|\sand\b|\s&|\set al|\sund\b|\s\()")
_GROUP = re.compile(r"[^\W\d_a-z][\w&'’.\-]{1,30}(?:\s[\w&'’.\-]{1,30}){0,8}(?:[.,]\s?\(?|\s\()(?:1[5-9]|20)\d{2}")
_SAME = re.compile(r"[-–—_]{2,8}[.,]?")
UNNAMED = re.compile(r"(?:eds?\.\s)?\((?:1[5-9]|20)\d{2}[a-z]?\)")
"""How the text of an entry begins before which a rule is drawn for the authors of the entry before: with its year."""
_QUOTED = re.compile(r"[\"“„«‘][^\W\d_a-z]")
_END = re.compile(r"(?:[.!?)\]\"”’»]|\d|(?:https?:|www\.|doi|10\.)\S{0,400})\s{0,3}$")
_SHORT = re.compile(r"\b(?:[A-Z]|vol|no|pp?|eds?|proc|int|conf|trans|univ|ser|st|dr|jr|al)\.$", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,4}")


def begins(text: str) -> bool:
    """Return True if a line begins as entries do: with a name, a group and a year, a dash for the same author."""
    head = text[:160]
    return bool(
        _INVERTED.match(head) or _DIRECT.match(head) or _GROUP.match(head) or _SAME.match(head) or _QUOTED.match(head)
    )


def ends(text: str) -> bool:
    """Return True if a line ends as entries do: with a stop that is no abbreviation's, a number or an address."""
    tail = text.rstrip()[-420:]
    return bool(_END.search(tail)) and not (_SHORT.search(tail[-8:]) and not tail.endswith(")."))


def has_year(text: str) -> bool:
    """Return True if a text holds a year, or says that it has none yet."""
    return bool(YEAR.search(text[:3000]))


def flaw_of(lines: Sequence[str], usual: int) -> float:
    """Return how little some lines look like one whole entry, 0 to 1: no year, a wrong beginning or end, two in one."""
    text = " ".join(lines[:40])
    first = lines[0].lstrip()
    flaw = 0.0 if has_year(text) or "http" in text else 0.35
    flaw += 0.0 if first[:1].isupper() or first[:1].isdigit() or not first[:1].isalnum() else 0.35
    flaw += 0.0 if ends(lines[-1]) else 0.2
    flaw += 0.0 if begins(first) else 0.1
    inside = sum(begins(line) and ends(above) for above, line in itertools.pairwise(lines))
    flaw += min(0.6, 0.25 * inside) + (0.3 if len(lines) > max(12, 6 * usual) else 0.0)
    return min(1.0, flaw)


@dataclass(frozen=True, slots=True)
class LabelStyle:
    """A style of labels: `pattern` matches at the beginning of a line, `counts` says that they rise."""

    name: str
    pattern: re.Pattern[str]
    counts: bool = True

    def number(self, line: TextLine) -> int | None:
        """Return the number of the label with which a line begins (0 for letters), None where it has none of these."""
        if line.label and self.name == "given":
            return 0
        if self.name == "raised":
            return int(line.text[:4][: line.raised[0][1]]) if _begins_raised(line) else None
        match = self.pattern.match(line.text)
        if match is None or (self.name == "given"):
            return None
        digits = _DIGITS.search(match[0])
        return int(digits[0]) if self.counts and digits else 0


def _begins_raised(line: TextLine) -> bool:
    return (
        bool(line.raised)
        and line.raised[0][0] == 0
        and line.raised[0][1] <= 4
        and line.text[: line.raised[0][1]].isdigit()
    )


STYLES = (
    LabelStyle("given", re.compile(r"(?!)"), counts=False),
    LabelStyle("brackets", re.compile(r"\[\s?\d{1,4}[a-z]?\s?\]\s{0,8}")),
    LabelStyle("parentheses", re.compile(r"\(\d{1,3}[a-z]?\)\s{0,8}")),
    LabelStyle("point", re.compile(r"\d{1,4}[.:](?!\d)\s{0,8}")),
    LabelStyle("parenthesis", re.compile(r"\d{1,4}\)\s{0,8}")),
    LabelStyle("raised", re.compile(r"(?!)")),
    LabelStyle("bare", re.compile(r"\d{1,4}\s{1,8}(?=[^\W\d_]|[\"“„«‘])")),
    LabelStyle(
        "letters",
        re.compile(r"\[(?=[^\]]{0,40}[A-Za-z])[\w+*'’.:&/ -]{2,40}(?:[( ]?\d{2,4}[a-z]?\)?)?\](?!\.)\s{0,8}"),
        counts=False,
    ),
    LabelStyle("bullets", re.compile(r"[•▪◦‣·*-]\s{1,8}(?=\S)"), counts=False),
)  # fmt: skip
"""The styles of labels: [12], (12), 12., 12), a raised 12, 12, [Smi20] and bullets."""


def label_of(line: TextLine, style: LabelStyle) -> str:
    """Return the label with which a line begins, as it is printed."""
    if style.name == "raised":
        return line.text[: line.raised[0][1]] if _begins_raised(line) else ""
    match = style.pattern.match(line.text)
    return match[0].strip() if match else ""
