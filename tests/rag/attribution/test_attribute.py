"""A sentence and what it names -> the citations that prove it: each once, the best kept, repaired once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from indexing import BBox, Element
from rag.attribution.attribute import attributed, relocated
from rag.types import Evidence, Located, Sentence
from rag.usage import NO_USAGE
from tests.support import fakes

BUILT = "The mill was built in 1887 by Anna Holm."


def evidence(label: str, text: str, ordinal: int = 1) -> Evidence:
    return Evidence(label, fakes.element(text, ordinal=ordinal), "mill.pdf", 0.9)


ONE = evidence("E1", f"{BUILT} It grinds rye.")
TWO = evidence("E2", f"It is said that {BUILT.lower()}", 2)
BUS = evidence("E3", "The night bus leaves at ten.", 3)


class Draws:
    """A localizer that always draws the same and remembers what it was asked."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __init__(self, boxes: tuple[BBox, ...] = (), context: tuple[BBox, ...] = ()) -> None:
        self.boxes, self.context, self.asked = boxes, context, list[str]()

    def __call__(self, sentence: str, element: Element, spans: object = ()) -> Located:  # noqa: ARG002
        self.asked.append(sentence)
        return Located(element.id, element.page, self.boxes, self.context, 1.0)


def labels(sentence: Sentence) -> list[str]:
    return [citation.label for citation in sentence.citations]


def test_a_citation_holds_the_words_that_prove_it_and_their_lines() -> None:
    (citation,) = attributed(BUILT, [ONE], [ONE]).citations
    assert citation.quote == BUILT.removesuffix(".")
    assert citation.boxes == ONE.element.words.line_boxes(0, len(BUILT))


def test_the_pieces_of_a_proof_are_one_quote() -> None:
    item = evidence("E1", "Anna Holm, a widow of some means from the next valley, built the mill.")
    (citation,) = attributed("Anna Holm built a mill.", [item], [item]).citations
    assert citation.quote == "Anna Holm built the mill"


def test_what_is_named_twice_is_cited_once() -> None:
    assert labels(attributed(BUILT, [ONE, ONE], [ONE])) == ["E1"]


def test_what_proves_nothing_is_left_out() -> None:
    assert labels(attributed(BUILT, [BUS, ONE], [BUS, ONE])) == ["E1"]


def test_where_one_proves_it_those_that_prove_it_in_part_are_dropped() -> None:
    half = evidence("E4", "Anna Holm built something in 1887.", 4)
    assert attributed(BUILT, [half], [half]).verdict == "partial"
    both = attributed(BUILT, [half, ONE], [half, ONE])
    assert (both.verdict, labels(both)) == ("supported", ["E1"])


def test_what_is_named_wrongly_is_repaired_with_what_was_found() -> None:
    repaired = attributed(BUILT, [BUS], [BUS, ONE])
    assert (repaired.verdict, labels(repaired)) == ("supported", ["E1"])


def test_what_names_nothing_is_repaired_too_and_unchecked_where_nothing_proves_it() -> None:
    assert labels(attributed(BUILT, [], [BUS, ONE])) == ["E1"]
    bare = attributed(BUILT, [], [BUS])
    assert (bare.verdict, bare.reason, bare.citations) == ("unchecked", "it names no source", ())


def test_what_nothing_proves_says_why_by_the_first_that_it_names() -> None:
    sold = attributed("The mill was sold in 1911.", [ONE, BUS], [ONE, BUS])
    assert (sold.verdict, sold.citations) == ("unsupported", ())
    assert "1911" in sold.reason


def test_the_reason_is_that_of_the_first_source_not_of_the_next() -> None:
    sentence = "Anna Berg built the mill in 1887."
    reasons = [attributed(sentence, [item], [item]).reason for item in (ONE, BUS)]
    assert "Berg" in reasons[0]
    assert "Berg" not in reasons[1]
    assert attributed(sentence, [ONE, BUS], [ONE, BUS]).reason == reasons[0]


