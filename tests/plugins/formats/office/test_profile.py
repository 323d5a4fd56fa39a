"""The profile of LibreOffice: its settings, its owner, and what a dead owner leaves behind."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from lxml import etree

from plugins.formats.office.profile import PREFIX, OfficeProfile, registry


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_settings_forbid_macros_and_links() -> None:
    root = etree.fromstring(registry().encode())
    told = {item[0].get("{http://openoffice.org/2001/registry}name"): item[0][0].text for item in root}
    assert told["BlockUntrustedRefererLinks"] == "true"
    assert (told["MacroSecurityLevel"], told["DisableMacrosExecution"]) == ("3", "true")
    assert (told["Link"], told["SecureURL"]) == ("2", None)


def test_what_a_file_did_to_the_settings_does_not_stay(temporary: Path) -> None:
    profile = OfficeProfile()
    file = profile.settings / "user" / "registrymodifications.xcu"
    file.write_text("changed")
    profile.restore()
    assert file.read_text() == registry()
    job = profile.job()
    (job / "x").write_text("x")
    assert list(profile.job().iterdir()) == []
    profile.remove()
    assert list(temporary.iterdir()) == []


def test_only_the_folders_of_the_dead_are_swept(temporary: Path) -> None:
    dead, other, unlocked = (temporary / f"{PREFIX}{name}" for name in ("dead", "other", "unlocked"))
    dead.mkdir()
    (dead / "lock").write_text("")
    unlocked.mkdir()
    other.symlink_to(temporary)
    living = OfficeProfile()
    another = OfficeProfile()
    assert living.folder != another.folder
    assert set(temporary.iterdir()) == {living.folder, another.folder, other, unlocked}
    for profile in (living, another):
        profile.remove()
