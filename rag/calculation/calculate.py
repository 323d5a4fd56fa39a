"""A question and a table -> the calculated answer, or none where the table does not fit the question well enough."""

from __future__ import annotations

from dataclasses import dataclass

from indexing import Element
from rag.calculation.choose import acceptance_values, candidates, choose, weights
from rag.calculation.features import group_of
from rag.calculation.sheet import Entry
from rag.calculation.working import names, said_of, used, working
from rag.logistic import probability

LEAST = 0.7
"""The least probability of an answer that is given; below it a wrong one is too likely."""
READ_OFF = ("look up", "end", "next")
"""The families of operations that read a cell off and calculate nothing."""


@dataclass(frozen=True, slots=True)
class Calculation:
    """An answer that was made in code from the cells of a table.

    `operation` names what was done, `working` says it in words and figures, `cells` are all that it used, `names` the
    heads and labels that explain them. `probability` (0 to 1) is the calibrated one that the answer is right.
    """

    operation: str
    answer: tuple[str, ...]
    working: str
    cells: tuple[Entry, ...]
    names: tuple[Entry, ...]
    probability: float

    @property
    def calculated(self) -> bool:
        """True if something was counted, compared or summed rather than read off."""
        return group_of(self.operation) not in READ_OFF


def calculate(question: str, table: Element, least: float = LEAST) -> Calculation | None:
    """Return the answer to a question from a table; None below the probability `least`, or for no table."""
    fitted = weights()
    chosen = choose(candidates(question, table), fitted.features)
    if chosen is None:
        return None
    likely = probability(acceptance_values(chosen, table), fitted.acceptance)
    if likely < least:
        return None
    matched, program = chosen.matched, chosen.program
    cells = used(matched, program)
    return Calculation(
        program.operation, said_of(program), working(matched, program), cells, names(matched, cells), likely
    )
