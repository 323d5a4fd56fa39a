"""Papers that the tests set themselves: pages with a text, running heads and a bibliography in many styles."""

from dataclasses import dataclass
from pathlib import Path

import pymupdf

SURNAMES = ["Adeyemi", "Brandt", "Castillo", "Dubois", "Eriksen", "Fontaine", "Grünwald", "Hollis", "Ivanova", "Jansen"]
TOPICS = [
    "rainfall", "glaciers", "harbours", "orchards", "bridges", "lanterns", "tides", "meadows", "archives", "looms",
]  # fmt: skip
JOURNALS = ["Journal of Weather", "Annals of Ice", "Review of Quays", "Letters on Fruit", "Proceedings of Spans"]


def entry(i: int) -> str:
    """A reference of its own for every number, long enough for two to four lines."""
    first, second = SURNAMES[i % 10], SURNAMES[(i * 3 + 1) % 10]
    topic, other = TOPICS[i % 10], TOPICS[(i * 7 + 3) % 10]
    year, start = 1980 + i % 40, 10 + 3 * i
    text = (
        f"{first}, {chr(65 + i % 26)}. and {second}, {chr(66 + i % 24)}. {year}. On the slow measurement of {topic} "
        f"near {other} and what it tells observers in year {i + 100}. {JOURNALS[i % 5]}, "
        f"{i % 30 + 1}, {start}-{start + 9}."
    )
    return f"{text} https://doi.org/10.1000/{topic}.{year}.{i:04}" if i % 4 == 0 else text


@dataclass
class Style:
    """How a bibliography is set: `label` has one hole for the number; indents and gaps in points."""

    label: str = ""
    hang: float = 12.0
    first: float = 0.0
    gap: float = 0.0
    columns: int = 1
    size: float = 9.0
    hyphens: bool = False
    furniture: bool = True
    line_numbers: bool = False
    heading: str = "References"


WIDTH, HEIGHT, MARGIN, GUTTER = 595.0, 842.0, 60.0, 20.0


class Setter:
    """A typesetter: it puts lines under one another, and goes to the next column and page."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.document = pymupdf.open()
        self.font = pymupdf.Font("helv")
        self.column = style.columns
        self.y = HEIGHT
        self.count = 0

    @property
    def width(self) -> float:
        n = self.style.columns
        return (WIDTH - 2 * MARGIN - (n - 1) * GUTTER) / n

    @property
    def left(self) -> float:
        return MARGIN + self.column * (self.width + GUTTER)

    def line(self, text: str, x: float = 0.0, size: float | None = None, font: str = "helv") -> None:
        size = size or self.style.size
        if self.y > HEIGHT - 75:
            self._next_column()
        self.y += 1.25 * size
        self.document[-1].insert_text((self.left + x, self.y), text, fontsize=size, fontname=font)
        if self.style.line_numbers:
            self.count += 1
            number = str(self.count)
            at = 40 - self.font.text_length(number, 7)
            self.document[-1].insert_text((at, self.y), number, fontsize=7)

    def _next_column(self) -> None:
        self.column += 1
        if self.column >= self.style.columns:
            page = self.document.new_page(width=WIDTH, height=HEIGHT)
            self.column, self.count = 0, 0
            if self.style.furniture:
                page.insert_text((MARGIN, 40), "Adeyemi et al., The weather of quays", fontsize=8)
                page.insert_text((WIDTH / 2, HEIGHT - 30), str(len(self.document) + 11), fontsize=8)
        self.y = 70.0

    def paragraph(self, text: str, first: float = 0.0, hang: float = 0.0) -> int:
        """Set a paragraph; return the number of its lines."""
        x, current, lines = first, "", 0
        for word in text.split():
            trial = f"{current} {word}".strip()
            if self.font.text_length(trial, self.style.size) <= self.width - x:
                current = trial
                continue
            head, rest = self._broken(current, word, self.width - x)
            self.line(head, x)
            x, current, lines = hang, rest, lines + 1
        self.line(current, x)
        return lines + 1

    def _broken(self, current: str, word: str, room: float) -> tuple[str, str]:
        """Return the line and what goes on the next one: long words and addresses are broken."""
        if word.startswith("http") and "/" in word[8:]:
            cut = word.rfind("/") + 1
            if self.font.text_length(f"{current} {word[:cut]}", self.style.size) <= room:
                return f"{current} {word[:cut]}".strip(), word[cut:]
        if self.style.hyphens and len(word) > 7 and word.isalpha():
            for cut in range(len(word) - 3, 3, -1):
                if self.font.text_length(f"{current} {word[:cut]}-", self.style.size) <= room:
                    return f"{current} {word[:cut]}-".strip(), word[cut:]
        return current, word


def set_paper(path: Path, entries: list[str], style: Style, body: str = "", after: str = "") -> Path:
    """Write a paper: a text that cites [1], the bibliography, and what comes after it under its heading."""
    setter = Setter(style)
    setter.line("The weather of quays", size=16, font="hebo")
    for _ in range(3):
        setter.paragraph(
            body or "Quays are wet, as is known since 1990 [1]. Nobody measures them, and the rain goes on. " * 4
        )
        setter.y += 8
    setter.line(style.heading, size=12, font="hebo")
    setter.y += 4
    for number, text in enumerate(entries, 1):
        label = style.label.format(number)
        setter.paragraph(f"{label} {text}".strip(), first=style.first, hang=style.hang)
        setter.y += style.gap
    if after:
        setter.y += 8
        setter.line(after, size=12, font="hebo")
        setter.paragraph("This part has words of its own, written in 2019 by people who measure. " * 12)
    setter.document.save(path)
    return path
