"""The compiled loops: one form of arrays, one process at a time, and no row without a score that is not told."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from indexing.errors import NotScored
from indexing.vectors import InvertedLists, element_maxima, kernels, maxsim, mean_maxima

TOKENS = np.random.default_rng(1).standard_normal((3, 128)).astype(np.float32)
PACKED = np.random.default_rng(2).integers(0, 256, (12, 64), np.uint8)
FIRST, LAST = np.array([0, 4, 8]), np.array([4, 8, 12])


def read_only(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flags.writeable = False
    return array


def strided(array: np.ndarray) -> np.ndarray:
    return np.repeat(array, 2, axis=0)[::2]


def as_int32(array: np.ndarray) -> np.ndarray:
    return array.astype(np.int32) if array.dtype == np.int64 else array


@pytest.mark.parametrize("form", [read_only, strided, as_int32])
def test_whatever_arrays_come_there_is_one_compiled_form(form: object) -> None:
    assert callable(form)
    codes = np.arange(12, dtype=np.uint16) % 4
    pages, starts = np.tile(np.arange(3, dtype=np.uint32), 4), np.array([0, 3, 6, 9, 12])
    table, weights = np.random.default_rng(3).standard_normal((4, 2)).astype(np.float32), np.ones(2, np.float32)
    assert np.array_equal(
        element_maxima(TOKENS, form(PACKED), form(FIRST), form(LAST)), element_maxima(TOKENS, PACKED, FIRST, LAST)
    )
    listed = InvertedLists(form(pages), form(starts)).scores(3, form(table), form(weights))
    assert np.array_equal(listed, InvertedLists(pages, starts).scores(3, table, weights))
    residuals = np.random.default_rng(4).integers(0, 256, (12, 17), np.uint8)
    codebook = np.random.default_rng(5).standard_normal((4, 128)).astype(np.float32)
    closely = mean_maxima(TOKENS, codebook, codes, residuals, FIRST, LAST)
    formed = mean_maxima(TOKENS, codebook, form(codes), form(residuals), form(FIRST), form(LAST))
    assert np.array_equal(closely, formed)
    for kernel in (kernels.packed_maxima, kernels.listed_scores, kernels.residual_maxima):
        assert len(kernel.compiled.signatures) == 1


RUN = """
import sys, numpy as np
from indexing.vectors import element_maxima
from tests.indexing.vectors.test_kernels import FIRST, LAST, PACKED, TOKENS, as_int32, read_only, strided
form = {"read_only": read_only, "strided": strided, "as_int32": as_int32}[sys.argv[1]]
print(element_maxima(TOKENS, form(PACKED), form(FIRST), form(LAST)).tolist())
"""


@pytest.mark.slow
def test_processes_that_compile_at_once_share_one_piece_of_code(tmp_path: Path) -> None:
    env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.Popen([sys.executable, "-c", RUN, form], env=env, stdout=subprocess.PIPE, text=True)
        for form in ("read_only", "strided", "as_int32")
    ]
    told = [run.communicate(timeout=240)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert told[0] == told[1] == told[2]
    assert told[0].strip() == str(element_maxima(TOKENS, PACKED, FIRST, LAST).tolist())
    assert [path.name.split(".")[-2] for path in tmp_path.rglob("*.nbc")] == ["1"]


@numba.njit(parallel=True, nogil=True)
def greedy(wanted: NDArray[np.int64], out: NDArray[np.float32]) -> None:
    for row in numba.prange(len(out)):
        out[row] = np.ones(wanted[row], np.float32).sum()


@pytest.mark.slow
@pytest.mark.parametrize("row", [0, pytest.param(7, marks=pytest.mark.gate)])
def test_a_thread_that_gets_no_memory_is_told(row: int) -> None:
    """Numba loses the error unless it is the caller's own thread: the rows of the share are not written."""
    wanted = np.ones(8, np.int64)
    assert maxsim._run_kernel(greedy, wanted, rows=8, columns=1).tolist() == [[1]] * 8
    wanted[row] = 1 << 60
    with pytest.raises(NotScored, match="memory may have run out"):
        maxsim._run_kernel(greedy, wanted, rows=8, columns=1)
