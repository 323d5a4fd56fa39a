"""Print check: the words that a sentence cites, held against what their page shows, which wins.

Checking compares a sentence with a text. A page can show other words than its text has: a font maps its signs to other
characters, a number is painted over or cut away. Then nothing proves the sentence, and its reader is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from string import punctuation

from indexing import BBox, Collection, DocumentMissing, FileError, Mismatch, PageCrash, PageTimeout
from rag.types import Citation, Sentence

TOLD, LONGEST = 3, 40
"""The most mismatches that are told of a page, and the most characters of each word."""
REMEMBERED = 1024
"""The number of places whose comparison is kept."""
NOT_COMPARED = "The quoted words of {document} could not be compared with what its pages show: {reason}."
"""The note on a document whose pages cannot be drawn."""


class PrintCheck:
    """A check of the citations of a collection's answers. It remembers the places that it has compared."""

    def __init__(self, collection: Collection) -> None:
        """Keep the collection; its pages are drawn when the first place is compared."""
        self._mismatches: Callable[[str, int, tuple[BBox, ...]], tuple[Mismatch, ...]]
        self._mismatches = lru_cache(REMEMBERED)(collection.mismatches)

    def __call__(self, sentence: Sentence) -> tuple[Sentence, tuple[str, ...]]:
        """Return the sentence, and notes on documents that could not be compared.

        Where a page shows other words than are cited, or cannot be drawn in time, the sentence is unsupported, has no
        citation, and says so (`Sentence.differs`).
        """
        notes = []
        for citation in sentence.citations if sentence.verdict != "unsupported" else ():
            try:
                found = self._mismatches(citation.doc_id, citation.page, _places(citation))
                wrong = [each for each in found if _matters(each, citation, sentence)]
                said = _told(wrong) if wrong else ""
            except (PageTimeout, PageCrash):
                said = "the page cannot be drawn, so that nobody can see what it shows"
            except (FileError, DocumentMissing) as error:
                said, note = "", NOT_COMPARED.format(document=citation.document, reason=error)
                notes.append(note)
            if said:
                where = f"{said} ({citation.document}, page {citation.page})"
                unproven = replace(sentence, citations=(), verdict="unsupported", reason=where, differs=where)
                return replace(unproven, answers=None, short=None), tuple(notes)
        return sentence, tuple(notes)


def _places(citation: Citation) -> tuple[BBox, ...]:
    """Return the boxes whose words are cited: of a picture that is cited as a whole, none."""
    if citation.boxes:
        return (*citation.boxes, *citation.context)
    return () if citation.kind == "picture" and not citation.quote else (citation.bbox,)


def _matters(mismatch: Mismatch, citation: Citation, sentence: Sentence) -> bool:
    """Return True unless a word merely stands in a box with those that are quoted, or in a crowded drawing.

    The words of maps and charts lie over one another, and OCR reads them now so, now so.
    """
    if citation.kind == "picture" and not mismatch.agreed:
        return False
    if not citation.quote or sentence.verdict == "computed":
        return True
    bare = mismatch.text.strip(punctuation)
    return bare in citation.quote or bare in sentence.text


def _told(mismatches: Sequence[Mismatch]) -> str:
    """Say what the page shows, and what its text says."""
    pairs = [(_word(each.text), _word(each.shown)) for each in mismatches[:TOLD]]
    return ", and ".join(
        f"the page shows {shown} where its text says {text}"
        if text and shown
        else f"the page does not show {text}, which its text says"
        if text
        else f"the page shows {shown}, which its text does not say"
        for text, shown in pairs
    )


def _word(text: str) -> str:
    """Return a word in quotation marks, cut where it is long; "" for none."""
    bare = " ".join(text.split())
    return f"\u201c{bare[:LONGEST]}\u201d" if bare else ""
