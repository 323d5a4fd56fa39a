"""Judges: a chat model that gives a score and its reason by a rubric. Every judgement is kept, with its reason.

A rubric is a prompt of `evaluation/prompts`, or of the folder `prompts` of a plugin. A case that a judge could not
judge, or be asked about, has the score None, with the reason, and a figure that takes it stays blank: nothing is
guessed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from evaluation.errors import HOPELESS, RunRefused
from evaluation.harness.predictions import JsonLines
from rag import ModelError, Profile, ReplyCutOff, ReplyUnusable
from rag.llm import ChatModel, Message, Prompt, Schema, fence, in_line, read_prompt

if TYPE_CHECKING:
    from PIL import Image
from evaluation.errors import Unshowable
from evaluation.tasks import Picture, Rubric

OWN_WORDS = (
    "Judges were asked in Vouch's own words, not in the paper's: figures that need a judge are not comparable to the "
    "paper's."
)
"""What every report says that prints a judged figure."""
REASON_CHARS = 400
REPLY_TOKENS = 400


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judgement by `judge` under `key`, by the version `version` of its prompt; where `score` is None, it failed."""

    key: str
    score: float | None
    reason: str
    judge: str
    prompt: str
    version: str


R = TypeVar("R")


class RubricJudge:
    """A model as a judge. It may be asked from several threads."""

    def __init__(self, model: ChatModel, picture: Picture | None = None) -> None:
        """Keep the model, and `picture`, which draws regions or raises Unshowable.

        Without it, or with a model that sees nothing, only texts are shown.
        """
        self.name = model.name
        self._model = model
        self._picture = picture

    def judge(self, rubric: Rubric) -> Judgement:
        """Return a judgement; its score is None if the case could not be judged. Raises only errors of `HOPELESS`."""
        prompt = rubric_prompt(rubric.prompt)
        room = self._model.capacity.images - (rubric.image is not None)
        regions = rubric.regions[: max(0, room)] if self._picture else ()
        try:
            if room < 0:
                raise Unshowable("it is about an image, and the judge does not see images")  # noqa: TRY301
            if rubric.pictured and len(regions) < len(rubric.regions):
                count = f"{len(regions)} of {len(rubric.regions)}"
                raise Unshowable(f"{count} regions could be shown, and not all have a text")  # noqa: TRY301
            first = () if rubric.image is None else (picture(rubric.image),)
            pictures = first + (tuple(self._picture(region) for region in regions) if self._picture else ())
        except Unshowable as error:
            return Judgement(rubric.key, None, f"no judgement: {error}", self.name, prompt.name, prompt.version)
        values = {name: fence(text) if "\n" in text else in_line(text) for name, text in rubric.values.items()}
        message = Message("user", (prompt.fill(**values), *pictures))
        schema = {
            "type": "object",
            "properties": {
                "reason": {"type": "string", "maxLength": REASON_CHARS},
                "score": {"type": "number", "enum": list(rubric.scale)},
            },
            "required": ["reason", "score"],
            "additionalProperties": False,
        }
        result, why_not = ask_judge(self._model, message, schema, lambda text: parse_score(text, rubric.scale))
        score, reason = result or (None, f"no judgement: {why_not}")
        return Judgement(rubric.key, score, reason, self.name, prompt.name, prompt.version)


def ask_judge(model: ChatModel, message: Message, schema: Schema, read: Callable[[str], R]) -> tuple[R | None, str]:
    """Return (`read` of the reply, "") or (None, the reason); a reply that cannot be read is requested once more.

    Raises the errors of `HOPELESS`, which every further question would meet as well, and no other ModelError.
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


def parse_score(text: str, scale: Sequence[float]) -> tuple[float, str]:
    """Read score and reason of a reply. Raises ValueError unless it is JSON with a score of the scale.

    >>> parse_score('{"reason": "It says so.", "score": 4}', (0, 1, 2, 3, 4, 5))
    (4.0, 'It says so.')
    """
    try:
        values = json.loads(text)
        score, reason = values["score"], values["reason"]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"the reply is not JSON with reason and score: {text[:120]!r}") from None
    if isinstance(score, bool) or score not in scale:
        raise ValueError(f"{score!r} is not on the scale ({', '.join(f'{s:g}' for s in scale)})")
    return float(score), str(reason)[:REASON_CHARS]


@cache
def rubric_prompt(name: str) -> Prompt:
    """Load the prompt `evaluation/prompts/NAME.md`, or of a plugin by `plugins.PLUGIN:NAME`. Raises PromptDamaged."""
    package, _, stem = name.rpartition(":")
    file = resources.files(package or "evaluation").joinpath("prompts", f"{stem}.md")
    return read_prompt(stem, file.read_text(encoding="utf-8"))


def picture(path: Path) -> Image.Image:
    """Return the image in a file as RGB. Raises Unshowable if it cannot be read."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise Unshowable(f"{path.name} cannot be read as an image ({error})") from None


def model_of(name: str, profile: Profile) -> ChatModel:
    """Return the model that a profile names. Raises RunRefused when it names none."""
    if profile.rag.model is None:
        raise RunRefused(
            f"profile {name}: it names no model (rag.model): give one that does, such as `vouch connect` writes"
        )
    from rag.llm import served_model

    return served_model(profile.rag.model)


class Judgements:
    """The judgements of a run, read from its file and appended to it; `by_key` has them by question, key and judge."""

    def __init__(self, path: Path) -> None:
        """Read the judgements there are; a last line cut off is dropped. Raises RunRefused for an unusable line."""
        self._lines = JsonLines(path)
        self.by_key: dict[tuple[str, str, str, str], Judgement] = {}
        self._scores: dict[tuple[str, str], dict[str, float]] = {}
        self._lines.read(lambda row: self._keep(row.pop("qid"), Judgement(**row)), "judgement")

    def missing(self, qid: str, judge: str, rubrics: Sequence[Rubric]) -> list[Rubric]:
        """Return the rubrics of a question that a judge has not judged with the current versions of their prompts."""
        return [r for r in rubrics if (qid, r.key, judge, rubric_prompt(r.prompt).version) not in self.by_key]

    def add(self, qid: str, judgement: Judgement) -> None:
        """Append a judgement to the file and keep it."""
        self._lines.add({"qid": qid, **asdict(judgement)})
        self._keep(qid, judgement)

    def of(self, qid: str, judge: str) -> dict[str, float]:
        """Return a judge's scores for a question by rubric key, without cases that could not be judged."""
        return self._scores.get((qid, judge), {})

    def _keep(self, qid: str, judgement: Judgement) -> None:
        self.by_key[qid, judgement.key, judgement.judge, judgement.version] = judgement
        if judgement.score is not None:
            self._scores.setdefault((qid, judgement.judge), {})[judgement.key] = judgement.score
