"""The sources that a text names: followed to documents of the collection, and held against them first."""

from __future__ import annotations

import pytest

from indexing import Collection
from indexing.embed.minilm import MiniLM
from rag import Pipeline, RagSettings
from tests.support import fakes

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


def test_a_cited_source_that_says_otherwise_is_cited_against_the_sentence(town: Collection) -> None:
    written = "The mill was built in 1899 by Anna Holm (Holm, 1890).\n\n# References\n\nHolm, A. (1890). mill.pdf"
    sentence = Pipeline(town, BOLD).check("", written).sentences[0]
    assert (sentence.verdict, sentence.citations[0].against) == ("contradicted", True)
    assert str(sentence.conflict) == "the sentence says 1899, the text 1887"
    assert str(sentence.sources[0]) == "(Holm, 1890) is mill.pdf, which says otherwise"


def test_what_nothing_in_the_cited_source_proves_is_unsupported(town: Collection) -> None:
    written = "Penguins won the chess olympiad [1].\n\n# References\n\n[1] mill.pdf"
    sentence = Pipeline(town, BOLD).check("", written).sentences[0]
    assert (sentence.verdict, sentence.proof, sentence.sources[0].fails) == ("unconfirmed", (), True)
