"""Teach a Qwen2.5-VL or Qwen3-VL to answer with the box that proves it (VISA, Ma et al. 2024), by LoRA.

The training changes a small adapter beside the frozen model, on conversations that `vouch eval construct visa --sft`
made from documents of your own. The model learns to answer exactly the questions of method visa; its replies alone are
learnt, and boxes are written as its family writes them. Conversations of `vouch eval construct citevqa --sft`, whose
answers cite by <bbox/>, are learnt as they stand; both forms may be in one file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation import GoldUnreadable, positive
from indexing import IndexingError
from indexing.embed.visual import Checkpoint, fingerprint, locate
from plugins.research import qwen_vl
from plugins.research.arguments import number, share
from plugins.research.errors import CannotTrain
from plugins.research.finetune.course import TARGETS, Adapter, Course, shown_progress, stoppable
from plugins.research.finetune.data import Conversation, Lines, read, split, told
from plugins.research.finetune.loop import STATE, Training, memory_watched
from plugins.research.finetune.model import WHO, family_of, keep_less, load, merge
from rag import RagError

if TYPE_CHECKING:
    from rag.llm import ModelSettings

INTERRUPTED = 130
LEAST_PIXELS, MOST_PIXELS = 224 * 224, 1_048_576
SERVED_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""The ranks that vLLM takes for --max-lora-rank."""
_EXAMPLES = """\
from documents to figures:
  vouch eval construct visa --collection mine --profile mine.yaml --count 500 --cropped 0 --out data \\
      --sft data/sft.jsonl
  python -m plugins.research.finetune --data data/sft.jsonl --checkpoint Qwen/Qwen3-VL-8B-Instruct --out adapter \\
      --validation 0.1 --crops 0.3
  vllm serve Qwen/Qwen3-VL-8B-Instruct --enable-lora --max-lora-rank 16 --lora-modules tuned=adapter
  vouch eval visa --data test-data --profile tuned.yaml --method visa --out runs/tuned

The profile names the adapter (rag.model.name: tuned) and the keys that a run prints at its end: images have to be sent
as they were in training. For a server that does not support adapters, merge the model:
  python -m plugins.research.finetune --out adapter --merge merged
  vllm serve merged --served-model-name tuned

Ctrl-C saves, and the same command with --resume continues, step for step as if it had never stopped. Train on other
documents than you measure on. Anything but a trial needs a GPU, with room for the checkpoint in bf16 (18 GB for 8B) and
for a batch.
exit code: 0 trained, 2 nothing could be trained, 130 stopped
"""

DEFAULT = "(default: %(default)s)"
_part = number("from 0 to less than 1", lambda value: 0 <= value < 1)
_rate = number("above 0 and below 1", lambda value: 0 < value < 1)


def _pixels(text: str) -> int:
    return int(number(f"of pixels from {LEAST_PIXELS} on", lambda n: n >= LEAST_PIXELS and n == int(n))(text))


