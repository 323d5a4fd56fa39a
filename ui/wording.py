"""The words that the terminal and the page share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag import Answer, Sentence

KIND_NAMES = {"text": "paragraph", "picture": "figure", "group": "passage"}
MODE_NAMES = {"text": "text", "image": "image", "multi": "text and image"}
METHOD_NAMES = {
    "quote": "quoted",
    "vanilla": "written",
    "cot": "written in steps",
    "visa": "written from whole pages",
}
STAGE_NAMES = {
    "retrieve": "searching",
    "extract": "taking notes",
    "draw": "cutting out pictures",
    "answer": "answering",
    "check": "checking",
    "total": "in all",
}
VERDICT_NAMES = {
    "supported": "proven",
    "partial": "proven in part",
    "unsupported": "unproven",
    "unchecked": "unchecked",
}
VERDICT_REASONS = {
    "supported": "Proven: the cited place says this.",
    "partial": "Proven in part: the cited place says some of this, not all.",
    "unsupported": "Unproven: no proof was found in what was retrieved, so no box is shown.",
    "unchecked": "Unchecked: the cited place was not compared with this sentence.",
}
NO_PROOF = "no proof found in what was retrieved"
NO_ANSWER = "Nothing in these documents answers that well enough."


def counted(number: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def no_answer(answer: Answer) -> str:
    """What an answer without sentences says: why nothing was found where that is known; not escaped."""
    return answer.nothing or NO_ANSWER


def why(sentence: Sentence) -> str:
    """What the verdict of a sentence means, and why it has it; not escaped."""
    meaning = VERDICT_REASONS[sentence.verdict]
    return f"{meaning} ({sentence.reason})" if sentence.reason else meaning


def verdict_counts(answer: Answer) -> str:
    """`3 sentences: 2 proven, 1 unproven`."""
    verdicts = [s.verdict for s in answer.sentences]
    counts = [f"{verdicts.count(v)} {name}" for v, name in VERDICT_NAMES.items() if v in verdicts]
    return f"{counted(len(verdicts), 'sentence')}: {', '.join(counts)}"


def confidence(answer: Answer) -> str:
    """`confidence 84%` of quotes; nothing of what a model wrote, whose verdicts say more."""
    return f"confidence {answer.confidence:.0%}" if answer.method == "quote" else ""


def looked_at(answer: Answer) -> list[tuple[str, str]]:
    """The places of an answer's evidence, best first: [(document name, "pages 3, 7 and 12"), ...]."""
    pages: dict[str, set[int]] = {}
    for evidence in answer.evidence:
        pages.setdefault(evidence.document, set()).add(evidence.element.page)
    return [(name, _pages(sorted(found))) for name, found in pages.items()]


def _pages(numbers: list[int]) -> str:
    """`page 3`, or `pages 3, 7 and 12`."""
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    return f"pages {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
