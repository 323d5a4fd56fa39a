"""Bibliographies: BibTeX, RIS and CSL-JSON of anybody are read as far as they go, in linear time."""

from pathlib import Path

from hypothesis import strategies as st

from plugins.audit.auditing.sources import RecordIndex, index_path, read_records
from plugins.audit.errors import BibliographyUnreadable
from plugins.audit.references import references_of
from tests.fuzz.conftest import DOCUMENTED, Fuzz
from tests.fuzz.hostile import ANY, DEEP, JSON, PIECES, is_a_message, linear, written
from tests.plugins.audit.audits import entry

WORDS = ("@article{", "@string{a=", "@comment{", "@preamble{", "@", "title=", "author=", "file=", "year=", "{",
         "}", '"', ",", "#",
         " and ", "\\", "\\'e", "$x$", "https://doi.org/10.1/x", "TY  - JOUR\n", "ER  - \n", "TI  - ", "AU  - ",
         "PY  - ", "\n",
         "References\n", "[1] ", "A. Holm. Mills. 2001.", ":/etc/passwd:application/pdf", "../../x.pdf",
         "files/1/a.pdf")  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS) | ANY, max_size=20).map("".join)
KEYS = ("title", "author", "issued", "DOI", "id", "type", "itemType", "items", "attachments", "file",
         "creators", "authorships",
        "authors_parsed", "categories", "versions", "container-title", "date-parts", "path", "collections",
        "tags", "note")  # fmt: skip
ITEMS = st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6)
VALUES = (
    JSON
    | st.lists(ITEMS, max_size=3)
    | ITEMS.map(lambda item: {"items": [item]})
    | st.lists(ITEMS, max_size=2).map(lambda items: {"items": items, "collections": {"a": items}})
)
SUFFIXES = (".bib", ".ris", ".txt", ".html")


def tried(path: Path) -> None:
    """Read the records of a file."""
    try:
        assert all(record.source == path.name for record in read_records(path))
    except BibliographyUnreadable as error:
        is_a_message(error)


def test_any_text_is_read_as_far_as_it_goes(fuzz: Fuzz, tmp_path: Path) -> None:
    def check(text: str, suffix: str) -> None:
        path = tmp_path / f"any{suffix}"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        if suffix in (".bib", ".ris"):
            tried(path)
        else:
            try:
                references_of(path)
            except DOCUMENTED as error:
                is_a_message(error)
        assert list(tmp_path.glob("*")) == [path]
        path.unlink()

    fuzz(check, text=TEXTS, suffix=st.sampled_from(SUFFIXES))


def test_any_json_is_read_as_far_as_it_goes(fuzz: Fuzz, tmp_path: Path) -> None:
    def check(text: str, suffix: str) -> None:
        path = tmp_path / f"any{suffix}"
        path.write_text(text)
        tried(path)

    fuzz(check, text=VALUES.map(written) | st.sampled_from(DEEP), suffix=st.sampled_from((".json", ".jsonl")))


def test_any_record_is_kept_and_looked_up(fuzz: Fuzz, tmp_path: Path) -> None:
    index = RecordIndex(index_path(tmp_path, "any"), make=True)

    def check(items: list[object]) -> None:
        path = tmp_path / "any.jsonl"
        path.write_text("\n".join(map(written, items)))
        try:
            index.add([path])
            for record in read_records(path):
                assert index.look_up(entry(record.fields)).outcome != "not reachable"
        except BibliographyUnreadable as error:
            is_a_message(error)

    fuzz(check, items=st.lists(ITEMS, max_size=3))
    index.close()


def test_a_bibliography_takes_linear_time(fuzz: Fuzz, tmp_path: Path) -> None:
    def check(piece: str, suffix: str) -> None:
        path = tmp_path / f"long{suffix}"

        def read(text: str) -> None:
            path.write_text(text)
            try:
                if suffix == ".txt":
                    references_of(path)
                else:
                    sum(1 for _ in read_records(path))
            except DOCUMENTED:
                return

        linear(read, piece)

    suffixes = (".bib", ".ris", ".json", ".txt")
    fuzz(check, piece=PIECES | st.sampled_from(WORDS), suffix=st.sampled_from(suffixes))
