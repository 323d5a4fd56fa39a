"""Source identification by multiple choice: a model is shown a question, its answer and the items, and says which of
them prove it. MCiteBench (Hu et al. 2025, RQ3) asks so to tell understanding from attribution: an option an item.

The options stand in an order drawn by chance from a seed. Every choice is kept with the model's reason. What could not
be asked, or was not answered, has no choice, with the reason, and its figure stays blank.
"""

from __future__ import annotations

import json
import random
import string
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.asking import in_order
from evaluation.bench_inputs import say
from evaluation.items import Item
from evaluation.judging import REASON_CHARS, Unshowable, model_of, replied, rubric_prompt
from evaluation.predictions import Refused
from evaluation.questions import Question
from rag import Profile
from rag.chat import ChatModel, Message, Schema
from rag.fencing import fenced, in_line

if TYPE_CHECKING:
    from PIL import Image

PROMPT = "mcite_source"
ONE = "Exactly one source proves the answer: choose its letter."
SEVERAL = "More than one source may be needed to prove the answer: choose the letters of all that are, and no others."


@dataclass(frozen=True, slots=True)
class Choice:
    """What is put to a model: the items in the order of the letters, and whether it may name `several` of them."""

    question: str
    answer: str
    items: tuple[Item, ...]
    several: bool

    @property
    def letters(self) -> str:
        """One for each item, as far as there are letters."""
        return string.ascii_uppercase[: len(self.items)]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What `model` chose of the documents `options` (in the order shown, by `seed`), and why.

    `chosen` None: it could not be asked, or gave no choice; the reason says which.
    """

    model: str
    seed: int
    options: tuple[str, ...]
    chosen: tuple[str, ...] | None
    reason: str
    prompt: str
    version: str


Picture = Callable[[str], "Image.Image"]
"""Draws the item that is the document of this id."""


def shuffled(items: Sequence[Item], qid: str, seed: int) -> tuple[Item, ...]:
    """The items in an order that depends on question and seed, and on nothing else."""
    ordered = sorted(items, key=lambda item: item.document)
    random.Random(f"{seed} {qid}").shuffle(ordered)  # noqa: S311  no secret
    return tuple(ordered)


class Chooser:
    """A model that is given choices. May be asked from several threads."""

    def __init__(self, model: ChatModel, picture: Picture, seed: int = 0) -> None:
        self.name = model.name
        self.seed = seed
        self._model = model
        self._picture = picture

    def choose(self, choice: Choice) -> Chosen:
        """The choice, of what could not be asked too. Raises the errors of `asking.HOPELESS` alone."""
        chosen, reason = None, ""
        try:
            message = Message("user", tuple(self._parts(choice)))
            found, why_not = replied(self._model, message, schema_of(choice), lambda text: read(text, choice))
        except Unshowable as error:
            reason = f"not asked: {error}"
        else:
            letters, reason = found or (None, f"no choice: {why_not}")
            chosen = letters and tuple(choice.items[choice.letters.index(letter)].document for letter in letters)
        options = tuple(item.document for item in choice.items)
        return Chosen(self.name, self.seed, options, chosen, reason, PROMPT, rubric_prompt(PROMPT).version)

    def _parts(self, choice: Choice) -> list[Any]:
        if len(choice.items) > len(choice.letters):
            raise Unshowable(f"{len(choice.items)} items are more than there are letters")
        values = {"question": in_line(choice.question), "answer": in_line(choice.answer)}
        parts: list[Any] = [rubric_prompt(PROMPT).filled(**values, ask=SEVERAL if choice.several else ONE)]
        for letter, item in zip(choice.letters, choice.items, strict=True):
            parts += [f"{letter}\n{fenced(item.text)}"] if item.text else [letter, self._picture(item.document)]
        return parts


def schema_of(choice: Choice) -> Schema:
    """What the reply has to look like: a letter, or letters where several may be named."""
    letter = {"type": "string", "enum": list(choice.letters)}
    letters = {"type": "array", "items": letter, "minItems": 1, "maxItems": len(choice.letters)}
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "maxLength": REASON_CHARS},
            "source": letters if choice.several else letter,
        },
        "required": ["reason", "source"],
        "additionalProperties": False,
    }


def read(text: str, choice: Choice) -> tuple[tuple[str, ...], str]:
    """Letters, each once, and reason of a reply. Raises ValueError unless it is JSON that names letters of the choice.

    >>> read('{"reason": "It says so.", "source": "B"}', Choice("", "", (Item("x", "text"), Item("y", "text")), False))
    (('B',), 'It says so.')
    """
    try:
        said = json.loads(text)
        named, reason = said["source"], str(said["reason"])[:REASON_CHARS]
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"the reply is no JSON with reason and source: {text[:120]!r}") from None
    letters = tuple(dict.fromkeys(named)) if choice.several and isinstance(named, list) else (named,)
    unknown = [letter for letter in letters if not isinstance(letter, str) or letter not in set(choice.letters)]
    if unknown or not letters:
        raise ValueError(f"{named!r} is none of the sources ({', '.join(choice.letters)})")
    return letters, reason


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose model is given the choices, and the seed of their order."""

    profile_name: str
    profile: Profile
    seed: int = 0


