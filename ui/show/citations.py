"""The citations of an answer with their numbers, and the page of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag import Answer, Citation

Numbered = tuple[int, "Citation"]
PageKey = tuple[str, int]


def shown_citations(answer: Answer) -> list[Numbered]:
    """Return [(number, citation), ...] in the order of the answer; its role says what a citation proves."""
    return list(enumerate(answer.citations, 1))


def quote_to_show(answer: Answer, citation: Citation) -> str:
    """Return the quote of a citation; empty if a sentence that cites it already consists of the same words."""
    texts = {" ".join(s.text.split()) for s in answer.sentences if citation in s.citations}
    return "" if " ".join(citation.quote.split()) in texts else citation.quote


def cited_pages(answer: Answer) -> dict[PageKey, list[Numbered]]:
    """Return the shown citations by (document id, page number), pages in the order of the answer."""
    pages: dict[PageKey, list[Numbered]] = {}
    for number, citation in shown_citations(answer):
        pages.setdefault((citation.doc_id, citation.page), []).append((number, citation))
    return pages
