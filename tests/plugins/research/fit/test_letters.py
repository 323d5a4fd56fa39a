"""The letter network is fitted on what it says: sheets hold what they are made of, and training learns it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from indexing.parse.likeness import NOTHING, SIDE, LetterNetwork
from plugins.research.fit.letters import main
from plugins.research.fit.letters.sheets import Glyphs, families, glyphs_of, joined
from plugins.research.fit.letters.training import fitted, scores


@pytest.fixture(scope="module")
def fonts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three fonts that PyMuPDF brings, as files of three families, and a file that is no font."""
    folder = tmp_path_factory.mktemp("fonts")
    for name in ("helv", "tiro", "cour"):
        place = folder / name
        place.mkdir()
        (place / f"{name}.otf").write_bytes(pymupdf.Font(name).buffer)
    (folder / "z").mkdir()
    (folder / "z" / "broken.ttf").write_bytes(b"no font")
    return folder


def test_a_sheet_gives_glyphs_with_their_kinds(fonts: Path) -> None:
    found = glyphs_of(fonts / "helv" / "helv.otf")
    assert found is not None
    assert found.crops.shape == (len(found.kinds), SIDE, SIDE)
    assert {"a", "7", ".", "sign", NOTHING} <= set(found.kinds)
    assert 0.02 < np.mean([kind == NOTHING for kind in found.kinds]) < 0.2
    assert found.crops.max(axis=(1, 2)).min() > 70, "each shows something"
    again = glyphs_of(fonts / "helv" / "helv.otf")
    assert again is not None
    assert again.kinds == found.kinds


def test_families_are_drawn_and_what_is_no_font_is_left(fonts: Path) -> None:
    assert [len(own) for own in families(fonts)] == [1, 1, 1, 1]
    assert glyphs_of(fonts / "z" / "broken.ttf") is None


def test_training_learns_and_scores_tell_it() -> None:
    draw = np.random.default_rng(3)
    crops = np.zeros((1200, SIDE, SIDE), np.uint8)
    kinds = []
    for n in range(len(crops)):
        kind = n % 3
        crops[n, 4 + 8 * kind : 8 + 8 * kind, 5:20] = 255
        kinds.append(("a", "7", NOTHING)[kind])
    noisy = Glyphs(np.clip(crops + draw.integers(0, 40, crops.shape), 0, 255).astype(np.uint8), tuple(kinds))
    steps: list[tuple[int, int]] = []
    network = fitted(noisy, 6, lambda done, of: steps.append((done, of)))
    assert steps[-1][0] == steps[-1][1]
    told = scores(network, noisy, 0.9)
    assert told.right > 0.99
    assert told.another < 0.01
    blind = LetterNetwork(network.kinds, tuple(np.zeros_like(layer) for layer in network.layers))
    assert scores(blind, noisy, 0.9).sure == 0
    assert joined([noisy, noisy]).crops.shape[0] == 2400


@pytest.mark.slow
def test_the_command_writes_a_network(fonts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--fonts", str(fonts), "--out", str(tmp_path / "n.npz"), "--epochs", "1"])
    assert "held out" in capsys.readouterr().out
    assert LetterNetwork.load(tmp_path / "n.npz").kinds
    with pytest.raises(SystemExit, match="no fonts"):
        main(["--fonts", str(tmp_path / "none"), "--out", str(tmp_path / "m.npz")])
