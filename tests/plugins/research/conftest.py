"""What the tests of the plugin share: worker processes, since starting them takes a while."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
