"""Labels: the marks that a bibliography prints before its entries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from plugins.audit.references.lines import TextLine

_DIGITS = re.compile(r"\d{1,4}")


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
