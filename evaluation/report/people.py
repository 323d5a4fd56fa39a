"""`vouch eval agreement RUN --people FILE`: how far the judge of a run agrees with people who scored the same.

MAVIS (Song et al. 2025) reports Pearson's correlation of its judge with people, MCiteBench (Hu et al. 2025, table 12)
how often both say the same. --people is a file of their scores, as CSV with a head or a JSON object a line:

  question_id  the question, as in the run
  measure      a figure of the run (Completeness), or one judgement of its judge by the key that judgements.jsonl has
               (fact:0, relevance:2, grounded:0:1, recall:1, precision:0:0, Acc)
  score        a number, or yes or no
  best         the highest score there is (default: 1): 2 where people gave 0, 1 or 2
  person       who gave it (default: the lines of one measure of one question are of several people)

Judgements of one kind are set side by side as one measure (recall:0 and recall:1 as recall). Of several people the mean
is correlated. Accuracy and Cohen's kappa are of judgements, which are labels, and of each person beside the judge; of
people among themselves, of every two who scored the same; of exactly two people also chi-square, with p; of three and
more Friedman's, of what all of them scored. Precision, recall and F1 are of each label, the people being right. Scores
are shares of the highest one.
"""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evaluation.errors import GoldUnreadable, RunRefused
from evaluation.harness import OWN_WORDS, Judgements, Results, print_grid, read_runs, run_files
from evaluation.metrics import agreement as metrics
from evaluation.metrics import correlation_interval, mean
from evaluation.tasks import of, reason, rows_of, text_of

MOST_NAMED = 10
"""The most missing cases that are listed one by one."""
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

Case = tuple[str, str]
"""A question, and a measure of it."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge agrees with people in a measure. What is not defined is None, and `notes` say why."""

    cases: int
    people: int
    pearson: float | None
    interval: tuple[float, float] | None
    spearman: float | None
    accuracy: float | None
    kappa: float | None
    among_people: float | None
    chi_square: tuple[float, float] | None
    friedman: tuple[float, float] | None
    labels: Mapping[str, tuple[float, float, float]]
    notes: tuple[str, ...] = ()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add = parser.add_argument
    add("folder", type=Path, metavar="RUN", help="the folder of a run")
    add("--people", type=Path, required=True, metavar="FILE", help="the scores of people, as CSV or JSON lines")
    add("--judge", metavar="MODEL", help="a judge of the run (default: the first one, which counts)")
    add("--out", type=Path, metavar="FILE", help="also write the figures as JSON")
    add("--markdown", action="store_true", help="print the table as Markdown")


def agreement(args: argparse.Namespace) -> int:
    """Print the agreement by measure, and which scores are missing; return 0. Raises RunRefused, GoldUnreadable."""
    runs = read_runs([args.folder])
    if len(runs) != 1:
        raise RunRefused(
            f"{args.folder}: holds {len(runs)} runs ({', '.join(r.name for r in runs)}): choose one of them"
        )
    (run,) = runs
    scores, problems = read_people(args.people)
    for problem in problems:
        print(f"left out: {problem}", file=sys.stderr)
    name, judge_scores = _judgements_of(run, args.judge)
    values = {case: value for case in scores if (value := _value(run, judge_scores, case)) is not None}
    if not values:
        measures = ", ".join(_measures(run, judge_scores)) or "none"
        raise RunRefused(f"{args.people}: no score belongs to a measure of the run: its measures are {measures}")
    for line in _missing_cases(run, judge_scores, scores, values):
        print(line, file=sys.stderr)
    keys, agreements = _keys(judge_scores), {}
    for group, cases in _groups(values, judge_scores).items():
        ratings = {case: scores[case] for case in cases}
        agreements[group] = agreement_of(ratings, values, run, labels=cases[0][1] in keys)
    _print(f"{name or 'figures'} of {run.name} compared with people", agreements, markdown=args.markdown)
    if name:
        print(OWN_WORDS)
    if args.out is not None:
        values_by_group = {group: asdict(a) for group, a in agreements.items()}
        args.out.write_text(json.dumps(values_by_group, indent=1) + "\n", encoding="utf-8")
    return 0


def read_people(path: Path) -> tuple[dict[Case, dict[str, float]], list[str]]:
    """Return people's scores by case and person, as shares, and the problems of other lines. Raises GoldUnreadable."""
    scores: dict[Case, dict[str, float]] = defaultdict(dict)
    problems: list[str] = []
    for where, row in _rows(path):
        try:
            case = str(of(row, "question_id", object, "qid")).strip(), of(row, "measure", str).strip()
            share = _share(of(row, "score", object, "label"), row.get("best"))
            person = str(row.get("person") or f"person {len(scores[case]) + 1}").strip()
            if person in scores[case]:
                raise ValueError(f"{person} has already scored {' '.join(case)}")  # noqa: TRY301
            scores[case][person] = share
        except ValueError as error:
            problems.append(f"{where}: {reason(error)}")
    if not any(scores.values()):
        why = "\n  ".join(problems[:MOST_NAMED]) or "it is empty"
        raise GoldUnreadable(f"{path}: contains no score of a person:\n  {why}")
    return {case: ratings for case, ratings in scores.items() if ratings}, problems


