"""The events of an answer as messages for programs."""

from rag import RankedPage, Shown
from ui.web.api.routing import event_message
from ui.web.messages import STREAMED, AnswerRecord


def test_the_pages_that_a_model_is_shown_are_an_event_with_what_is_looked_for() -> None:
    shown = Shown((RankedPage("d", "mill.pdf", 3, 0.5),), 2, "the fares")
    name, message = event_message(shown, lambda _: AnswerRecord.model_construct())
    told = STREAMED[name].model_validate_json(message.model_dump_json()).model_dump()
    assert (name, told["number"], told["looking_for"], told["pages"][0]["number"]) == ("shown", 2, "the fares", 3)
