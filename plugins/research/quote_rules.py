"""The effect of each rule of method quote: a benchmark is run as it is, then with one rule after the other off.

    python -m plugins.research.quote_rules --data DEV.jsonl --documents PDFS --out RUNS [--collection NAME]
                                     [--rule NAME ...]

A rule that is off finds nothing. Each run is one of `vouch eval mmdocir` in mode text, with a folder of its own in
RUNS; `vouch eval compare RUNS/as-it-is RUNS/NAME` then shows the answers that the rule changes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import evaluation

AS_IT_IS = "as-it-is"
Off = tuple[str, str, Callable[..., Any]]
"""A module of `rag.methods.quote`, a name in it, and the function that takes its place."""


def _returning(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


RULES: dict[str, tuple[Off, ...]] = {
    "documents-as-a-whole": (("answerers", "question_about", _returning(None)),),
    "addresses": (("answerers", "addresses", _returning([])),),
    "counts": (("answerers", "element_count", _returning(None)),),
    "figures": (("method", "figure_of", _returning(None)),),
    "mentions": (("answerers", "mentions", _returning(None)),),
    "ratios": (("answerers", "computed_ratio", _returning(None)),),
    "whole-sentences": (("method", "whole_sentence", lambda sentence, *_, **__: (sentence, [])),),
    "heads-of-rows": (("method", "read_row", _returning(None)),),
    "subject-before": (("select", "with_subject", lambda _, __, start: start),),
    "form": (("select", "_form_score", _returning(0.0)),),
    "stated-values": (("form", "_states_value", _returning(False)),),
    "rare-words": (("select", "rarity_of", _returning({})),),
    "named-labels": (("select", "named_labels", _returning([])),),
    "stacked-phrases": (("pieces", "_stacks", _returning([])),),
}


@contextmanager
def switched_off(name: str) -> Iterator[None]:
    """Switch a rule off in the block: it finds nothing."""
    with ExitStack() as patches:
        for module, attribute, instead in RULES[name]:
            patches.enter_context(patch.object(import_module(f"rag.methods.quote.{module}"), attribute, instead))
        yield


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark as it is and without each rule; return the first exit code that is not 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="the questions, as vouch eval mmdocir takes them")
    parser.add_argument("--documents", required=True, help="the folder of their documents")
    parser.add_argument("--out", required=True, type=Path, help="the folder of the runs")
    parser.add_argument("--collection", default="eval", help="the collection with these documents (default: eval)")
    parser.add_argument("--rule", nargs="+", choices=RULES, default=list(RULES), help="only these rules")
    args = parser.parse_args(argv)
    words = ["mmdocir", "--data", args.data, "--documents", args.documents, "--collection", args.collection]
    words += ["--mode", "text", "--method", "quote", "--scope", "document"]
    for name in (AS_IT_IS, *args.rule):
        with switched_off(name) if name != AS_IT_IS else ExitStack():
            if code := evaluation.main([*words, "--out", str(args.out / name)]):
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
