"""Pages taken at a time: as many as free memory holds, fewer where it runs out all the same, none twice or left out."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

pytest.importorskip("torch", reason="no torch here: make visual-env, then make test-visual")

import torch

from indexing.embed.visual.colpali import ColPali
from indexing.embed.visual.loading import MOST_PAGES, PAGE_BYTES, in_batches, pages_at_once
from plugins.models.library import installed_models
from tests.visual.conftest import settings
from ui.cli import main

GIB = 1 << 30


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """`free(n)`: from now on the machine has so many bytes of memory to give."""

    def say(count: int) -> None:
        monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=count))

    return say


@pytest.mark.parametrize(("count", "pages"), [(0, 1), (4 * GIB - 1, 1), (4 * GIB, 2), (7 * GIB, 3), (99 * GIB, 4)])
def test_as_many_pages_as_free_memory_holds(count: int, pages: int, free: Callable[[int], None]) -> None:
    assert (PAGE_BYTES["cpu"], MOST_PAGES["cpu"]) == (2 * GIB, 4)
    free(count)
    assert pages_at_once("cpu") == pages


def test_an_embedder_measures_memory_once(checkpoint: Callable[[str], Path], free: Callable[[int], None]) -> None:
    folder = checkpoint("colmodernvbert")
    made, told = (ColPali(settings("colpali", folder, **more)) for more in ({}, {"page_batch": 7}))
    free(6 * GIB)
    assert (made.batch_size, told.batch_size) == (3, 7)
    free(2 * GIB)  # its own weights are in memory by now
    assert made.batch_size == 3


def small(most: int, asked: list[int]) -> Callable[[Sequence[int]], list[int]]:
    """A machine whose memory takes `most` items at a time."""

    def embed(batch: Sequence[int]) -> list[int]:
        asked.append(len(batch))
        if len(batch) > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return [-item for item in batch]

    return embed


def test_where_memory_runs_out_batches_are_halved_and_stay_so() -> None:
    asked: list[int] = []
    assert in_batches(range(11), 8, small(2, asked)) == [-item for item in range(11)]
    assert asked == [8, 4, 2, 2, 2, 2, 2, 1]


def test_what_does_not_fit_alone_does_not_fit() -> None:
    asked: list[int] = []
    with pytest.raises(torch.OutOfMemoryError):
        in_batches(range(3), 4, small(0, asked))
    assert asked == [3, 1]


def test_a_visual_embedder_that_is_tried_is_timed_over_a_page(
    checkpoint: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOUCH_HOME", str(tmp_path))
    assert main(["models", "import", str(checkpoint("colmodernvbert")), "--name", "pages"]) == 0
    assert main(["models", "use", "pages"]) == 0
    assert re.fullmatch(r"embeds a page in [\d.e+]+ s on this machine", installed_models()[0].speed)
