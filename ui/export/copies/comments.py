"""The comment on a statement: its verdict in words, the reason, and each place that bears on it with its quote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ui.show import VERDICT_NAMES, clean, role, shorten, tone, why

if TYPE_CHECKING:
    from rag import Answer, Sentence
    from rag.manuscripts import Manuscript, PlacedStatement

AUTHOR = "Vouch"
QUOTE_CHARS = 400
"""The most characters of a quote that a comment has."""
Commented = tuple["PlacedStatement", "Sentence"]


def commented_statements(answer: Answer, manuscript: Manuscript) -> Iterator[Commented]:
    """Yield the statements that were checked and claim something, each with its outcome."""
    for statement, sentence in zip(manuscript.statements, answer.sentences, strict=False):
        if tone(sentence) != "none":
            yield statement, sentence


def verdict_of(sentence: Sentence) -> str:
    """Return the name of a verdict, not escaped."""
    return VERDICT_NAMES.get(sentence.verdict, sentence.verdict)


def comment_of(sentence: Sentence) -> str:
    """Return the comment, a line a piece; not escaped, and without signs that a reader would obey."""
    lines = [clean(why(sentence))]
    for citation in sentence.citations:
        lines.append(f"{clean(citation.document)}, {clean(citation.where)}{role(citation)}")
        if citation.quote:
            lines.append(f"\u201c{shorten(citation.quote, QUOTE_CHARS)}\u201d")
    return "\n".join(lines)
