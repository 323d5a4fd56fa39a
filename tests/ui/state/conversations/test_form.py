"""The form of a kept answer: what goes in comes out, an older row stays readable, another is refused in words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rag import CitedSource, Conflict, Question, RankedPage, Sentence, Usage
from tests.ui.stand_ins import HOSTILE, answer, citation, evidence
from ui.errors import KeptUnreadable
from ui.state import AnswerForm, read_form, written_form

WHOLE = AnswerForm(
    "samples",
    Question(
        "Why?", "multi", ("a.pdf",), 3, 2, None, "vanilla", False, ("Before?",), (("d", 2),), True, "small", "tag=a"
    ),
    replace(
        answer(
            Sentence(
                HOSTILE,
                (citation(1), citation(2, quote=HOSTILE)),
                "confirmed",
                "it says so",
                0.9,
                short=(0, 3),
                checked_by="words",
            ),
            Sentence("Rose.", (citation(1, role="unconfirmed"),), "unconfirmed", near_miss="The year here is 2004."),
            Sentence(
                "No.",
                (citation(3, role="contradicts"),),
                "contradicted",
                conflict=Conflict("46%", "64%", "table", (0, 2)),
                certainty=0.7,
                beside=True,
                sources=(CitedSource("[1]", "followed", "e", "a.pdf", "unconfirmed", ("b.pdf",)),),
            ),
            found=[replace(evidence(), by_view=(("text", 0.5),), knowledge="k")],
        ),
        queries=("why",),
        pages=(RankedPage("d", "a.pdf", 2, 0.5),),
        method="vanilla",
        usage=Usage(1, 2, 3, 4, 0.5, 0.25),
        notes=("a note",),
        model="small",
        missing="the fares of 1999",
    ),
    ("vouch1:a", "", "vouch1:a", "vouch1:c"),
    ("how it looks",),
)


def test_what_goes_in_comes_out() -> None:
    assert read_form(written_form(WHOLE)) == WHOLE


def test_an_abstention_is_kept_too() -> None:
    form = AnswerForm("samples", Question("Why?"), replace(answer(found=[evidence()]), nothing="no such document"), ())
    assert read_form(written_form(form)) == form


def test_a_row_of_the_first_version_that_lacks_what_came_later_is_read() -> None:
    """The least that version 1 has; a field that is added later has a default."""
    told = json.loads(written_form(WHOLE))
    for name in ("visual_queries", "pages", "usage", "notes", "nothing", "model", "missing"):
        del told[name]
    for sentence in told["sentences"]:
        for name in set(sentence) - {"text", "cites", "verdict"}:
            del sentence[name]
    read = read_form(json.dumps(told))
    assert [s.text for s in read.answer.sentences] == [s.text for s in WHOLE.answer.sentences]
    assert read.anchors == WHOLE.anchors


def test_an_answer_with_the_older_verdicts_is_read_in_the_words_of_today() -> None:
    kept = answer(
        Sentence("All.", (citation(1),), "confirmed"),
        Sentence("Half.", (citation(1), citation(2)), "unconfirmed"),
        Sentence("None.", (citation(3),), "unconfirmed"),
        Sentence("Bare.", (), "unconfirmed", sources=(CitedSource("[1]", "followed", verdict="confirmed"),)),
        Sentence("No.", (citation(4), citation(5)), "contradicted"),
    )
    told = json.loads(written_form(AnswerForm("samples", Question("Why?"), kept, tuple("abcde"))))
    for sentence, verdict in zip(
        told["sentences"], ("supported", "partial", "unsupported", "unchecked", "contradicted"), strict=True
    ):
        sentence["verdict"] = verdict
        del sentence["checked_by"]
    told["sentences"][3]["sources"][0]["verdict"] = "partial"
    for n, cited in enumerate(told["citations"]):
        del cited["role"]
        cited["against"] = n == 3
    read = read_form(json.dumps(told))
    assert [s.verdict for s in read.answer.sentences] == ["confirmed", *["unconfirmed"] * 3, "contradicted"]
    assert [[c.role for c in s.citations] for s in read.answer.sentences] == [
        ["proves"], ["unconfirmed", "unconfirmed"], ["unconfirmed"], [], ["contradicts", "unconfirmed"],
    ]  # fmt: skip
    assert read.answer.sentences[3].sources[0].verdict == "unconfirmed"
    assert read.anchors == ("a", "a", "b", "c", "d", "e")
    assert read_form(written_form(read)) == read


def test_the_path_of_an_image_is_not_kept() -> None:
    form = AnswerForm("samples", Question("Why?", image="/tmp/secret/mill.png"), answer(), ())
    assert "secret" not in written_form(form)
    assert read_form(written_form(form)).question.image == "mill.png"


def test_a_newer_version_is_named() -> None:
    with pytest.raises(KeptUnreadable, match="newer version"):
        read_form('{"version": 2}')


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"version": "x"}', "[" * 100_000, '{"version": 1}'])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(KeptUnreadable):
        read_form(text)


def test_a_box_that_is_none_is_refused() -> None:
    told = json.loads(written_form(WHOLE))
    told["citations"][0]["bbox"] = [0.5, 0.5, 0.1, 2.0]
    with pytest.raises(KeptUnreadable):
        read_form(json.dumps(told))
