"""Text check: the statements of a text that somebody else wrote, each held against its sources and what is found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import PurePosixPath

from indexing import Collection
from rag.attribution.attribute import Checker
from rag.attribution.bibliography import ListedEntry, entries_among, follower_of
from rag.attribution.localize import BY_WORDS
from rag.attribution.marks import MOST_MARKED, citation_marks
from rag.attribution.statements import AnswerStatement
from rag.attribution.words import denies
from rag.retrieval import ClaimSearch
from rag.types import Evidence, Judge, Localizer, Sentence
from vouch.hooks import left_out_advice

NOT_FOLLOWED = "The sources that the text names were not followed to documents: no plugin in use does that"
ENTRY = "it is an entry of the bibliography"
"""The remark of a statement that is an entry of the text's own bibliography."""


class TextCheck:
    """A checker of the statements of one text, against the evidence of its question and the sources it names."""

    def __init__(
        self,
        collection: Collection,
        question: str,
        evidence: Sequence[Evidence],
        search: ClaimSearch,
        judge: Judge | None = None,
        *,
        localizer: Localizer = BY_WORDS,
        entries: Sequence[ListedEntry] = (),
    ) -> None:
        """Store the arguments; `entries` is the text's bibliography, `judge` decides what words leave open."""
        self._collection = collection
        self._question, self._evidence, self._search = question, tuple(evidence), search
        self._judge, self._localizer = judge, localizer
        self._follower = follower_of(collection, entries)

    def __call__(self, statement: AnswerStatement) -> Sentence:
        """Return a statement as a sentence with its verdict and citations."""
        if remark := getattr(statement, "remark", "") or ("it names what follows" if statement.heading else ""):
            return Sentence(statement.text, (), "remark", remark)
        if statement.item and statement.under and denies(statement.under[-1]):
            reason = "what stands above it is denied, which its own words cannot prove"
            return Sentence(statement.text, (), "unconfirmed", reason)
        about = (self._question, *statement.under) if self._question else statement.under
        hold = partial(self._check_claim, about)
        if self._follower is None:
            return hold(statement.text, None)
        return self._follower.check(
            statement.text, hold, getattr(statement, "links", ()), getattr(statement, "footnotes", ())
        )

    def notes_on(self, parts: Sequence[AnswerStatement]) -> tuple[str, ...]:
        """Return a note that the sources named by statements were not looked up, if that is so; else ()."""
        if self._follower is not None or not any(map(_names_sources, parts)):
            return ()
        return (". ".join(filter(None, (NOT_FOLLOWED, left_out_advice()))) + ".",)

    def _check_claim(self, about: Sequence[str], claim: str, doc_id: str | None) -> Sentence:
        """Return a claim as a checked sentence, against the evidence of one document, or of all if `doc_id` is None."""
        evidence = [item for item in self._evidence if doc_id in (None, item.element.doc_id)]
        context = self._titles(doc_id) if doc_id is not None else ()
        check = Checker(self._judge, self._localizer, tuple(about), context, self._search.search_in(doc_id))
        return check(claim, (), evidence)

    def _titles(self, doc_id: str) -> tuple[str, ...]:
        """Return the title and file name of a document, as context for all of its text: they say who "we" is.

        Words of the file name get a capital letter, so that "NIKE_2021_10K.pdf" names Nike.
        """
        document = self._collection.document(doc_id)
        words = re.split(r"[\W_]+", PurePosixPath(document.name).stem[:200])
        return tuple(title for title in (document.title, " ".join(word.title() for word in words if word)) if title)


def _names_sources(statement: AnswerStatement) -> bool:
    """Return True if a statement has a mark of citation, a link or a footnote."""
    marks = citation_marks(statement.text[:MOST_MARKED])
    return bool(marks or getattr(statement, "links", ()) or getattr(statement, "footnotes", ()))


def listed_entries(statements_of_text: Sequence[AnswerStatement]) -> list[ListedEntry]:
    """Return those statements of a text that are marked as entries of its bibliography."""
    return entries_among([one.text for one in statements_of_text if getattr(one, "remark", "") == ENTRY])
