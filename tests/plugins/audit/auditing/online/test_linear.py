"""What is made of a reference, and of an answer, before and after a service is asked takes linear time."""

from collections.abc import Callable

import pytest

from plugins.audit.auditing.online import Crossref
from plugins.audit.auditing.online.cache import ServiceResponse
from plugins.audit.auditing.online.online_source import arxiv_of, doi_of, nearest, title_words
from plugins.audit.auditing.types import Record
from plugins.audit.errors import SourceUnreachable
from plugins.audit.references import BibliographicFields
from tests.plugins.audit.auditing.online.services import CITED
from tests.plugins.audit.record_service import RecordService
from tests.support.hostile_strings import MOST, Shape, growth

SHAPES = (
    *(
        Shape("", piece)
        for piece in (" ", "a", "1", ".", "/", "10.", "a ", "10.1000/", "[", '{"a":', '"', "<a>", "&lt;")
    ),
    *(Shape("10.1000/", piece) for piece in ("a", "../", ".", "/")),
    Shape('{"message": {"title": "', "<b"),
)


def _answer(read: Callable[[ServiceResponse], object]) -> Callable[[str], object]:
    def work(text: str) -> object:
        try:
            return read(ServiceResponse(200, text.encode(), "", "", 0.0))
        except (ValueError, RecursionError, SourceUnreachable):
            return None

    return work


SERVER = RecordService()
READERS: dict[str, Callable[[str], object]] = {
    "a DOI": lambda text: doi_of(BibliographicFields(doi=text)),
    "an arXiv number": lambda text: arxiv_of(BibliographicFields(arxiv=text, doi=text)),
    "a title": lambda text: title_words(BibliographicFields(title=text)),
    "a record": lambda text: nearest(CITED, [Record(BibliographicFields(title=text, doi=text, arxiv=text), "")]),
    "JSON": _answer(Crossref(SERVER.service(Crossref.terms))._work),
}


@pytest.mark.parametrize("reader", READERS)
def test_hostile_texts_are_read_in_linear_time(reader: str) -> None:
    slow = {shape: ratio for shape in SHAPES if (ratio := growth(READERS[reader], shape)) > MOST}
    assert slow == {}
