"""The record of an answer holds for every answer: each verdict, and what a sentence may lack."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from rag import Sentence, Verdict
from tests.ui.stand_ins import answer, citation
from ui.web.messages import AnswerRecord


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_an_answer_of_every_verdict_is_a_record(verdict: Verdict) -> None:
    said = Sentence("Fatalities: 150", (citation(),), verdict, "word for word", 0.5, beside=True, short=(12, 15))
    told = answer(said, Sentence("It fell.", (), verdict)).to_json() | {"collection": "made-up"}
    AnswerRecord.model_validate(told)
    for key in ("beside", "short", "verdict"):
        broken = {**told, "sentences": [{k: v for k, v in told["sentences"][0].items() if k != key}]}
        with pytest.raises(ValidationError):
            AnswerRecord.model_validate(broken)