def _rows(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the place and the object of each line; CSV takes its keys from the first line. Raises GoldUnreadable."""
    text, _ = text_of(path)
    if path.suffix.lower() != ".csv":
        yield from rows_of(path, text)
        return
    try:
        for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), 2):
            yield f"{path.name}, line {number}", {key: value for key, value in row.items() if value not in (None, "")}
    except csv.Error as error:
        raise GoldUnreadable(f"{path}: it is not CSV ({error})") from None


def _share(score: Any, best: Any) -> float:
    """Return a score as a share of the highest one. Raises ValueError."""
    top, value = _number(best if best is not None else 1, "best"), _number(score, "score")
    if top <= 0 or not 0 <= value <= top:
        raise ValueError(f"its score {score!r} is not from 0 to {top:g}: give the highest possible score under 'best'")
    return value / top


def _number(value: Any, name: str) -> float:
    """Return a number as a float, 1 or 0 for yes or no. Raises ValueError, naming the key, for other values."""
    if isinstance(value, bool):
        return float(value)
    text = str(value).strip().lower()
    try:
        number = WORDS[text] if text in WORDS else float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"its {name} {value!r} is neither a number nor yes or no")
    return number


def _judgements_of(run: Results, judge: str | None) -> tuple[str, Mapping[Case, float]]:
    """Return a judge's name (default: the first judge's) and its scores by case, as shares; "" and {} without a judge.

    Raises RunRefused for one that judged nothing.
    """
    file = run_files(run.folder).judgements
    judgements = Judgements(file) if file.is_file() else None
    names = list(dict.fromkeys(key[2] for key in judgements.by_key)) if judgements else []
    if judge is not None and judge not in names:
        raise RunRefused(f"{run.folder}: {judge!r} judged nothing in it (there are: {', '.join(names) or 'none'})")
    judge = judge or next(iter(run.summary.get("judges") or names), "")
    items = judgements.by_key.items() if judgements else ()
    highest: Mapping[str, float] = getattr(run.task, "HIGHEST", {})
    return judge, {
        (qid, key): j.score / highest.get(j.prompt, 1.0)
        for (qid, key, name, _), j in items
        if name == judge and j.score is not None
    }


def _keys(judge_scores: Mapping[Case, float]) -> set[str]:
    """Return the keys of the rubrics that a judge has scored."""
    return {key for _, key in judge_scores}


def _value(run: Results, judge_scores: Mapping[Case, float], case: Case) -> float | None:
    """Return the judge's score in a case or, if its measure is no rubric key, the figure of that name; or None."""
    qid, measure = case
    if measure in _keys(judge_scores):
        return judge_scores.get(case)
    return run.rows[qid].figures.get(measure) if qid in run.rows and measure != "ms" else None


def _groups(values: Mapping[Case, float], judge_scores: Mapping[Case, float]) -> dict[str, list[Case]]:
    """Return the cases by measure: the name of a figure, or the kind of rubric (its key up to the colon)."""
    keys, groups = _keys(judge_scores), defaultdict(list)
    for case in values:
        groups[case[1].partition(":")[0] if case[1] in keys else case[1]].append(case)
    return groups


def _measures(run: Results, verdicts: Mapping[Case, float]) -> list[str]:
    """Return the names of all measures that people can score: the kinds of rubrics, then the figures."""
    kinds = dict.fromkeys(key if ":" not in key else f"{key.partition(':')[0]}:…" for key in sorted(_keys(verdicts)))
    return [*kinds, *(name for name in run.names if name not in kinds and name not in ("ms", "abstained"))]


def agreement_of(
    scores: Mapping[Case, Mapping[str, float]], values: Mapping[Case, float], run: Results, *, labels: bool
) -> Agreement:
    """Return the agreement of people's scores with a judge's in the same cases; `labels` adds kappa and accuracy."""
    cases = list(scores)
    ours, theirs = [values[case] for case in cases], [mean([*scores[case].values()]) for case in cases]
    r = metrics.pearson(ours, theirs)
    notes = [
        f"is not defined, as {whose} are all {side[0]:g}"
        for whose, side in (("the judge's scores", ours), ("people's scores", theirs))
        if len(cases) > 1 and len(set(side)) == 1
    ]
    notes += ["is not defined for a single case"] if len(cases) == 1 else []
    pairs = [(values[case], share) for case in cases for share in scores[case].values()] if labels else []
    both = [two for case in cases for two in itertools.permutations(scores[case].values(), 2)] if labels else []
    clusters = [run.rows[qid].cluster if qid in run.rows else qid for qid, _ in cases]
    return Agreement(
        cases=len(cases),
        people=len({person for ratings in scores.values() for person in ratings}),
        pearson=r,
        interval=None if r is None else correlation_interval(ours, theirs, clusters),
        spearman=metrics.spearman(ours, theirs),
        accuracy=metrics.agreement(*_sides(pairs)),
        kappa=metrics.kappa(*_sides(pairs)),
        among_people=metrics.kappa(*_sides(both)),
        chi_square=_chi_square_of_two_people([scores[case] for case in cases]) if labels else None,
        friedman=_friedman_of_people([scores[case] for case in cases]),
        labels={f"{label:g}": of for label, of in sorted(metrics.by_label(*_sides(pairs)[::-1]).items())},
        notes=tuple(notes),
    )


