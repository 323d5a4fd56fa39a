"""The published form of MCiteBench: a row a question, and its figures and tables as images in `visual_resources/`."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from plugins.research.construct.mcitebench.paper import Modality, Paper, PaperPart
from plugins.research.construct.mcitebench.questions import QuestionQuality
from plugins.research.construct.mcitebench.references import Tie

if TYPE_CHECKING:
    from PIL import Image


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


VISUALS = "visual_resources"
PartPicture = Callable[[PaperPart], "Image.Image"]


@dataclass(frozen=True, slots=True)
class TiedQuestion:
    """A question about a paper, its answer, the ties of its evidence, and the labels of a model."""

    kind: Literal["explanation", "locating"]
    question: str
    answer: str
    paper: Paper
    ties: tuple[Tie, ...]
    labels: QuestionQuality | None = None

    @property
    def id(self) -> str:
        """The id that follows from document, question and answer: a later run gives it the same."""
        digest = hashlib.sha256(f"{self.question}\0{self.answer}".encode(errors="replace")).hexdigest()
        return f"{self.paper.document.id}-{digest[:10]}"

    @property
    def evidence(self) -> Mapping[str, PaperPart]:
        """The parts that prove it, each under the first reference that leads to it."""
        first: dict[str, str] = {}
        for tie in self.ties:
            first.setdefault(tie.part.id, tie.reference.name)
        parts = {tie.part.id: tie.part for tie in self.ties}
        return {name: parts[part_id] for part_id, name in first.items()}

    def with_parts(self, parts: Sequence[PaperPart]) -> TiedQuestion:
        """Return the same question with other parts in its ties, one for each."""
        ties = tuple(replace(tie, part=part) for tie, part in zip(self.ties, parts, strict=True))
        return replace(self, ties=ties)


def row_of(
    question: TiedQuestion, others: Sequence[PaperPart], picture: PartPicture, out: Path, *, confirmed: bool
) -> dict[str, Any]:
    """Return the row of a question with its distractors, and write the images of its figures and tables.

    Raises IndexingError, for a page that cannot be drawn.
    """
    document = question.paper.document
    evidence = question.evidence
    parts = [*evidence.values(), *others]
    content = {part.id: part.text if part.kind == "text" else f"{part.id}.png" for part in parts}
    for part in parts:
        file = out / VISUALS / document.id / content[part.id] if part.kind != "text" else None
        if file is not None and not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            picture(part).save(file)
    labels = question.labels
    row: dict[str, Any] = {
        "question_id": question.id,
        "pdf_id": document.id,
        "question_type": question.kind,
        "question": question.question,
        "answer": question.answer,
        "evidence_keys": list(evidence),
        "evidence_contents": [content[part.id] for part in evidence.values()],
        "evidence_modal": sorted({part.kind for part in evidence.values()}),
        "evidence_count": len(evidence),
        "distractor_count": len(others),
        "info_count": len(parts),
        "distractor_contents": [content[part.id] for part in others],
        "captions": {content[part.id]: part.caption for part in parts if part.kind != "text" and part.caption},
        "quality": labels.model_dump() if labels else None,
        "confirmed": confirmed,
    }
    for kind, key in (("text", "text"), ("figure", "image"), ("table", "table")):
        numbers = _numbers([part for part in parts if part.kind == kind], question.id)
        row[f"{key}_2_idx"] = {content[part_id]: number for part_id, number in numbers.items()}
        row[f"idx_2_{key}"] = {str(number): content[part_id] for part_id, number in numbers.items()}
    return row


def _numbers(parts: Sequence[PaperPart], seed: str) -> dict[str, int]:
    """Return the number under which each part is cited: a figure's or table's own, else one by chance that is free."""
    numbers: dict[str, int] = {}
    for part in parts:
        number = part.name.rpartition(" ")[2]
        if number.isdigit() and int(number) not in numbers.values():
            numbers[part.id] = int(number)
    without = [part for part in parts if part.id not in numbers]
    free = [n for n in range(1, len(parts) + len(numbers) + 1) if n not in numbers.values()][: len(without)]
    random.Random(f"{seed} numbers").shuffle(free)  # noqa: S311  not a secret
    return numbers | dict(zip((part.id for part in without), free, strict=True))
