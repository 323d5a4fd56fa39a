"""Quotes: verbatim, none twice, in order, and none at all when nothing answers."""

from dataclasses import replace

import pytest

from indexing import Collection
from indexing.types import Kind
from rag import Evidence, Pipeline, RagSettings, Retrieved
from rag.attribution.localizer import boxes_of
from rag.methods.quote.method import quote_sentence
from rag.methods.quote.select import (
    ANSWERING,
    ANSWERING_FEATURES,
    Quote,
    answering,
    confidence_of,
    quotes,
    select,
    shares_words,
)
from rag.types import CandidateRegion
from tests.support import fakes

SETTINGS = RagSettings(min_confidence=0.5, sentence_margin=0.2, max_sentences=3)


def quote(text: str, confidence: float, *, doc: str = "d", page: int = 1, ordinal: int = 1, at: str = "") -> Quote:
    element = fakes.element(at or text, doc, page, ordinal)
    start = element.text.index(text)
    label = f"E-{element.id}-{element.text}"
    return Quote(Evidence(label, element, f"{doc}.pdf", 1.0), start, start + len(text), confidence)


def chosen(*scored: Quote, settings: RagSettings = SETTINGS) -> list[str]:
    """The sentences when every element quoted could be cited by itself, the most confident first."""
    ordered = sorted(scored, key=lambda q: -q.confidence)
    elements = {q.evidence.label: q.evidence.element for q in ordered}
    regions = [CandidateRegion(element, 0.5, (label,)) for label, element in elements.items()]
    return [proofs[0][0].text for proofs in select(ordered, regions, settings)]


def test_a_picture_of_labels_speaks_by_its_caption(town: Collection) -> None:
    got = Pipeline(town).retrieve("Who built the mill?", top_k=1)[1]
    (piece,) = got.evidence
    chart = replace(piece.element, kind="picture", text="100 90 80", caption="Grain ground by the mill in 1887.")
    (said,) = quotes("Who built the mill?", got.with_evidence([replace(piece, element=chart)]))
    assert said.text == "Grain ground by the mill in 1887."
    mute = replace(chart, caption="Figure 2")
    assert quotes("Who built the mill?", got.with_evidence([replace(piece, element=mute)])) == []

    caption = fakes.element(said.text, chart.doc_id, chart.page, 9, kind="caption")
    (proofs,) = select([said], [CandidateRegion(chart, 0.5, (piece.label,))], SETTINGS)
    (citation,) = quote_sentence(proofs, [chart, caption], 0.5).citations
    assert (citation.quote, citation.bbox, citation.boxes) == (said.text, chart.bbox, ())
    assert citation.context == boxes_of(caption, 0, len(said.text)) != ()


@pytest.mark.parametrize(("kind", "cited"), [("text", "text"), ("list", "group")])
def test_of_a_group_the_paragraph_that_is_quoted_is_cited(kind: Kind, cited: str) -> None:
    said = Quote(Evidence("E1", fakes.element("The mill grinds.", kind=kind), "d.pdf", 1.0), 0, 16, 0.9)
    group = CandidateRegion(fakes.element("It does.", ordinal=9, kind="group"), 0.5, ("E1",))
    assert quote_sentence([(said, group)], [], 0.5).citations[0].kind == cited


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the mill built?", "The mill was built in 1887 by Anna Holm."),
        ("What does the mill grind?", "The mill was built in 1887 by Anna Holm. It grinds rye."),
    ],
)
def test_of_one_paragraph_the_sentence_that_answers_is_quoted(town: Collection, question: str, answer: str) -> None:
    _, got = Pipeline(town).retrieve(question)
    scored = quotes(question, got)
    assert scored[0].text == answer
    assert len([q for q in scored if q.evidence.element.id == scored[0].evidence.element.id]) > 1


def test_the_confidence_is_higher_for_what_the_documents_answer(town: Collection) -> None:
    def asked(question: str) -> tuple[float, int]:
        _, got = Pipeline(town).retrieve(question)
        return confidence_of(got), len(answering(got))

    sure, n = asked("When was the mill built?")
    unsure, _ = asked("Who chairs the parliament of Portugal?")
    assert n == len(ANSWERING) == len(ANSWERING_FEATURES)
    assert 0 <= unsure < 0.2 < sure <= 1
    assert confidence_of(Retrieved("text", (), ())) == 0.0


@pytest.mark.parametrize(
    ("question", "shares"),
    [
        ("Wofür dient die Swap-Partition?", True),
        ("Pourquoi la swap-partition ?", True),
        ("Wofür dient die große Festplatte?", False),
    ],
)
def test_no_answer_has_to_have_the_words_that_a_foreign_question_asks_by(question: str, shares: bool) -> None:
    said = quote("Die Swap-Partition ist für Daten da, die in den Speicher nicht passen.", 0.5)
    assert shares_words(question, said) == shares


