"""Distractors: other parts of the same paper, balanced over paragraphs, figures and tables."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Sequence
from typing import get_args

from plugins.research.construct.mcitebench.paper import Modality, PaperPart


def distractors(
    parts: Sequence[PaperPart], evidence: Sequence[PaperPart], near: Collection[str], count: int, dice: random.Random
) -> tuple[PaperPart, ...] | None:
    """Return `count` parts that are neither evidence nor among the ids in `near`; None where the paper has too few.

    Each is of the kind of which there are fewest so far, evidence counted, as far as the paper has any left. Texts that
    are said twice, and parts that lie over evidence, are passed over.
    """
    texts = {part.text for part in evidence if part.kind == "text"}
    left: dict[Modality, list[PaperPart]] = {kind: [] for kind in get_args(Modality)}
    for part in dice.sample(parts, len(parts)):
        over = any(e.page == part.page and e.bbox.overlap(part.bbox) > 0.5 * part.bbox.area for e in evidence)
        if part.id not in near and not over and part.text not in texts:
            left[part.kind].append(part)
            texts |= {part.text} if part.kind == "text" else set()
    had = Counter(part.kind for part in evidence)
    chosen: list[PaperPart] = []
    while len(chosen) < count:
        kinds = [kind for kind in left if left[kind]]
        if not kinds:
            return None
        kind = min(dice.sample(kinds, len(kinds)), key=lambda kind: had[kind])
        chosen.append(left[kind].pop())
        had[kind] += 1
    return tuple(chosen)
