"""Run a benchmark: ask its questions, score and judge the answers, resume an interrupted run."""

from evaluation.harness.given import BASES, INPUTS, RETRIEVED
from evaluation.harness.judge import OWN_WORDS, Judgements, model_of
from evaluation.harness.plan import Plan, default_modes, folders, run_files, variants_of
from evaluation.harness.predictions import JsonLines, Predictions
from evaluation.harness.results import Figure, Results, ScoredQuestion, by_group, print_figures, print_grid, read_runs
from evaluation.harness.run import INTERRUPTED, measure
