"""`vouch ask --ablate`: the question asked again without each citation, and the outcome as lines for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rag import Pipeline

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer, RagSettings
    from rag.attribution import Ablated


def ablated(
    answer: Answer, collection: Collection, settings: RagSettings, options: dict[str, Any]
) -> tuple[Ablated, ...]:
    """Return the outcome without each citation of an answer; `options` are those that it was asked with."""
    from rag.attribution import ablate

    return ablate(answer, collection, lambda masked: Pipeline(masked, settings).answer(answer.question, **options))


def without(each: Ablated) -> str:
    """Return `[1] is crucial: without it nothing proves that ...`, or that it is not."""
    name = f"[{each.number}] {each.citation.document}, page {each.citation.page}"
    if each.crucial:
        return f"{name} is crucial: without it nothing proves “{'” or “'.join(each.lost)}”"
    return f"{name} is not crucial: the same is said elsewhere"
