"""What the tests of the plugin share: worker processes, which take seconds to start."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
