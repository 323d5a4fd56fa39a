"""From a question to a cited answer, on documents that were really indexed; and the form in which it is printed."""

import json
from dataclasses import replace

import pytest

from indexing import BBox, Collection
from rag import Answer, Citation, Evidence, Pipeline, RagSettings, Sentence
from rag.errors import NothingWritten
from rag.events import Answered
from tests.support import fakes
from vouch import hooks

BOLD = RagSettings(min_confidence=0.0)
ASK = "When was the mill built?"


def test_the_answer_is_quoted_and_boxed(town: Collection) -> None:
    answer = Pipeline(town, BOLD).answer(ASK)
    texts = [s.text for s in answer.sentences]
    assert "The mill was built in 1887 by Anna Holm." in texts
    sentence = answer.sentences[texts.index("The mill was built in 1887 by Anna Holm.")]
    (citation,) = sentence.citations
    assert (citation.document, citation.page, citation.quote) == ("mill.pdf", 1, sentence.text)
    (box,) = citation.boxes
    assert box.x0 == pytest.approx(citation.bbox.x0, abs=1e-3)
    assert box.x1 < citation.bbox.x1
    assert box.overlap(citation.bbox) == pytest.approx(box.area, rel=0.01)
    assert sentence.verdict == "quoted"


def test_the_json_has_the_form_of_the_issue(town: Collection) -> None:
    told = json.loads(json.dumps(Pipeline(town, BOLD).answer(ASK).to_json()))
    assert told.keys() >= {"question", "mode", "abstained", "sentences", "evidence", "timings", "settings_hash"}
    assert (told["question"], told["mode"], told["abstained"]) == (ASK, "multi", False)
    for sentence in told["sentences"]:
        assert sentence.keys() == {
            "text", "verdict", "checked_by", "reason", "answers", "beside", "short", "differs", "citations", "conflict",
            "sources", "certainty", "near_miss", "heading",
        }  # fmt: skip
        for citation in sentence["citations"]:
            assert citation.keys() >= {"document", "page", "bbox", "boxes", "quote", "element_id"}
            assert isinstance(citation["page"], int)
            assert citation["page"] >= 1
            for box in [citation["bbox"], *citation["boxes"]]:
                BBox(*box)
    assert told["evidence"]
    assert all(isinstance(seconds, float) for seconds in told["timings"].values())
    assert told["timings"]["total"] >= told["timings"]["retrieve"]
    assert told["settings_hash"] == BOLD.hash


def test_below_the_confidence_vouch_abstains_and_says_what_it_looked_at(town: Collection) -> None:
    answer = Pipeline(town, RagSettings(min_confidence=1.0)).answer(ASK)
    assert answer.abstained
    assert answer.sentences == ()
    assert answer.citations == ()
    assert answer.evidence
    assert answer.to_json()["abstained"] is True
    assert 0 < answer.confidence < 1
    assert answer.nothing == (
        f"Not sure enough to answer: the confidence is {int(100 * answer.confidence)}%, and the profile accepts the "
        "risk of a wrong answer only from 100% on (rag: min_confidence)."
    )


def test_below_its_limit_a_writer_is_not_asked(town: Collection) -> None:
    model = fakes.ScriptedModel(lambda _: "It was built in 1887.")
    answer = Pipeline(town, RagSettings(method="vanilla", min_confidence_written=1.0), model=model).answer(ASK)
    assert answer.abstained
    assert model.asked == []
    assert answer.nothing.endswith("only from 100% on (rag: min_confidence_written).")
    assert answer.evidence


def test_numbers_are_given_in_reading_order_each_once() -> None:
    element = fakes.element("The mill was built in 1887.")
    evidence = Evidence("E1", element, "mill.pdf", 0.9)
    one, two = (Citation.of(evidence, q, ()) for q in ("The mill", "1887"))
    sentences = (Sentence("a", (one,), "confirmed"), Sentence("b", (two, one), "confirmed"))
    answer = Answer("?", "text", sentences, (evidence,), 0.9, {}, "0" * 12)
    assert answer.citations == (one, two)
    assert [answer.numbers(s) for s in sentences] == [(1,), (2, 1)]


# ---- the samples ---------------------------------------------------------------------------------------------------

SEATS = "How many seats are there at the Mint Wharf landing stage?"
ASKED = [
    pytest.param(SEATS, "sallow-bay-annual-report.pdf", "44", {7}, marks=pytest.mark.gate),
    ("What delay still counts as an on-time ferry departure?", "sallow-bay-annual-report.pdf", "five minutes", {5}),
]


class TestChecked:
    """Sentences that somebody else wrote, or changed by hand, are checked before a person sees them."""

    @pytest.fixture
    def answer(self, town: Collection) -> Answer:
        return Pipeline(town, BOLD).answer(ASK)

    @staticmethod
    def with_text(answer: Answer, text: str) -> Answer:
        first = answer.sentences[0]
        return replace(answer, sentences=(replace(first, text=text), *answer.sentences[1:]))

    def test_a_number_altered_by_hand_is_contradicted_by_the_place_it_cited(
        self, town: Collection, answer: Answer
    ) -> None:
        altered = self.with_text(answer, "The mill was built in 1897 by Anna Holm.")
        sentence = Pipeline(town, BOLD).recheck(altered).sentences[0]
        assert (sentence.verdict, sentence.proof) == ("contradicted", ())
        assert [citation.against for citation in sentence.citations] == [True]
        assert "1897" in sentence.reason

    def test_a_sentence_that_cites_the_wrong_place_is_pointed_to_the_right_one(self, town: Collection) -> None:
        found = Pipeline(town, BOLD).answer(ASK)
        wrong = next(e for e in found.evidence if "bus" in e.element.text)
        text = "The mill was built in 1887 by Anna Holm."
        stray = Sentence(text, (Citation.of(wrong, "", ()),), "unconfirmed")
        (sentence,) = Pipeline(town, BOLD).recheck(replace(found, sentences=(stray,))).sentences
        assert sentence.verdict == "confirmed"
        assert "mill" in next(e for e in found.evidence if e.label == sentence.citations[0].label).element.text

    def test_labels_that_do_not_exist_cite_nothing(self, town: Collection, answer: Answer) -> None:
        made_up = replace(answer.sentences[0].citations[0], label="E99")
        odd = replace(answer, sentences=(Sentence("It is made of cheese.", (made_up,), "confirmed"),))
        (sentence,) = Pipeline(town, BOLD).recheck(odd).sentences
        assert "E99" not in {citation.label for citation in sentence.citations}
        assert (sentence.verdict, sentence.proof) == ("unconfirmed", ())


