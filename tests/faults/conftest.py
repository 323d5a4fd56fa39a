"""The compiler that tests of faults need, for the library that counts writes."""

import pytest

from tests.faults import preload
from tests.support.tools import missing


@pytest.fixture(scope="session")
def compiler() -> None:
    """What makes the library that counts writes."""
    if not preload.COMPILER:
        missing("needs a C compiler: apt-get install gcc")
