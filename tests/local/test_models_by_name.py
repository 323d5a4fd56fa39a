"""`vouch models` with a real model: imported, tried, written into the own profile, and asked."""

from pathlib import Path

import pytest

from plugins.models.library import installed_models, models_folder
from rag import load_profile, own_profile
from ui.cli import main


def test_a_model_that_was_imported_writes_from_now_on(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path))
    assert main(["models", "import", str(gguf), "--name", "small"]) == 0
    assert main(["models", "use", "small"]) == 0
    assert "tokens written in" in capsys.readouterr().out
    profile = load_profile()
    assert profile.rag.model is not None
    assert Path(profile.rag.model.gguf).is_relative_to(models_folder() / "small")
    assert (profile.rag.method, profile.rag.mode, profile.rag.model.images) == ("vanilla", "text", 0)
    assert "tokens written in" in installed_models()[0].speed
    assert own_profile().stat().st_mode & 0o077 == 0
    assert main(["models"]) == 0
    assert "small: writes answers" in capsys.readouterr().out
