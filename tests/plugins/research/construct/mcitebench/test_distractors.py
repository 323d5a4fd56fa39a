"""Distractors: balanced over paragraphs, figures and tables, never evidence or what a reference takes in."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from indexing import BBox
from plugins.research.construct.mcitebench.paper import Modality, PaperPart
from plugins.research.construct.mcitebench.rows import distractors


def part(name: str, kind: Modality, page: int = 1, top: float = 0.1) -> PaperPart:
    return PaperPart(name, page, kind, f"words of {name}", BBox(0.1, top, 0.9, top + 0.05))


PARTS = [
    part(f"{kind}{n}", kind, n + 1, top)
    for kind, top in (("text", 0.1), ("figure", 0.4), ("table", 0.7))
    for n in range(4)
]  # type: ignore[arg-type]


@pytest.mark.parametrize(("gold", "kinds"), [("text0", (2, 2, 1)), ("figure0", (2, 2, 1)), ("table0", (2, 2, 1))])
def test_items_are_balanced_over_the_kinds(gold: str, kinds: tuple[int, ...]) -> None:
    """Five items of three kinds: no kind has more than two, evidence counted."""
    evidence = [p for p in PARTS if p.id == gold]
    for seed in range(20):
        chosen = distractors(PARTS, evidence, {gold}, 4, random.Random(seed))
        counts = Counter(p.kind for p in (*evidence, *(chosen or ())))
        assert sorted(counts.values(), reverse=True) == list(kinds)


def test_what_a_reference_takes_in_is_no_distractor() -> None:
    near = {"text0", "text1", "text2", "text3"}
    chosen = distractors(PARTS, PARTS[:1], near, 4, random.Random(1))
    assert chosen is not None
    assert not {p.id for p in chosen} & near


def test_what_lies_over_evidence_or_says_the_same_is_passed_over() -> None:
    twin = PaperPart("twin", 9, "text", "words of text0", BBox(0.1, 0.5, 0.9, 0.6))
    over = PaperPart("over", 1, "figure", "", BBox(0.2, 0.11, 0.5, 0.14))
    assert distractors([PARTS[0], twin, over], PARTS[:1], {"text0"}, 1, random.Random(0)) is None


def test_kinds_that_a_paper_lacks_are_made_up_for_and_too_few_parts_are_none() -> None:
    texts = [p for p in PARTS if p.kind == "text"]
    assert len(distractors(texts, texts[:1], {"text0"}, 3, random.Random(0)) or ()) == 3
    assert distractors(texts, texts[:1], {"text0"}, 4, random.Random(0)) is None
