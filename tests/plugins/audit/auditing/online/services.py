"""The five services as the tests meet them: a work of our own, and how each of them tells of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plugins.audit.auditing.online import Arxiv, Crossref, DoiRegistry, OpenAlex, SemanticScholar
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
PAPER = {
    "paperId": "p1", "title": TITLE, "authors": [{"name": "Ilse Brandt"}, {"name": "Paul Moreau"}], "year": 2019,
    "venue": "Journal of Mills", "externalIds": {"DOI": DOI, "ArXiv": "1901.01234"},
    "publicationTypes": ["JournalArticle"],
}  # fmt: skip
FEED = (
    '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom" '
    'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><opensearch:totalResults>%d</opensearch:totalResults>'
    "%s</feed>"
)
ENTRY = (
    "<entry><id>http://arxiv.org/abs/1901.01234v2</id><title>Water Mills of the Northern\n Valleys and Their Owners"
    "</title><published>2019-01-04T00:00:00Z</published><author><name>Ilse Brandt</name></author>"
    "<author><name>Paul Moreau</name></author></entry>"
)


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
    "semantic_scholar": Known(
        SemanticScholar, SemanticScholar.terms, CITED, Answer(200, PAPER),
        Answer(404, {"error": "no"}),
    ),
    "arxiv": Known(
        Arxiv, Arxiv.terms, PREPRINT, Answer(200, (FEED % (1, ENTRY)).encode()),
        Answer(200, (FEED % (0, "")).encode()),
    ),
    "doi": Known(DoiRegistry, DoiRegistry.terms, CITED, Answer(200, CSL), Answer(404, {"responseCode": 100})),
}  # fmt: skip
