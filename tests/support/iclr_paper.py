"""A made-up paper in the form of an ICLR submission: numbers of lines in the margin, sections, figures, a table.

`paper` draws it, `forum` writes its reviews as OpenReview gives them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import pymupdf
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 612, 792
LEFT, TOP, STEP, LINES = 108, 86, 12.6, 50
"""The left edge of the text, its first line, the distance of lines, in points; the numbered lines of a page."""
FIRST = (
    "# DRYING BARLEY WITH QUIET KILNS",
    "",
    "## 1 INTRODUCTION",
    "",
    "Kilns dry barley before it is stored, and most of the energy of a malt house goes into their fans. We ask how",
    "slow a fan can turn before the grain spoils. Earlier work measured whole malt houses and could not tell one",
    "kiln from another, which left the question open for small farms with a single kiln.",
    "",
    "Our answer is a controller that lowers the fan whenever the grain is drier than a target. It needs one sensor",
    "a kiln, costs forty crowns, and was tried for two winters on eleven farms in the north of the county.",
    "",
    "## 2 METHOD",
    "",
    "The controller reads moisture every ninety seconds and holds the fan at its least speed while the reading stays",
    "below fourteen percent. A reading above that limit brings the fan to full speed for a quarter of an hour.",
    "",
    "## 2.1 SENSOR CALIBRATION",
    "",
    "Each sensor was calibrated against oven drying of thirty samples. The residual error was 0.4 percentage points,",
    "and drift over a winter stayed below 0.1 points, so that no sensor had to be replaced during the trial.",
    "",
    "## 2.2 FAN SCHEDULE",
    "",
    "At night the schedule halves the least speed again, because cold air carries less moisture into the kiln. Farms",
    "that kept the daytime speed at night used a fifth more energy for the same final moisture.",
)
SECOND = (
    "## 3 RESULTS",
    "",
    "Energy per tonne fell on all eleven farms. The largest kilns gained most, since their fans had been oversized",
    "for the grain that they dried. Figure 1 shows the energy of every farm before and after the change.",
    "",
    *("", "", "", "", "", "", "", ""),
    "! Figure 1: Energy per tonne before and after, by farm.",
    "",
    "Noise at the fence was measured on four farms. Figure 2 shows that it fell by six decibels on average, which",
    "neighbours noticed without being asked.",
    "",
    *("", "", "", "", "", "", "", ""),
    "! Figure 2: Noise at the fence over a night.",
    "",
    "The losses of grain did not grow. Table 1 lists the share of spoiled grain with each setting of the fan, and no",
    "difference is larger than the error of weighing.",
    "",
    "! Table 1: Spoiled grain by fan setting, in percent.",
)
TABLE = (
    ("Setting", "Spoiled", "Energy"),
    ("Full speed", "1.9", "210"),
    ("Half speed", "2.0", "150"),
    ("Night", "2.1", "118"),
)
REVIEW = (
    "The paper is clear. However, I wonder if the sensors stay accurate for a whole winter, as drift is common in "
    "dusty air. It is also not shown that slower fans leave the grain sound."
)
REBUTTAL = (
    "Thank you. The sensors hold: drift over a winter stayed below 0.1 points, see Section 2.1 and Lines 18-19. Slower "
    "fans spoil no more grain: half speed gives 2.0 percent beside 1.9 at full speed (Table 1). Energy fell on all "
    "farms (Fig. 1), and we added a proof in Appendix B."
)


def paper(path: Path) -> Path:
    """Draw the paper: two pages, each with numbers of lines in its left margin (000 to 099)."""
    document = pymupdf.open()
    for number, lines in enumerate((FIRST, SECOND)):
        page = document.new_page(width=WIDTH, height=HEIGHT)
        page.insert_text((LEFT, 46), "Under review as a conference paper at ICLR 2025", fontsize=9)
        for at in range(LINES):
            where = (66, TOP + STEP * at)
            page.insert_text(where, f"{number * LINES + at:03}", fontsize=8, color=(0.6, 0.6, 0.6))
        for at, line in enumerate(lines):
            _write(page, line, TOP + STEP * at)
        page.insert_text((WIDTH / 2, 762), str(number + 1), fontsize=9)
    _chart(page, 5.4, (190, 70, 50))
    _chart(page, 17.6, (40, 90, 160))
    _table(page, TOP + STEP * 33.4)
    document.save(path)
    document.close()
    return path


def _write(page: Any, line: str, y: float) -> None:
    kind, _, text = line.partition(" ")
    if kind in ("#", "##"):
        page.insert_text((LEFT, y), text, fontsize=15 if kind == "#" else 11, fontname="hebo")
    elif kind == "!":
        page.insert_text((LEFT + 70, y), text, fontsize=9)
    elif line:
        page.insert_text((LEFT, y), line, fontsize=8.2)


def _chart(page: Any, line: float, colour: tuple[int, int, int]) -> None:
    """Draw bars over the lines from `line` on, as a picture."""
    image = Image.new("RGB", (900, 300), (250, 244, 230))
    draw = ImageDraw.Draw(image)
    for n, height in enumerate((240, 130, 200, 110, 180, 90, 220, 140)):
        draw.rectangle((60 + 100 * n, 280 - height, 130 + 100 * n, 280), fill=colour)
    top = TOP + STEP * line - 8
    page.insert_image(pymupdf.Rect(LEFT + 40, top, WIDTH - LEFT - 40, top + STEP * 6.8), pixmap=_pixels(image))


def _pixels(image: Image.Image) -> Any:
    return pymupdf.Pixmap(pymupdf.csRGB, image.width, image.height, image.tobytes(), 0)


def _table(page: Any, top: float) -> None:
    for row, cells in enumerate(TABLE):
        for column, text in enumerate(cells):
            page.insert_text((LEFT + 60 + 110 * column, top + 14 * row), text, fontsize=9)
    for at in (-11, 4, 14 * 3 + 5):
        page.draw_line((LEFT + 50, top + at), (LEFT + 380, top + at))


def note(name: str, by: str, to: str | None, words: str, form: Literal[1, 2] = 2) -> dict[str, Any]:
    """Return a note of a forum in the form of the first or the second version of OpenReview's API."""
    key = {"Authors": "comment", "Program_Chairs": "decision"}.get(by, "review")
    given: dict[str, Any] = {key: words} | ({"rating": 6} if key == "review" else {})
    content = {name: {"value": value} for name, value in given.items()} if form == 2 else given
    signed = f"ICLR.cc/2025/Conference/Submission7/{by}"
    return {"id": name, "forum": "kilns", "replyto": to, "signatures": [signed], "content": content}


def notes(form: Literal[1, 2] = 2) -> list[dict[str, Any]]:
    """Return the paper's own note, a review, the authors' answer to it, and a decision."""
    return [
        note("kilns", "Authors", None, "We dry barley with quiet kilns.", form),
        note("r1", "Reviewer_Ab1c", "kilns", REVIEW, form),
        note("a1", "Authors", "r1", REBUTTAL, form),
        note("d1", "Program_Chairs", "kilns", "Accept.", form),
    ]


def forum(path: Path, written: Iterable[Any] = ()) -> Path:
    """Write the reviews of the paper, or these notes, as JSON."""
    path.write_text(json.dumps({"notes": list(written) or notes(), "count": 4}))
    return path
