"""The document of an entry, and claims that are checked against it."""

import pytest

from indexing import Collection, Document
from indexing.embed.minilm import MiniLM
from plugins.audit.citations import DocumentIndex
from rag import Pipeline, RagSettings
from tests.support import fakes

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


BOLD = RagSettings(min_confidence=0.0)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, embedder: MiniLM) -> Collection:
    made = fakes.collection(tmp_path_factory.mktemp("town"), embedder, "town")
    mill = "The mill was built in 1887 by Anna Holm. It grinds rye. Its wheel turns from March to October."
    bus = "The night bus leaves the harbour at ten minutes past ten. A ticket costs two crowns."
    fakes.index(made, {"mill.pdf": [[mill], ["Nine barrels of cider lie in its cellar."]], "bus.pdf": [[bus]]})
    return made


def test_a_source_that_the_text_cites_is_checked_first_and_told(town: Collection) -> None:
    written = "The mill was built in 1887 by Anna Holm [1]. The mill was built in 1887 by Anna Holm [2]. "
    written += "Nine barrels of wine lie in its cellar [1]. A ticket costs two crowns [3]. It is old [4].\n\n"
    written += "## References\n\n[1] Of the mill. mill.pdf\n[2] Of the bus. bus.pdf\n[3] Moe, C. Weirs. 1990.\n"
    found = Pipeline(town, BOLD).check("", written).sentences
    right, wrong, _, away, lost = (s.sources[0] for s in found if s.sources)
    assert (right.mark, right.document, right.verdict, right.fails) == ("[1]", "mill.pdf", "confirmed", False)
    assert (wrong.document, wrong.fails, wrong.elsewhere) == ("bus.pdf", True, ("mill.pdf",))
    assert found[1].verdict == "confirmed"
    assert (away.outcome, away.entry, away.fails) == ("not here", "Moe, C. Weirs. 1990.", False)
    assert (lost.mark, lost.outcome, lost.fails) == ("[4]", "no entry", False)
    assert [s.text for s in found][-1] == "References"


def test_what_nothing_in_the_cited_source_proves_is_unsupported(town: Collection) -> None:
    written = "Penguins won the chess olympiad [1].\n\n# References\n\n[1] mill.pdf"
    sentence = Pipeline(town, BOLD).check("", written).sentences[0]
    assert (sentence.verdict, sentence.proof, sentence.sources[0].fails) == ("unconfirmed", (), True)