Key = tuple[str, str, int, str]


class Choices:
    """The choices of a run by question, model, seed and version of the prompt: a file to which each is added."""

    def __init__(self, path: Path) -> None:
        """Read what is there; a last line that was cut off is dropped. Raises Refused for a line that is none."""
        self._path = path
        self.made: dict[Key, Chosen] = {}
        written = path.read_bytes() if path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                row: dict[str, Any] = json.loads(line)
                qid, chosen, options = row.pop("qid"), row.pop("chosen"), row.pop("options")
                made = Chosen(**row, options=(*options,), chosen=None if chosen is None else (*chosen,))
            except (ValueError, KeyError, TypeError):
                raise Refused(f"{path}, line {number}: is no choice: name another folder with --out") from None
            self.made[_key(qid, made)] = made
        if len(whole) < len(written):
            path.write_bytes(whole)

    def add(self, qid: str, chosen: Chosen) -> None:
        """Keep a choice; one that is there already stays as it is."""
        if _key(qid, chosen) in self.made:
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"qid": qid, **asdict(chosen)}, ensure_ascii=False) + "\n")
        self.made[_key(qid, chosen)] = chosen

    def counted(self, asked: Asked | None) -> tuple[str, int] | None:
        """Model and seed whose choices count: those that are asked now, else the first ones; None without any."""
        made = [(model, seed) for _, model, seed, _ in self.made]
        if asked is not None and asked.profile.rag.model is not None:
            made = [whose for whose in made if whose == (asked.profile.rag.model.name, asked.seed)]
        return made[0] if made else None

    def of(self, model: str, seed: int) -> dict[str, tuple[str, ...] | None]:
        """What a model chose by question, in the order of this seed; of several prompts the last one counts."""
        return {qid: made.chosen for (qid, name, n, _), made in self.made.items() if (name, n) == (model, seed)}


def _key(qid: str, chosen: Chosen) -> Key:
    return qid, chosen.model, chosen.seed, chosen.version


def whom(profile_name: str, profile: Profile, seed: int) -> Asked:
    """Who is asked. Raises Refused, before anything else is done, for a profile that names no model."""
    model_of(profile_name, profile)
    return Asked(profile_name, profile, seed)


def identify(
    asked: Asked,
    choices: Mapping[str, Choice],
    files: Mapping[str, Path],
    kept: Sequence[Choices],
) -> None:
    """Ask what nobody asked yet, once, and keep it in all runs that are being made: it depends on none of them."""
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


def picture(path: Path) -> Image.Image:
    """The image in a file. Raises Unshowable."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            return image.convert("RGB")
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise Unshowable(f"{path.name} cannot be read as an image ({error})") from None


def with_choice(
    predicted: Mapping[str, Any], question: Question, chosen: Mapping[str, tuple[str, ...] | None]
) -> Mapping[str, Any]:
    """The line of an answer, and in it, as `identified`, the documents that were chosen, where any were."""
    found = chosen.get(question.qid)
    return predicted if found is None else {**predicted, "identified": found}
