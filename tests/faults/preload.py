"""The library that lets the n-th write of a process go wrong (`write_faults.c`): compiled, and put before libc."""

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Literal

How = Literal["kill", "stop", "full", "once"]
SOURCE = Path(__file__).with_name("write_faults.c")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@functools.cache
def library() -> Path:
    """Compile the library into a temporary folder, once a process."""
    assert COMPILER, "no C compiler: install gcc or clang"
    built = Path(tempfile.mkdtemp(prefix="vouch-faults-")) / "write_faults.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-O2", "-o", str(built), str(SOURCE), "-ldl"], check=True)
    return built


def environment(under: Path, how: How | None = None, at: int = 0, log: Path | None = None) -> dict[str, str]:
    """Return the variables by which a child of this process fails at write number `at` below a folder."""
    values = {"LD_PRELOAD": str(library()), "FAULT_UNDER": str(under), "FAULT_PARENT": str(os.getpid())}
    values |= {"FAULT_HOW": how, "FAULT_AT": str(at)} if how else {}
    return os.environ | values | ({"FAULT_LOG": str(log)} if log else {})
