"""Print check: the words that a sentence cites, held against what their page shows, which wins.

Checking compares a sentence with a text. A page can show other words than its text has: a font maps its signs to other
characters, a number is painted over or cut away. Then nothing proves the sentence, and its reader is told.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from functools import lru_cache
from string import punctuation
from typing import TypeVar

from indexing import BBox, Collection, DocumentMissing, FileError, Mismatch, PageCrash, PageTimeout
from indexing.language import lower_words
from rag.types import Citation, Sentence

T = TypeVar("T")

MOST_REPORTED, LONGEST = 3, 40
"""The most mismatches of a page that are reported, and the most characters of each word."""
READERS = 2
"""The number of sentences of a long text that are compared with their pages at the same time."""
AHEAD = 8
"""The most sentences that are checked before the first of them is compared with its pages."""
_CODE = re.compile(r"(?=\w{0,20}[^\W\d])[^\W\d]{0,8}(?P<number>\d{3,12})[^\W\d]{0,8}")
"""A code: letters around a number of three digits or more, which no claim writes in words."""
MOST_REMEMBERED = 1024
"""The number of places whose comparison is kept."""
NOT_COMPARED = "The quoted words of {document} could not be compared with what its pages show: {reason}."
"""The note on a document whose pages cannot be drawn."""


class PrintCheck:
    """A check of the citations of a collection's answers. It remembers the places that it has compared."""

    def __init__(self, collection: Collection) -> None:
        """Keep the collection; its pages are drawn when the first place is compared."""
        self._mismatches: Callable[[str, int, tuple[BBox, ...]], tuple[Mismatch, ...]]
        self._mismatches = lru_cache(MOST_REMEMBERED)(collection.mismatches)

    def __call__(self, sentence: Sentence) -> tuple[Sentence, tuple[str, ...]]:
        """Return the sentence, and notes on documents that could not be compared.

        Where a page shows other words than are cited, or cannot be drawn in time, the sentence is unconfirmed, has no
        citation, and says so (`Sentence.differs`). A bullet at the beginning of a quote that the page shows differently
        is removed from the quote.
        """
        notes = []
        for citation in sentence.citations if sentence.verdict != "unconfirmed" else ():
            if citation.role == "unconfirmed" or (sentence.checked_by == "judge" and not citation.boxes):
                continue  # nothing rests on its words
            try:
                mismatches = self._mismatches(citation.doc_id, citation.page, _compared_boxes(citation))
                wrong = [each for each in mismatches if _matters(each, citation, sentence)]
                if _is_bullet(wrong, sentence):
                    sentence, wrong = _strip_bullet(sentence), []
                message = _describe_mismatches(wrong) if wrong else ""
            except (PageTimeout, PageCrash):
                message = "the page cannot be drawn, so that nobody can see what it shows"
            except (FileError, DocumentMissing) as error:
                message, note = "", NOT_COMPARED.format(document=citation.document, reason=error)
                notes.append(note)
            if message:
                where = f"{message} ({citation.document}, page {citation.page})"
                unproven = replace(sentence, citations=(), verdict="unconfirmed", reason=where, differs=where)
                return replace(unproven, answers=None, short=None, checked_by=""), tuple(notes)
        return sentence, tuple(notes)


def _compared_boxes(citation: Citation) -> tuple[BBox, ...]:
    """Return the boxes whose text is compared; none for a picture that is cited without a quote."""
    if citation.boxes or (citation.kind == "picture" and citation.context):
        return (*citation.boxes, *citation.context)
    return () if citation.kind == "picture" and not citation.quote else (citation.bbox,)


def _matters(mismatch: Mismatch, citation: Citation, sentence: Sentence) -> bool:
    """Return True if a mismatch concerns words on which the sentence rests.

    Ignored are other words in the cited box, words of pictures that OCR reads differently each time, and codes
    ("8752BH") and single letters that a confirmed claim does not have.
    """
    if citation.kind == "picture" and not mismatch.agreed:
        return False
    if not citation.quote or sentence.verdict == "computed":
        return True
    bare = mismatch.text.strip(punctuation)
    if sentence.verdict == "confirmed":
        if code := _CODE.fullmatch(bare):
            return code["number"] in sentence.text.replace(",", "")
        if len(bare) == 1 and bare.isalpha():
            return bare.lower() in lower_words(sentence.text)
    return bare in citation.quote or bare in sentence.text


def _is_bullet(wrong: Sequence[Mismatch], sentence: Sentence) -> bool:
    """Return True if the only mismatch is a bullet before a quote, where the page shows no letter or digit."""
    if len(wrong) != 1 or sentence.verdict != "quoted" or any(c.isalnum() for c in wrong[0].shown):
        return False
    sign, _, rest = sentence.text.partition(" ")
    return len(sign) == 1 and wrong[0].text.strip() == sign and bool(rest.strip()) and sign not in rest.split()


def _strip_bullet(sentence: Sentence) -> Sentence:
    """Return a quote without the bullet that it begins with."""
    sign, _, rest = sentence.text.partition(" ")
    off = len(sign) + 1
    short = sentence.short and (sentence.short[0] - off, sentence.short[1] - off)
    citations = tuple(
        replace(c, quote=c.quote.removeprefix(f"{sign} ")) if c.quote == sentence.text else c
        for c in sentence.citations
    )
    return replace(sentence, text=rest, citations=citations, short=short if short and short[0] >= 0 else None)


def _describe_mismatches(mismatches: Sequence[Mismatch]) -> str:
    """Return a phrase on each mismatch: what the page shows, and what its text says."""
    pairs = [(_word(each.text), _word(each.shown)) for each in mismatches[:MOST_REPORTED]]
    return ", and ".join(
        f"the page shows {reading} where its text says {text}"
        if text and reading
        else f"the page does not show {text}, which its text says"
        if text
        else f"the page shows {reading}, which its text does not say"
        for text, reading in pairs
    )


def _word(text: str) -> str:
    """Return a word in quotation marks, cut where it is long; "" for none."""
    bare = " ".join(text.split())
    return f"\u201c{bare[:LONGEST]}\u201d" if bare else ""


def compare_in_order(items: Iterator[T], compare: Callable[[T], T]) -> Iterator[T]:
    """Yield `compare(item)` for each item, in order, from `READERS` threads, while further items are produced.

    Pages are drawn and read in other processes, for which this one need not wait.
    """
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(READERS, "print-check") as thread:
        try:
            while True:
                item = next(items, None)
                if item is not None:
                    waiting.append(thread.submit(copy_context().run, compare, item))  # spans find their parent there
                while waiting and (item is None or waiting[0].done() or len(waiting) > AHEAD):
                    yield waiting.popleft().result()
                if item is None:
                    return
        finally:
            for future in waiting:
                future.cancel()
