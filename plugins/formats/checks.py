"""The programs that read formats here: `vouch doctor` lists them, with what to install where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from plugins.formats.office import program
from plugins.formats.web import chromium_of
from rag import Profile


def programs(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """Yield a finding for each group of formats that needs a program."""
    browser = chromium_of(profile.indexing)
    if browser and find_spec("playwright"):
        yield "web pages", "good", f"drawn by {browser}"
    else:
        step = "pip install 'vouch[web]'" if browser else "install Chromium (apt install chromium)"
        yield "web pages", "skipped", f"laid out plainly, from their text; to see them as they are: {step}"
    office = program(profile.indexing)
    if office:
        yield "Office files", "good", f"printed by {office}"
    else:
        step = "apt install libreoffice-writer-nogui libreoffice-impress-nogui libreoffice-calc-nogui"
        yield "Office files", "skipped", f"XLSX and ODS only; LibreOffice is not installed: {step}"
