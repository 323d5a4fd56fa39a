"""Show the progress of a benchmark on one line of stderr, which is overwritten."""

from __future__ import annotations

import sys

from indexing import Progress


def tell(progress: Progress) -> None:
    """Say on stderr how far indexing is, on one line that is overwritten."""
    say("indexing", progress.pages_done, progress.pages_total, f"{progress.pages_per_second:.1f} pages/s")


def say(what: str, done: int, total: int, more: str = "") -> None:
    """Say on stderr how far something is, on one line that is overwritten."""
    print(f"\r{what}: {done}/{total} {more}  ", end="", file=sys.stderr, flush=True)