TWO = "Nine was before. Ten comes here."
DECREASE = "The decrease in net revenues for 2019 was due to fewer boats."


@pytest.mark.parametrize(
    ("scored", "most", "texts"),
    [
        ([], 3, []),
        ([("Nine was before.", 0.9, TWO), ("Ten comes here.", 0.75, TWO)], 3, ["Nine was before.", "Ten comes here."]),
        ([("Nine was before.", 0.9, TWO), ("Ten comes here.", 0.65, TWO)], 3, ["Nine was before."]),
        ([("Nine was before.", 0.9, TWO), ("was before. Ten", 0.88, TWO)], 3, ["Nine was before."]),
        ([("Ten comes here.", 0.9, TWO), ("Nine was before.", 0.88, TWO), ("Another paper agrees.", 0.89, "")], 3,
         ["Nine was before.", "Ten comes here.", "Another paper agrees."]),
        ([("Nine was before.", 0.9, TWO), ("Ten comes here.", 0.9, TWO), ("Another paper agrees.", 0.3, "")], 2,
         ["Nine was before.", "Another paper agrees."]),
        ([("Nine boats.", 0.9, ""), ("Ten boats.", 0.9, ""), ("Two boats.", 0.9, "")], 1, ["Nine boats."]),
        ([(DECREASE, 0.9, ""), (DECREASE.lower(), 0.89, "")], 3, [DECREASE]),
        ([(DECREASE, 0.9, ""), (DECREASE.replace("was", "was not"), 0.89, "")], 3,
         [DECREASE, DECREASE.replace("was", "was not")]),
        ([(DECREASE, 0.9, ""), (DECREASE.replace("2019", "2018"), 0.89, "")], 3,
         [DECREASE, DECREASE.replace("2019", "2018")]),
    ],
    ids=["nothing", "nearly as good", "far off", "overlapping", "in order", "each region first", "the most", "the same",
         "another word", "another year"],
)  # fmt: skip
def test_the_sentences_of_an_answer(scored: list[tuple[str, float, str]], most: int, texts: list[str]) -> None:
    settings = SETTINGS.model_copy(update={"max_sentences": most})
    made = [quote(text, p, at=at, ordinal=1 if at else n + 2) for n, (text, p, at) in enumerate(scored)]
    assert chosen(*made, settings=settings) == texts


def test_a_reason_is_added_whatever_it_scores_and_what_is_said_again_is_a_second_proof() -> None:
    reason = replace(quote("Ten comes here.", 0.1, at=TWO), reason=True)
    assert chosen(quote("Nine was before.", 0.9, at=TWO), reason) == ["Nine was before.", "Ten comes here."]
    first, again = quote("The mill is old.", 0.9), quote("the mill is old.", 0.89, doc="other")
    regions = [CandidateRegion(q.evidence.element, 0.5, (q.evidence.label,)) for q in (first, again)]
    (proofs,) = select([first, again], regions, SETTINGS)
    assert [(q.evidence.element.doc_id, region) for q, region in proofs] == [("d", regions[0]), ("other", regions[1])]


@pytest.mark.parametrize(
    ("question", "text", "section", "line"),
    [
        ("What was spent in 2005?", "In 2004, 129 crowns were spent.", "Costs",
         "The year here is 2004, and the question asks about 2005."),
        ("What was spent in 2005?", "In 2004, 129 crowns were spent.", "The year 2005", ""),
        ("What was spent in 2005?", "It rose from 9 in 2004 to 12 in 2003.", "Costs", ""),
        ("What was spent in 2005?", "Spent | 2004: 129; 2003: 127", "Costs",
         "The years here are 2003 and 2004, and the question asks about 2005."),
        ("What was spent in 2004?", "Spent | 2004: 129; 2003: 127", "Costs", ""),
        ("What was spent in 2005 and 2006?", "In 2004, 129 crowns were spent.", "Costs", ""),
        ("What was spent in 2005?", "In all, 2,004 crowns were spent.", "Costs", ""),
        ("What was spent?", "In 2004, 129 crowns were spent.", "Costs", ""),
    ],
)  # fmt: skip
def test_a_quote_of_another_year_says_so(question: str, text: str, section: str, line: str) -> None:
    said = quote(text, 0.9)
    element = replace(said.evidence.element, section=(section,))
    region = CandidateRegion(element, 0.5, (said.evidence.label,))
    proofs = ((replace(said, evidence=replace(said.evidence, element=element)), region),)
    sentence = quote_sentence(proofs, [element], 0.5, question)
    assert (sentence.near_miss, sentence.to_json()["near_miss"]) == (line, line)
