"""Filters: whatever stands in one, it is a filter that says yes or no, or one clear line."""

from hypothesis import strategies as st

from indexing import BadFilter, NothingFits
from indexing.filters import facets_of, fitting_documents, parse_filter
from indexing.metadata import Metadata
from indexing.types import Document
from tests.fuzz.conftest import Fuzz
from tests.fuzz.hostile import ANY, is_a_message

FIELDS = ("tag", "date", "author", "language", "folder", "kind", "name", "missing", "TAG", "tga")
SIGNS = ("=", "!=", "~", "<", "<=", ">", ">=", "(", ")", " ", "'", '"', " and ", " or ", " not ", "\\", "%", "--", ";")
VALUES = ("2024", "2024-02-30", "0000-00-00", "99999999999999999999", "''", "yes", "x' OR '1'='1", "\u0130", "ß", "²")
FILTERS = st.lists(st.sampled_from(FIELDS + SIGNS + VALUES) | ANY, max_size=14).map("".join)


def document(said: str) -> Document:
    known = Metadata(date=said, author=said, tags=(said,), folder=said, language=said, missing=bool(said))
    return Document("0" * 16, f"{said}.pdf", said, 1, "0" * 64, f"/{said}", metadata=known)


def test_any_text_is_a_filter_or_one_clear_line(fuzz: Fuzz) -> None:
    def check(where: str, said: str) -> None:
        documents = [document(said), document("")]
        try:
            tree = parse_filter(where)
            assert {tree.fits(each) for each in documents} <= {True, False}
            assert set(fitting_documents(documents, where, "work")) <= set(documents)
        except (BadFilter, NothingFits) as error:
            is_a_message(error)
        assert facets_of(documents).tags == facets_of(documents[::-1]).tags

    fuzz(check, where=FILTERS, said=ANY)
