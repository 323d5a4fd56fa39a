"""`vouch backup` and `vouch restore` on the command line."""

from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from tests.support import fakes
from ui.cli import main


def test_there_and_back(
    tmp_path: Path, embedder: MiniLM, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path / "home"))
    fakes.index(fakes.collection(tmp_path / "home", embedder), {"mill.pdf": [["The mill was built in 1742."]]})
    (tmp_path / "backups").mkdir()
    assert main(["backup", str(tmp_path / "backups")]) == 0
    (file,) = (tmp_path / "backups").iterdir()
    assert file.name.startswith("vouch-")
    assert file.stat().st_mode & 0o077 == 0
    assert "made-up: 1 document, 1 page." in capsys.readouterr().out
    assert main(["restore", str(file), "--check"]) == 0
    assert "is intact" in capsys.readouterr().out
    assert main(["restore", str(file)]) == 2
    assert "--as NAME" in capsys.readouterr().err
    assert main(["restore", str(file), "-c", "made-up", "--as", "copy"]) == 0
    assert "Restored: copy, 1 document, 1 page." in capsys.readouterr().out
    assert main(["list"]) == 0
    assert "copy" in capsys.readouterr().out
    assert main(["restore", str(file), "-c", "made-up", "--check"]) == 2
    assert "leave out -c" in capsys.readouterr().err
    assert main(["restore", str(tmp_path / "none.tar")]) == 2
    assert "none.tar" in capsys.readouterr().err
