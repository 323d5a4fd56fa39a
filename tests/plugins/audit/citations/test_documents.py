"""An entry of a bibliography, or an address -> the document of the collection that it is."""

from __future__ import annotations

from indexing import Document
from plugins.audit.citations import DocumentIndex

MILLS = Document("a" * 16, "mills-2020.pdf", "Mills of the northern weirs", 3, "a" * 64)
FERRIES = Document("b" * 16, "HARBOUR_2021_10K.pdf", "", 3, "b" * 64)
OPENINGS = {
    MILLS.id: ["MILLS OF THE NORTHERN WEIRS", "doi: 10.1234/mills.7", "ANNUAL REPORT OF THE YEAR"],
    FERRIES.id: ["ANNUAL REPORT OF THE YEAR", "The ferries of Tern Sound"],
}
INDEX = DocumentIndex([MILLS, FERRIES], lambda document: OPENINGS[document.id])


def test_an_entry_is_a_document_by_title_file_doi_or_the_words_of_its_file() -> None:
    assert INDEX.of_entry("Holm, A. (2020). Mills of the Northern Weirs. Rye Press.") == MILLS
    assert INDEX.of_entry("Holm, A. Rye. https://doi.org/10.1234/MILLS.7.") == MILLS
    assert INDEX.of_entry("Berg, B.: The Ferries of Tern Sound, 2021") == FERRIES
    assert INDEX.of_entry("Harbour Inc. Form 10-K for fiscal 2021.") == FERRIES
    assert INDEX.of_entry("See harbour_2021_10k.PDF") == FERRIES
    preprint = Document("c" * 16, "2310.05634v2.pdf", "", 3, "c" * 64)
    assert DocumentIndex([preprint], lambda _: []).of_entry("Moe, C. Weirs. arXiv:2310.05634, 2023.") == preprint


def test_an_entry_that_names_none_or_several_is_no_document() -> None:
    assert INDEX.of_entry("Moe, C. Weirs of the south. 1990.") is None
    assert INDEX.of_entry("Annual report of the year") is None
    assert INDEX.of_entry("") is None


def test_an_address_leads_to_a_file_of_its_name() -> None:
    assert INDEX.of_address("https://mills.example/papers/mills-2020.pdf?x=1") == MILLS
    assert INDEX.of_address("mills-2020.pdf") == MILLS
    assert INDEX.of_address("https://mills.example/") is None
