"""Benchmarks that give their evidence as items, texts and images: each item becomes a document of its own.

What an answer cites of such a document it cites of the item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evaluation.judging import Region
from evaluation.questions import Question
from rag.fencing import in_line

WHOLE = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of evidence that a question comes with: the id of its document, its modality, its text if it is one."""

    document: str
    kind: Literal["text", "figure", "table", "image"]
    text: str = ""


def items_of(question: Question) -> Mapping[str, Item]:
    """The items of a question by document."""
    found: Mapping[str, Item] = question.more["items"]
    return found


def sentences_of(predicted: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """The sentences of an answer, each with the documents that it cites."""
    cited = [c["document"] for c in predicted.get("cited", ())]
    return [
        (s["text"], list(dict.fromkeys(cited[n] for n in s["citations"] if n < len(cited))))
        for s in predicted.get("sentences", ())
    ]


def shown(documents: Sequence[str], items: Mapping[str, Item]) -> tuple[str, tuple[Region, ...]]:
    """What a judge reads of these documents, and what it looks at."""
    texts = [
        in_line(items[d].text) or f"({items[d].kind}, see the picture)" if d in items else "(not known)"
        for d in documents
    ]
    regions = tuple(Region(d, 1, WHOLE) for d in documents if d in items and not items[d].text)
    return "\n".join(f"{n}. {text}" for n, text in enumerate(texts, 1)), regions
