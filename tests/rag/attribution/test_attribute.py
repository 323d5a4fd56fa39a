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
    assert (bare.verdict, bare.citations) == ("unchecked", ())
    assert bare.reason == "it names no source, and nothing was found that proves it"


def test_what_nothing_proves_says_why_by_the_first_that_it_names() -> None:
    sold = attributed("The mill was sold in 1911.", [ONE, BUS], [ONE, BUS])
    assert (sold.verdict, sold.citations) == ("unsupported", ())
    assert "1911" in sold.reason


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
    assert against.verdict == "contradicted"
    assert against.reason == "the sentence says 1889, the text 1887"


def test_the_place_that_contradicts_is_cited_against_the_sentence_and_proves_nothing() -> None:
    said = "The old mill was built in 1889 by Anna Holm."
    item = evidence("E1", f"It grinds rye. {BUILT} It is old.")
    found = attributed(said, [item], [item])
    (citation,) = found.citations
    assert (found.verdict, found.proof, citation.against) == ("contradicted", (), True)
    assert citation.quote == BUILT
    assert found.conflict is not None
    assert said[slice(*(found.conflict.at or (0, 0)))] == found.conflict.said == "1889"
    start = item.element.text.index("1887")
    assert citation.boxes == item.element.words.line_boxes(start, start + 4)
    assert relocated(found, [item.element], Draws((BBox(0.1, 0.1, 0.2, 0.2),))) == found


def test_what_is_supported_somewhere_is_not_contradicted_elsewhere() -> None:
    other = evidence("E9", BUILT.replace("1887", "1889"), 9)
    assert attributed(BUILT, [], [other, ONE]).verdict == "supported"
    assert attributed(BUILT, [], [other]).verdict == "contradicted"


def test_places_that_differ_among_themselves_contradict_nothing() -> None:
    places = [evidence("E1", BUILT.replace("1887", year), n) for n, year in enumerate(("1889", "1901"), 1)]
    assert attributed(BUILT, [], places).verdict == "unchecked"


@pytest.mark.parametrize(
    "place",
    [
        "In 2019 the mill of Askoy ground 46 tonnes of rye for the town.",  # another year
        "Among the mills of Askoy ground by wind, the oldest of the twelve ground 46 tonnes of rye.",  # another thing
        "The mill of Askoy ground at least 46 tonnes of rye for the town in 2020.",  # both may be right
    ],
)
def test_what_speaks_of_something_else_contradicts_nothing(place: str) -> None:
    said = "In 2020 the mill of Askoy ground 64 tonnes of rye for the town."
    assert attributed(said, [], [evidence("E1", place)]).verdict != "contradicted"


class Believes:
    """A judge that believes everything and counts how often it is asked."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.asked = 0

    def entails(self, sentence: str, passage: str, element: Element) -> float | None:  # noqa: ARG002
        self.asked += 1
        return 0.95


def test_an_arbiter_is_asked_a_few_times_about_what_is_open_alone() -> None:
    places = [evidence(f"E{n}", f"Anna Holm had a mill erected at the {n}th weir.", n) for n in range(1, 9)]
    arbiter = Believes()
    found = attributed("Anna Holm built mills.", [], places, arbiter=arbiter)
    assert (found.verdict, found.certainty, arbiter.asked) == ("partial", 0.7, 3)
    attributed(BUILT, [], [ONE], arbiter=arbiter)
    attributed(BUILT.replace("1887", "1889"), [], [ONE], arbiter=arbiter)
    assert arbiter.asked == 3


def test_a_sum_that_is_wrong_is_not_supported_and_one_that_is_right_rests_on_its_numbers() -> None:
    waves = evidence("E1", "Personnel: 52 in the first wave, 50 in the second wave.", 1)
    assert attributed("Personnel: 52 + 50 = 103", [], [waves]).reason == "52 + 50 is 102, not 103"
    assert attributed("Personnel in the first wave: 52 + 50 = 102", [], [waves]).verdict in ("supported", "partial")


def test_a_number_of_a_figure_without_its_unit_proves_in_part() -> None:
    chart = replace(evidence("E1", "50 41 48 Republican Party Democratic Party good policy ideas", 1))
    chart = replace(chart, element=replace(chart.element, kind="picture"))
    said = attributed("The Democratic Party has good policy ideas for 50%.", [], [chart])
    assert said.verdict == "partial"


@pytest.mark.parametrize("text", ["1.1.1.1.1.1.", "1." * 60, "... --- ..."])
def test_signs_without_a_word_or_a_number_claim_nothing(text: str) -> None:
    """As a small model stammers: the words of the question, which complete what says little, prove none of it."""
    places = [Evidence("E1", fakes.element("The mill, the wheel and 1 bus."), "d.pdf", 1.0)]
    found = attributed(text, places, places, about=("How many mills has the bus a wheel for?",))
    assert (found.verdict, found.citations) == ("remark", ())
    assert found.reason == "it has no word and no number that could be checked"


@pytest.mark.parametrize("text", ["1887.", "46%", "$ 4,850"])
def test_a_number_alone_is_a_claim(text: str) -> None:
    assert attributed(text, [BUS], [BUS], about=("When was it?",)).verdict in ("unsupported", "partial")


def test_a_name_and_the_words_of_the_question_prove_nothing_that_is_said_of_it() -> None:
    place = evidence("E1", "In 2014 and 2015 surveys showed that many Danes fall behind the cost of living.")
    asked = ("Which group fell behind the cost of living in 2015?",)
    assert attributed("Danes are happy.", [], [place], about=asked).verdict == "unchecked"
    assert attributed("Danes fall.", [], [place], about=asked).verdict != "unchecked"


def test_what_is_scattered_over_a_page_has_to_have_more_than_words_of_the_question() -> None:
    texts = ("Danes in 2015 were a group.", "Some fell behind the cost of living.", "All are glad.")
    places = [evidence(f"E{n}", text, n) for n, text in enumerate(texts, 1)]
    asked = ("Which group fell behind the cost of living in 2015?",)
    assert attributed("Danes are happy.", [], places, about=asked).verdict == "unchecked"
    assert attributed("Danes are glad.", [], places, about=asked).verdict == "partial"
