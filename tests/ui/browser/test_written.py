"""Answers that a model writes: they come in sentence by sentence, can be stopped, and fail in words."""

import json
import threading

import pytest

from tests.support.scripts import says
from tests.ui.browser.conftest import Open, Write

QUESTION = "What delay still counts as an on-time ferry departure?"
TRUE = "A departure counts as punctual when the ferry leaves no more than five minutes after the published minute."
FALSE = "The ferries burned 99,999 litres of champagne."


def reply(*sentences: str) -> str:
    return json.dumps({"answerable": True, "sentences": [{"text": s, "labels": ["E1"]} for s in sentences]})


@pytest.mark.parametrize("key", ["", "Escape"])
def test_sentences_come_one_by_one_and_stop_means_stop(visit: Open, write: Write, key: str) -> None:
    gate = threading.Semaphore(0)
    whole = reply(TRUE, FALSE)
    middle = whole.index(FALSE) + 10
    pieces = (whole[: whole.index(FALSE)], whole[whole.index(FALSE) : middle], *whole[middle:])
    server, served = write(says(*pieces, gate=gate))
    reader = visit(served.address)
    reader.page.locator("#v-question textarea").fill(QUESTION)
    reader.page.locator("#v-question .submit-button").click()
    gate.release()
    gate.release()
    reader.page.locator("#v-current .v-sentence").first.wait_for()
    assert reader.page.locator("#v-current .v-turn[aria-busy]").count() == 1
    if key:
        reader.page.keyboard.press(key)
    else:
        reader.page.locator("#v-stop").click()
    reader.page.get_by_text("Stopped.").wait_for()
    assert TRUE in reader.page.locator("#v-current").inner_text()
    for _ in pieces[2:]:  # the first piece that comes after the stop finds the call closed
        gate.release()
        if server.hung_up.wait(5):
            break
    assert server.hung_up.is_set(), "the call to the model was not closed"
    if not key:
        reader.reload()
        reader.page.get_by_text("Stopped.").wait_for()
