"""Crops of training: another one each epoch, the box where it was, and nothing that sizes or counts could tell."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from indexing import BBox
from plugins.research.construct import crops
from plugins.research.finetune.course import Course
from plugins.research.finetune.crops import EpochCrops
from plugins.research.finetune.data import Example
from plugins.research.fit import logistic
from rag.llm import ModelSettings

BOX = BBox(0.4, 0.5, 0.6, 0.7)
SETTINGS = ModelSettings(base_url="http://127.0.0.1:8000/v1", name="any")


def page(path: Path, size: tuple[int, int] = (200, 100), box: BBox | None = None) -> Path:
    """A white page, black inside the box."""
    image = Image.new("RGB", size, "white")
    if box is not None:
        x0, y0, x1, y1 = box.to_page(*size)
        ImageDraw.Draw(image).rectangle((x0, y0, x1 - 1, y1 - 1), fill="black")
    image.save(path)
    return path


@pytest.fixture
def examples(tmp_path: Path) -> tuple[Example, ...]:
    """One whose second page of two answers, and one without an answer."""
    blank, marked = page(tmp_path / "blank.png"), page(tmp_path / "marked.png", box=BOX)
    sizes = ((200, 100), (200, 100))
    answered = Example("a", "What is black?", (blank, marked), sizes, "the box", 2, BOX)
    return answered, Example("b", "What is red?", (blank, marked), sizes)


def test_a_box_moves_with_its_window() -> None:
    """By hand: 80, 50, 120, 70 pixels, less 20 and 10, of 160 x 80."""
    assert crops.moved(BOX, (200, 100), (20, 10, 180, 90)) == BBox(60 / 160, 40 / 80, 100 / 160, 60 / 80)
    assert crops.moved(BOX, (200, 100), (130, 0, 200, 100)) is None


@given(st.floats(0, 0.8), st.floats(0, 0.8), st.floats(0.01, 0.2), st.integers(0, 999))
def test_every_window_holds_the_box(x: float, y: float, side: float, seed: int) -> None:
    box, size = BBox(x, y, x + side, y + side), (317, 211)
    left, top, right, bottom = crops.around(box, size, random.Random(seed))
    x0, y0, x1, y1 = box.to_page(*size)
    assert 0 <= left <= x0 < x1 <= right <= 317
    assert 0 <= top <= y0 < y1 <= bottom <= 211


def test_two_epochs_differ_and_an_epoch_is_the_same_again(examples: tuple[Example, ...]) -> None:
    seen = EpochCrops(examples, Course(crops=1.0))
    windows = [seen.seen(number, epoch).windows for epoch in range(10) for number in range(2)]
    assert len(set(windows)) == 20
    assert [EpochCrops(examples, Course(crops=1.0)).seen(n, e).windows for e in range(10) for n in range(2)] == windows
    assert EpochCrops(examples, Course(crops=1.0, seed=1)).seen(0, 0).windows != windows[0]


def test_pixels_of_the_box_are_the_same_in_every_epoch(examples: tuple[Example, ...]) -> None:
    """The page that answers is black inside the box that is learnt, and white around it."""
    seen = EpochCrops(examples, Course(crops=1.0))
    for epoch in range(20):
        example = seen.seen(0, epoch)
        images = example.images()
        assert [image.size for image in images] == list(example.sizes)
        assert example.box is not None
        x0, y0, x1, y1 = example.box.to_page(*example.sizes[1])
        assert images[1].crop((round(x0), round(y0), round(x1), round(y1))).getextrema() == ((0, 0),) * 3
        assert (x1 - x0, y1 - y0) == pytest.approx((40, 20))
        assert sum(images[1].convert("1", dither=Image.Dither.NONE).histogram()[:1]) == 800, "no black outside of it"


def test_the_reply_and_the_images_are_those_of_the_crop(examples: tuple[Example, ...]) -> None:
    """Thousandths of the window: 60 of 160 pixels are 375."""
    cut = replace(
        examples[0],
        windows=((0, 0, 160, 80), (20, 10, 180, 90)),
        sizes=((160, 80),) * 2,
        box=BBox(0.375, 0.5, 0.625, 0.75),
    )
    assert '"box":[375,500,625,750]' in cut.reply(SETTINGS)
    shown = [part for part in cut.asked(SETTINGS).parts if not isinstance(part, str)]
    assert [image.size[0] / image.size[1] for image in shown] == pytest.approx([2, 2], rel=0.1)
    assert examples[0].images()[0].size == (200, 100), "without windows the whole file is seen"


def test_no_share_crops_nothing_and_half_crops_half(examples: tuple[Example, ...]) -> None:
    assert [EpochCrops(examples, Course()).seen(n, e) for e in range(9) for n in range(2)] == [*examples] * 9
    half = EpochCrops(examples, Course(crops=0.5))
    cut = [bool(half.seen(n, e).windows) for e in range(200) for n in range(2)]
    assert 0.4 < sum(cut) / len(cut) < 0.6


def test_steps_see_the_crops_of_their_epoch(examples: tuple[Example, ...]) -> None:
    """Two examples, one a step: steps 0 and 1 are the first epoch, 2 and 3 the second."""
    course = Course(epochs=2, accumulate=1, crops=1.0)
    seen = EpochCrops(examples, course)
    told = [seen.batches(step) for step in range(4)]
    order = [course.batches(step, 2)[0][0] for step in range(4)]
    assert told == [[[seen.seen(number, step // 2)]] for step, number in enumerate(order)]
    assert sorted(order[:2]) == sorted(order[2:]) == [0, 1]


def test_without_any_box_nothing_is_cropped(examples: tuple[Example, ...]) -> None:
    assert EpochCrops(examples[1:], Course(crops=1.0)).seen(0, 0) == examples[1]


def beaten(x: np.ndarray, y: np.ndarray) -> float:
    """Return by how much a logistic regression, in 5 folds, is right more often than the commonest answer."""
    folds = np.arange(len(y)) % 5
    guessed = logistic.held_out(np.column_stack([np.ones(len(y)), x]), y, folds, ridge=1.0) > 0.5
    return float((guessed == y).mean() - max(y.mean(), 1 - y.mean()))


def features(sizes: Sequence[Sequence[tuple[int, int]]]) -> np.ndarray:
    """Return count, width, height, shape and area of the images of each example."""
    return np.array([[len(s), *s[0], s[0][0] / s[0][1], s[0][0] * s[0][1] / 1000] for s in sizes])


def test_no_classifier_learns_from_sizes_and_counts() -> None:
    """As in `../construct/test_visa_tells_nothing.py`: neither which page answers, nor whether any does.

    Tall pages have small boxes and low pages large ones, so that a window of any box would tell.
    """
    dice, made = random.Random(7), []
    for number in range(400):
        tall = dice.random() < 0.5
        sizes = (((600, 960) if tall else (960, 540)),) * dice.choice([2, 3])
        side = dice.uniform(0.05, 0.2) if tall else dice.uniform(0.3, 0.7)
        x, y = dice.uniform(0, 1 - side), dice.uniform(0, 1 - side)
        place, answered = dice.randrange(len(sizes)) + 1, dice.random() < 0.6
        box = BBox(x, y, x + side, y + side) if answered else None
        made.append(Example(str(number), "?", (Path("x.png"),) * len(sizes), sizes, "", place if answered else 0, box))
    seen = EpochCrops(made, Course(crops=0.8))
    drawn = [seen.seen(number, epoch) for epoch in range(3) for number in range(len(made))]
    assert all(len(set(example.sizes)) == 1 for example in drawn), "of one example all images have one size"
    answered = np.array([float(e.box is not None) for e in drawn])
    assert beaten(features([e.sizes for e in drawn]), answered) <= 0.05
    small = [crops.around(BBox(0.5, 0.5, 0.51, 0.51), made[n % 400].sizes[0], dice) for n in range(len(drawn))]
    leaking = [
        e.sizes if e.box or not e.windows else (((x1 - x0), (y1 - y0)),) * len(e.sizes)
        for e, (x0, y0, x1, y1) in zip(drawn, small, strict=True)
    ]
    assert beaten(features(leaking), answered) > 0.05, "windows of any size, where nothing answers, would be found"
    whole = np.array([float(not e.windows) for e in drawn])
    assert abs(whole[answered == 1].mean() - whole[answered == 0].mean()) < 0.06, (
        "none is cropped more often than the other"
    )


def test_pages_of_several_sizes_are_cut_to_one_share(tmp_path: Path) -> None:
    """Of a page twice as wide, twice as wide a window: sizes say what they said before, and no more."""
    files = (page(tmp_path / "a.png"), page(tmp_path / "b.png", (400, 200)))
    example = Example("a", "?", files, ((200, 100), (400, 200)), "x", 1, BOX)
    for epoch in range(10):
        (w, h), (wide, high) = EpochCrops([example], Course(crops=1.0)).seen(0, epoch).sizes
        assert (wide, high) == (2 * w, 2 * h)
