"""Semantic Scholar: papers by DOI, by arXiv number, or the one whose title is nearest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plugins.audit.auditing.online.cache import KeptAnswer
from plugins.audit.auditing.online.online_source import (
    OnlineSearch,
    OnlineSource,
    arxiv_of,
    doi_of,
    json_object,
    likeness,
    list_in,
    of_identifier,
    title_words,
)
from plugins.audit.auditing.online.service import Terms
from plugins.audit.auditing.types import Record
from plugins.audit.references import BibliographicFields

# One request a second with a key of one's own; without, all share a pool, of which a person takes a third of that.
TERMS = Terms(
    "Semantic Scholar", "https://api.semanticscholar.org", frozenset({"api.semanticscholar.org"}), pause=3.0, polite=1.0
)
_FIELDS = {"fields": "title,authors,venue,year,externalIds,publicationTypes"}
_PAPER = "/graph/v1/paper"
_MOST_TEXT, _MOST_NAMES = 4_000, 5_000


class SemanticScholar(OnlineSource):
    """A `RecordSource` of Semantic Scholar."""

    name = TERMS.name

    def _ask(self, fields: BibliographicFields, asking: OnlineSearch) -> None:
        for words, name, known in _identifiers(fields):
            found, date = self._service.ask(f"{_PAPER}/{name}", _FIELDS, self._paper)
            asking.add(f"{words}{date}", of_identifier(found, **known))
            if found and (likeness(fields, found[0]) >= 0.8 or not fields.title):
                return
        if title := title_words(fields):
            records, date = self._service.ask(f"{_PAPER}/search/match", {"query": title} | _FIELDS, self._match)
            asking.add(f"title {title[:120]!r}{date}", records)

    def _paper(self, answer: KeptAnswer) -> tuple[Record, ...]:
        if answer.status == 404:
            return ()
        value = json_object(answer)
        if "paperId" not in value:
            raise ValueError("no paper")
        return self._records([value])

    def _match(self, answer: KeptAnswer) -> tuple[Record, ...]:
        return () if answer.status == 404 else self._records(list_in(json_object(answer), "data"))

    def _records(self, values: list[Any]) -> tuple[Record, ...]:
        return tuple(self._record(value) for value in values if isinstance(value, dict) and _text(value.get("title")))

    def _record(self, value: dict[str, Any]) -> Record:
        names = value.get("authors")
        others = value.get("externalIds")
        kinds = value.get("publicationTypes")
        ids = others if isinstance(others, dict) else {}
        people = [_text(each.get("name")) for each in _objects(names)]
        fields = BibliographicFields(
            title=_text(value.get("title")),
            authors=tuple(name for name in people if name),
            venue=_text(value.get("venue")),
            year=_text(value.get("year"))[:4],
            doi=_text(ids.get("DOI"))[:300],
            arxiv=_text(ids.get("ArXiv"))[:60],
        )
        kind = _text(kinds[0])[:40] if isinstance(kinds, list) and kinds else ""
        return Record(fields, self.name, _text(value.get("paperId"))[:200], kind)


def _identifiers(fields: BibliographicFields) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield the identifiers: in words, as the service takes them, and as a field of the record."""
    arxiv, doi = arxiv_of(fields), doi_of(fields)
    if doi and not doi.lower().startswith("10.48550/"):
        yield f"DOI {doi}", f"DOI:{doi}", {"doi": doi}
    if arxiv:
        yield f"arXiv {arxiv}", f"ARXIV:{arxiv}", {"arxiv": arxiv}


def _objects(value: object) -> list[dict[str, Any]]:
    return [each for each in value[:_MOST_NAMES] if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: object) -> str:
    return " ".join(str(value)[:_MOST_TEXT].split()) if isinstance(value, str | int) else ""
