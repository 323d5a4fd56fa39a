"""The services as the tests meet them: a work of our own, and how each of them tells of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plugins.audit.auditing.online import Crossref, DoiRegistry, OpenAlex
from plugins.audit.auditing.online.online_source import OnlineSource
from plugins.audit.auditing.online.service import Terms
from plugins.audit.references import BibliographicFields
from tests.plugins.audit.record_service import Answer

DOI = "10.5555/mill.1887"
TITLE = "Water Mills of the Northern Valleys and Their Owners"
AUTHORS = ("Brandt, Ilse", "Moreau, Paul")
CITED = BibliographicFields(title=TITLE, authors=AUTHORS, venue="Journal of Mills", year="2019", doi=DOI)
PREPRINT = BibliographicFields(title=TITLE, authors=("Ilse Brandt", "Paul Moreau"), year="2019", arxiv="1901.01234v2")

CSL: dict[str, Any] = {
    "DOI": DOI, "title": [TITLE],
    "author": [{"given": "Ilse", "family": "Brandt"}, {"given": "Paul", "family": "Moreau"}],
    "container-title": ["Journal of Mills"], "issued": {"date-parts": [[2019, 3]]}, "type": "journal-article",
}  # fmt: skip
OPENALEX = {
    "id": "https://openalex.org/W1", "doi": f"https://doi.org/{DOI}", "title": TITLE, "publication_year": 2019,
    "authorships": [{"raw_author_name": "Ilse Brandt"}, {"author": {"display_name": "Paul Moreau"}}],
    "primary_location": {"source": {"display_name": "Journal of Mills"}}, "type": "article",
}  # fmt: skip
DATACITE = CSL | {
    "DOI": "10.48550/ARXIV.1901.01234", "title": TITLE, "publisher": "arXiv", "container-title": None, "type": "article"
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """A service: its source and terms, a reference, the answer that has it, and the one that has nothing."""

    source: Callable[[Any], OnlineSource]
    terms: Terms
    cited: BibliographicFields
    found: Answer
    none: Answer


SERVICES = {
    "crossref": Known(Crossref, Crossref.terms, CITED, Answer(200, {"message": CSL}), Answer(404, b"no")),
    "openalex": Known(OpenAlex, OpenAlex.terms, CITED, Answer(200, OPENALEX), Answer(404, {"error": "no"})),
    "arXiv": Known(
        DoiRegistry, DoiRegistry.terms, PREPRINT, Answer(200, DATACITE), Answer(404, {"responseCode": 100})
    ),
    "doi": Known(DoiRegistry, DoiRegistry.terms, CITED, Answer(200, CSL), Answer(404, {"responseCode": 100})),
}  # fmt: skip
