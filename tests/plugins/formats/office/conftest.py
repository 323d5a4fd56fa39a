"""LibreOffice, for the tests that convert with it."""

import pytest

from indexing import IndexingSettings
from plugins.formats.office import program
from tests.support.tools import missing


@pytest.fixture
def libreoffice() -> None:
    """Skip a test without LibreOffice; in CI, fail it."""
    if program(IndexingSettings()) is None:
        missing("LibreOffice is not installed (make office)")