def _chi_square_of_two_people(ratings: Sequence[Mapping[str, float]]) -> tuple[float, float] | None:
    """Return chi-square and p of two people's scores in the cases that both scored; None for fewer people or more."""
    both = [scores for scores in ratings if len(scores) > 1]
    people = sorted({person for scores in ratings for person in scores})
    if len(people) != 2 or not both:
        return None
    return metrics.chi_square(*_sides([(scores[people[0]], scores[people[1]]) for scores in both]))


def _friedman_of_people(ratings: Sequence[Mapping[str, float]]) -> tuple[float, float] | None:
    """Return Friedman's chi-square and p of three people or more, over the cases that all of them scored."""
    people = sorted({person for scores in ratings for person in scores})
    complete = [[scores[person] for person in people] for scores in ratings if len(scores) == len(people)]
    return metrics.friedman(complete)


def _sides(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return the first and the second labels of pairs, rounded to 6 digits, so that 1/3 computed twice is one label."""
    return [round(a, 6) for a, _ in pairs], [round(b, 6) for _, b in pairs]


def _missing_cases(
    run: Results, judge_scores: Mapping[Case, float], scores: Mapping[Case, Any], values: Mapping[Case, float]
) -> Iterator[str]:
    """Yield messages on scores that belong to no case of the run, and on questions that no person scored."""
    strays = [case for case in scores if case not in values]
    why = [
        f"{qid} {measure} ({'no such question' if qid not in run.rows else 'the run has no score of it'})"
        for qid, measure in strays[:MOST_NAMED]
    ]
    if strays:
        more = f" and {len(strays) - MOST_NAMED} more" if len(strays) > MOST_NAMED else ""
        yield f"{len(strays)} scores of people belong to nothing in the run: {', '.join(why)}{more}"
    for group, cases in _groups(values, judge_scores).items():
        without = [qid for qid in run.rows if qid not in {case[0] for case in cases}]
        if without:
            more = ", …" if len(without) > MOST_NAMED else ""
            yield f"{group}: no person scored {len(without)} of {len(run.rows)} questions: " + (
                ", ".join(without[:MOST_NAMED]) + more
            )


def _print(title: str, stats: Mapping[str, Agreement], *, markdown: bool) -> None:
    """Print the table, and under it why something in it is not defined."""
    bounds = ("-" if a.interval is None else "{:.2f} to {:.2f}".format(*a.interval) for a in stats.values())
    body = [
        ["cases", *(str(a.cases) for a in stats.values())],
        ["people", *(str(a.people) for a in stats.values())],
        ["Pearson's r", *(_format_number(a.pearson) for a in stats.values())],
        ["  95% interval", *bounds],
        ["Spearman's rho", *(_format_number(a.spearman) for a in stats.values())],
        ["accuracy", *("-" if a.accuracy is None else f"{100 * a.accuracy:.1f}%" for a in stats.values())],
        ["Cohen's kappa", *("-" if a.kappa is None else f"{a.kappa:.2f}" for a in stats.values())],
        ["  among people", *("-" if a.among_people is None else f"{a.among_people:.2f}" for a in stats.values())],
        [
            "chi-square of two people",
            *("-" if a.chi_square is None else f"{a.chi_square[0]:.2f}" for a in stats.values()),
        ],
        ["  p", *("-" if a.chi_square is None else f"{a.chi_square[1]:.3g}" for a in stats.values())],
        ["Friedman's chi-square", *("-" if a.friedman is None else f"{a.friedman[0]:.2f}" for a in stats.values())],
        ["  p", *("-" if a.friedman is None else f"{a.friedman[1]:.3g}" for a in stats.values())],
    ]
    for label in sorted({label for a in stats.values() for label in a.labels}, key=float):
        of = (a.labels.get(label) for a in stats.values())
        body.append(
            [f"label {label}: P, R, F1", *("-" if o is None else "{:.2f}, {:.2f}, {:.2f}".format(*o) for o in of)]
        )
    print_grid(title, ["", *stats], body, markdown=markdown)
    for group, a in stats.items():
        for note in a.notes:
            print(f"{group}: Pearson's r {note}")


def _format_number(value: float | None) -> str:
    return "not defined" if value is None else f"{value:.2f}"
