"""A model that can be stopped: no call is begun after a stop, and a streamed one is closed in mid-sentence."""

from __future__ import annotations

import pytest

from tests.support.writers import Writer
from ui.errors import Interrupted
from ui.web.ask.asking import Interruptible


def test_a_stream_is_closed_between_two_pieces() -> None:
    writer, stopped = Writer("It fell, and then it rose again."), [False]
    pieces = Interruptible(writer, lambda: stopped[0]).stream([])
    next(pieces)
    stopped[0] = True
    with pytest.raises(Interrupted):
        next(pieces)
    assert writer.hung_up
    assert writer.told == 2
