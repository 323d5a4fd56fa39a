"""The documents of a collection as a source: a paper that lies there exists, and its first page names its authors."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from indexing import Collection, Document
from plugins.audit.auditing.sources.identifiers import family_name, identifiers, plain_title
from plugins.audit.auditing.types import Lookup, Record
from plugins.audit.references import BibliographicFields, Reference

_SAME = 0.93
_MOST_FRONT = 20_000
_FILE_NUMBER = re.compile(r"^(\d{4}\.\d{4,5}(?:v\d{1,2})?)(?=\D|$)")


class CollectionDocuments:
    """A `RecordSource` of documents: a title is found where it is a document's, or stands first on its first page.

    A record has those of the cited authors whose names stand on the first page, and says that there may be more
    (`et_al`). A document whose first page names none of them is not this work.
    """

    name = "the collection's documents"

    def __init__(self, collection: Collection) -> None:
        """Read the titles; a document added later is not seen."""
        self._collection = collection
        self._documents = collection.documents()

    def look_up(self, reference: Reference) -> Lookup:
        """Return the documents that are this work; "not covered" where none is."""
        fields = reference.fields
        title = plain_title(fields.title)
        candidates = [self._record(d, fields) for d in self._documents if title and self._is_called(d, title)]
        records = tuple(record for record in candidates if record)
        search_note = f"title {fields.title[:120]!r} among {len(self._documents):,} documents"
        return Lookup(self.name, "found" if records else "not covered", records[:5], search_note)

    def _is_called(self, document: Document, title: str) -> bool:
        names = (document.title, document.name.rsplit(".", 1)[0])
        return any(fuzz.token_sort_ratio(title, plain_title(name)) >= 100 * _SAME for name in names) or (
            len(title.split()) > 3 and title in plain_title(" ".join(self._headings(document)))
        )

    def _headings(self, document: Document) -> list[str]:
        elements = self._collection.page_elements(document.id, 1)
        return [e.text[:500] for e in elements if e.kind == "heading"][:5]

    def _record(self, document: Document, entry: BibliographicFields) -> Record | None:
        """Return what the first page says of the work as it is cited; None if it names none of the authors."""
        elements = self._collection.page_elements(document.id, 1)
        front = " ".join(e.text for e in elements)[:_MOST_FRONT]
        words = set(plain_title(front, _MOST_FRONT).split())
        authors = tuple(
            name for name in entry.authors if (own := set(plain_title(family_name(name)).split())) and own <= words
        )
        if entry.authors and not authors:
            return None
        title = plain_title(entry.title)
        number = _FILE_NUMBER.match(document.name)
        doi, arxiv, _ = identifiers(front, f"arXiv:{number[1]}" if number else "")
        fields = BibliographicFields(
            title=next((h for h in self._headings(document) if title in plain_title(h)), document.title),
            authors=authors,
            et_al=True,
            year=entry.year if entry.year[:4] and entry.year[:4] in front else "",
            doi=doi if doi.lower() == entry.doi.lower() else "",
            arxiv=arxiv,
        )
        return Record(fields, self.name, document.name, "document")
