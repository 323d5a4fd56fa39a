"""The schema of an answer holds for every answer: each verdict, and what a sentence may lack."""

from __future__ import annotations

from typing import get_args

import jsonschema
import pytest

from rag import Sentence, Verdict
from tests.ui.stand_ins import answer, citation
from ui.web.api.schemas import ANSWERS


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_an_answer_of_every_verdict_holds_to_its_schema(verdict: Verdict) -> None:
    said = Sentence("Fatalities: 150", (citation(),), verdict, "word for word", 0.5, beside=True, short=(12, 15))
    bare = Sentence("It fell.", (), verdict)
    told = answer(said, bare).to_json()
    jsonschema.validate(told, ANSWERS["ask"])
    for key in ("beside", "short", "verdict"):
        broken = {**told, "sentences": [{k: v for k, v in told["sentences"][0].items() if k != key}]}
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, ANSWERS["ask"])
