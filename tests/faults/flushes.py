"""The cost of publishing often: the seconds of a flush, beside the time between two.

    python -m tests.faults.flushes [--documents 60] [--pages 4]

Writes made-up documents into a new collection by the real writer, publishes each by a flush of its own, and prints the
seconds of those flushes (wall and processor, without embedding): the first, the median, the last. Between two flushes
of a run lie `PUBLISH_SECONDS`; so the median over these is the share of a run that publishing takes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from indexing.embed import MiniLM
from indexing.store.writer import PUBLISH_SECONDS
from tests.faults.operations import made_up, opened
from tests.support import fakes


def main(argv: Sequence[str] | None = None) -> int:
    """Write, flush, print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=60, help="how many flushes (default: %(default)s)")
    options.add_argument("--pages", type=int, default=4, help="the pages of each document (default: %(default)s)")
    asked = options.parse_args(argv)
    walls, processors = [], []
    with tempfile.TemporaryDirectory(prefix="vouch-flushes-") as folder:
        made = opened(Path(folder) / "home", MiniLM(threads=1))
        with made.writer() as writer:
            for number in range(asked.documents):
                pages = made_up(f"{number}.pdf", asked.pages)
                document = fakes.document(f"{number}.pdf", pages)
                for at, texts in enumerate(pages, 1):
                    writer.add(fakes.parsed(document.id, at, texts))
                writer.finish(document, Path("/nowhere"))
                wall, processor = time.monotonic(), time.process_time()
                writer.flush()
                walls.append(time.monotonic() - wall)
                processors.append(time.process_time() - processor)
    for name, seconds in (("wall", walls), ("processor", processors)):
        middle = statistics.median(seconds)
        print(f"{name:9} first {seconds[0]:.3f} s, median {middle:.3f} s, last {seconds[-1]:.3f} s, most "
              f"{max(seconds):.3f} s: {100 * middle / PUBLISH_SECONDS:.1f}% of {PUBLISH_SECONDS:g} s")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
