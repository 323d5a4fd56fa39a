"""The pairs of a reference and a part of the paper as people look at them, and the decisions that they made.

`pairs.jsonl` has a pair a line, with the parts that may be chosen, and `pages/` the images that they stand on.
Whoever checks them writes `decisions.json`, `{pair: {"decision": "confirmed", "corrected" or "dropped", "part"}}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluation import RunRefused
from indexing import Collection, IndexingError
from plugins.research.construct.mcitebench.paper import PaperPart
from plugins.research.construct.mcitebench.references import Tie
from plugins.research.construct.mcitebench.rows import TiedQuestion

FILE, DECISIONS, PAGES = "pairs.jsonl", "decisions.json", "pages"
PAGE_WIDTH = 1000
"""The width of a page's image, in pixels."""
Decisions = Mapping[str, Mapping[str, Any]]
SHOWN_CHARS = 1500
"""The most characters of a part that people are shown."""


def pair_id(question: TiedQuestion, number: int) -> str:
    """Return the id of the tie with this number, from 0, of a question."""
    return f"{question.id}-{number + 1}"


def read_decisions(out: Path) -> Decisions:
    """Return the decisions of people by pair; none where nobody has decided. Raises RunRefused for a damaged file."""
    file = out / DECISIONS
    try:
        told = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        return {str(key): {**value} for key, value in told.items()}
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise RunRefused(f"{file}: cannot be read ({error}): repair it, or move it away") from None


def decided(question: TiedQuestion, decisions: Decisions) -> tuple[TiedQuestion | None, bool]:
    """Return the question as people left it, and whether all of its pairs are decided; None for a dropped one.

    A decision for a part that is no choice any more, as after indexing anew, counts as none.
    """
    parts: list[PaperPart] = []
    whole = True
    for number, tie in enumerate(question.ties):
        made = decisions.get(pair_id(question, number), {})
        if made.get("decision") == "dropped":
            return None, True
        chosen = next((part for part in tie.choices if part.id == made.get("part")), None)
        whole = whole and chosen is not None
        parts.append(chosen or tie.part)
    return question.with_parts(parts), whole


def write_pairs(questions: Iterable[TiedQuestion], collection: Collection, out: Path) -> int:
    """Write all pairs of these questions and the images of their pages; return how many pairs could not be drawn."""
    (out / PAGES).mkdir(parents=True, exist_ok=True)
    lines, failed = [], 0
    for question in questions:
        for number, tie in enumerate(question.ties):
            try:
                for page in sorted({part.page for part in tie.choices}):
                    _draw(collection, question.paper.document.id, page, out)
            except IndexingError:
                failed += 1
                continue
            lines.append(json.dumps(_pair(question, number, tie), ensure_ascii=False) + "\n")
    replaced(out / FILE, "".join(lines))
    return failed


def replaced(file: Path, text: str) -> None:
    """Write a file as a whole: whoever reads it sees the old text or the new one. Raises OSError."""
    part = file.with_suffix(".part")
    part.write_text(text, encoding="utf-8", errors="replace")
    part.replace(file)


def _pair(question: TiedQuestion, number: int, tie: Tie) -> dict[str, Any]:
    document = question.paper.document
    return {
        "id": pair_id(question, number),
        "question_type": question.kind,
        "question": question.question,
        "answer": question.answer,
        "reference": tie.reference.written,
        "document": document.name,
        "part": tie.part.id,
        "choices": [
            {
                "id": part.id,
                "page": part.page,
                "kind": part.kind,
                "name": part.name,
                "text": (part.caption if part.kind == "figure" else part.text)[:SHOWN_CHARS],
                "box": list(part.bbox.as_tuple()),
                "image": _image(document.id, part.page),
            }
            for part in tie.choices
        ],
    }


def _image(doc_id: str, page: int) -> str:
    return f"{PAGES}/{doc_id}-{page}.webp"


def _draw(collection: Collection, doc_id: str, page: int, out: Path) -> None:
    file = out / _image(doc_id, page)
    if not file.exists():
        collection.draw_page(doc_id, page, PAGE_WIDTH).save(file, quality=80)
