"""Pairs of a reference and a part of a paper, read from a folder, and the decisions of a person, kept beside them.

`vouch eval construct mcitebench` writes `pairs.jsonl`, a pair a line, and `pages/`. `decisions.json` is written anew
with every decision, as a whole: `{pair: {"decision": "confirmed", "corrected" or "dropped", "part": id or ""}}`.
"""

from __future__ import annotations

import base64
import json
import os
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from indexing import BBox
from ui.errors import BadRequest, PairsUnreadable

Decision = Literal["confirmed", "corrected", "dropped"]
MOST_BYTES = 200_000_000
MOST_IMAGE_BYTES = 10_000_000
_IMAGE = re.compile(r"pages/[0-9A-Za-z][0-9A-Za-z_.-]{0,120}\.webp")


class PairChoice(BaseModel):
    """A part of the paper that a reference may mean: `box` in fractions of the page that `image` shows."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=200)
    page: int = Field(ge=1)
    kind: Literal["text", "figure", "table"]
    name: str = Field(max_length=100)
    text: str = Field(max_length=5000)
    box: tuple[float, float, float, float]
    image: str = Field(pattern=_IMAGE)

    @field_validator("box")
    @classmethod
    def _is_on_the_page(cls, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        return BBox(*box).as_tuple()

    @property
    def bbox(self) -> BBox:
        """The box as a rectangle."""
        return BBox(*self.box)


class ReferencePair(BaseModel):
    """A question with its answer, a reference as it was written, the part tied to it, and others to choose."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=200)
    question_type: str = Field(max_length=100)
    question: str = Field(max_length=20_000)
    answer: str = Field(max_length=20_000)
    reference: str = Field(max_length=1000)
    document: str = Field(max_length=1000)
    part: str
    choices: tuple[PairChoice, ...] = Field(min_length=1, max_length=50)


class PairDecision(BaseModel):
    """The decision of a person on a pair, and the part that they chose; "" for a pair that they dropped."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    decision: Decision
    part: str = ""


class ReferencePairs:
    """The pairs of a folder and what was decided on them. It may be asked from several threads."""

    def __init__(self, folder: Path) -> None:
        """Read both. Raises PairsUnreadable, which names the file and the line."""
        self._folder = folder
        self._lock = threading.Lock()
        self.pairs = _pairs(folder / "pairs.jsonl")
        self._decided = _decisions(folder / "decisions.json")
        self._numbers = {pair.id: number for number, pair in enumerate(self.pairs)}

    @property
    def decisions(self) -> Mapping[str, PairDecision]:
        """The decisions on pairs that are there, by pair."""
        return {key: made for key, made in self._decided.items() if key in self._numbers}

    def first_open(self, after: int = -1) -> int:
        """Return the number, from 0, of the first pair behind `after` on which nobody has decided, from the start
        again where there is none; the one behind `after` where all are decided.
        """
        order: list[int] = [*range(after + 1, len(self.pairs)), *range(after + 1)]
        return next((n for n in order if self.pairs[n].id not in self._decided), order[0])

    def number(self, pair_id: str) -> int:
        """Return the number of a pair, from 0. Raises BadRequest."""
        if pair_id not in self._numbers:
            raise BadRequest("There is no such pair: reload the page.")
        return self._numbers[pair_id]

    def decide(self, pair_id: str, part: str) -> None:
        """Keep a decision at once: `part` is the chosen one, "" drops the pair. Raises BadRequest, OSError."""
        pair = self.pairs[self.number(pair_id)]
        if part and part not in {choice.id for choice in pair.choices}:
            raise BadRequest("There is no such part: reload the page.")
        verdict: Decision = "dropped" if not part else "confirmed" if part == pair.part else "corrected"
        with self._lock:
            file = self._folder / "decisions.json"  # read again: somebody else may decide on the same pairs
            decisions = {**_decisions(file), pair_id: PairDecision(decision=verdict, part=part)}
            records = {key: made.model_dump() for key, made in decisions.items()}
            half = file.with_suffix(".part")
            with half.open("w", encoding="utf-8") as out:
                out.write(json.dumps(records, ensure_ascii=False, indent=1) + "\n")
                out.flush()
                os.fsync(out.fileno())
            half.replace(file)
            self._decided = decisions

    def image(self, choice: PairChoice) -> str:
        """Return the image of a choice's page as an address that holds it; "" where it is not there, or too large."""
        file = self._folder / choice.image
        try:
            if file.is_symlink() or file.stat().st_size > MOST_IMAGE_BYTES:
                return ""
            return "data:image/webp;base64," + base64.b64encode(file.read_bytes()).decode()
        except OSError:
            return ""


def _pairs(file: Path) -> tuple[ReferencePair, ...]:
    text = _text(file, "make them with vouch eval construct mcitebench --out DIR")
    pairs: dict[str, ReferencePair] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                pair = ReferencePair.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                where = ".".join(map(str, first["loc"])) or "the line"
                raise PairsUnreadable(f"{file}, line {number}: is not a pair: {where}: {first['msg']}") from None
            pairs[pair.id] = pair
    if not pairs:
        raise PairsUnreadable(f"{file}: holds no pairs, so there is nothing to decide")
    return tuple(pairs.values())


def _decisions(file: Path) -> dict[str, PairDecision]:
    if not file.exists():
        return {}
    try:
        records = json.loads(_text(file, "check it"))
        return {str(key): PairDecision.model_validate(record) for key, record in records.items()}
    except (ValueError, AttributeError, RecursionError) as error:
        raise PairsUnreadable(f"{file}: cannot be read: correct it, or move it away ({str(error)[:200]})") from None


def _text(file: Path, advice: str) -> str:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise PairsUnreadable(f"{file}: is larger than {MOST_BYTES // 1_000_000} MB")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise PairsUnreadable(f"{file}: cannot be read ({error.strerror}): {advice}") from None
    except UnicodeDecodeError:
        raise PairsUnreadable(f"{file}: is not a text file: {advice}") from None
