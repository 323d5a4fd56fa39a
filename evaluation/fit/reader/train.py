"""The loop of training: seeded, and saved every ten minutes, so that a run goes on where the last one was saved."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from evaluation.fit import saved_state
from evaluation.fit.reader.course import Item, ReaderCourse, items_of
from evaluation.fit.reader.examples import Examples
from evaluation.fit.reader.network import ReaderNetwork
from evaluation.fit.reader.report import Run
from evaluation.fit.saved_state import STATE
from rag import ReaderDamaged
from rag.reader import InputEncoder, padded

SPAN_WEIGHT = 0.35
"""The weight of the loss of the place, which is larger than the others', and learnt more slowly."""
DECAY, CLIPPED = 0.01, 1.0
SAVE_SECONDS, TOLD_STEPS = 600, 50
NOWHERE = -1e4
Tell = Callable[[int, int, str], None]
"""A function that is told the step, the number of steps, and losses with speed and time left."""


class ReaderTraining:
    """A reader that is trained. `done` counts epochs, steps of this epoch, tokens seen and seconds, of all runs."""

    def __init__(
        self, model: ReaderNetwork, encoder: InputEncoder, examples: Examples, course: ReaderCourse, folder: Path
    ) -> None:
        """Prepare; nothing is read or written yet. `folder` is where the state is saved."""
        model.freeze_words()
        learnt = [p for p in model.parameters() if p.requires_grad]
        self.model, self.course, self.folder = model, course, folder
        self.done: dict[str, Any] = {"epoch": 0, "step": 0, "seen": 0, "seconds": 0.0}
        self._encoder, self._examples = encoder, examples
        self._learnt = learnt
        self._optimizer = torch.optim.AdamW(
            [
                {"params": [p for p in learnt if p.ndim > 1], "weight_decay": DECAY},
                {"params": [p for p in learnt if p.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=course.rate,
        )
        self._began = self._saved = time.monotonic()
        self._losses = _Losses()

    def restore(self) -> bool:
        """Go on from the saved state, if there is one. Raises ReaderDamaged."""
        path = self.folder / STATE
        if not path.is_file():
            return False
        state = load_state(path)
        if "opt" not in state or "done" not in state:
            raise ReaderDamaged(f"{path}: has weights alone, and no training to go on with: name another --out")
        fill(self.model, state, path)
        self._optimizer.load_state_dict(state["opt"])
        self.done = dict(state["done"])
        return True

    def save(self) -> None:
        """Write the state, whole or not at all."""
        self.done["seconds"] = self._seconds()
        state = {"model": self.model.state_dict(), "opt": self._optimizer.state_dict(), "done": self.done}
        saved_state.save_state(self.folder, state)
        self._saved = time.monotonic()

    def run(self, tell: Tell, after_epoch: Callable[[], None]) -> bool:
        """Train to the end of the course, or until its minutes are over (False); the state is saved then."""
        self._began = time.monotonic() - self.done["seconds"]
        self.model.train()
        whole = True
        while whole and self.done["epoch"] < self.course.epochs:
            epoch = self.done["epoch"]
            whole = self._epoch(tell)
            self.save()
            if whole:
                after_epoch()
                self.model.train()
            if self.done["epoch"] == epoch:  # the course, or its minutes, end within it
                break
        return whole

    def _epoch(self, tell: Tell) -> bool:
        """Train on the rest of an epoch; False when the minutes are over."""
        epoch = self.done["epoch"]
        sets = self._examples.epoch(self.course.epoch_seed(epoch), self.course.limits)
        todo = self.course.batches(epoch, items_of(self._encoder, [e for examples in sets for e in examples]))
        steps, before = int(len(todo) * self.course.epochs), epoch * len(todo)
        first = before + self.done["step"]
        started = time.monotonic()
        for batch in todo[self.done["step"] : max(0, steps - before)]:
            self._step(batch, before + self.done["step"], steps)
            at = before + self.done["step"]
            if at % TOLD_STEPS == 0 or at == steps:
                tell(at, steps, self._told((time.monotonic() - started) / (at - first) * (steps - at)))
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.save()
            if at < steps and self._seconds() > self.course.minutes * 60:
                return False
        if before + len(todo) <= steps:
            self.done |= {"epoch": epoch + 1, "step": 0}
        return True

    def _step(self, batch: Sequence[Item], at: int, steps: int) -> None:
        torch.manual_seed(self.course.seed * 1_000_003 + at)  # dropout: the same after going on
        for group in self._optimizer.param_groups:
            group["lr"] = self.course.rate_at(at, steps)
        loss = self._losses.of(self.model, batch)
        self._optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._learnt, CLIPPED)
        self._optimizer.step()
        self.done["step"] += 1
        self.done["seen"] += sum(item.length for item in batch)

    def _told(self, left: float) -> str:
        speed = self.done["seen"] / max(self._seconds(), 1e-9)
        return f"{self._losses.told()}   {speed:.0f} tokens/s   {left / 60:.0f} min left"

    def _seconds(self) -> float:
        return time.monotonic() - self._began


class _Losses:
    """The losses of batches, and their means since they were last told."""

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def of(self, model: ReaderNetwork, batch: Sequence[Item]) -> Tensor:
        """Give the loss of a batch, an item's mean: of answering, place and support, where they are known."""
        answers, start, end, support = model(*tensors(batch))
        total = torch.zeros(())
        known = [k for k, item in enumerate(batch) if item.answers >= 0]
        if known:
            labels = torch.tensor([float(batch[k].answers) for k in known])
            loss = nn.functional.binary_cross_entropy_with_logits(answers[known], labels, reduction="sum")
            total = total + self._counted("answers", loss, len(known))
        placed = [k for k, item in enumerate(batch) if item.answers == 1 and item.starts]
        if placed:
            loss = span_loss(batch, placed, start, end)
            total = total + SPAN_WEIGHT * self._counted("place", loss, len(placed))
        claimed = [k for k, item in enumerate(batch) if item.support >= 0]
        if claimed:
            labels = torch.tensor([batch[k].support for k in claimed])
            loss = nn.functional.cross_entropy(support[claimed], labels, reduction="sum")
            total = total + self._counted("support", loss, len(claimed))
        return total / len(batch)

    def told(self) -> str:
        """Write the means, and begin anew."""
        text = "   ".join(f"{name} {total / count:.3f}" for name, (total, count) in sorted(self._sums.items()))
        self._sums.clear()
        return text

    def _counted(self, name: str, loss: Tensor, count: int) -> Tensor:
        self._sums[name][0] += loss.item()
        self._sums[name][1] += count
        return loss


def span_loss(batch: Sequence[Item], rows: Sequence[int], start: Tensor, end: Tensor) -> Tensor:
    """Sum, over the rows with a known place, how unlikely all their places together are: any of them is right."""
    region = torch.zeros(start.shape, dtype=torch.bool)
    for k, item in enumerate(batch):
        region[k, item.row.first : item.row.end] = True
    start = start.masked_fill(~region, NOWHERE).log_softmax(-1)
    end = end.masked_fill(~region, NOWHERE).log_softmax(-1)
    total = torch.zeros(())
    for k in rows:
        total = total - torch.logsumexp(start[k, list(batch[k].starts)] + end[k, list(batch[k].ends)], 0)
    return total


def tensors(batch: Sequence[Item]) -> tuple[Tensor, Tensor, Tensor]:
    """Join items to ids, mask and types, (b, n) each."""
    ids, mask, types = (torch.from_numpy(array) for array in padded([item.row for item in batch]))
    return ids, mask, types


def runner(model: ReaderNetwork) -> Run:
    """Have a model read arrays, without learning anything."""

    def run(*rows: Any) -> list[Any]:
        model.eval()
        with torch.no_grad():
            return [logits.numpy() for logits in model(*map(torch.from_numpy, rows))]

    return run


def load_state(path: Path) -> dict[str, Any]:
    """Load the state that a training saved; a file of bare weights is taken too. Raises ReaderDamaged."""
    state = saved_state.load_state(path, ReaderDamaged, "train first, or name the state with --state")
    return state if "model" in state else {"model": state}


def fill(model: ReaderNetwork, state: dict[str, Any], path: Path) -> None:
    """Put saved weights into a model. Raises ReaderDamaged when they are of another one."""
    try:
        model.load_state_dict(state["model"])
    except RuntimeError as error:
        raise ReaderDamaged(f"{path}: is not of a reader of this size ({error})") from None
