"""Text check: the statements of a text that somebody else wrote, each held against its sources and what is found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from indexing import Collection
from rag.attribution.attribute import Checker
from rag.attribution.cited import CitedSources, entries_among
from rag.attribution.localize import BY_WORDS
from rag.attribution.statements import AnswerStatement
from rag.attribution.words import denies
from rag.references import Reference
from rag.retrieval import ClaimSearch
from rag.types import Evidence, Judge, Localizer, Sentence

ENTRY = "it is an entry of the bibliography"
"""The remark of a statement that is an entry of the text's own bibliography."""


class TextCheck:
    """The check of one text: its question, if it has one, what that found, and the sources that the text names."""

    def __init__(
        self,
        collection: Collection,
        question: str,
        evidence: Sequence[Evidence],
        search: ClaimSearch,
        judge: Judge | None = None,
        *,
        localizer: Localizer = BY_WORDS,
        references: Sequence[Reference] = (),
    ) -> None:
        """Keep the parts; the `judge`, if there is one, is asked about what words leave open."""
        self._question, self._evidence, self._search = question, tuple(evidence), search
        self._judge, self._localizer = judge, localizer
        self._sources = CitedSources(collection, references)

    def __call__(self, said: AnswerStatement) -> Sentence:
        """Return a statement as a sentence with its verdict."""
        if remark := getattr(said, "remark", "") or ("it names what follows" if said.heading else ""):
            return Sentence(said.text, (), "remark", remark)
        if said.item and said.under and denies(said.under[-1]):
            reason = "what stands above it is denied, which its own words cannot prove"
            return Sentence(said.text, (), "unconfirmed", reason)
        about = (self._question, *said.under) if self._question else said.under
        links, notes = getattr(said, "links", ()), getattr(said, "footnotes", ())
        return self._sources.check(said.text, partial(self._held, about), links, notes)

    def _held(self, about: Sequence[str], claim: str, doc_id: str | None) -> Sentence:
        """Return a claim held against one document, or against all."""
        evidence = [item for item in self._evidence if doc_id in (None, item.element.doc_id)]
        context = self._sources.titles(doc_id) if doc_id is not None else ()
        check = Checker(self._judge, self._localizer, tuple(about), tuple(context), self._search.within(doc_id))
        return check(claim, (), evidence)


def listed_entries(said: Sequence[AnswerStatement]) -> list[Reference]:
    """Return the entries of the bibliography among the statements of a text."""
    return entries_among([one.text for one in said if getattr(one, "remark", "") == ENTRY])
