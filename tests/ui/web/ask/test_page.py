"""The widgets of the Ask tab become the question that was meant."""

from __future__ import annotations

import pytest

from ui.web.ask.page import Options, asked_of


@pytest.mark.parametrize(("chosen", "meant"), [("small", "small"), ("", None), (None, None)])
def test_the_model_that_was_chosen_is_asked_by_its_name(chosen: str | None, meant: str | None) -> None:
    options = Options("text", "cot", 4, 8, True, True, chosen, None, ["mill.pdf"], ["tag=a", "date=2024", "tag=b"])
    question = asked_of("mills", " Why? ", options).question
    assert (question.text, question.model, question.extract, question.every_page) == ("Why?", meant, True, True)
    assert (question.image, question.documents) == (None, ("mill.pdf",))
    assert question.where == '(tag="a" or tag="b") and (date="2024")'
