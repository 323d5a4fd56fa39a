"""A question and a table -> the calculated answer that is most probably asked for, or none where it does not fit.

The choice is a log-linear model, fitted on open tables: the probability of a program is that of its score among all
programs (softmax); programs that give the same answer add up. The weights stand in `weights.json` and are made by
`python -m evaluation.fit calculation`.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from indexing import Element
from rag.attribution.words import claims_of
from rag.calculation.features import Features, group_of, said, score
from rag.calculation.lexicon import RANKED
from rag.calculation.match import Matched
from rag.calculation.program import Program
from rag.calculation.programs import programs
from rag.calculation.question import Asked, asked_of
from rag.calculation.sheet import Entry, sheets_of, stems
from rag.calculation.working import names, said_of, used, working
from rag.logistic import log_odds, probability

ACCEPTANCE_FEATURES = ("bias", "log-odds of the answer", "words said", "words nowhere", "heads named", "rows matched")

LEAST = 0.75
"""The least probability of an answer that is given; below it a wrong one is too likely."""
MANNERS = {
    "count": "cells were counted",
    "frequent": "cells were counted",
    "sum": "cells were added up",
    "extreme": "cells were compared",
    "extreme value": "cells were compared",
    "choice": "cells were compared",
    "apart": "one cell was taken from another",
    "percent": "one cell was divided by another",
}
"""The families of operations that calculate, in words; the others read a cell off."""


@dataclass(frozen=True, slots=True)
class Weights:
    """The fitted numbers: a weight for each named feature, and the coefficients of `ACCEPTANCE_FEATURES`."""

    features: dict[str, float]
    acceptance: tuple[float, ...]


@cache
def weights() -> Weights:
    """Read the fitted weights, once."""
    read = json.loads(files("rag.calculation").joinpath("weights.json").read_text(encoding="utf-8"))
    return Weights(read["features"], tuple(read["acceptance"]))


@dataclass(frozen=True, slots=True)
class ChosenProgram:
    """The program that is most probably asked for, on its sheet, with the probability of its answer among all."""

    matched: Matched
    program: Program
    share: float


def candidates(question: str, element: Element) -> list[tuple[Matched, Program]]:
    """Return every program for a question on a table, each with the sheet that it reads.

    Where the question names a head whole, upright or turned, an extreme is that of such a column and of no other: down
    the columns of a table of measures ("Which model has the lowest BIC?") stands what is not to be compared.
    """
    asked = asked_of(question)
    found = []
    for sheet in sheets_of(element):
        matched = Matched(asked, sheet)
        found += [(matched, program) for program in programs(matched)]
    if not any(_is_extreme(program) and _measures(matched, program) == 1 for matched, program in found):
        return found
    return [(m, p) for m, p in found if not _is_extreme(p) or _measures(m, p) > 0]


def _is_extreme(program: Program) -> bool:
    return program.measured >= 0 and group_of(program.operation) in ("extreme", "extreme value")


def _measures(matched: Matched, program: Program) -> float:
    """Return the share (0 to 1) of the head of the measured column that the question says."""
    mask, share = matched.heads[program.measured]
    return share if mask & matched.asked.content else 0.0


def features_of(found: list[tuple[Matched, Program]]) -> list[list[str]]:
    """Return the names of the features of each program."""
    by_sheet = {id(matched): Features(matched) for matched, _ in found}
    return [by_sheet[id(matched)].of(program) for matched, program in found]


def choose(found: list[tuple[Matched, Program]], features: dict[str, float]) -> ChosenProgram | None:
    """Return the best of the programs; None where there are none."""
    if not found:
        return None
    scores = [score(names, features) for names in features_of(found)]
    top = max(scores)
    odds = [math.exp(s - top) for s in scores]
    shares: dict[tuple[str, ...], float] = defaultdict(float)
    for (_, program), one in zip(found, odds, strict=True):
        shares[tuple(sorted(program.answer))] += one
    answer = max(shares, key=lambda key: shares[key])
    best = max((n for n, (_, p) in enumerate(found) if tuple(sorted(p.answer)) == answer), key=lambda n: odds[n])
    return ChosenProgram(*found[best], shares[answer] / sum(odds))


def acceptance_values(choice: ChosenProgram, element: Element) -> tuple[float, ...]:
    """Return the values behind `ACCEPTANCE_FEATURES`: is it the answer, or does the table not speak of this at all?"""
    matched, program = choice.matched, choice.program
    asked: Asked = matched.asked
    around = set(stems(claims_of(f"{' '.join(element.section)} {element.caption}"[:2000]).tokens))
    content = asked.content
    total = max(1, content.bit_count())
    mask = said(matched, program) & content
    near = sum(1 << n for n, stem in enumerate(matched.stems) if stem in around) & content
    known = sum(1 << n for n, stem in enumerate(matched.stems) if stem in matched.sheet.vocabulary) & content
    heads = [matched.heads[at] for at in (program.measured, program.shown) if at >= 0]
    return (
        1.0,
        log_odds(choice.share),
        (mask | near).bit_count() / total,
        float((content & ~(known | near)).bit_count()),
        max((share for _, share in heads), default=0.0),
        float(program.rows.mask.bit_count() > 0) * program.rows.whole,
    )


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
        return group_of(self.operation) in MANNERS

    @property
    def manner(self) -> str:
        """The way in which it was calculated, in words; empty where a cell was read off."""
        return MANNERS.get(group_of(self.operation), "")


def calculate(question: str, table: Element, least: float = LEAST) -> Calculation | None:
    """Return the answer to a question from a table; None below the probability `least`, or for no table."""
    fitted = weights()
    chosen = choose(candidates(question, table), fitted.features)
    if chosen is None:
        return None
    likely = probability(acceptance_values(chosen, table), fitted.acceptance)
    matched, program = chosen.matched, chosen.program
    if likely < least or _against(matched, program):
        return None
    cells = used(matched, program)
    return Calculation(
        program.operation, said_of(program), working(matched, program), cells, names(matched, cells), likely
    )


def _against(matched: Matched, program: Program) -> bool:
    """Return True if the lowest is taken for the best, or the highest for the worst, and no head says that it is."""
    taken = {"least": "best", "minimum": "best", "greatest": "worst", "maximum": "worst"}.get(program.operation)
    if taken not in matched.asked.signs or program.measured < 0:
        return False
    head = matched.sheet.heads[program.measured].text.lower()
    return RANKED.isdisjoint(head.split())
