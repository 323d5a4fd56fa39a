"""Fuzzing: hostile input is made for a time, not a number of examples: a second, or longer, as `make test-all` does."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis.strategies import SearchStrategy

from indexing import IndexingError
from rag import RagError
from ui.errors import UiError

SHORT, LONG = 1.0, 20.0
"""The seconds of a target; a file of three has a minute for long."""
PROFILE = settings(
    max_examples=50,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
    verbosity=Verbosity.quiet,
)
"""The settings of all targets: the examples of one round."""
DOCUMENTED = (IndexingError, RagError, UiError)
"""The errors that hostile input may end in; their messages are for people."""


class Fuzz(Protocol):
    """`fuzz(check, **strategies)` calls `check` with one drawn example after another until the time is over."""

    def __call__(self, check: Callable[..., object], /, **strategies: SearchStrategy[Any]) -> None: ...


@pytest.fixture(params=[pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.slow)])
def fuzz(request: pytest.FixtureRequest) -> Fuzz:
    """The target of a test. Each round has a seed of its own, so that a failure comes again."""

    def target(check: Callable[..., object], /, **strategies: SearchStrategy[Any]) -> None:
        end, failed = time.monotonic() + request.param, False

        @wraps(check)
        def timed(**drawn: Any) -> None:
            nonlocal failed
            if failed or time.monotonic() < end:  # the rest of a round is drawn, and not tried
                try:
                    check(**drawn)
                except BaseException:
                    failed = True
                    raise

        number = 0
        while time.monotonic() < end:
            seed(number)(PROFILE(given(**strategies)(timed)))()
            number += 1

    return target
