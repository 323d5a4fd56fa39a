"""The programs that read formats here: `vouch doctor` lists them, with what to install where one is missing."""

from __future__ import annotations

from collections.abc import Iterator

from plugins.formats.office import program
from rag import Profile


def programs(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """Yield a finding for each group of formats that needs a program."""
    office = program(profile.indexing)
    if office:
        yield "Office files", "good", f"printed by {office}"
    else:
        step = "apt install libreoffice-writer-nogui libreoffice-impress-nogui libreoffice-calc-nogui"
        yield "Office files", "skipped", f"XLSX and ODS only; LibreOffice is not installed: {step}"
