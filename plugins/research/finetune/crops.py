"""Crops drawn anew in every epoch (VISA, Ma et al. 2024, section 4): a model sees a page cut differently each time.

All images of an example are cut, or none, to one share of their width and height: that of a random window which holds
the box. An example without an answer has no box, and takes its window's size from the box of one that has an answer,
of a page of the same size where there is one. So no size tells which page answers, or whether any does. Conversations
of CiteVQA, whose boxes are of whole pages, are never cut.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from indexing import BBox
from plugins.research.construct import crops, sft
from plugins.research.finetune.course import Course
from plugins.research.finetune.data import Conversation, Example


@dataclass(frozen=True)
class EpochCrops:
    """The examples as each epoch of a course sees them; `course.crops` is the probability that one is cropped."""

    examples: Sequence[Conversation]
    course: Course

    def batches(self, step: int) -> list[list[Conversation]]:
        """Return the examples that a step sees, batch by batch."""
        epoch = self.course.epoch(step, len(self.examples))
        return [[self.seen(n, epoch) for n in batch] for batch in self.course.batches(step, len(self.examples))]

    def seen(self, number: int, epoch: int) -> Conversation:
        """Return an example as it is in this epoch: whole, or with its windows, their sizes, and the box in its own.

        It follows from seed, epoch and number alone, so that a run that goes on sees what one that never stopped saw.
        """
        example = self.examples[number]
        dice = random.Random(f"crop {self.course.seed} {epoch} {number}")  # noqa: S311  no secret
        if dice.random() >= self.course.crops or not isinstance(example, Example):
            return example
        first = max(0, example.page - 1)
        box = example.box or self._lent(example.sizes[first], dice)
        if box is None:
            return example
        size = example.sizes[first]
        window = crops.around(box, size, dice)
        wide, high = (window[2] - window[0]) / size[0], (window[3] - window[1]) / size[1]
        windows = tuple(
            window
            if place == first and example.box is not None
            else crops.elsewhere((max(1, round(wide * width)), max(1, round(high * height))), (width, height), dice)
            for place, (width, height) in enumerate(example.sizes)
        )
        moved = None if example.box is None else crops.moved(example.box, size, window)
        if example.box is not None and moved is None:
            return example
        sizes = tuple((x1 - x0, y1 - y0) for x0, y0, x1, y1 in windows)
        return replace(example, windows=windows, sizes=sizes, box=moved)

    @cached_property
    def _boxes(self) -> tuple[tuple[sft.Size, BBox], ...]:
        """The boxes of all answers, each with the size of its page."""
        return tuple((e.sizes[e.page - 1], e.box) for e in self.examples if isinstance(e, Example) and e.box)

    def _lent(self, size: sft.Size, dice: random.Random) -> BBox | None:
        """Draw the box of another example's answer, among those whose page is nearest in size; None without any."""
        away = [abs(math.log(w / size[0])) + abs(math.log(h / size[1])) for (w, h), _ in self._boxes]
        least = min(away, default=0.0)
        near = [box for (_, box), far in zip(self._boxes, away, strict=True) if far == least]
        return dice.choice(near) if near else None
