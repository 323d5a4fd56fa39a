"""The loop of training the last layers: seeded, and saved every few minutes, so that a run goes on where it was.

The loss is that of `contrast.py`: of the texts of a batch, which one has the answer? Scores are MaxSim,
question tokens weighted as in search.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from plugins.research.errors import CannotTrain
from plugins.research.fit.contrast import BETA2, TEMPERATURE, TrainingQuestion, TrainingText
from plugins.research.fit.embedder.network import BATCH_TOKENS, LastLayers, batches, padded
from plugins.research.fit.embedder.requirements import STATE, load_state, save_state

SAVE_SECONDS = 300
CLIPPED = 1.0
UNTRAINED = "train first, or name the folder of a training with --out"
OneKind = TypeVar("OneKind", TrainingQuestion, TrainingText)
Row = TrainingQuestion | TrainingText
"""A question or a text. Until `compared`, its states (n + 2, h) are those below the layers that are trained, with [CLS]
and [SEP].
"""


@dataclass(frozen=True, slots=True)
class EmbedderCourse:
    """How the last layers are trained. A step takes `batch` questions, their texts, and `others` more of each document.

    The rates rise to their highest over the first tenth of the steps, and fall to nothing by the end.
    """

    layers: int = 2
    steps: int = 300
    rate: float = 5e-5
    axes_rate: float = 5e-4
    batch: int = 32
    others: int = 2
    seed: int = 0

    def slowed(self, step: int) -> float:
        """Return the share of the highest rate that step 1, 2, ... is trained with."""
        warm = max(self.steps // 10, 1)
        return min(step / warm, (self.steps - step + 1) / max(self.steps - warm, 1), 1.0)


class EmbedderTraining:
    """The training of a network. `done` is the number of steps so far, of all runs.

    The axes that it began with are kept with its state, as no package has them.
    """

    def __init__(
        self,
        model: LastLayers,
        asked: Sequence[TrainingQuestion],
        texts: Sequence[TrainingText],
        course: EmbedderCourse,
        folder: Path,
    ) -> None:
        """Prepare; nothing is read or written yet. `folder` is where the state is saved."""
        self.model, self.course, self.done = model, course, 0
        self._asked, self._texts, self._folder = asked, texts, folder
        self._of_group: dict[str, list[int]] = defaultdict(list)
        for n, text in enumerate(texts):
            self._of_group[text.group].append(n)
        self._rates = (course.rate, course.axes_rate)
        self._start = model.axes.detach().clone()
        self._optimizer = torch.optim.AdamW(
            [{"params": model.layers.parameters()}, {"params": [model.axes]}],
            betas=(0.9, BETA2),
            weight_decay=0.0,
        )
        self._saved = time.monotonic()

    def restore(self) -> bool:
        """Go on from the saved state, if there is one. Raises CannotTrain."""
        path = self._folder / STATE
        if not path.is_file():
            return False
        state = load_state(path, CannotTrain, UNTRAINED)
        fill(self.model, state, path)
        if state.get("course") != repr(self.course) or not torch.equal(state["start"], self._start):
            raise CannotTrain(f"{path}: was trained with other options: name another --out, or give the same options")
        self._optimizer.load_state_dict(state["opt"])
        self.done = int(state["done"])
        return True

    def save(self) -> None:
        """Write the state, whole or not at all."""
        told = {"course": repr(self.course), "layers": self.course.layers, "start": self._start, "done": self.done}
        save_state(self._folder, told | {"model": self.model.state_dict(), "opt": self._optimizer.state_dict()})
        self._saved = time.monotonic()

    def run(self, told: Callable[[int, float], None]) -> None:
        """Train to the end of the course. `told` is given each step and its loss."""
        while self.done < self.course.steps:
            self.done += 1
            slowed = self.course.slowed(self.done)
            for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
                group["lr"] = rate * slowed
            asked, at = self.drawn(self.done)
            loss = choice_loss(self.model, asked, [self._texts[n] for n in at], [at.index(q.text) for q in asked])
            self._optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), CLIPPED)
            self._optimizer.step()
            told(self.done, loss.item())
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.save()
        self.save()

    def drawn(self, step: int) -> tuple[list[TrainingQuestion], list[int]]:
        """Return the questions of a step and the numbers of its texts, theirs first; the same each time.

        Of two questions to one text only one is taken.
        """
        draw = np.random.default_rng([self.course.seed, step])
        chosen: dict[int, TrainingQuestion] = {}
        for n in draw.permutation(len(self._asked)):
            chosen.setdefault(self._asked[n].text, self._asked[n])
            if len(chosen) == self.course.batch:
                break
        near = (
            int(n) for q in chosen.values() for n in draw.permutation(self._of_group[q.group])[: self.course.others + 1]
        )
        return list(chosen.values()), list(dict.fromkeys([*chosen, *near]))


def choice_loss(
    model: LastLayers, asked: Sequence[TrainingQuestion], texts: Sequence[TrainingText], right: Sequence[int]
) -> Tensor:
    """Return the mean loss of questions: how unlikely the text that answers is chosen among all."""
    of_questions, of_texts = vectors(model, asked), vectors(model, texts)
    longest = max(len(own) for own in of_texts)
    among = torch.stack([nn.functional.pad(own, (0, 0, 0, longest - len(own))) for own in of_texts])
    behind = torch.tensor([len(own) for own in of_texts])[:, None] <= torch.arange(longest)
    scores = []
    for q, own in zip(asked, of_questions, strict=True):
        cosines = torch.einsum("qd,tnd->tqn", own, among).masked_fill(behind[:, None, :], -1.0)
        scores.append(cosines.amax(dim=2) @ torch.from_numpy(q.weights))
    return nn.functional.cross_entropy(torch.stack(scores) / TEMPERATURE, torch.tensor(list(right)))


def vectors(layers: Callable[[Tensor, Tensor], Tensor], rows: Sequence[Row]) -> list[Tensor]:
    """Return what `layers` make of the tokens (n, d) of questions or texts, without [CLS] and [SEP]."""
    found: list[Tensor] = [torch.zeros(0)] * len(rows)
    for chosen in batches([len(row.states) for row in rows], BATCH_TOKENS):
        own = layers(*padded([rows[n].states for n in chosen]))
        for k, n in enumerate(chosen):
            found[n] = own[k, 1 : len(rows[n].states) - 1]
    return found


def compared(model: LastLayers, rows: Sequence[OneKind]) -> list[OneKind]:
    """Return questions or texts as the unit token states (n, h) above all layers, as `contrast.py` takes them."""
    with torch.inference_mode():
        states = [own.numpy().astype(np.float16) for own in vectors(model.states, rows)]
    return [replace(row, states=own) for row, own in zip(rows, states, strict=True)]


def fill(model: LastLayers, state: dict[str, Any], path: Path) -> None:
    """Put saved weights into a network. Raises CannotTrain when they are of another one."""
    try:
        model.load_state_dict(state["model"])
    except (KeyError, RuntimeError) as error:
        raise CannotTrain(f"{path}: is not of an embedder of this size ({error})") from None


def mixed(model: LastLayers, start: LastLayers, share: float) -> LastLayers:
    """Put the mean of the weights before training (`start`) and after (share of the latter) into `model`."""
    before, after = start.state_dict(), model.state_dict()
    model.load_state_dict({name: torch.lerp(before[name], after[name], share) for name in after})
    return model
