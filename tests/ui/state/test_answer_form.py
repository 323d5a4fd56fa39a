"""The form of a kept answer: what goes in comes out, another text is refused in words."""

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


NOTHING = replace(answer(found=[evidence()]), nothing="no such document")


@pytest.mark.parametrize("form", [WHOLE, AnswerForm("samples", Question("Why?"), NOTHING, ())])
def test_what_goes_in_comes_out(form: AnswerForm) -> None:
    assert read_form(written_form(form)) == form


BROKEN = json.loads(written_form(WHOLE))
BROKEN["citations"][0]["bbox"] = [0.5, 0.5, 0.1, 2.0]
FORGED = json.loads(written_form(WHOLE))
FORGED["sentences"][0]["verdict"] = "proven"


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "null", '{"version": "x"}', "[" * 100_000, '{"version": 1}', *map(json.dumps, (BROKEN, FORGED))],
)
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(KeptUnreadable, match="ask again"):
        read_form(text)
    with pytest.raises(KeptUnreadable, match="newer version"):
        read_form('{"version": 2}')
