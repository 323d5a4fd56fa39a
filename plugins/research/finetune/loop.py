"""The steps of `plugins.research.finetune`: forward, backward, save; and resuming from a saved step.

A run is a folder: `adapter_config.json` and `adapter_model.safetensors` are the adapter as it was last saved,
`training.json` the record of the training, with the loss of every step, `resume.pt` the state from which `--resume`
goes on.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plugins.research.errors import CannotTrain
from plugins.research.finetune.course import Course, Tell, differences
from plugins.research.finetune.crops import EpochCrops
from plugins.research.finetune.data import Conversation
from plugins.research.finetune.model import Student, encoded, loss, reply_ids, save_adapter

NOTES, STATE = "training.json", "resume.pt"
CLIPPED = 1.0
"""The longest gradient, over all weights that are trained."""
_NO_MEMORY = ("not enough memory", "can't allocate memory", "ALLOC_FAILED")
"""The words of torch when it runs out of memory, where it has no error of its own for that."""


@dataclass(slots=True)
class Training:
    """A run on its way. `told` are the settings it depends on: a saved run is resumed only with the same ones."""

    student: Student
    course: Course
    examples: Sequence[Conversation]
    held_out: Sequence[Conversation]
    folder: Path
    told: Mapping[str, Any]
    step: int = 0
    losses: list[float] = field(default_factory=list)
    validated: list[tuple[int, float]] = field(default_factory=list)
    _optimizer: Any = None
    _crops: EpochCrops = field(init=False)

    def __post_init__(self) -> None:
        """Make the optimizer of the trained weights."""
        import torch

        self._crops = EpochCrops(self.examples, self.course)
        self._optimizer = torch.optim.AdamW(
            list(self.student.weights.values()), lr=self.course.learning_rate, weight_decay=0.0
        )

    @property
    def steps(self) -> int:
        """The number of steps of the whole run."""
        return self.course.steps(len(self.examples))

    def run(self, stopped: Callable[[], bool], tell: Tell) -> bool:
        """Train to the end, saving on the way; False when it was stopped, and saved, before that.

        Raises CannotTrain when memory runs out, or the loss is no number.
        """
        with memory_watched():
            while self.step < self.steps:
                if not self._stepped(stopped):
                    self.save()
                    return False
                tell(self.step, self.losses[-1])
                if self.held_out and (self.step % self.course.epoch_steps(len(self.examples)) == 0):
                    self.validated.append((self.step, self.validation_loss()))
                if self.step % self.course.save_every == 0 and self.step < self.steps:
                    self.save()
        self.save()
        return True

    def validation_loss(self) -> float:
        """Return the mean cross entropy of a token of the replies that are not trained on."""
        import torch

        self.student.model.eval()
        total, count, size = 0.0, 0, self.course.batch
        with torch.no_grad():
            for start in range(0, len(self.held_out), size):
                batch = self.held_out[start : start + size]
                total += float(loss(self.student, encoded(self.student, batch)))
                count += sum(len(reply_ids(self.student, example)) for example in batch)
        return total / count

    def save(self) -> None:
        """Write the adapter, the notes, and the state to resume from. Raises CannotTrain when the disk is full."""
        import torch

        state = {
            "step": self.step,
            "weights": {name: weight.detach().cpu() for name, weight in self.student.weights.items()},
            "optimizer": self._optimizer.state_dict(),
            "losses": self.losses,
            "validated": self.validated,
        }
        notes = {"told": self.told, "step": self.step, "steps": self.steps}
        notes |= {"losses": [round(v, 6) for v in self.losses], "validation": self.validated}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            save_adapter(self.student, self.folder)
            torch.save(state, self.folder / f".{STATE}")
            (self.folder / f".{STATE}").replace(self.folder / STATE)
            (self.folder / f".{NOTES}").write_text(json.dumps(notes, indent=1), encoding="utf-8")
            (self.folder / f".{NOTES}").replace(self.folder / NOTES)
        except (OSError, RuntimeError) as error:
            raise CannotTrain(f"{self.folder}: step {self.step} cannot be saved ({error}): is the disk full?") from None

    def restore(self) -> None:
        """Go on from the saved step, if there is one. Raises CannotTrain for an unreadable one or another run's."""
        import torch

        if not (self.folder / STATE).exists():
            return
        try:
            told = json.loads((self.folder / NOTES).read_text(encoding="utf-8"))["told"]
            state = torch.load(self.folder / STATE, map_location="cpu", weights_only=True)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError) as error:
            raise CannotTrain(
                f"{self.folder}: the saved step cannot be read ({error}): start again in another folder"
            ) from None
        changed = differences(told, json.loads(json.dumps(self.told)))
        if changed:
            raise CannotTrain(
                f"{self.folder}: its saved step was made with {changed}: use the same options, or another "
                "folder with --out"
            )
        for name, weight in self.student.weights.items():
            weight.data.copy_(state["weights"][name])
        self._optimizer.load_state_dict(state["optimizer"])
        self.step, self.losses = state["step"], list(state["losses"])
        self.validated = [(step, value) for step, value in state["validated"]]

    def _stepped(self, stopped: Callable[[], bool]) -> bool:
        """Take one step; return False, and change nothing, when stopped in its midst."""
        import torch

        batches = self._crops.batches(self.step)
        count = sum(len(reply_ids(self.student, example)) for batch in batches for example in batch)
        torch.manual_seed(self.course.seed * 1_000_003 + self.step)  # dropout: the same after --resume
        self.student.model.train()
        self._optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for batch in batches:
            if stopped():
                return False
            value = loss(self.student, encoded(self.student, batch))
            (value / count).backward()
            total += float(value.detach())
        if not math.isfinite(total):
            names = ", ".join(example.name for batch in batches for example in batch)
            raise CannotTrain(
                f"the loss of step {self.step + 1} is not a number ({names}): lower --learning-rate, and "
                "continue from the last saved step with --resume"
            )
        torch.nn.utils.clip_grad_norm_(self.student.weights.values(), CLIPPED)
        for group in self._optimizer.param_groups:
            group["lr"] = self.course.rate(self.step, self.steps)
        self._optimizer.step()
        self.step += 1
        self.losses.append(total / count)
        return True


@contextmanager
def memory_watched() -> Iterator[None]:
    """Raise CannotTrain, with what to do, when memory runs out inside."""
    import torch

    try:
        yield
    except (torch.OutOfMemoryError, MemoryError, RuntimeError) as error:
        known = isinstance(error, torch.OutOfMemoryError | MemoryError)
        if not known and not any(words in str(error) for words in _NO_MEMORY):
            raise
        raise CannotTrain(
            "memory ran out. To continue this training with less memory, use --resume with a smaller "
            "--batch-size, a larger --accumulate, and --gradient-checkpointing. For a new run with less "
            "memory, use a lower --max-pixels, fewer candidates per question, or a smaller checkpoint"
        ) from error
