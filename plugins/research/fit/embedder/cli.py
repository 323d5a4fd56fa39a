"""Train the last layers of MiniLM for late interaction: MaxSim has to put the text first that answers a question.

It starts from MiniLM and the axes of `python -m plugins.research.fit projection`, and learns from open questions with
their texts and tables. One group (document) of ten is never trained on; the ranks that are printed are of those. The
questions that Vouch is measured by are not among them.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tokenizers import Tokenizer

from evaluation import GoldUnreadable, positive, say
from indexing import default_home
from indexing.embed import minilm
from plugins.research.arguments import above_zero, share
from plugins.research.errors import CannotTrain, PackagesMissing
from plugins.research.fit.contrast import TrainingQuestion, TrainingText
from plugins.research.fit.corpus import Corpus, held_out, read, sample_of
from plugins.research.fit.embedder.requirements import PACKAGE, STATE, load_state, require, weights_of
from plugins.research.fit.projection import TESTED, report

if TYPE_CHECKING:
    from plugins.research.fit.embedder.network import Floats, LastLayers

INTERRUPTED = 130
TRAINED_WITH = ("torch", "transformers")
_EXAMPLES = """\
from questions to files:
  pip install 'vouch[embedder-training]'
  python -m plugins.research.fit embedder train --axes axes.npy
  python -m plugins.research.fit embedder report --mix 0 0.25 0.5 1
  python -m plugins.research.fit embedder export --mix 0.5 --to exported

`train` saves every five minutes; the same command goes on from there. 300 steps take some twenty minutes of two cores.
A collection must be embedded anew with what is exported (vouch reindex), and the codebook fitted to it.
exit code: 0 done, 2 something is missing or does not fit (the message says what), 130 stopped
"""


def options() -> argparse.ArgumentParser:
    """Build the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.fit embedder",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = parser.add_subparsers(dest="step", required=True, metavar="STEP")
    for name, text in (
        ("train", "train, or go on training, and report"),
        ("report", "how held-out questions rank the texts that answer them"),
        ("export", "write trained layers and axes as Vouch loads them"),
    ):
        step = steps.add_parser(
            name, help=text, description=text, formatter_class=argparse.ArgumentDefaultsHelpFormatter
        )
        _add_common(step)
        {"train": _add_train, "report": _add_report, "export": _add_export}[name](step)
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    data = os.environ.get("VOUCH_TRAIN", "../shared/train/qa.jsonl.gz")
    add = parser.add_argument
    add("--data", type=Path, default=Path(data), metavar="FILE", help="the questions, a JSON object a line, with gzip; "
        "VOUCH_TRAIN names another default")  # fmt: skip
    add("--out", type=Path, default=default_home() / "embedder", metavar="DIR", help="the folder where "
        "the training is saved")  # fmt: skip
    add("--weights", type=Path, metavar="DIR", help="a BERT with its tokenizer.json to start from; none: MiniLM, out "
        f"of the package {PACKAGE.replace('_', '-')}")  # fmt: skip
    add("--threads", type=positive, default=os.cpu_count() or 1, metavar="N", help="how many threads compute")


def _add_train(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--axes", type=Path, required=True, metavar="FILE", help="the axes to start from, which "
        "`python -m plugins.research.fit projection` has written")  # fmt: skip
    add("--layers", type=positive, default=2, metavar="N", help="how many of the last layers are trained")
    add("--steps", type=positive, default=300, metavar="N", help="how many batches of 32 questions are trained on")
    add("--rate", type=above_zero, default=5e-5, metavar="R", help="the highest learning rate of the layers")
    add("--axes-rate", type=above_zero, default=5e-4, metavar="R", help="the highest learning rate of the axes")
    add("--seed", type=int, default=0, help="the seed of what is drawn")


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mix", type=share, nargs="+", default=[1.0], metavar="SHARE", help="the share of the "
        "trained weights in their mean with those before")  # fmt: skip


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--mix", type=share, default=1.0, metavar="SHARE", help="the share of the trained weights in "
        "their mean with those before")  # fmt: skip
    parser.add_argument("--to", type=Path, required=True, metavar="DIR", help="the folder that gets both files")