class TestCheck:
    """An answer that somebody else wrote, in Markdown."""

    def test_each_statement_is_checked_by_itself(self, town: Collection) -> None:
        written = (
            "### The mill\n\nTo answer this, let us look at the text.\n\n- The mill was built in 1887 by Anna Holm.\n"
        )
        written += "- The mill was built in 1899 by Anna Holm.\n"
        found = Pipeline(town, BOLD).check(ASK, written)
        verdicts = [s.verdict for s in found.sentences]
        assert verdicts[:3] == ["remark", "remark", "confirmed"]
        assert verdicts[3] == "contradicted"
        labels = {item.label for item in found.evidence}
        assert labels.issuperset(c.label for s in found.sentences for c in s.citations)

    def test_a_claim_is_searched_for_where_the_question_did_not_find_it(self, town: Collection) -> None:
        found = Pipeline(town, BOLD).check("Penguins?", "The mill was built in 1887 by Anna Holm.", top_k=1)
        assert [s.verdict for s in found.sentences] == ["confirmed"]
        assert found.citations[0].label in {item.label for item in found.evidence}

    def test_a_text_that_answers_no_question_is_searched_for_statement_by_statement(self, town: Collection) -> None:
        written = "The mill was built in 1887 by Anna Holm. Penguins won the chess olympiad."
        events = list(Pipeline(town, BOLD).stream_check(written))
        kinds = [type(event).__name__ for event in events]
        assert kinds == ["Planned", "Searched", "Drafted", "Drafted", "Checked", "Checked", "Answered"]
        last = events[-1]
        assert isinstance(last, Answered)
        assert [s.verdict for s in last.answer.sentences] == ["confirmed", "unconfirmed"]
        assert (last.answer.queries, last.answer.confidence) == ((), 0.0)
        assert {c.label for c in last.answer.citations} == {item.label for item in last.answer.evidence}

    @pytest.mark.parametrize(
        "lead", ["Mills NOT built by Anna Holm:", "## What was never told\n", "Not among them are:"]
    )
    def test_items_under_what_is_denied_are_not_proven_by_their_words(self, town: Collection, lead: str) -> None:
        item = "The mill was built in 1887 by Anna Holm"
        denied, told = (
            Pipeline(town, BOLD).check("", f"{above}\n\n- {item}").sentences[-1] for above in (lead, "Of the mill:")
        )
        assert (denied.verdict, denied.citations) == ("unconfirmed", ())
        assert "denied" in denied.reason
        assert told.verdict == "confirmed"

    def test_without_a_plugin_that_follows_sources_a_note_says_so(
        self, town: Collection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(hooks.VARIABLE, "")
        hooks.load_installed.cache_clear()
        found = Pipeline(town, BOLD).check(
            "", "The mill was built in 1887 by Anna Holm [1].\n\n# References\n\n[1] Mills."
        )
        plain = Pipeline(town, BOLD).check("", "The mill was built in 1887 by Anna Holm.")
        monkeypatch.undo()
        hooks.load_installed.cache_clear()
        assert (found.sentences[0].verdict, found.sentences[0].sources) == ("confirmed", ())
        assert [s.verdict for s in found.sentences] == ["confirmed", "remark"]
        (note,) = set(found.notes) - set(plain.notes)
        assert note.startswith("The sources that the text names were not followed to documents")
        assert "VOUCH_PLUGINS leaves out audit" in note

    def test_a_model_judges_what_rules_leave_open_and_nothing_else(self, town: Collection) -> None:
        model = fakes.ScriptedModel(lambda _: json.dumps({"reason": "it does", "score": "1"}))
        told = Pipeline(town, BOLD, model=model).check("", "The mill was built in 1887 by Anna Holm.")
        assert (told.sentences[0].verdict, model.asked) == ("confirmed", [])
        open_to = Pipeline(town, BOLD, model=model).check("", "The old mill was erected in 1887 by Anna Holm.")
        assert (open_to.sentences[0].verdict, open_to.sentences[0].checked_by) == ("confirmed", "judge")
        assert len(model.asked) == open_to.usage.calls == 1

    @pytest.mark.parametrize("written", ["", " \n---\n", "!!! ???"])
    def test_a_text_without_statements_is_refused(self, town: Collection, written: str) -> None:
        with pytest.raises(NothingWritten, match="makes no statement that could be checked"):
            Pipeline(town, BOLD).check("", written)

    def test_what_is_left_out_of_a_long_text_is_told(self, town: Collection, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("rag.pipeline.MOST_STATEMENTS", 2)
        found = Pipeline(town, BOLD).check("", "One mill. Two mills. Three mills.")
        assert [s.text for s in found.sentences] == ["One mill.", "Two mills."]
        assert "Only the first 2 statements were checked: the rest is left out." in found.notes
