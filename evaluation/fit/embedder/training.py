"""The loop of training the last layers: seeded, and saved every few minutes, so that a run goes on where it was.

The loss is that of `evaluation.fit.contrast`: of the texts of a batch, which one has the answer? Scores are MaxSim,
question tokens weighted as in search.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from evaluation.errors import CannotTrain
from evaluation.fit.contrast import BETA2, TEMPERATURE, TrainingQuestion, TrainingText
from evaluation.fit.embedder.network import BATCH_TOKENS, Floats, Halves, LastLayers, batches, padded

STATE = "state.pt"
SAVE_SECONDS = 300
CLIPPED = 1.0


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


@dataclass(frozen=True, slots=True)
class Below:
    """A question or a text below the layers that are trained: its states (n + 2, h), [CLS] and [SEP] among them."""

    states: Halves
    group: str
    weights: Floats | None = None
    answering: int = -1
    source: str = ""


class EmbedderTraining:
    """The training of a network. `done` is the number of steps so far, of all runs.

    The axes that it began with are kept with its state, as no package has them.
    """

    def __init__(
        self, model: LastLayers, asked: Sequence[Below], texts: Sequence[Below], course: EmbedderCourse, folder: Path
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
        state = load_state(path)
        fill(self.model, state, path)
        if state.get("course") != repr(self.course) or not torch.equal(state["start"], self._start):
            raise CannotTrain(f"{path}: was trained with other options: name another --out, or give the same options")
        self._optimizer.load_state_dict(state["opt"])
        self.done = int(state["done"])
        return True

    def save(self) -> None:
        """Write the state, whole or not at all."""
        self._folder.mkdir(parents=True, exist_ok=True)
        part = self._folder / f"{STATE}.part"
        state = {"model": self.model.state_dict(), "opt": self._optimizer.state_dict(), "done": self.done}
        torch.save(state | {"course": repr(self.course), "layers": self.course.layers, "start": self._start}, part)
        part.replace(self._folder / STATE)
        self._saved = time.monotonic()

    def run(self, told: Callable[[int, float], None]) -> None:
        """Train to the end of the course. `told` is given each step and its loss."""
        while self.done < self.course.steps:
            self.done += 1
            slowed = self.course.slowed(self.done)
            for group, rate in zip(self._optimizer.param_groups, self._rates, strict=True):
                group["lr"] = rate * slowed
            asked, at = self.drawn(self.done)
            loss = choice_loss(self.model, asked, [self._texts[n] for n in at], [at.index(q.answering) for q in asked])
            self._optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), CLIPPED)
            self._optimizer.step()
            told(self.done, loss.item())
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.save()
        self.save()

    def drawn(self, step: int) -> tuple[list[Below], list[int]]:
        """Return the questions of a step and the numbers of its texts, theirs first; the same each time.

        Of two questions to one text only one is taken.
        """
        draw = np.random.default_rng([self.course.seed, step])
        chosen: dict[int, Below] = {}
        for n in draw.permutation(len(self._asked)):
            chosen.setdefault(self._asked[n].answering, self._asked[n])
            if len(chosen) == self.course.batch:
                break
        near = (
            int(n) for q in chosen.values() for n in draw.permutation(self._of_group[q.group])[: self.course.others + 1]
        )
        return list(chosen.values()), list(dict.fromkeys([*chosen, *near]))


def choice_loss(model: LastLayers, asked: Sequence[Below], texts: Sequence[Below], right: Sequence[int]) -> Tensor:
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


def vectors(model: LastLayers, rows: Sequence[Below]) -> list[Tensor]:
    """Return the unit token vectors (n, d) of questions or texts, without those of [CLS] and [SEP]."""
    found: list[Tensor] = [torch.zeros(0)] * len(rows)
    for chosen in batches([len(row.states) for row in rows], BATCH_TOKENS):
        own = model(*padded([rows[n].states for n in chosen]))
        for k, n in enumerate(chosen):
            found[n] = own[k, 1 : len(rows[n].states) - 1]
    return found


def compared(
    model: LastLayers, asked: Sequence[Below], texts: Sequence[Below]
) -> tuple[list[TrainingQuestion], list[TrainingText]]:
    """Return questions and texts as the unit token states (n, h) above all layers, for `evaluation.fit.contrast`."""

    def above(rows: Sequence[Below]) -> list[Halves]:
        found: list[Halves] = [np.zeros(0, np.float16)] * len(rows)
        for chosen in batches([len(row.states) for row in rows], BATCH_TOKENS):
            with torch.inference_mode():
                own = model.states(*padded([rows[n].states for n in chosen])).numpy().astype(np.float16)
            for k, n in enumerate(chosen):
                found[n] = own[k, 1 : len(rows[n].states) - 1]
        return found

    return (
        [
            TrainingQuestion(own, q.weights, q.answering, q.group, q.source)
            for own, q in zip(above(asked), asked, strict=True)
            if q.weights is not None
        ],
        [TrainingText(own, text.group) for own, text in zip(above(texts), texts, strict=True)],
    )


def load_state(path: Path) -> dict[str, Any]:
    """Load the state that a training saved. Raises CannotTrain."""
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CannotTrain(f"{path}: no such file: train first, or name the state with --state") from None
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, EOFError, UnpicklingError) as error:
        raise CannotTrain(f"{path}: cannot be read ({error}): begin anew in another folder") from None
    return state


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
