"""A sentence and what it cites: confirmed, contradicted or unconfirmed, and what becomes of its citations."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from indexing import BBox, Element
from rag.attribution.attribute import MAX_SENTENCE, Checker, relocate_citations
from rag.types import Evidence, Located, Opinion, Sentence
from rag.usage import NO_USAGE
from tests.support import fakes

BUILT = "The mill was built in 1887 by Anna Holm."
check = Checker()


def evidence(label: str, text: str, ordinal: int = 1, kind: str = "text") -> Evidence:
    return Evidence(label, fakes.element(text, ordinal=ordinal, kind=kind), "mill.pdf", 0.9)  # type: ignore[arg-type]


ONE = evidence("E1", f"{BUILT} It grinds rye.")
BUS = evidence("E3", "The night bus leaves at ten.", 3)
CHART = evidence("E4", "74 Nov 81 Dec", 4, "picture")


class Draws:
    """A localizer that always draws the same and remembers what it was asked."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __init__(self, boxes: tuple[BBox, ...] = (), context: tuple[BBox, ...] = ()) -> None:
        self.boxes, self.context, self.asked = boxes, context, list[str]()

    def __call__(self, sentence: str, element: Element, spans: object = ()) -> Located:  # noqa: ARG002
        self.asked.append(sentence)
        return Located(element.id, element.page, self.boxes, self.context, 1.0)


class Thinks:
    """A judge with one opinion, which remembers what it was shown."""

    usage = NO_USAGE
    notes: tuple[str, ...] = ()

    def __init__(self, probability: float | None) -> None:
        self.opinion = None if probability is None else Opinion(probability, "the chart shows it")
        self.asked: list[tuple[str, list[str]]] = []

    def judge(self, sentence: str, elements: Sequence[Element], question: str = "") -> Opinion | None:  # noqa: ARG002
        self.asked.append((sentence, [element.id for element in elements]))
        return self.opinion


def cited(sentence: Sentence) -> list[tuple[str, str]]:
    return [(citation.label, citation.role) for citation in sentence.citations]


class TestConfirmedByWords:
    def test_a_place_that_says_it_is_added_to_one_that_says_nothing_of_it(self) -> None:
        sentence = check(BUILT, [BUS], [BUS, ONE])
        assert (sentence.verdict, cited(sentence)) == ("confirmed", [("E1", "proves"), ("E3", "unconfirmed")])

    def test_what_names_nothing_is_looked_for_in_the_evidence_and_then_searched_for(self) -> None:
        asked: list[str] = []

        def search(claim: str) -> list[Evidence]:
            asked.append(claim)
            return [ONE]

        assert cited(Checker(search=search)(BUILT, [], [ONE])) == [("E1", "proves")]
        assert asked == []
        assert cited(Checker(search=search)(BUILT, [], [BUS])) == [("E1", "proves")]
        assert asked == [BUILT]


class TestContradicted:
    SAID = "The old mill was built in 1889 by Anna Holm."

    def test_the_place_that_says_otherwise_is_cited_against_it_and_others_stay(self) -> None:
        item = evidence("E1", f"It grinds rye. {BUILT} It is old.")
        sentence = check(self.SAID, [item, BUS], [item, BUS])
        assert (sentence.verdict, sentence.proof) == ("contradicted", ())
        assert cited(sentence) == [("E1", "contradicts"), ("E3", "unconfirmed")]
        assert sentence.reason == "the sentence says 1889, the text 1887"
        assert sentence.conflict is not None
        assert self.SAID[slice(*(sentence.conflict.at or (0, 0)))] == sentence.conflict.said == "1889"
        start = item.element.text.index("1887")
        assert sentence.citations[0].boxes == item.element.words.line_boxes(start, start + 4)
        assert relocate_citations(sentence, [item.element], Draws((BBox(0.1, 0.1, 0.2, 0.2),))) == sentence

    def test_what_is_found_elsewhere_contradicts_no_sentence_that_cites_another_place(self) -> None:
        assert check(self.SAID, [BUS], [BUS, ONE]).verdict == "unconfirmed"

    def test_a_judge_does_not_outvote_the_line_itself(self) -> None:
        judge = Thinks(0.95)
        old = evidence("E1", f"{BUILT} It is old.")
        assert Checker(judge)(self.SAID, [old], [old]).verdict == "contradicted"
        assert judge.asked == []


