"""`vouch eval written`: answers that models wrote are checked claim by claim, and the outcome is held against judges.

--data is a file of answers, a line each (`qid`, `doc`, `model`, `response`, and `judge`: the published scores of a
judge, 0 to 5); --gold the MMDocIR questions that they answer, with pages and boxes. Nothing is asked of a model: every
answer is given to `Pipeline.check`, which knows the question and the document.

The table has a column a model: the share of its claims by verdict, the gold pages and boxes that the proofs meet, and
the area under the ROC curve of the share proven (in part: half), and of what is proven where the question leads
(`Answer.proven_where_led`), against answers that the judge calls true, from each of three scores. --out is a folder:
predictions.jsonl has a line an answer and is only appended to.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from evaluation import GoldUnreadable, RunRefused, positive, say
from evaluation.harness import Predictions, print_grid
from evaluation.tasks import Gold, GoldQuestion, mmdocir, of, prediction, reason, rows_of, text_of
from indexing import Collection, default_home
from plugins.research.metrics import auroc
from rag import CLAIMED, Pipeline, Profile, load_profile

BEST = 5


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """The answer of a model to a question, and the scores of its judge, 0 to BEST; none where nobody judged it."""

    qid: str
    model: str
    text: str
    judged: Mapping[str, float]

    @property
    def key(self) -> str:
        """The name of the answer: question and model."""
        return f"{self.qid} {self.model}"


def read_answers(path: Path) -> tuple[list[WrittenAnswer], list[str]]:
    """Return the answers of a file, and what is wrong with the lines that are left out. Raises GoldUnreadable."""
    found: dict[str, WrittenAnswer] = {}
    problems: list[str] = []
    for where, row in rows_of(path, text_of(path)[0]):
        try:
            answer = WrittenAnswer(
                str(of(row, "qid", object)), of(row, "model", str), of(row, "response", str), _judged(row.get("judge"))
            )
        except (ValueError, AttributeError) as error:
            problems.append(f"{where}: {reason(error) if isinstance(error, ValueError) else 'it is not an object'}")
            continue
        found[answer.key] = answer
    if not found:
        raise GoldUnreadable(f"{path}: it contains no answers")
    return list(found.values()), problems


def _judged(scores: Any) -> dict[str, float]:
    """Return the scores that are numbers from 0 to BEST; judges leave some out."""
    known = scores.items() if isinstance(scores, Mapping) else ()
    return {str(name): float(v) for name, v in known if isinstance(v, int | float) and 0 <= v <= BEST}


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


VERSION = 2
"""The version of the form of a line; another one is not continued."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("--data", type=Path, required=True, metavar="FILE", help="the file of answers, one per line")
    add("--gold", type=Path, required=True, metavar="PATH", help="the MMDocIR questions: their folder or file")
    add(
        "--documents", type=Path, metavar="DIR", help="the folder of the documents (default: pdfs beside the questions)"
    )
    add("--out", type=Path, required=True, metavar="RUN", help="the folder of the run")
    add("--models", nargs="+", default=[], metavar="NAME", help="only the answers of these models (default: all)")
    add("--limit", type=positive, metavar="N", help="only the first N questions")
    add("--profile", default="default", metavar="P", help="the profile: a name in configs/, or your own .yaml file")
    add("--home", type=Path, metavar="DIR", help="the folder of the collections (default: the one that vouch uses)")
    add("--collection", default="eval", metavar="NAME", help="the collection of the documents (default: %(default)s)")
    add("--resume", action="store_true", help="continue the run in --out")
    add("--markdown", action="store_true", help="print the table as Markdown")


def written(asked: argparse.Namespace) -> int:
    """Check the answers that are not checked yet and print the table; 0 when all are. Raises RunRefused and others."""
    home, profile = asked.home or default_home(), load_profile(asked.profile)
    gold = mmdocir.load(asked.gold, asked.documents, home / "eval-material", None)
    answers, problems = read_answers(asked.data)
    for problem in (*gold.problems, *problems):
        print(f"left out: {problem}", file=sys.stderr)
    pairs = _chosen(answers, gold, asked.models, asked.limit)
    collection = Collection.open(asked.collection, home)
    missing = {d for _, q in pairs for d in q.documents} - {d.id for d in collection.documents()}
    if missing:
        name = gold.files[min(missing)].name
        raise RunRefused(
            f"{len(missing)} documents are not in collection {asked.collection!r}, such as {name}: index them "
            "with vouch index"
        )
    pipeline = Pipeline(collection, profile.rag)
    with Predictions(asked.out / "predictions.jsonl", run_of(gold, profile), resume=asked.resume) as kept:
        rest = [pair for pair in pairs if pair[0].key not in kept.rows]
        for number, (answer, question) in enumerate(rest, 1):
            started = time.perf_counter()
            found = pipeline.check(question.text, answer.text, documents=question.documents, mode="text")
            row = prediction(question, found, 1000 * (time.perf_counter() - started))
            kept.add({**row, "qid": answer.key, "model": answer.model, "proven_where_led": found.proven_where_led})
            say("written: answers", len(pairs) - len(rest) + number, len(pairs))
        if rest:
            print(file=sys.stderr)
        checked = [(answer, question, kept.rows[answer.key]) for answer, question in pairs]
    _print(checked, markdown=asked.markdown)
    return 0


def _chosen(
    answers: Sequence[WrittenAnswer], gold: Gold, models: Sequence[str], limit: int | None
) -> list[tuple[WrittenAnswer, GoldQuestion]]:
    """Return the answers of the models to the first questions. Raises GoldUnreadable for names that nothing has."""
    known = {answer.model for answer in answers}
    if unknown := [name for name in models if name not in known]:
        raise GoldUnreadable(f"no answer is by {unknown[0]!r} (there are: {', '.join(sorted(known))})")
    by_id = {q.qid: q for q in gold.questions}
    asked = set(list(dict.fromkeys(a.qid for a in answers if a.qid in by_id))[:limit])
    pairs = [(a, by_id[a.qid]) for a in answers if a.qid in asked and (not models or a.model in models)]
    if not pairs:
        raise GoldUnreadable(
            "no answer belongs to a question of the gold file: give the questions that were answered with --gold"
        )
    return pairs


def run_of(gold: Gold, profile: Profile) -> str:
    """Return twelve hex digits for everything that a line depends on besides its answer."""
    depends = [VERSION, gold.sha256, profile.rag.hash]
    return hashlib.sha256(json.dumps(depends).encode()).hexdigest()[:12]


def _print(checked: Sequence[Checked], *, markdown: bool) -> None:
    models = list(dict.fromkeys(answer.model for answer, _, _ in checked))
    columns = {name: table([c for c in checked if c[0].model == name]) for name in models}
    columns["all"] = table(checked)
    body = [[name, *(column[name] for column in columns.values())] for name in columns["all"]]
    print_grid("Written answers", ["", *columns], body, markdown=markdown)
