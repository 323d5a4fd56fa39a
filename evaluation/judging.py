"""Judges: a chat model that gives a score and its reason by a rubric. Every judgement is kept, with its reason.

A rubric is a prompt of `evaluation/prompts`. What a judge could not judge, or be asked about, has the score None, with
the reason, and a figure that takes it stays blank: nothing is guessed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evaluation.asking import HOPELESS
from evaluation.predictions import Refused
from rag import Profile
from rag.chat import ChatModel, Message, Schema
from rag.errors import ModelError, ReplyCutOff, ReplyUnusable
from rag.fencing import fenced, in_line
from rag.prompting import Prompt, read_prompt

if TYPE_CHECKING:
    from PIL import Image

REASON_CHARS = 400
REPLY_TOKENS = 400


@dataclass(frozen=True, slots=True)
class Region:
    """A piece of a page: the document's id, the page from 1, the box in fractions of the page."""

    document: str
    page: int
    bbox: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Something to be judged: under `key`, by the prompt `prompt` with its `values`, on the `scale` of scores.

    `regions` are shown as pictures to a judge that sees. With `pictured` the values do not say all that they show: a
    judge that is not shown every one of them could only guess.
    """

    key: str
    prompt: str
    values: Mapping[str, str]
    scale: tuple[float, ...]
    regions: tuple[Region, ...] = ()
    pictured: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What `judge` says under `key`, by the version `version` of its prompt; `score` None: it could not be judged."""

    key: str
    score: float | None
    reason: str
    judge: str
    prompt: str
    version: str


class Unshowable(Exception):
    """What is to be shown is no image, or one too large, or cannot be drawn, or is too many; the message says which."""


R = TypeVar("R")
Picture = Callable[[Region], "Image.Image"]


class Judge:
    """A model as a judge. May be asked from several threads."""

    def __init__(self, model: ChatModel, picture: Picture | None = None) -> None:
        """`picture` draws regions, or raises Unshowable; without it, or with a model that sees nothing, only texts are
        shown.
        """
        self.name = model.name
        self._model = model
        self._picture = picture

    def judge(self, rubric: Rubric) -> Judgement:
        """A judgement, of what could not be judged too. Raises the errors of `asking.HOPELESS` alone."""
        prompt = rubric_prompt(rubric.prompt)
        seen = rubric.regions[: self._model.room.images] if self._picture else ()
        try:
            if rubric.pictured and len(seen) < len(rubric.regions):
                count = f"{len(seen)} of {len(rubric.regions)}"
                raise Unshowable(f"{count} regions could be shown, and not all have a text")  # noqa: TRY301
            shown = tuple(self._picture(region) for region in seen) if self._picture else ()
        except Unshowable as error:
            return Judgement(rubric.key, None, f"no judgement: {error}", self.name, rubric.prompt, prompt.version)
        values = {name: fenced(text) if "\n" in text else in_line(text) for name, text in rubric.values.items()}
        message = Message("user", (prompt.filled(**values), *shown))
        schema = {
            "type": "object",
            "properties": {
                "reason": {"type": "string", "maxLength": REASON_CHARS},
                "score": {"type": "number", "enum": list(rubric.scale)},
            },
            "required": ["reason", "score"],
            "additionalProperties": False,
        }
        found, why_not = replied(self._model, message, schema, lambda text: scored(text, rubric.scale))
        score, reason = found or (None, f"no judgement: {why_not}")
        return Judgement(rubric.key, score, reason, self.name, rubric.prompt, prompt.version)


def replied(model: ChatModel, message: Message, schema: Schema, read: Callable[[str], R]) -> tuple[R | None, str]:
    """What `read` makes of the reply or, with None, why there is none; one that cannot be read is asked for once more.

    Raises the errors of `asking.HOPELESS`, which every further question would meet as well, and no other ModelError.
    """
    reason = ""
    for _ in range(2):
        try:
            return read(model.complete([message], schema=schema, max_tokens=REPLY_TOKENS).text), ""
        except (ReplyUnusable, ReplyCutOff, ValueError) as error:
            reason = str(error)
        except HOPELESS:
            raise
        except ModelError as error:
            return None, str(error)
    return None, reason


def scored(text: str, scale: Sequence[float]) -> tuple[float, str]:
    """Score and reason of a reply. Raises ValueError unless it is JSON with a score of the scale.

    >>> scored('{"reason": "It says so.", "score": 4}', (0, 1, 2, 3, 4, 5))
    (4.0, 'It says so.')
    """
    try:
        said = json.loads(text)
        score, reason = said["score"], said["reason"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"the reply is no JSON with reason and score: {text[:120]!r}") from None
    if isinstance(score, bool) or score not in scale:
        raise ValueError(f"{score!r} is not on the scale ({', '.join(f'{s:g}' for s in scale)})")
    return float(score), str(reason)[:REASON_CHARS]


@cache
def rubric_prompt(name: str) -> Prompt:
    """The prompt `evaluation/prompts/<name>.md`. Raises PromptDamaged."""
    file = resources.files("evaluation").joinpath("prompts", f"{name}.md")
    return read_prompt(name, file.read_text(encoding="utf-8"))


def model_of(name: str, profile: Profile) -> ChatModel:
    """The model that a profile names. Raises Refused when it names none."""
    if profile.rag.model is None:
        raise Refused(f"profile {name}: names no model (rag: model:), so it cannot be a judge: name another")
    from rag.llm import ServedModel

    return ServedModel(profile.rag.model)


class Judgements:
    """The judgements of a run by question, key and judge: a file to which each is added as it is made."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a last line that was cut off is dropped. Raises Refused for a line that is none."""
        self._path = path
        self.made: dict[tuple[str, str, str, str], Judgement] = {}
        self._scores: dict[tuple[str, str], dict[str, float]] = {}
        written = path.read_bytes() if path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                row: dict[str, Any] = json.loads(line)
                self._keep(row.pop("qid"), Judgement(**row))
            except (ValueError, KeyError, TypeError):
                raise Refused(f"{path}, line {number}: is no judgement: name another folder with --out") from None
        if len(whole) < len(written):
            path.write_bytes(whole)

    def missing(self, qid: str, judge: str, rubrics: Sequence[Rubric]) -> list[Rubric]:
        """Those of a question's rubrics that this judge has not judged by the prompts of today."""
        return [r for r in rubrics if (qid, r.key, judge, rubric_prompt(r.prompt).version) not in self.made]

    def add(self, qid: str, judgement: Judgement) -> None:
        """Keep a judgement."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"qid": qid, **asdict(judgement)}, ensure_ascii=False) + "\n")
        self._keep(qid, judgement)

    def of(self, qid: str, judge: str) -> dict[str, float]:
        """The scores of a judge about a question by key; what could not be judged is not there."""
        return self._scores.get((qid, judge), {})

    def _keep(self, qid: str, judgement: Judgement) -> None:
        self.made[qid, judgement.key, judgement.judge, judgement.version] = judgement
        if judgement.score is not None:
            self._scores.setdefault((qid, judgement.judge), {})[judgement.key] = judgement.score
