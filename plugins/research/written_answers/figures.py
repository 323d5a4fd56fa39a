"""The figures of checked answers: what became of their claims, the boxes found, and if proof goes with truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from evaluation.metrics import auroc
from evaluation.tasks import GoldQuestion, mmdocir
from plugins.research.written_answers.answers import WrittenAnswer
from rag import CLAIMED

TRUE = (3, 4, 5)
"""The judge's scores from which an answer counts as true: each has its AUROC."""
FOUND = ("Page", "Rec", "Prec", "F1")
RUBRIC = "Factuality"

Checked = tuple[WrittenAnswer, GoldQuestion, Mapping[str, Any]]
"""An answer, its question, and its line in a file of predictions."""


def claims_in(row: Mapping[str, Any]) -> list[str]:
    """Return the verdicts of an answer's claims: remarks are none."""
    return [s["verdict"] for s in row["sentences"] if s["verdict"] in CLAIMED]


def proven(row: Mapping[str, Any]) -> float:
    """Return the share of an answer's claims that is confirmed, 0 to 1; 0 without claims."""
    verdicts = claims_in(row)
    return verdicts.count("confirmed") / max(1, len(verdicts))


def where_led(row: Mapping[str, Any]) -> float:
    """Return `Answer.proven_where_led` of an answer; without a claim 1/2, which the rule of succession gives then."""
    return 0.5 if row["proven_where_led"] is None else float(row["proven_where_led"])


def table(checked: Sequence[Checked]) -> dict[str, str]:
    """Return the figures of some answers, as they stand in a table: counts, shares of claims in percent, and AUROCs."""
    verdicts = [v for _, _, row in checked for v in claims_in(row)]
    remarks = sum(s["verdict"] == "remark" for _, _, row in checked for s in row["sentences"])
    rows = {"answers": str(len(checked)), "remarks": str(remarks), "claims": str(len(verdicts))}
    rows |= {name: f"{100 * verdicts.count(name) / max(1, len(verdicts)):.1f}" for name in CLAIMED}
    figures = [mmdocir.figures(question, row) for _, question, row in checked]
    for name in FOUND:
        values = [value for f in figures if (value := f[name]) is not None]
        rows[name] = f"{100 * mean(values):.1f}" if values else "-"
    judged = [(row, answer.judged[RUBRIC]) for answer, _, row in checked if RUBRIC in answer.judged]
    for name, score in (("AUROC", proven), ("AUROC where the question leads", where_led)):
        for least in TRUE:
            true, false = ([score(row) for row, said in judged if (said >= least) is holds] for holds in (True, False))
            area = auroc(true, false)
            rows[f"{name}, true from {least}"] = "-" if area is None else f"{area:.3f}"
    return rows
