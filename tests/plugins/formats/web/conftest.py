"""Chromium for the tests of web pages; they are skipped, with the reason, where there is none."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from indexing.settings import IndexingSettings
from plugins.formats.web import chromium_of
from tests.support.tools import missing


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium."""
    path = chromium_of(IndexingSettings())
    if not path or find_spec("playwright") is None:
        missing("needs Chromium and Playwright: apt-get install chromium; pip install -e '.[web]'")
    return path