def options() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    parser = argparse.ArgumentParser(
        prog="python -m plugins.research.finetune",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument_group("what").add_argument
    add(
        "--data", type=Path, metavar="FILE", help="the conversations of `vouch eval construct --sft`, with their images"
    )
    add("--checkpoint", metavar="NAME", help="a Qwen2.5-VL or Qwen3-VL: a folder, or owner/name on the hub")
    add("--out", type=Path, required=True, metavar="DIR", help="the folder for the adapter: empty, or with --resume")
    add("--resume", action="store_true", help="continue from the last saved step in --out, if there is one")
    add("--merge", type=Path, metavar="DIR", help="merge checkpoint and adapter into one model; needs no --data")
    add("--validation", metavar="SHARE|FILE", help="the data to measure the loss on: a share of --data, or a file")
    add("--limit", type=positive, metavar="N", help="train on only the first N conversations, for a trial")
    _add_training(parser.add_argument_group("how"))
    add = parser.add_argument_group("where").add_argument
    add("--device", default="auto", help="the device, or auto for the GPU if there is one; bf16 on a GPU, else fp32")
    add("--gradient-checkpointing", action=argparse.BooleanOptionalAction, default=None, help="compute twice to use "
        "less memory (default: on a GPU)")  # fmt: skip
    add("--save-every", type=positive, default=Course().save_every, metavar="N", help="the number of steps between "
        f"saves {DEFAULT}")  # fmt: skip
    return parser


def _add_training(group: argparse._ArgumentGroup) -> None:
    """Add the options of the training itself."""
    course, adapter, add = Course(), Adapter(), group.add_argument
    add("--epochs", type=positive, default=course.epochs, metavar="N", help=f"the number of epochs {DEFAULT}")
    add("--batch-size", type=positive, default=course.batch, metavar="N", help=f"the conversations per batch {DEFAULT}")
    add("--accumulate", type=positive, default=course.accumulate, metavar="N", help=f"the batches per step {DEFAULT}")
    add("--learning-rate", type=_rate, default=course.learning_rate, metavar="R", help="the highest learning "
        f"rate {DEFAULT}")  # fmt: skip
    add("--warmup", type=_part, default=course.warmup, metavar="S", help=f"the share of steps for warm-up {DEFAULT}")
    add("--crops", type=share, default=course.crops, metavar="P", help="the share of examples to crop, drawn again "
        f"in every epoch {DEFAULT}")  # fmt: skip
    add("--rank", type=positive, default=adapter.rank, metavar="R", help="the rank of the adapter's matrices "
        f"{DEFAULT}")  # fmt: skip
    add("--alpha", type=positive, default=adapter.alpha, metavar="A", help=f"LoRA alpha: their scale x rank {DEFAULT}")
    add("--dropout", type=_part, default=adapter.dropout, metavar="P", help=f"the dropout of their inputs {DEFAULT}")
    add("--targets", nargs="+", default=TARGETS, metavar="MODULE", help="the modules of the language model "
        f"(default: all of {' '.join(TARGETS)}); the vision tower is not trained")  # fmt: skip
    add("--max-pixels", type=_pixels, default=MOST_PIXELS, metavar="N", help="the most pixels of an image, as "
        f"rag.model.max_pixels {DEFAULT}")  # fmt: skip
    add("--seed", type=int, default=course.seed, help=f"the seed of order, initial weights and dropout {DEFAULT}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run; 0 when trained (or merged), 2 when nothing could be, 130 when stopped by Ctrl-C."""
    parser = options()
    asked = parser.parse_args(argv)
    if asked.data is None and asked.merge is None:
        parser.error("give --data FILE to train, or --merge DIR to merge the adapter in --out")
    if asked.data is not None and not asked.checkpoint:
        parser.error("--data needs --checkpoint, the model to train")
    try:
        if asked.data is not None and not _train(asked):
            return INTERRUPTED
        if asked.merge is not None:
            _merge(asked)
    except (CannotTrain, GoldUnreadable, IndexingError, RagError) as error:
        print(f"finetune: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _train(asked: argparse.Namespace) -> bool:
    """Train; False when it was stopped."""
    _check_folder(asked.out, asked.resume)
    if asked.merge is not None:
        _check_empty(asked.merge, "--merge")
    examples, held_out, seals = _examples(asked)
    qwen_vl.require_packages(WHO)
    checkpoint = locate(asked.checkpoint, WHO)
    family = family_of(checkpoint)
    course = Course(
        asked.epochs,
        asked.batch_size,
        asked.accumulate,
        asked.learning_rate,
        asked.warmup,
        asked.seed,
        asked.save_every,
        asked.crops,
    )
    adapter = Adapter(asked.rank, asked.alpha, asked.dropout, tuple(asked.targets))
    print(
        f"{family.name} {checkpoint.name}: {len(examples)} conversations, {len(held_out)} to validate", file=sys.stderr
    )
    with memory_watched():
        student = load(checkpoint, adapter, asked.max_pixels, asked.device, asked.seed)
    if asked.gradient_checkpointing or (asked.gradient_checkpointing is None and student.device != "cpu"):
        keep_less(student)
    depends = {
        "data": seals,
        "checkpoint": f"{checkpoint.name} {fingerprint(checkpoint)}",
        "conversations a step": course.batch * course.accumulate,
        **{key: value for key, value in asdict(course).items() if key not in ("batch", "accumulate", "save_every")},
        **asdict(adapter),
        "max_pixels": student.settings.max_pixels,
    }
    training = Training(student, course, examples, held_out, asked.out, depends)
    if asked.resume:
        training.restore()
    trained = sum(weight.numel() for weight in student.weights.values())
    print(f"{trained:,} weights are trained on {student.device}, from step {training.step}", file=sys.stderr)
    with stoppable() as stopped, shown_progress(training.steps, training.step, sys.stderr) as tell:
        whole = training.run(stopped, tell)
    _tell_end(asked, training, student.settings, checkpoint, whole)
    return whole


def _examples(asked: argparse.Namespace) -> tuple[tuple[Conversation, ...], tuple[Conversation, ...], list[Any]]:
    """Return the examples to train on and to validate with, and the parts of them that the training depends on."""
    lines = _read(asked.data, asked.limit)
    if asked.validation is None:
        return lines.examples, (), [lines.sha256]
    try:
        share = float(asked.validation)
    except ValueError:
        others = _read(Path(asked.validation))
        return lines.examples, others.examples, [lines.sha256]
    if not 0 < share < 1:
        raise CannotTrain(f"--validation {asked.validation}: give a share between 0 and 1, or a file")
    kept, held_out = split(lines, share, asked.seed)
    return kept, held_out, [lines.sha256, share]


def _read(path: Path, limit: int | None = None) -> Lines:
    """Return the examples of a file, after naming the lines that are left out."""
    lines = read(path, limit)
    for line in told(lines):
        print(line, file=sys.stderr)
    if lines.problems:
        print(f"{len(lines.problems)} lines of {path} left out, {len(lines.examples)} used", file=sys.stderr)
    return lines


def _check_folder(out: Path, resume: bool) -> None:
    """Raise CannotTrain unless the folder is empty, or holds a saved step that is asked for."""
    if not resume:
        _check_empty(out, "--out")
    elif out.is_dir() and any(out.iterdir()) and not (out / STATE).is_file():
        raise CannotTrain(
            f"{out}: it contains files, but no saved step ({STATE}) to continue from: give another folder with --out"
        )


def _check_empty(folder: Path, option: str) -> None:
    if folder.exists() and not folder.is_dir():
        raise CannotTrain(f"{folder}: it is a file: give a folder with {option}")
    if folder.is_dir() and any(folder.iterdir()):
        more = "continue with --resume, or " if option == "--out" and (folder / STATE).is_file() else ""
        raise CannotTrain(f"{folder}: it is not empty: {more}give another folder with {option}")


def _tell_end(
    asked: argparse.Namespace, training: Training, settings: ModelSettings, checkpoint: Checkpoint, whole: bool
) -> None:
    """Say how it went, and what to do with it."""
    for step, value in training.validated[-1:]:
        print(f"validation loss after step {step}: {value:.4f}", file=sys.stderr)
    if not whole:
        print(f"stopped after step {training.step} of {training.steps}: continue with --resume", file=sys.stderr)
        return
    print(f"trained {training.steps} steps, loss {training.losses[0]:.4f} -> {training.losses[-1]:.4f}: {asked.out}")
    room = next((size for size in SERVED_RANKS if size >= asked.rank), asked.rank)
    print(f"  vllm serve {checkpoint.name} --enable-lora --max-lora-rank {room} --lora-modules tuned={asked.out}")
    print("in the profile, under rag.model:")
    print(f"  name: tuned\n  boxes: {settings.boxes}\n  patch: {settings.patch}\n  max_pixels: {settings.max_pixels}")
    print(f"  min_pixels: {settings.min_pixels}")
    print("  vouch eval visa --data DATA --profile PROFILE --method visa --out RUN")


def _merge(asked: argparse.Namespace) -> None:
    """Write checkpoint and adapter as one model. Raises CannotTrain, CheckpointMissing, CheckpointUnfit."""
    import json

    qwen_vl.require_packages(WHO)
    _check_empty(asked.merge, "--merge")
    try:
        named = json.loads((asked.out / "adapter_config.json").read_text(encoding="utf-8"))["base_model_name_or_path"]
    except (OSError, ValueError, KeyError):
        raise CannotTrain(f"{asked.out}: it contains no adapter: train one, or give its folder with --out") from None
    with memory_watched():
        merge(locate(asked.checkpoint or named, WHO), asked.out, asked.merge)
    print(f"merged: {asked.merge}\n  vllm serve {asked.merge} --served-model-name tuned")