def main(argv: Sequence[str] | None = None) -> None:
    """Run one step; exit with 2 when it cannot be done, with 130 when it was stopped."""
    asked = options().parse_args(argv)
    try:
        require(TRAINED_WITH)
        {"train": _train, "report": _report, "export": _export}[asked.step](asked)
    except (GoldUnreadable, CannotTrain, PackagesMissing) as error:
        print(f"embedder: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _train(asked: argparse.Namespace) -> None:
    from plugins.research.fit.embedder.training import EmbedderCourse, EmbedderTraining

    weights = weights_of(asked.weights)
    course = EmbedderCourse(asked.layers, asked.steps, asked.rate, asked.axes_rate, seed=asked.seed)
    corpus = read(asked.data)
    questions, texts = _prepared(asked, corpus, weights, course.layers, training=True)
    model = _fresh(asked, weights, course.layers, _axes(asked.axes))
    training = EmbedderTraining(model, questions, texts, course, asked.out)
    if training.restore():
        print(f"going on from step {training.done}", file=sys.stderr)
    training.run(lambda step, loss: say("steps", step, course.steps, f"loss {loss:.2f}"))
    print(f"\ntrained: {asked.out}", file=sys.stderr)
    _tell(asked, corpus, weights, (0.0, 1.0))


def _report(asked: argparse.Namespace) -> None:
    weights = weights_of(asked.weights)
    _state(asked)  # before the questions are read, which takes its time
    _tell(asked, read(asked.data), weights, asked.mix)


def _tell(asked: argparse.Namespace, corpus: Corpus, weights: Path, mixes: Sequence[float]) -> None:
    """Print the ranks of held-out questions with means of the weights before and after."""
    from plugins.research.fit.embedder.training import compared

    questions, texts = _prepared(asked, corpus, weights, int(_state(asked)["layers"]), training=False)
    for mix in mixes:
        model = _trained(asked, weights, mix)
        told = report(model.axes.detach().numpy(), compared(model, questions), compared(model, texts))
        print(f"{mix:.2f} of the trained weights: {told}", flush=True)


def _export(asked: argparse.Namespace) -> None:
    require(["onnx"])
    from plugins.research.fit.embedder.export import export

    model = _trained(asked, weights_of(asked.weights), asked.mix)
    for path, digest in export(minilm.model_file(), model, asked.to):
        print(f"{path}: {path.stat().st_size:,} bytes, sha256 {digest}")


def _prepared(
    asked: argparse.Namespace, corpus: Corpus, weights: Path, layers: int, training: bool
) -> tuple[list[TrainingQuestion], list[TrainingText]]:
    """Embed one side of the sample up to the layers that are trained; of held-out questions it is some of them."""
    import torch

    from plugins.research.fit.embedder.network import below

    torch.set_num_threads(asked.threads)
    sample, encoder = sample_of(corpus), _Encoder(weights)
    kept = [n for n, q in enumerate(sample.questions) if held_out(q.group) is not training]
    if not training:
        kept = random.Random(0).sample(kept, min(TESTED, len(kept)))  # noqa: S311  a sample, no secret
    own = [n for n, text in enumerate(sample.texts) if held_out(text.group) is not training]
    if not kept:
        raise CannotTrain(f"{asked.data}: has no question on the side of the split that is needed")
    number = {n: k for k, n in enumerate(own)}
    rows = [encoder.ids(sample.questions[n].text) for n in kept] + [encoder.ids(sample.texts[n].text) for n in own]
    states: list[np.ndarray] = [np.zeros(0)] * len(rows)
    for done, (n, found) in enumerate(below(weights, layers, rows), 1):
        states[n] = found
        if done % 100 == 0 or done == len(rows):
            say("embedding below the layers", done, len(rows))
    print(file=sys.stderr)
    questions = []
    for state, n in zip(states, kept, strict=False):
        q = sample.questions[n]
        right = number[sample.answering[n]]
        questions.append(TrainingQuestion(state, encoder.weights(q.text), right, q.group, q.source))
    texts = [TrainingText(state, sample.texts[n].group) for state, n in zip(states[len(kept) :], own, strict=True)]
    return questions, texts


class _Encoder:
    """The tokenizer of the model that is trained: the first window of a text, between [CLS] and [SEP]."""

    def __init__(self, weights: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(weights / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        first, last = (self._tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
        if first is None or last is None:
            raise CannotTrain(f"{weights / 'tokenizer.json'}: knows no [CLS] and [SEP]: it is not of a BERT")
        self._first, self._last = first, last

    def ids(self, text: str) -> list[int]:
        inside = self._tokenizer.encode(text, add_special_tokens=False).ids[: minilm.WINDOW]
        return [self._first, *inside, self._last]

    def weights(self, text: str) -> Floats:
        return minilm.token_weights(self._tokenizer.encode(text, add_special_tokens=False).tokens[: minilm.WINDOW])


def _axes(path: Path) -> Floats:
    try:
        axes: Floats = np.load(path, allow_pickle=False).astype(np.float32)
    except (OSError, ValueError, EOFError) as error:
        raise CannotTrain(
            f"{path}: cannot be read as axes ({error}): python -m plugins.research.fit projection writes them"
        ) from None
    return axes


def _fresh(asked: argparse.Namespace, weights: Path, layers: int, axes: Floats) -> LastLayers:
    import torch

    from plugins.research.fit.embedder.network import LastLayers, load

    torch.set_num_threads(asked.threads)
    bert = load(weights)
    if layers > len(bert.encoder.layer):
        raise CannotTrain(f"{weights}: has {len(bert.encoder.layer)} layers: train fewer with --layers")
    if axes.ndim != 2 or len(axes) != bert.config.hidden_size:
        raise CannotTrain(f"the axes are not of states of {bert.config.hidden_size}: fit them to the same model")
    return LastLayers(bert, layers, axes)


def _state(asked: argparse.Namespace) -> dict[str, Any]:
    from plugins.research.fit.embedder.training import UNTRAINED

    return load_state(asked.out / STATE, CannotTrain, UNTRAINED)


def _trained(asked: argparse.Namespace, weights: Path, mix: float) -> LastLayers:
    """Load the mean of the weights before training and after it."""
    from plugins.research.fit.embedder.training import fill, mixed

    state = _state(asked)
    start, model = (_fresh(asked, weights, int(state["layers"]), state["start"].numpy()) for _ in range(2))
    fill(model, state, asked.out / STATE)
    return mixed(model, start, mix)
