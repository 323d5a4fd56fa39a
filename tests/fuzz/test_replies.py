"""Replies of models: whatever one says, only labels that were shown are cited, and all else is one clear line."""

import json
from typing import Any

from hypothesis import strategies as st
from PIL import Image

from rag.attribution.judge import PROBABLE, ModelJudge
from rag.errors import ModelError, ReplyUnusable
from rag.knowledge import extract_facts, look_at
from rag.methods.visa import read_answer
from rag.methods.write.reply import read_answer_lines, read_json, read_lines
from rag.question.hints import load_glossary
from rag.question.planner import ModelPlanner, Planner
from tests.fuzz.conftest import Fuzz
from tests.fuzz.hostile import ANY, DEEP, JSON, NUMBERS, PIECES, is_a_message, linear, written
from tests.support import fakes

SHOWN = {"E1", "E2", "E3.r1"}
ODD = ("E9", "E3.r1", "E0001", "e1", "E1]", "[E1", "../E1", "", "E1, E2", "\uff251", "E\u0661")
LABELS = st.sampled_from(("E1", "E2", *ODD)) | ANY
SENTENCES = st.fixed_dictionaries({"text": ANY | JSON, "labels": st.lists(LABELS, max_size=3) | JSON})
FORMS = st.fixed_dictionaries(
    {},
    optional={
        "answerable": st.booleans() | JSON, "sentences": st.lists(SENTENCES, max_size=3) | JSON, "look": JSON,
        "reading": ANY, "missing": ANY | JSON, "answer": ANY, "page": NUMBERS, "box": st.lists(NUMBERS,
        max_size=5) | JSON,
        "text_queries": st.lists(ANY, max_size=3) | JSON, "image_queries": JSON, "reason": ANY,
        "score": st.sampled_from("01") | JSON,
        "kind": ANY, "shows": ANY, "axes": ANY, "facts": st.lists(ANY, max_size=3) | JSON, "more": JSON,
    },
)  # fmt: skip
LINES = st.lists(
    st.sampled_from(("[E1]", "[E9, E2]", "[E1", "ANSWER:", "NONE", "MISSING:", "\n", "- ", "| ", "[E1] text, ",
    "It rains.", " ")) | ANY,
    max_size=12,
).map("".join)  # fmt: skip


@st.composite
def replies(draw: Any) -> str:
    """A reply: a form or other JSON, as a lax or a strict writer has it, perhaps cut off, or none at all."""
    value = draw(FORMS | JSON)
    said = written(value) if draw(st.booleans()) else json.dumps(value, ensure_ascii=False, indent=1)
    return said[: draw(st.integers(0, len(said)))] if draw(st.booleans()) else said


REPLIES = replies() | LINES | st.sampled_from(DEEP)


def test_no_reply_cites_what_was_not_shown(fuzz: Fuzz) -> None:
    def check(said: str, whole: bool) -> None:
        for read in (read_json, read_lines, read_answer_lines):
            try:
                drafts = read(said, SHOWN, whole).drafts
            except ReplyUnusable as error:
                assert whole
                is_a_message(error)
            else:
                assert all(set(draft.labels) <= SHOWN for draft in drafts)
                assert all(draft.text.strip() for draft in drafts)

    fuzz(check, said=REPLIES, whole=st.booleans())


def test_a_beginning_of_a_reply_says_the_beginning(fuzz: Fuzz) -> None:
    def check(said: str, cut: int) -> None:
        for read in (read_json, read_lines, read_answer_lines):
            try:
                whole = read(said, SHOWN, True).drafts
            except ReplyUnusable:
                continue
            begun = read(said[:cut], SHOWN, False).drafts
            assert whole[: len(begun)] == begun

    fuzz(check, said=REPLIES, cut=st.integers(0, 300))


def test_no_reply_breaks_what_asks_a_model(fuzz: Fuzz) -> None:
    picture = Image.new("RGB", (40, 30))
    mill = fakes.element("The mill was built in 1887.")

    def check(said: str) -> None:
        model = fakes.ScriptedModel(lambda _: said)
        opinion = ModelJudge(model, lambda _: picture).judge("Rye.", [mill])
        assert opinion is None or opinion.probability in PROBABLE.values()
        queries = ModelPlanner(model, Planner(load_glossary())).plan("When was the mill built?", 3)
        assert 1 <= len(queries.text) == len(queries.image) <= 3
        assert all(any(map(str.isalnum, query.text)) for query in (*queries.text, *queries.image))
        for ask in (lambda: look_at(model, mill, picture), lambda: extract_facts(model, mill, None)):
            try:
                told, _ = ask()
            except ModelError as error:
                is_a_message(error)
            else:
                assert not {"\x1b", "\0"} & set(told)
        for boxes in ("relative_1000", "absolute_pixels", "relative_1000_yx"):
            try:
                _, page, box = read_answer(said, [(40, 30)], boxes)
            except ReplyUnusable as error:
                is_a_message(error)
            else:
                assert page in (0, 1)
                assert box is None or (0 <= box.x0 <= box.x1 <= 1 and 0 <= box.y0 <= box.y1 <= 1)

    fuzz(check, said=REPLIES)


def test_a_reply_takes_linear_time(fuzz: Fuzz) -> None:
    def check(piece: str, form: bool) -> None:
        def read(text: str) -> None:
            said = json.dumps({"answerable": True, "sentences": [{"text": text, "labels": ["E1"]}]}) if form else text
            for of in (read_json, read_lines, read_answer_lines):
                for whole in (True, False):
                    try:
                        of(said, SHOWN, whole)
                    except ReplyUnusable:
                        continue

        linear(read, piece)

    pieces = PIECES | st.sampled_from(("[E1] ", "{", "[", '{"a":', "It rains. ", "[E1, ", "ANSWER: ", '"\\u0001', "9"))
    fuzz(check, piece=pieces, form=st.booleans())
