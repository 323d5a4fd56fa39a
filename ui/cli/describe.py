"""`vouch index --extract`: figures, and tables without a sure head, described by the model; progress on stderr."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag import Pipeline

_SHOWN = 5
"""The most problems that are told one by one."""


@dataclass(frozen=True, slots=True)
class Described:
    """The number of figures and tables (`pictures`), and those that could not be described, with the reason."""

    pictures: int
    problems: tuple[str, ...]

    def lines(self) -> list[str]:
        """Return the lines to print."""
        lines = [f"Described: {self.pictures - len(self.problems)} of {self.pictures} figures and tables."]
        lines += [f"Not described: {problem}" for problem in self.problems[:_SHOWN]]
        more = len(self.problems) - _SHOWN
        return [*lines, f"and {more} more"] if more > 0 else lines


def describe(pipeline: Pipeline, *, quiet: bool) -> Described:
    """Describe what of a collection needs the model and is not described yet. Ctrl-C keeps what is done."""
    done, problems = 0, list[str]()
    with closing(pipeline.describe()) as describing:
        for moment in describing:
            done = moment.done
            problems += [moment.problem] if moment.problem else []
            if not quiet and sys.stderr.isatty():
                print(f"\rdescribing figures and tables: {done}/{moment.total} ", end="", file=sys.stderr, flush=True)
    if done and not quiet and sys.stderr.isatty():
        print(file=sys.stderr)
    return Described(done, tuple(problems))
