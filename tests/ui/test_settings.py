"""The section `ui` of a profile: its own limits, told where they do not fit, and left alone by everybody else."""

from pathlib import Path

import pytest

from rag import Profile, ProfileError, load_profile
from ui.settings import UiSettings, ui_settings


def profile(tmp_path: Path, text: str) -> Profile:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return load_profile(str(path))


def test_limits_and_folders_are_read(tmp_path: Path) -> None:
    found = ui_settings(profile(tmp_path, "ui: {max_file_mb: 5, folders: [/srv/papers]}"))
    assert (found.max_file_mb, found.folders) == (5, (Path("/srv/papers"),))


def test_limits_for_uploads_are_phrases_with_their_values() -> None:
    phrases = UiSettings(max_files=1234).upload_limits
    assert phrases["max_files"] == "1,234 files at a time"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ui: {max_files_mb: 5}", r"ui\.max_files_mb: no such key, did you mean max_file"),
        ("ui: {max_pages: 0}", r"ui\.max_pages: .*greater than or equal to 1"),
        ("ui: {folders: /srv}", r"ui\.folders: "),
    ],
)
def test_what_does_not_fit_is_told_where(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        ui_settings(profile(tmp_path, text))
