"""What a model wrote becomes sentences with labels that were shown: whole or begun, well formed or not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import ReplyUnusable
from rag.methods.write.reply import WrittenSentence, read_answer_lines, read_json, read_lines
from tests.support.writers import said

SHOWN = frozenset({"E1", "E2", "E3"})
WORDS = st.text(alphabet='aE1[]{},."\\ \n', max_size=12) | st.sampled_from(["It rains.", "No. 3 is red.", "A. B.", ""])
LABELS = st.lists(st.sampled_from(["E1", "E2", "E9", "x}", "[E1]"]), max_size=3)
REPLIES = st.lists(st.tuples(WORDS, LABELS), max_size=4)


class TestUnderTheSchema:
    def test_sentences_and_labels(self) -> None:
        reply = said(("It rains.", ["E1"]), ("It pours.", ["E2", "E3"]))
        assert read_json(reply, SHOWN, True).drafts == (
            WrittenSentence("It rains.", ("E1",)),
            WrittenSentence("It pours.", ("E2", "E3")),
        )

    def test_unknown_labels_are_dropped_and_counted(self) -> None:
        reply = read_json(said(("It rains.", ["E1", "E99", "E99", "Figure 2"])), SHOWN, True)
        assert reply.drafts == (WrittenSentence("It rains.", ("E1",)),)
        assert reply.unknown == 2

    @pytest.mark.parametrize(
        "reply",
        [
            "", "It rains. [E1]", "[]", "{}", '{"answerable": true}', '{"answerable": "true", "sentences": []}',
            '{"answerable": true, "sentences": [{"text": "It rains."}]}',
            '{"answerable": true, "sentences": [{"text": 3, "labels": ["E1"]}]}',
            '{"answerable": true, "sentences": [{"text": "x", "labels": "E1"}]}',
            '{"answerable": true, "sentences": [] } and more', '{"answerable": true, "sentences": [',
            '{"answerable": true, "sentences": [{"text": "\\ud800", "labels": []}]}',
        ],
    )  # fmt: skip
    def test_another_form_is_refused_not_repaired(self, reply: str) -> None:
        with pytest.raises(ReplyUnusable, match="the model's reply"):
            read_json(reply, SHOWN, True)

    @given(REPLIES, st.booleans(), st.data())
    def test_a_beginning_says_the_beginning(
        self, sentences: list[tuple[str, list[str]]], indented: bool, data: st.DataObject
    ) -> None:
        written = [{"text": text, "labels": labels} for text, labels in sentences]
        reply = json.dumps({"answerable": True, "sentences": written}, indent=1 if indented else None)
        cut = data.draw(st.integers(0, len(reply)))
        whole, begun = read_json(reply, SHOWN, True).drafts, read_json(reply[:cut], SHOWN, False).drafts
        assert whole[: len(begun)] == begun
        assert read_json(reply, SHOWN, False).drafts == whole

    def test_half_a_surrogate_pair_is_a_question_mark(self) -> None:
        reply = said(("It rains.", ["E1"]), reading="a").replace('"a"', '"\ud800"')
        assert read_json(reply, SHOWN, True).reading == "?"
        assert read_json(reply[:-1], SHOWN, False).drafts == (WrittenSentence("It rains.", ("E1",)),)


class TestInMarkers:
    @pytest.mark.parametrize(
        "marker", ["[E 1]", "[e1]", "(E1)", "[E1", "[1]", "[E1; E2]", "[Evidence 1]", "E1", "[E12345]"]
    )
    def test_nothing_else_is_a_marker(self, marker: str) -> None:
        (draft,) = read_lines(f"It rains {marker}", SHOWN, True).drafts
        assert draft.labels == ()
        assert marker.strip("[(") in draft.text

    @given(st.lists(WORDS | st.sampled_from(["[E1]", "[E9, E2]", "\n", "\r\n", "ANSWER:"])).map("".join), st.data())
    def test_a_beginning_says_the_beginning(self, reply: str, data: st.DataObject) -> None:
        cut = data.draw(st.integers(0, len(reply)))
        for read in (read_lines, read_answer_lines):
            try:
                whole = read(reply, SHOWN, True).drafts
            except ReplyUnusable:
                continue
            begun = read(reply[:cut], SHOWN, False).drafts
            assert whole[: len(begun)] == begun
            assert all(set(draft.labels) <= SHOWN for draft in whole)