class TestJudged:
    SEEN = "November had the fewest departures on time, 74 per cent, and fog was the cause."

    def test_what_a_judge_sees_is_confirmed_by_it(self) -> None:
        judge = Thinks(0.95)
        sentence = Checker(judge)(self.SEEN, [CHART], [CHART, ONE])
        assert (sentence.verdict, sentence.checked_by, sentence.reason) == ("confirmed", "judge", "the chart shows it")
        assert cited(sentence) == [("E4", "proves")]
        assert judge.asked == [(self.SEEN, [CHART.element.id])]

    @pytest.mark.parametrize("probability", [0.02, 0.6, None])
    def test_otherwise_it_stays_unconfirmed_and_keeps_its_box(self, probability: float | None) -> None:
        sentence = Checker(Thinks(probability))(self.SEEN, [CHART, ONE], [CHART, ONE])
        assert (sentence.verdict, sentence.checked_by) == ("unconfirmed", "")
        assert cited(sentence) == [("E4", "unconfirmed"), ("E1", "unconfirmed")]
        assert sentence.citations[0].bbox == CHART.element.bbox

    def test_without_a_citation_it_is_asked_about_what_is_near(self) -> None:
        judge = Thinks(0.95)
        near = evidence("E5", "Anna Holm had the mill erected in 1887 at the weir.", 5)
        assert Checker(judge)("Anna Holm erected the tall mill in 1887.", [], [near, BUS]).checked_by in (
            "judge",
            "words",
        )
        assert Checker(judge)("The moon is made of cheese.", [], [near, BUS]).verdict == "unconfirmed"
        assert all("moon" not in claim for claim, _ in judge.asked)


class TestUnconfirmed:
    def test_the_row_that_was_named_is_its_box(self) -> None:
        from tests.rag.methods.write.test_pages import table

        row = Evidence("E2", table(), "mill.pdf", 1.0, row=2)
        sentence = check("Barley was not counted at all.", [row], [row])
        (citation,) = sentence.citations
        assert citation.label == "E2"
        assert citation.boxes == tuple(cell.bbox for cell in row.element.cells if cell.row == 2)

    def test_what_names_nothing_and_finds_nothing_says_so(self) -> None:
        bare = check(BUILT, [], [BUS])
        assert (bare.verdict, bare.citations) == ("unconfirmed", ())
        assert bare.reason == "it names no source, and nothing was found that says it"

    def test_a_sentence_that_is_too_long_is_not_checked(self) -> None:
        sentence = check("rye " * MAX_SENTENCE, [ONE], [ONE])
        assert (sentence.verdict, cited(sentence)) == ("unconfirmed", [("E1", "unconfirmed")])

    def test_a_wrong_sum_is_not_confirmed_and_a_right_one_rests_on_its_numbers(self) -> None:
        waves = evidence("E1", "Personnel: 52 in the first wave, 50 in the second wave.", 1)
        assert check("Personnel: 52 + 50 = 103", [waves], [waves]).verdict != "confirmed"
        assert "102" in check("Personnel: 52 + 50 = 103", [waves], [waves]).reason


class TestRemarks:
    def test_what_claims_nothing_is_a_remark(self) -> None:
        assert check("To answer this, let us look at the text.", [], [ONE]).verdict == "remark"

    @pytest.mark.parametrize("text", ["1887.", "46%", "$ 4,850"])
    def test_a_number_alone_is_a_claim(self, text: str) -> None:
        assert Checker(about=("When was it?",))(text, [BUS], [BUS]).verdict == "unconfirmed"


class TestRelocated:
    DRAWN, AROUND = BBox(0.1, 0.1, 0.2, 0.2), BBox(0.3, 0.3, 0.4, 0.4)

    def test_proofs_are_drawn_anew_for_the_quote_or_the_sentence_where_there_is_none(self) -> None:
        localizer = Draws()
        sentence = check("In 1887 Anna Holm built the mill.", [ONE], [ONE])
        (citation,) = sentence.citations
        relocate_citations(sentence, [ONE.element], localizer)
        relocate_citations(replace(sentence, citations=(replace(citation, quote=""),)), [ONE.element], localizer)
        assert localizer.asked == [citation.quote, sentence.text]
        assert citation.quote != sentence.text
