"""A question to a collection that nobody has opened before: `python -m evaluation.benches.scale.cold --home DIR`.

The pages that the system keeps in memory of the collection's files are given up first, where the system allows it; then
the time is counted from the start of a fresh process that imports Vouch, opens the collection and searches once. It
asks for pages alone: made elements have texts that their vectors were not made of, so that none can be shown; fetching
ten texts takes some 10 ms more.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ASK = """
import sys, time
start = time.perf_counter()
from pathlib import Path
from indexing import Collection
from indexing.late import import_without
import_without("lancedb", "pandas")  # as the commands do
collection = Collection.open(sys.argv[1], Path(sys.argv[2]))
imported = time.perf_counter() - start
collection.warm()
opened = time.perf_counter() - start
found = collection.search(sys.argv[3], limit=0)
cold = time.perf_counter() - start
again = time.perf_counter()
collection.search(sys.argv[3] + " again", limit=0)
again = time.perf_counter() - again
status = Path("/proc/self/status").read_text()
peak = [line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")]
print(f"imported {imported:.2f} s, open {opened:.2f} s, answered {cold:.2f} s, a second question {again:.3f} s,",
      f"processor {time.process_time():.2f} s, peak {int(peak[0]) // 1000} MB, {len(found.pages)} pages")
"""


def give_up_cache(folder: Path) -> None:
    """Have the system forget the contents of all files in a folder."""
    for path in folder.rglob("*"):
        if path.is_file() and hasattr(os, "posix_fadvise"):
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main(argv: Sequence[str] | None = None) -> None:
    """Ask, each time in a fresh process."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--home", type=Path, required=True, help="the folder of the collection")
    options.add_argument("--collection", default="made")
    options.add_argument("--question", default="How many people use the internet at home?")
    options.add_argument("--runs", type=int, default=3)
    asked = options.parse_args(argv)
    for _ in range(asked.runs):
        give_up_cache(asked.home / asked.collection)
        start = time.perf_counter()
        command = [sys.executable, "-c", ASK, asked.collection, str(asked.home), asked.question]
        subprocess.run(command, check=True)  # noqa: S603  this Python
        print(f"whole process {time.perf_counter() - start:.2f} s", flush=True)


if __name__ == "__main__":
    main()
