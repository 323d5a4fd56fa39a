"""What a model wrote becomes sentences with labels that were shown: whole or begun, well formed or not."""

from __future__ import annotations

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

    def test_what_does_not_answer_says_nothing(self) -> None:
        reply = said(("It rains.", ["E1"]), answerable=False)
        assert read_json(reply, SHOWN, True).drafts == ()
        assert all(read_json(reply[:n], SHOWN, False).drafts == () for n in range(len(reply) + 1))

    def test_a_row_of_a_table_is_a_label(self) -> None:
        reply = read_json(said(("It rains.", ["E2.r3", "E2.r9"])), {"E2", "E2.r3"}, True)
        assert (reply.drafts, reply.unknown) == ((WrittenSentence("It rains.", ("E2.r3",)),), 1)
        lines = read_lines("It rains. [E2.r3, E2]\n", {"E2", "E2.r3"}, True)
        assert lines.drafts == (WrittenSentence("It rains.", ("E2.r3", "E2")),)

    def test_markers_inside_a_text_name_too_and_are_not_shown(self) -> None:
        assert read_json(said(("It rains [E2].", ["E1"])), SHOWN, True).drafts == (
            WrittenSentence("It rains.", ("E1", "E2")),
        )

    def test_a_sentence_that_is_said_again_stands_once(self) -> None:
        """As SmolLM2-135M says it: in one text, in several, and with other signs."""
        reply = read_json(
            said(("It is: 3. It is 3. It is 3.", ["E1"]), ("It is 3!", ["E2"]), ("It is -3.", [])), SHOWN, True
        )
        assert reply.drafts == (WrittenSentence("It is: 3.", ("E1",)), WrittenSentence("It is -3.", ()))
        assert reply.repeated == 3

    def test_what_the_limit_cut_off_is_left_out(self) -> None:
        """Under a grammar a text ends at its longest, in the middle of a number too."""
        cut = said(("It rains. It fell by 1", ["E1"]), ("It pours for 3", ["E2"]), ("It dries.", []))
        reply = read_json(cut, SHOWN, True, len("It rains. It fell by 1"))
        assert [d.text for d in reply.drafts] == ["It rains.", "It pours for 3", "It dries."]
        assert reply.unfinished == 1
        assert read_json(cut, SHOWN, True).drafts[0].text == "It rains. It fell by 1"

    def test_an_answer_that_is_announced_and_not_written_is_told(self) -> None:
        assert read_json(said(answerable=True), SHOWN, True).empty
        assert not read_json(said(answerable=False), SHOWN, True).empty
        assert not read_json(said(("It rains.", ["E1"])), SHOWN, True).empty

    @pytest.mark.parametrize(
        "reply",
        [
            "",
            "It rains. [E1]",
            "[]",
            "{}",
            '{"answerable": true}',
            '{"answerable": "true", "sentences": []}',
            '{"answerable": true, "sentences": [{"text": "It rains."}]}',
            '{"answerable": true, "sentences": [{"text": 3, "labels": ["E1"]}]}',
            '{"answerable": true, "sentences": [{"text": "x", "labels": "E1"}]}',
            '{"answerable": true, "sentences": [] } and more',
            '{"answerable": true, "sentences": [',
            '{"answerable": true, "sentences": [{"text": "\\ud800", "labels": []}]}',
        ],
    )
    def test_another_form_is_refused_not_repaired(self, reply: str) -> None:
        with pytest.raises(ReplyUnusable, match="the model's reply"):
            read_json(reply, SHOWN, True)

    @pytest.mark.parametrize("end", ["}", "},"])
    def test_a_sentence_is_there_once_its_brace_is_closed(self, end: str) -> None:
        begun = '{"answerable": true, "sentences": [{"text": "It rains.", "labels": ["E1"]'
        assert read_json(begun, SHOWN, False).drafts == ()
        assert read_json(begun + end, SHOWN, False).drafts == (WrittenSentence("It rains.", ("E1",)),)

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
    def test_a_line_a_sentence(self) -> None:
        reply = "It rains. [E1]\nIt pours [E2, E3].\n\n- It snows.[E1][E3]\n"
        assert read_lines(reply, SHOWN, True).drafts == (
            WrittenSentence("It rains.", ("E1",)),
            WrittenSentence("It pours.", ("E2", "E3")),
            WrittenSentence("It snows.", ("E1", "E3")),
        )

    def test_a_marker_belongs_to_the_sentence_it_ends_or_stands_in(self) -> None:
        reply = "It rains. [E1] It pours [E2] in Ystad. It snows. [E1]"
        assert [(d.text, d.labels) for d in read_lines(reply, SHOWN, True).drafts] == [
            ("It rains.", ("E1",)),
            ("It pours in Ystad.", ("E2",)),
            ("It snows.", ("E1",)),
        ]

    @pytest.mark.parametrize(
        "marker", ["[E 1]", "[e1]", "(E1)", "[E1", "[1]", "[E1; E2]", "[Evidence 1]", "E1", "[E12345]"]
    )
    def test_nothing_else_is_a_marker(self, marker: str) -> None:
        (draft,) = read_lines(f"It rains {marker}", SHOWN, True).drafts
        assert draft.labels == ()
        assert marker.strip("[(") in draft.text

    @pytest.mark.parametrize("reply", ["NONE", " none.\n", "NONE\n"])
    def test_none_is_no_answer(self, reply: str) -> None:
        assert read_lines(reply, SHOWN, True).drafts == ()
        assert read_lines(reply, SHOWN, False).drafts == ()

    def test_what_stands_before_the_answer_is_thinking(self) -> None:
        reply = "FIND: E1\nEXTRACT: It snows. [E2]\n**ANSWER:** It rains. [E1]\n"
        assert read_answer_lines(reply, SHOWN, True).drafts == (WrittenSentence("It rains.", ("E1",)),)
        assert read_answer_lines("FIND: E1\nANSWER: NONE", SHOWN, True).drafts == ()

    @pytest.mark.parametrize(("read", "reply"), [(read_lines, " \n"), (read_answer_lines, "It rains. [E1]")])
    def test_a_reply_without_an_answer_is_refused(self, read: type[object], reply: str) -> None:
        with pytest.raises(ReplyUnusable, match="the model's reply"):
            read(reply, SHOWN, True)  # type: ignore[call-arg]

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
