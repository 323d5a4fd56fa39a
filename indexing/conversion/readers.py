"""The programs that read formats here: what there is, and what to install where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec

from indexing.settings import IndexingSettings


@dataclass(frozen=True, slots=True)
class FormatReader:
    """A group of formats, what reads them here, and what is lacking, with the step that helps; "" for nothing."""

    formats: str
    reader: str
    lacks: str = ""


def format_readers(settings: IndexingSettings) -> Iterator[FormatReader]:
    """Yield the groups of formats that need a program, each with what reads it."""
    from indexing.conversion.office import program
    from indexing.conversion.web import chromium_of

    browser = chromium_of(settings)
    if browser and find_spec("playwright"):
        yield FormatReader("web pages", f"drawn by {browser}")
    else:
        step = "pip install 'vouch[web]'" if browser else "install Chromium (apt install chromium)"
        yield FormatReader("web pages", "laid out plainly, from their text", f"to see them as they are: {step}")
    office = program(settings)
    if office:
        yield FormatReader("Office files", f"printed by {office}")
    else:
        step = "apt install libreoffice-writer-nogui libreoffice-impress-nogui libreoffice-calc-nogui"
        yield FormatReader("Office files", "XLSX and ODS only", f"LibreOffice is not installed: {step}")
