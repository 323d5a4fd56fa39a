"""The identification of sources by multiple choice: a model sees a question and its items, and names the one it needs.

MCiteBench (Hu et al. 2025, RQ1 and table 11) asks so to tell understanding from attribution: an option an item, "based
solely on the question". Of questions with several sources none is asked there. The options stand in a random order from
a seed. Every choice is kept with the model's reason. A question that could not be asked, or was not answered, has no
choice, with the reason, and its figure stays blank.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.errors import Unshowable
from evaluation.harness.ask import in_order
from evaluation.harness.judge import REASON_CHARS, model_of, picture, replied, rubric_prompt
from evaluation.harness.predictions import JsonLines
from evaluation.progress import say
from evaluation.tasks import GoldQuestion
from rag import Profile
from rag.llm import ChatModel, Message, Schema, fenced, in_line

if TYPE_CHECKING:
    from PIL import Image
from evaluation.tasks import Choice

PROMPT = "mcite_source"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The choice of `model` among the documents `options` (in the order shown, by `seed`), and the reason.

    Where `chosen` is None, it could not be asked, or gave no choice; the reason says which.
    """

    model: str
    seed: int
    options: tuple[str, ...]
    chosen: tuple[str, ...] | None
    reason: str
    prompt: str
    version: str


Picture = Callable[[str], "Image.Image"]
"""A function that draws the item that is the document of this id."""


class Chooser:
    """A model that is given choices. It may be asked from several threads."""

    def __init__(self, model: ChatModel, picture: Picture, seed: int = 0) -> None:
        self.name = model.name
        self.seed = seed
        self._model = model
        self._picture = picture

    def choose(self, choice: Choice) -> Chosen:
        """Return the choice, also for one that could not be asked. Raises the errors of `HOPELESS` alone."""
        chosen, reason = None, ""
        try:
            message = Message("user", tuple(self._parts(choice)))
            found, why_not = replied(self._model, message, schema_of(choice), lambda text: read(text, choice))
        except Unshowable as error:
            reason = f"not asked: {error}"
        else:
            letter, reason = found or (None, f"no choice: {why_not}")
            chosen = None if letter is None else (choice.items[choice.letters.index(letter)].document,)
        options = tuple(item.document for item in choice.items)
        return Chosen(self.name, self.seed, options, chosen, reason, PROMPT, rubric_prompt(PROMPT).version)

    def _parts(self, choice: Choice) -> list[Any]:
        if len(choice.items) > len(choice.letters):
            raise Unshowable(f"{len(choice.items)} items are more than there are letters")
        parts: list[Any] = [rubric_prompt(PROMPT).filled(question=in_line(choice.question))]
        for letter, item in zip(choice.letters, choice.items, strict=True):
            parts += [f"{letter}\n{fenced(item.text)}"] if item.text else [letter, self._picture(item.document)]
        return parts


def schema_of(choice: Choice) -> Schema:
    """Return the schema of the reply, a letter after its reason."""
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": REASON_CHARS},
            "source": {"type": "string", "enum": list(choice.letters)},
        },
        "required": ["reason", "source"],
        "additionalProperties": False,
    }


def read(text: str, choice: Choice) -> tuple[str, str]:
    """Read letter and reason of a reply. Raises ValueError unless it is JSON with a letter of the choice.

    >>> from evaluation.tasks import SourceItem
    >>> read('{"reason": "It says so.", "source": "B"}',
    ...      Choice("", (SourceItem("x", "text"), SourceItem("y", "text"))))
    ('B', 'It says so.')
    """
    try:
        said = json.loads(text)
        named, reason = said["source"], str(said["reason"])[:REASON_CHARS]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"the reply is not JSON with reason and source: {text[:120]!r}") from None
    if not isinstance(named, str) or named not in set(choice.letters):
        raise ValueError(f"{named!r} is not one of the sources ({', '.join(choice.letters)})")
    return named, reason


@dataclass(frozen=True, slots=True)
class Identifier:
    """The profile whose model is given the choices, and the seed of their order."""

    profile_name: str
    profile: Profile
    seed: int = 0


Key = tuple[str, str, int, str]


class Choices:
    """The choices of a run by question, model, seed and version of the prompt: a file to which each is added."""

    def __init__(self, path: Path) -> None:
        """Read the choices that are there; a last line cut off is dropped. Raises RunRefused for an unusable line."""
        self._lines = JsonLines(path)
        self.made: dict[Key, Chosen] = {}
        self._lines.read(self._take, "choice")

    def _take(self, row: dict[str, Any]) -> None:
        qid, chosen, options = row.pop("qid"), row.pop("chosen"), row.pop("options")
        made = Chosen(**row, options=(*options,), chosen=None if chosen is None else (*chosen,))
        self.made[_key(qid, made)] = made

    def add(self, qid: str, chosen: Chosen) -> None:
        """Keep a choice; one that is there already stays as it is."""
        if _key(qid, chosen) in self.made:
            return
        self._lines.add({"qid": qid, **asdict(chosen)})
        self.made[_key(qid, chosen)] = chosen

    def counted(self, asked: Identifier | None) -> tuple[str, int] | None:
        """Return model and seed whose choices count: those asked now, else the first ones; None without any."""
        made = [(model, seed) for _, model, seed, _ in self.made]
        if asked is not None and asked.profile.rag.model is not None:
            made = [whose for whose in made if whose == (asked.profile.rag.model.name, asked.seed)]
        return made[0] if made else None

    def of(self, model: str, seed: int) -> dict[str, tuple[str, ...] | None]:
        """Return a model's choices by question, in the order of this seed; of several prompts the last one counts."""
        return {qid: made.chosen for (qid, name, n, _), made in self.made.items() if (name, n) == (model, seed)}


def _key(qid: str, chosen: Chosen) -> Key:
    return qid, chosen.model, chosen.seed, chosen.version


def identifier_of(profile_name: str, profile: Profile, seed: int) -> Identifier:
    """Return the model to ask. Raises RunRefused, before anything else is done, for a profile that names no model."""
    model_of(profile_name, profile)
    return Identifier(profile_name, profile, seed)


def identify(
    asked: Identifier,
    choices: Mapping[str, Choice],
    files: Mapping[str, Path],
    kept: Sequence[Choices],
) -> None:
    """Ask missing choices, once, and keep them in all runs that are being made: they depend on none of them."""
    model = model_of(asked.profile_name, asked.profile)
    chooser = Chooser(model, lambda document: picture(files[document]), asked.seed)
    version = rubric_prompt(PROMPT).version
    known = {key: made for choice in kept for key, made in choice.made.items()}
    todo = []
    for qid in choices:
        made = known.get((qid, chooser.name, asked.seed, version))
        if made is None:
            todo.append(qid)
        else:
            for file in kept:
                file.add(qid, made)
    limit = asked.profile.rag.model.concurrency if asked.profile.rag.model else 1
    results = in_order(lambda qid: (qid, chooser.choose(choices[qid])), todo, limit)
    for number, (qid, made) in enumerate(results, 1):
        for file in kept:
            file.add(qid, made)
        say(f"{chooser.name}: sources", number, len(todo))
    if todo:
        print(file=sys.stderr)


def with_choice(
    predicted: Mapping[str, Any], question: GoldQuestion, chosen: Mapping[str, tuple[str, ...] | None]
) -> Mapping[str, Any]:
    """Return the line of an answer with the chosen documents in it as `identified`, where there are any."""
    found = chosen.get(question.qid)
    return predicted if found is None else {**predicted, "identified": found}
