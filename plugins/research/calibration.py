"""`vouch calibrate TESTSET`: the confidence below which Vouch abstains, for the share of wrong answers that you accept.

TESTSET is a test set as `vouch eval questions` reads it, whose questions are asked of the whole collection, or the
folder of a run of that. An answer is right where it cites a page that proves the answer, and, unless
only pages count, says all of it; to a question that the documents do not answer, every answer is wrong.

Of the thresholds in hundredths, the one with the most answers is chosen of those where the one-sided upper bound of
the share of wrong ones, at 90% (Clopper and Pearson 1934), is at most the accepted share, over 30 answers or more.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from evaluation import EvaluationError, print_table
from evaluation.harness import Plan, Results, default_modes, folders, measure, read_runs, variants_of
from evaluation.tasks import TASKS
from indexing import Collection, default_home
from plugins.research.errors import CannotCalibrate
from rag import Pipeline, Profile, extend_profile, load_profile, own_profile
from ui.show import clean

LEAST = 30
"""The fewest answers over which a share of wrong ones is estimated."""
CERTAINTY = 0.9
"""The probability with which the bound lies above the true share of wrong answers."""
TASK = "questions"


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """The outcome of a question: the `confidence` of its answer, 0 to 1, whether there was one, and if it is right.

    `answerable` says that the documents answer it, `always` that it is answered at any threshold, as counts are.
    """

    confidence: float
    answered: bool
    right: bool
    answerable: bool
    always: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """The outcome of a threshold on a test set, in numbers of questions."""

    threshold: float
    answered: int
    wrong: int
    rightly_refused: int
    wrongly_refused: int

    @property
    def upper_bound(self) -> float:
        """The share of wrong answers, 0 to 1, that is exceeded with a probability of one in ten at most."""
        return upper_bound(self.wrong, self.answered)


def upper_bound(wrong: int, n_answers: int, certainty: float = CERTAINTY) -> float:
    """Return the one-sided Clopper-Pearson upper bound of a share, 0 to 1; 1 without any answer."""
    if wrong >= n_answers:
        return 1.0
    terms = [math.lgamma(n_answers + 1) - math.lgamma(k + 1) - math.lgamma(n_answers - k + 1) for k in range(wrong + 1)]
    low, high = wrong / n_answers, 1.0
    for _ in range(40):
        share = (low + high) / 2
        logs = (way + k * math.log(share) + (n_answers - k) * math.log1p(-share) for k, way in enumerate(terms))
        low, high = (share, high) if sum(map(math.exp, logs)) > 1 - certainty else (low, share)
    return high


def operate(outcomes: Sequence[QuestionOutcome], threshold: float) -> Operation:
    """Return the outcome of a threshold on a test set."""
    with_answer = [o for o in outcomes if o.answered and (o.always or o.confidence >= threshold)]
    wrong, answerable = sum(not o.right for o in with_answer), sum(o.answerable for o in with_answer)
    wrongly = sum(o.answerable for o in outcomes) - answerable
    return Operation(threshold, len(with_answer), wrong, len(outcomes) - len(with_answer) - wrongly, wrongly)


def operations(outcomes: Sequence[QuestionOutcome]) -> list[Operation]:
    """Return the outcomes of the thresholds in hundredths that change which questions are answered."""
    thresholds = {int(100 * o.confidence + 1e-6) / 100 for o in outcomes if o.answered}
    return [operate(outcomes, threshold) for threshold in sorted(thresholds)]


def choose(outcomes: Sequence[QuestionOutcome], max_error: float) -> Operation | None:
    """Return the outcome with the most answers of those whose bound is at most `max_error`, 0 to 1; None without."""
    fitting = [o for o in operations(outcomes) if o.answered >= LEAST and o.upper_bound <= max_error]
    return max(fitting, key=lambda o: (o.answered, o.threshold), default=None)


def answers_needed(max_error: float) -> int:
    """Return the fewest answers, all of them right, whose bound is at most `max_error`, 0 to 1."""
    return max(LEAST, math.ceil(math.log(1 - CERTAINTY) / math.log1p(-max_error)))


def outcomes_of(run: Results, right: str) -> tuple[dict[str, QuestionOutcome], int]:
    """Return the outcomes of a run by question id, and how many questions failed; `right` is "answer" or "page".

    Raises CannotCalibrate for answers without a confidence.
    """
    rows = run.predictions(list(run.rows))
    outcomes: dict[str, QuestionOutcome] = {}
    for qid, question in run.rows.items():
        row = rows[qid]
        if "error" in row:
            continue
        if "confidence" not in row:
            raise CannotCalibrate(f"{run.folder}: its answers carry no confidence: ask the questions with Vouch")
        says_answer = right == "page" or question.figures["Ans"] in (None, 1.0)
        proven = (question.figures["Page"] or 0.0) > 0
        answerable = bool(question.gold["documents"])
        outcomes[qid] = QuestionOutcome(row["confidence"], not row["abstained"], says_answer and proven, answerable)
    return outcomes, len(run.rows) - len(outcomes)


def limit_of(method: str) -> str:
    """Return the setting that limits the answers of a method."""
    return "min_confidence" if method == "quote" else "min_confidence_written"


def ask(test_set: Path, name: str, profile: Profile, profile_name: str, out: Path) -> int:
    """Ask the questions of a test set of the collection `name`, without a limit; 0, or 130 when stopped by Ctrl-C."""
    settings = profile.rag.model_copy(update={limit_of(profile.rag.method): 0.0})
    profile, task = profile.model_copy(update={"rag": settings}), TASKS[TASK]
    variants = variants_of(profile, default_modes(profile))
    gold = replace(task.load(test_set, None, out, None), files={})  # else only these would be searched
    places, scope, home = folders(out, variants), task.SCOPE, default_home()
    with contextlib.redirect_stdout(sys.stderr):
        return measure(Plan(task, gold, test_set, profile_name, variants, places, scope, home, name, resume=True))


def calibration_outcomes(
    run: Results, collection: Collection, profile: Profile, right: str
) -> tuple[list[QuestionOutcome], int]:
    """Return the outcomes of a run, with `always` set where it is true, and how many questions failed."""
    outcomes, n_failed = outcomes_of(run, right)
    if profile.rag.method == "quote":
        silent = Pipeline(collection, profile.rag.model_copy(update={"min_confidence": 1.0}))
        for qid, outcome in outcomes.items():
            if outcome.answered and not silent.answer(run.rows[qid].question, mode=run.summary["mode"]).abstained:
                outcomes[qid] = replace(outcome, always=True)
    return list(outcomes.values()), n_failed


def run_of(folder: Path, profile: Profile) -> Results:
    """Return the run in a folder. Raises RunRefused, and CannotCalibrate for several or another task or method."""
    runs = read_runs([folder])
    if len(runs) != 1:
        raise CannotCalibrate(f"{folder}: has {len(runs)} runs: give the folder of one, such as {runs[0].folder}")
    run: Mapping[str, Any] = runs[0].summary
    if run["task"] != TASK:
        raise CannotCalibrate(f"{folder}: is a run of {run['task']}: give one of vouch eval {TASK}")
    method = run["settings"]["rag"]["method"]
    if method != profile.rag.method:
        raise CannotCalibrate(f"{folder}: was answered by method {method}: give its profile with --profile")
    return runs[0]


def report(outcomes: Sequence[QuestionOutcome], before: float, max_error: Fraction) -> Operation | None:
    """Print the outcomes of the threshold in use and of the chosen one; return the latter, None without one."""
    choice, now = choose(outcomes, float(max_error)), operate(outcomes, before)
    columns = ("", "threshold", "answered", "wrong of these", "wrong at most", "rightly refused", "wrongly refused")
    rows = [
        (name, f"{o.threshold:.2f}", *map(str, (o.answered, o.wrong)), f"{o.upper_bound:.0%}",
         *map(str, (o.rightly_refused, o.wrongly_refused)))
        for name, o in (("before", now), ("now", choice)) if o is not None
    ]  # fmt: skip
    print_table(f"at most {share_in_words(max_error)}: {len(outcomes)} questions", columns, rows)
    if choice is not None:
        return choice
    n_needed, possible = answers_needed(float(max_error)), [o for o in operations(outcomes) if o.answered >= LEAST]
    if sum(o.answered for o in outcomes) < n_needed:
        print(
            f"The test set is too small: {share_in_words(max_error)} takes at least {n_needed} answers, even if none "
            f"is wrong, and it has {sum(o.answered for o in outcomes)}. Add some: vouch eval construct questions"
        )
    else:
        print(f"No threshold keeps to {share_in_words(max_error)} on these questions.")
    if possible and (least := math.ceil(100 * min(o.upper_bound for o in possible))) < 100:
        print(f"They show that Vouch can keep to {least} of 100: --at-most {least}/100")
    return None


def share_in_words(share: Fraction) -> str:
    """Return a share in words: `1 wrong of 20`."""
    return f"{share.numerator} wrong of {share.denominator}"


def run(args: argparse.Namespace) -> int:
    """Run `vouch calibrate`; 0 there is a threshold, 1 there is none, 2 nothing could be asked, 130 stopped."""
    try:
        return _run(args)
    except EvaluationError as error:
        print(f"vouch: {clean(str(error))}", file=sys.stderr)
        return 2


def _run(args: argparse.Namespace) -> int:
    profile, path = load_profile(args.profile), own_profile() if args.profile == "default" else Path(args.profile)
    if args.write and path.suffix not in (".yaml", ".yml"):
        raise CannotCalibrate(f"profile {path} belongs to Vouch: give a .yaml file of your own to write into")
    with contextlib.ExitStack() as stack:
        collection = stack.enter_context(Collection.open(args.collection))
        folder = args.test_set
        if not (folder / "summary.json").is_file():
            folder = args.out or Path(stack.enter_context(tempfile.TemporaryDirectory()))
            if code := ask(args.test_set, args.collection, profile, args.profile, folder):
                return code
        run = run_of(folder, profile)
        outcomes, n_failed = calibration_outcomes(run, collection, profile, args.right)
    limit = limit_of(profile.rag.method)
    if n_failed:
        print(f"{n_failed} questions could not be asked, and are left out")
    if (least := run.summary["settings"]["rag"].get(limit, 0.0)) > 0:
        print(f"This run did not answer below a confidence of {least:g}: lower thresholds are not looked at")
    choice = report(outcomes, max(getattr(profile.rag, limit), least), args.at_most)
    if choice is None:
        if args.right == "answer":
            print(
                "Right is what says the expected answer word for word and cites its page; --right page asks for less."
            )
        return 1
    if args.write:
        print(f"written: {extend_profile(path, {'rag': {limit: choice.threshold}})} (rag: {limit}: {choice.threshold})")
    else:
        print(f"Next: the same with --write, or rag: {limit}: {choice.threshold} in your profile")
    return 0
