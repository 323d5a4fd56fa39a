"""A model that can be stopped: no call is begun after a stop, and a streamed one is closed in mid-sentence."""

from __future__ import annotations

import pytest

from tests.support.writers import Writer
from ui.errors import Interrupted
from ui.web.ask.asking import Interruptible


def test_what_is_not_stopped_passes_through() -> None:
    writer = Writer("It fell.", "It rose.")
    model = Interruptible(writer, lambda: False)
    assert (model.name, model.capacity) == (writer.name, writer.capacity)
    assert model.complete([], temperature=0.3).text == "It fell."
    assert writer.temperatures == [0.3]
    assert "".join(p for p in model.stream([]) if isinstance(p, str)) == "It rose."


def test_a_stream_is_closed_between_two_pieces() -> None:
    writer, stopped = Writer("It fell, and then it rose again."), [False]
    pieces = Interruptible(writer, lambda: stopped[0]).stream([])
    next(pieces)
    stopped[0] = True
    with pytest.raises(Interrupted):
        next(pieces)
    assert writer.hung_up
    assert writer.told == 2


def test_no_call_is_begun_after_a_stop() -> None:
    writer = Writer("never said")
    model = Interruptible(writer, lambda: True)
    with pytest.raises(Interrupted):
        model.complete([])
    with pytest.raises(Interrupted):
        next(iter(model.stream([])))
    assert writer.asked == []
