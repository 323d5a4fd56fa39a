"""The citations of an answer that may be shown with a number and a box, and the page of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag import Answer, Citation

Numbered = tuple[int, "Citation"]
PageKey = tuple[str, int]


def shown_citations(answer: Answer) -> list[Numbered]:
    """Return [(number, citation), ...] in the order of the answer.

    A citation of unsupported sentences alone is left out (and its number with it): a wrong highlight is worse than
    none.
    """
    shown = {c for s in answer.sentences if s.verdict != "unsupported" for c in s.citations}
    return [(number, c) for number, c in enumerate(answer.citations, 1) if c in shown]


def quote_to_show(answer: Answer, citation: Citation) -> str:
    """Return the quoted words, or nothing where a sentence of the answer is those very words already."""
    said = {" ".join(s.text.split()) for s in answer.sentences if citation in s.citations}
    return "" if " ".join(citation.quote.split()) in said else citation.quote


def cited_pages(answer: Answer) -> dict[PageKey, list[Numbered]]:
    """Return the shown citations by (document id, page number), pages in the order of the answer."""
    pages: dict[PageKey, list[Numbered]] = {}
    for number, citation in shown_citations(answer):
        pages.setdefault((citation.doc_id, citation.page), []).append((number, citation))
    return pages