def test_places_are_drawn_anew_for_the_quote_or_the_sentence_where_there_is_none() -> None:
    localizer = Draws()
    sentence = attributed("In 1887 Anna Holm built the mill.", [ONE], [ONE])
    (citation,) = sentence.citations
    relocated(sentence, [ONE.element], localizer)
    relocated(replace(sentence, citations=(replace(citation, quote=""),)), [ONE.element], localizer)
    assert localizer.asked == [citation.quote, sentence.text]
    assert citation.quote != sentence.text


@pytest.mark.parametrize(("verdict", "boxed"), [("supported", True), ("partial", True), ("unsupported", False)])
def test_places_are_drawn_anew_for_what_is_proven_even_in_part(verdict: str, boxed: bool) -> None:
    drawn, around = BBox(0.1, 0.1, 0.2, 0.2), BBox(0.3, 0.3, 0.4, 0.4)
    localizer = Draws((drawn,), (around,))
    sentence = replace(attributed(BUILT, [ONE], [ONE]), verdict=verdict)  # type: ignore[arg-type]
    (citation,) = relocated(sentence, [ONE.element], localizer).citations
    assert (citation.boxes, citation.context) == (((drawn,), (around,)) if boxed else ((), ()))
    (unknown,) = relocated(sentence, [BUS.element], localizer).citations
    assert unknown.boxes == ()


def test_what_claims_nothing_is_a_remark_and_cites_nothing() -> None:
    remark = attributed("To answer this, let us look at the text.", [ONE], [ONE])
    assert (remark.verdict, remark.citations) == ("remark", ())


def test_an_elliptic_answer_is_checked_with_its_question() -> None:
    late = evidence("E1", "Of the ferries that left Bergen, 43% were late.", 1)
    other = evidence("E2", "The toll rose by 43% in one year.", 2)
    asked = ("What share of the Bergen ferries were late?",)
    assert attributed("It was 43%.", [], [late], about=asked).verdict == "supported"
    assert attributed("It was 43%.", [], [other], about=asked).verdict == "unchecked"


def test_the_parts_of_a_claim_may_rest_on_two_places() -> None:
    fares = evidence("E2", "A crossing to Askoy costs 23 crowns.", 2)
    both = "The mill was built by Anna Holm, and a crossing to Askoy costs 23 crowns."
    assert (attributed(both, [], [ONE, fares]).verdict, labels(attributed(both, [], [ONE, fares]))) == (
        "supported",
        ["E1", "E2"],
    )
    wrong = attributed(both.replace("23", "29"), [], [ONE, fares])
    assert wrong.verdict != "supported"


def test_what_nothing_proves_is_searched_for() -> None:
    asked: list[str] = []

    def search(claim: str) -> list[Evidence]:
        asked.append(claim)
        return [ONE]

    assert labels(attributed(BUILT, [], [BUS], search=search)) == ["E1"]
    assert asked == [BUILT]
    attributed(BUILT, [], [ONE], search=search)
    assert asked == [BUILT]


def test_a_contradiction_is_told_of_what_names_no_source() -> None:
    against = attributed("The old mill was built in 1889 by Anna Holm.", [], [evidence("E1", f"{BUILT} It is old.")])
    assert against.verdict == "unsupported"
    assert "1887" in against.reason


def test_a_sum_that_is_wrong_is_not_supported_and_one_that_is_right_rests_on_its_numbers() -> None:
    waves = evidence("E1", "Personnel: 52 in the first wave, 50 in the second wave.", 1)
    assert attributed("Personnel: 52 + 50 = 103", [], [waves]).reason == "52 + 50 is 102, not 103"
    assert attributed("Personnel in the first wave: 52 + 50 = 102", [], [waves]).verdict in ("supported", "partial")


def test_a_number_of_a_figure_without_its_unit_proves_in_part() -> None:
    chart = replace(evidence("E1", "50 41 48 Republican Party Democratic Party good policy ideas", 1))
    chart = replace(chart, element=replace(chart.element, kind="picture"))
    said = attributed("The Democratic Party has good policy ideas for 50%.", [], [chart])
    assert said.verdict == "partial"
