"""Text files in many scripts: the paragraphs that are found as text, and whether their boxes hold what is drawn.

    python -m evaluation.benches.conversion.texts [--paragraphs N]

It writes a file of each kind for each script, converts it, and compares with what it wrote. A paragraph is found if an
element, or two where a page ends in it, has its text word for word. Its box holds it if every word's box has ink in it;
the ink of a page that lies in no box tells what the boxes miss. The letters that the text layer of the PDF has in the
box are compared where the script draws one glyph a letter.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pymupdf
from rich.console import Console
from rich.table import Table

from indexing import Element, IndexingSettings
from indexing.conversion import Rendition, convert

SCRIPTS = {
    "latin": "The affluent water office fixes the old mill wheel of 1741",
    "vietnamese": "Nước chảy về cối xay cũ và quay bánh xe chậm rãi",
    "greek": "Νερό κυλά προς τον παλιό μύλο και γυρίζει αργά τη ρόδα",
    "cyrillic": "Вода течёт к старой мельнице и медленно вращает колесо",
    "georgian": "წყალი მიედინება ძველი წისქვილისკენ",
    "chinese": "水流向古老的磨坊慢慢转动水轮建于年",
    "japanese": "水は古い水車小屋へ流れゆっくりと車輪を回す",
    "korean": "물은 오래된 물레방아로 흘러 바퀴를 천천히 돌린다",
    "arabic": "الماء يجري في القناة إلى الطاحونة القديمة",
    "hebrew": "המים זורמים אל הטחנה הישנה ומסובבים את הגלגל",
    "devanagari": "पानी पुरानी चक्की की ओर बहता है और पहिया घुमाता है",
    "tamil": "நீர் பழைய ஆலைக்கு பாய்ந்து சக்கரத்தை சுழற்றுகிறது",
    "thai": "น้ำไหลไปยังโรงสีเก่าและหมุนกังหันช้าๆ",
}  # our own sentences
PLAIN = ("latin", "vietnamese", "greek", "cyrillic", "georgian", "chinese", "japanese", "korean")
"""The scripts of which a text layer has a letter for each glyph."""
DPI = 100
DARK = 140
"""The grey below which a pixel is ink; the ground of code and the lines of tables are lighter."""


@dataclass
class TextShares:
    """The counts of one kind of file."""

    paragraphs: int = 0
    found: int = 0
    lettered: int = 0
    lettered_of: int = 0
    words: int = 0
    inked: int = 0
    ink: int = 0
    outside: int = 0
    pages: int = 0
    seconds: float = 0.0


def files_of(texts: list[str]) -> Mapping[str, str]:
    """Return a file of each kind with these paragraphs, by its extension."""
    cells = [{"cell_type": "markdown", "source": text} for text in texts]
    rows = "".join(f'{n},"{text}"\n' for n, text in enumerate(texts))
    return {
        ".txt": "\n\n".join(texts),
        ".md": "\n\n".join(f"## Part {n}\n\n- {text}" for n, text in enumerate(texts)),
        ".csv": f"number,text\n{rows}",
        ".ipynb": json.dumps({"cells": cells}),
        ".eml": "Subject: x\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
        + "\n\n".join(texts),
    }


def measure(made: Rendition, texts: list[str], plain: bool, score: TextShares) -> None:
    """Add to `score` what a rendition has of the texts of its source."""
    pages = made.pages or ()
    with pymupdf.open(stream=made.pdf, filetype="pdf") as document:
        for parsed, page in zip(pages, document, strict=True):
            score.pages += 1
            drawn = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
            dark = np.frombuffer(drawn.samples, np.uint8).reshape(drawn.height, drawn.width) < DARK
            covered = np.zeros_like(dark)
            for element in parsed.elements:
                _ink(element, dark, covered, score)
                if plain and element.kind != "table":
                    score.lettered_of += 1
                    score.lettered += _letters(element.text) == _letters(_printed(page, element))
            score.ink += int(dark.sum())
            score.outside += int((dark & ~covered).sum())
    joined = "".join("".join(element.text.split()) for parsed in pages for element in parsed.elements)
    score.paragraphs += len(texts)
    score.found += sum("".join(text.split()) in joined for text in texts)


def _ink(element: Element, dark: np.ndarray, covered: np.ndarray, score: TextShares) -> None:
    height, width = dark.shape
    for x0, y0, x1, y1 in element.words.boxes.tolist():
        rows = slice(max(0, round(y0 * height) - 2), round(y1 * height) + 2)
        columns = slice(max(0, round(x0 * width) - 1), round(x1 * width) + 1)
        covered[rows, columns] = True
        score.words += 1
        score.inked += bool(dark[rows, columns].any())


def _printed(page: pymupdf.Page, element: Element) -> str:
    x0, y0, x1, y1 = element.bbox.to_page(page.rect.width, page.rect.height)
    return "".join(word[4] for word in page.get_text("words", clip=(x0 - 1, y0 - 1, x1 + 1, y1 + 1)))


def _letters(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text) if c.isalnum())


def main() -> None:
    """Write the files, convert them, and print a row for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paragraphs", type=int, default=60, metavar="N", help="paragraphs in each file (60)")
    arguments = parser.parse_args()
    scores: dict[str, TextShares] = {}
    with tempfile.TemporaryDirectory() as folder:
        for script, sentence in SCRIPTS.items():
            texts = [f"{n} " + " ".join([sentence] * (1 + n % 7)) for n in range(1, arguments.paragraphs + 1)]
            for suffix, content in files_of(texts).items():
                path = Path(folder) / f"{script}{suffix}"
                path.write_text(content, encoding="utf-8")
                score = scores.setdefault(suffix, TextShares())
                begun = time.process_time()
                made = convert(path, IndexingSettings())
                score.seconds += time.process_time() - begun
                measure(made, texts, script in PLAIN, score)
    table = Table("kind", "paragraphs", "found", "letters in the box", "words with ink", "ink in no box", "ms a page")
    for suffix, score in scores.items():
        table.add_row(
            suffix,
            str(score.paragraphs),
            f"{score.found / score.paragraphs:.1%}",
            f"{score.lettered / score.lettered_of:.1%}" if score.lettered_of else "",
            f"{score.inked / score.words:.1%}",
            f"{score.outside / score.ink:.2%}",
            f"{1000 * score.seconds / score.pages:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
