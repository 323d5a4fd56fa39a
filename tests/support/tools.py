"""Tools that some tests need and that a machine may lack."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip, and say what is needed; where CI is set, every tool has to be there: fail."""
    if os.environ.get("CI"):
        pytest.fail(what, pytrace=False)
    pytest.skip(what)
