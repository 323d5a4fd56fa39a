"""Quotes: verbatim, none twice, in order, and none at all when nothing answers."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from indexing import Collection, Words
from indexing.embed.minilm import MiniLM
from rag import Evidence, Pipeline, RagSettings, Retrieved
from rag.attribution.localize.words import boxes_of
from rag.methods.quote.method import quote_sentence
from rag.methods.quote.pieces import pieces
from rag.methods.quote.select import (
    ANSWERING,
    ANSWERING_FEATURES,
    Quote,
    answering,
    best_of,
    confidence_of,
    is_part,
    quotes,
    select,
    shares_words,
)
from rag.types import CandidateRegion
from tests.rag.calculation.tables import table
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


def test_pieces_of_a_paragraph_are_its_sentences() -> None:
    element = fakes.element("The mill was built in 1887. It grinds rye. Dr. Holm owns it.")
    assert [element.text[a:b] for a, b in pieces(element)] == [
        "The mill was built in 1887.", "It grinds rye.", "Dr. Holm owns it.",
    ]  # fmt: skip


def test_pieces_of_a_table_are_its_rows() -> None:
    element = fakes.element("Town | Seats\nMerrow | 12\n- | -\nQuay | 9", kind="table")
    assert [element.text[a:b] for a, b in pieces(element)] == ["Town | Seats", "Merrow | 12", "Quay | 9"]


@pytest.mark.parametrize("kind", ["picture", "formula"])
def test_short_texts_of_their_own_are_whole(kind: str) -> None:
    element = fakes.element("Nine barrels. Cider press.", kind=kind)  # type: ignore[arg-type]
    assert pieces(element) == [(0, len(element.text))]
    assert pieces(replace(element, text="", words=Words.none())) == []


def test_a_heading_can_be_quoted_and_a_fact_of_a_word_and_its_value() -> None:
    assert pieces(fakes.element("Boats that leave on time", kind="heading")) == [(0, 24)]
    assert pieces(fakes.element("Fatalities:150")) == [(0, 14)]
    assert pieces(fakes.element("Seats 40")) == [(0, 8)]


@pytest.mark.parametrize("sign", ["\u2022 ", "\uf0a7 ", "+ ", "- ", "\u2013 \u2022 "])
def test_the_sign_of_a_list_is_not_quoted(sign: str) -> None:
    assert pieces(fakes.element(f"{sign}Fully 87% of them sail.", kind="list")) == [(len(sign), len(sign) + 23)]
    assert pieces(fakes.element("- - -")) == [(4, 5)]
    assert pieces(fakes.element("-5% less than last year.")) == [(0, 24)]


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


@pytest.mark.parametrize(
    ("words", "caption", "by_caption"),
    [
        ("Passengers carried by the boats", "Figure 2: Passengers by year.", True),
        ("Passengers carried by the boats", "Passengers by year, of all boats.", False),
        ("4,350 boats in all", "Figure 2: Passengers by year.", False),
    ],
    ids=["titles under a name", "titles without a name", "a figure with its label"],
)
def test_a_numbered_picture_without_figures_speaks_by_its_caption(
    town: Collection, words: str, caption: str, by_caption: bool
) -> None:
    got = Pipeline(town).retrieve("How many boats carried passengers?", top_k=1)[1]
    chart = replace(fakes.element(words, "d", 1, 1, kind="picture"), caption=caption)
    said = quotes("How many boats carried passengers?", got.with_evidence([replace(got.evidence[0], element=chart)]))
    assert [q.text for q in said] == [caption if by_caption else words]


def test_the_best_quote_fits_and_stands_where_a_reader_would_mark() -> None:
    sure, placed = quote("It rains.", 0.8), quote("It snows.", 0.6, ordinal=2)
    unmarked = quote("It hails.", 0.99, ordinal=3)
    regions = [
        CandidateRegion(placed.evidence.element, 0.4, (placed.evidence.label,)),
        CandidateRegion(sure.evidence.element, 0.1, (sure.evidence.label,)),
    ]
    assert best_of([unmarked, sure, placed], regions) == placed.evidence.label
    level = [replace(region, probability=0.1) for region in regions]
    assert best_of([unmarked, sure, placed], level) == sure.evidence.label
    assert best_of([unmarked], regions) == best_of([], []) == ""


def test_nothing_is_said_of_no_region() -> None:
    assert select([quote("It rains.", 0.9)], [], SETTINGS) == []
    assert chosen() == []


def test_of_one_element_only_what_fits_nearly_as_well_is_added() -> None:
    text = "Best of all. Nearly as good. Far off."
    best, near = quote("Best of all.", 0.9, at=text), quote("Nearly as good.", 0.75, at=text)
    assert chosen(best, near, quote("Far off.", 0.65, at=text)) == ["Best of all.", "Nearly as good."]


def test_a_reason_is_added_whatever_it_scores() -> None:
    text = "Nine ferries were cancelled. Ice was the cause."
    said = quote("Nine ferries were cancelled.", 0.9, at=text)
    reason = replace(quote("Ice was the cause.", 0.1, at=text), reason=True)
    assert chosen(said, reason) == ["Nine ferries were cancelled.", "Ice was the cause."]


def test_each_region_is_quoted_before_any_is_quoted_twice() -> None:
    text = "First of all. Just as good."
    first, again = quote("First of all.", 0.9, at=text), quote("Just as good.", 0.9, at=text)
    other = quote("Something else altogether.", 0.3, ordinal=3)
    two = SETTINGS.model_copy(update={"max_sentences": 2})
    assert chosen(first, again, other, settings=two) == ["First of all.", "Something else altogether."]


def test_no_more_sentences_than_allowed() -> None:
    many = [quote(f"Sentence of kind {n} {'abcdefgh'[n]}.", 0.9, ordinal=n + 1) for n in range(6)]
    assert len(chosen(*many)) == 3
    assert len(chosen(*many, settings=SETTINGS.model_copy(update={"max_sentences": 1}))) == 1


def test_the_same_is_said_once_and_proven_twice() -> None:
    first = quote("The mill was built in 1887.", 0.9)
    again = quote("the mill was built in 1887.", 0.89, doc="other")
    regions = [CandidateRegion(q.evidence.element, 0.5, (q.evidence.label,)) for q in (first, again)]
    (proofs,) = select([first, again], regions, SETTINGS)
    assert [q.evidence.element.doc_id for q, _ in proofs] == ["d", "other"]
    assert [region for _, region in proofs] == regions


@pytest.mark.parametrize(
    "other",
    [
        "The decrease in net revenues from consoles for 2019 was due to fewer boats.",
        "The decrease in net revenues for 2018 was due to fewer boats.",
        "The decrease in net revenues for 2019 was not due to fewer boats.",
    ],
)
def test_what_differs_in_a_word_is_no_second_proof(other: str) -> None:
    first = quote("The decrease in net revenues for 2019 was due to fewer boats.", 0.9)
    again = quote(other, 0.89, doc="other")
    regions = [CandidateRegion(q.evidence.element, 0.5, (q.evidence.label,)) for q in (first, again)]
    assert [[q.text for q, _ in proofs] for proofs in select([first, again], regions, SETTINGS)] == [
        [first.text],
        [other],
    ]


def test_overlapping_quotes_of_one_element_are_one() -> None:
    text = "line one line two line three"
    assert chosen(quote("line one line two", 0.9, at=text), quote("line two line three", 0.88, at=text)) == [
        "line one line two"
    ]


def test_the_best_comes_first_and_one_element_is_read_in_order() -> None:
    text = "Nine was before. Ten comes here."
    best, before = quote("Ten comes here.", 0.9, at=text), quote("Nine was before.", 0.88, at=text)
    other = quote("Another paper agrees.", 0.89, doc="a")
    assert chosen(best, before, other) == ["Nine was before.", "Ten comes here.", "Another paper agrees."]


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


def test_every_quote_is_verbatim_and_the_best_one_answers(town: Collection) -> None:
    question = "When was the mill built?"
    _, got = Pipeline(town).retrieve(question)
    scored = quotes(question, got)
    assert all(q.text == q.evidence.element.text[q.start : q.end] for q in scored)
    assert [q.confidence for q in scored] == sorted((q.confidence for q in scored), reverse=True)
    assert all(0 <= q.confidence <= 1 for q in scored)
    assert scored[0].text == "The mill was built in 1887 by Anna Holm."


def test_evidence_is_labelled_in_order_and_no_element_comes_twice(town: Collection) -> None:
    _, got = Pipeline(town).retrieve("What costs two crowns?")
    assert len({e.element.id for e in got.evidence}) == len(got.evidence)
    assert [e.label for e in got.evidence] == [f"E{n}" for n in range(1, len(got.evidence) + 1)]


def test_the_confidence_is_higher_for_what_the_documents_answer(town: Collection) -> None:
    def asked(question: str) -> tuple[float, int]:
        _, got = Pipeline(town).retrieve(question)
        return confidence_of(got), len(answering(got))

    sure, n = asked("When was the mill built?")
    unsure, _ = asked("Who chairs the parliament of Portugal?")
    assert n == len(ANSWERING) == len(ANSWERING_FEATURES)
    assert 0 <= unsure < 0.2 < sure <= 1
    assert confidence_of(Retrieved("text", (), ())) == 0.0


def test_a_reason_is_known_where_one_is_asked_for(town: Collection) -> None:
    _, got = Pipeline(town).retrieve("mill", top_k=1)
    made = got.with_evidence([replace(e, element=fakes.element("It closed because of ice.")) for e in got.evidence])
    for question, expected in (("Why did it close?", True), ("When did it close?", False)):
        (quoted,) = quotes(question, made)
        assert quoted.reason is expected


@pytest.mark.parametrize(
    ("confidence", "reason", "place", "part"),
    [(0.91, False, 0.5, True), (0.6, False, 0.5, False), (0.6, True, 0.5, True), (0.91, False, 0.2, False)],
)
def test_what_answers_nearly_as_well_or_gives_the_reason_is_a_part(
    confidence: float, reason: bool, place: float, part: bool
) -> None:
    first, other = quote("Nine boats sail.", 0.92), replace(quote("Ten rest.", confidence, ordinal=2), reason=reason)
    best = ((first, CandidateRegion(first.evidence.element, 0.5, (first.evidence.label,))),)
    said = ((other, CandidateRegion(other.evidence.element, place, (other.evidence.label,))),)
    assert is_part(best, best)
    assert is_part(said, best) is part


def test_a_reason_is_often_told_right_after(tmp_path: Path, embedder: MiniLM) -> None:
    made = fakes.collection(tmp_path, embedder, "island")
    text = "Gull Island lost passengers in summer. The abbey was shut for repairs. Boats sail daily."
    fakes.index(made, {"island.pdf": [[text]]})
    asked = "Why did Gull Island lose passengers?"
    assert quotes(asked, Pipeline(made).retrieve(asked)[1])[0].text == text.removesuffix(" Boats sail daily.")
    asked = "Did Gull Island lose passengers?"
    assert quotes(asked, Pipeline(made).retrieve(asked)[1])[0].text == "Gull Island lost passengers in summer."


def test_a_table_of_contents_is_quoted_where_it_is_asked_for(tmp_path: Path, embedder: MiniLM) -> None:
    lines = ["Care of the boats ........ 14", "Care of the crews ........ 18", "The boats are cared for in March."]
    with fakes.collection(tmp_path / "home", embedder, "boats") as made:
        fakes.index(made, {"boats.pdf": [lines]})
        pipeline = Pipeline(made, RagSettings(min_confidence=0))
        plain, contents = (
            quotes(question, pipeline.retrieve(question)[1])
            for question in ("When is the care of the boats?", "Which chapters tell of the care of the boats?")
        )
    assert [quote.text for quote in plain] == [lines[2]]
    assert {quote.text.split(" ....")[0] for quote in contents} == {"Care of the boats", "Care of the crews", lines[2]}


def test_the_row_whose_code_is_named_answers_more_probably_for_it(
    tmp_path: Path, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fakes.collection(tmp_path, embedder, "markets")
    document = fakes.document("markets.csv", [["page"]])
    rows = (("Market name", "Code"), ("Little Rock", "AR01"), ("Anchorage", "AK01"), ("Boise", "ID01"))
    element = replace(table(rows), id=f"{document.id}-1", doc_id=document.id, page=1)
    fakes.keep(made, document, replace(fakes.parsed(document.id, 1, []), elements=(element,)))
    question = "What is the market name for code AR01?"
    _, got = Pipeline(made).retrieve(question)
    known = {quote.text: quote.confidence for quote in quotes(question, got)}
    monkeypatch.setattr(sys.modules["rag.methods.quote.select"], "is_keyed", lambda *_: False)
    alike = {quote.text: quote.confidence for quote in quotes(question, got)}
    assert known["Little Rock | AR01"] > alike["Little Rock | AR01"]
    assert known["Boise | ID01"] == alike["Boise | ID01"]


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
