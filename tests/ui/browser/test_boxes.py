"""A number leads to its box, and the box that is drawn lies on the proof: in the DOM, and in the pixels on screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from indexing import BBox
from tests.ui.browser.chromium import ROOT, SHOTS
from tests.ui.browser.conftest import Open

pytestmark = pytest.mark.gate
TALL = {"viewport": {"width": 1280, "height": 2200}}
"""A window in which every page of the samples is seen whole."""


LINE_WIDTH = 3.0
"""The pixels on the screen by which the line around a box may reach beyond it."""
DENSITY = "(i) => Number(new URL(i.currentSrc).searchParams.get('w')) / i.getBoundingClientRect().width"
"""Pixels of the image that was chosen, for each pixel of the style sheet."""


@dataclass(frozen=True)
class Gold:
    """A question of the samples with the place that answers it."""

    question: str
    document: str
    boxes: tuple[tuple[int, BBox], ...]

    def proven_by(self, document: str, page: int, element: BBox, lines: Sequence[BBox]) -> bool:
        """True when the pale or the strong boxes meet the gold one (IoU 0.5), or the pale one covers it and the strong
        ones lie in it.
        """
        for number, place in self.boxes:
            if (document, page) != (self.document, number):
                continue
            met = max(place.iou(box) for box in (element, *([BBox.union(lines)] if lines else [])))
            inside = sum(place.overlap(line) for line in lines) / (sum(line.area for line in lines) or 1.0)
            if met >= 0.5 or (place.overlap(element) >= 0.85 * place.area and inside >= 0.8):
                return True
        return False


def gold(beginning: str, other_words: str = "") -> Gold:
    """The question of `questions.yaml` that begins like this, put in `other_words` if any are given."""
    questions: list[dict[str, Any]] = yaml.safe_load((ROOT / "samples" / "questions.yaml").read_text())
    (found,) = [q for q in questions if q["question"].startswith(beginning)]
    boxes = tuple((b["page"], BBox(*b["bbox"])) for b in found["boxes"])
    return Gold(other_words or found["question"], found["document"], boxes)


CASES = {
    "text": gold("What delay still counts"),
    "second column": gold("Why did fewer people", "When was the abbey on Gull Island closed for roof repairs?"),
    "footnote": gold("For how many months of 2023"),
    "scan": gold("How many people may stand", "How many persons may be on the footbridge in Mill Lane at one time?"),
    "rotated page": gold("Which Modbus register holds the supply"),
    "crop box": gold("How heavy is the gauge", "What is the weight with bracket?"),
    "table": gold("How many seats are there at the Mint"),
    "slide": gold("What is to become of line N2", "Replace N2 by a shared taxi on request"),
    "German": gold("Wie oft werden", "Jeden Montag und Donnerstag werden die Gewichte der Turmuhr aufgezogen"),
}
"""Where the quoted answer rests on the gold place; other words where it needs them to be found."""


@pytest.mark.parametrize("case", CASES)
def test_the_box_on_the_screen_covers_the_gold_box(visit: Open, case: str) -> None:
    wanted, reader = CASES[case], visit(**TALL)
    reader.ask(wanted.question)
    assert reader.chips, "nothing was cited"
    proven: dict[int, bool] = {}
    for chip in reader.chips:
        number = int(chip.inner_text())
        chip.click()
        reader.drawn()
        page = reader.page.locator(".v-viewer:not([hidden]) .v-page:not([hidden])")
        (document,) = page.locator(".v-name").all_inner_texts()
        shown = int(page.locator(".v-where").inner_text().split()[1])
        drawn = reader.rects(number)
        pixels = reader.tinted(number)
        assert pixels is not None, f"citation {number} leaves no mark on the screen"
        around = BBox.union([box for boxes in drawn.values() for box in boxes])
        sheet = reader.sheet.bounding_box()
        assert sheet is not None
        sides = (sheet["width"], sheet["height"]) * 2
        off = max(abs(a - b) * n for a, b, n in zip(pixels.as_tuple(), around.as_tuple(), sides, strict=True))
        assert off < LINE_WIDTH, "what is painted is not where the box is"
        (element,), lines = drawn["v-element"], drawn.get("v-line", [])
        assert all(element.overlap(line) > 0.5 * line.area for line in lines), "a line beside its element"
        proven[number] = wanted.proven_by(document, shown, element, lines)
    reader.sheet.screenshot(path=SHOTS / f"boxes {case}.png")
    assert any(proven.values()), proven


@pytest.mark.parametrize(
    "case", ["rotated page", *(pytest.param(case, marks=pytest.mark.thorough) for case in ("crop box", "text"))]
)
def test_no_zoom_shifts_a_box(visit: Open, case: str) -> None:
    reader = visit(**TALL)
    reader.ask(CASES[case].question)
    number = int(reader.chips[0].inner_text())
    before = reader.rects(number)
    width = reader.sheet.bounding_box()["width"]  # type: ignore[index]
    for _ in range(3):
        reader.page.locator(".v-viewer:not([hidden]) [data-zoom='1']").click()
    reader.drawn()
    assert reader.sheet.bounding_box()["width"] > 1.9 * width  # type: ignore[index]
    for name, boxes in before.items():
        for box, after in zip(boxes, reader.rects(number)[name], strict=True):
            assert box.iou(after) > 0.98
    image = reader.sheet.locator("> img")
    assert image.evaluate(DENSITY) >= 1, "not sharp"


def test_a_crop_shows_the_proof_and_little_else(visit: Open) -> None:
    reader = visit(**TALL)
    reader.ask(CASES["crop box"].question)
    number = int(reader.chips[0].inner_text())
    reader.page.get_by_role("button", name="Crop").click()
    frame = reader.page.locator(".v-viewer:not([hidden]) .v-page:not([hidden]) .v-scroll").bounding_box()
    group = reader.page.locator(f'.v-viewer:not([hidden]) g[data-cite="{number}"]').bounding_box()
    assert frame is not None
    assert group is not None
    assert frame["x"] - 2 <= group["x"]
    assert group["x"] + group["width"] <= frame["x"] + frame["width"] + 2
    assert frame["y"] - 2 <= group["y"]
    assert group["y"] + group["height"] <= frame["y"] + frame["height"] + 2
    assert group["width"] * group["height"] > 0.3 * frame["width"] * frame["height"]
