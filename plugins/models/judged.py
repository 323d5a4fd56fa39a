"""Claims that were judged, to calibrate a verifier on: pairs of a text and a claim, or whole answers of models.

A line of answers has the form of `vouch eval written`: `{"qid", "response", "judge": {"Factuality": 0 to 5}}`. The
gold of MMDocIR names the pages that answer its question. An answer counts as supported from a factuality of FACTUAL.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, StrictBool, ValidationError

from evaluation import EvaluationError
from evaluation.tasks import mmdocir
from indexing import Collection
from plugins.models.errors import ModelsError
from rag.attribution import plain, statements
from rag.attribution.words import claims_nothing

LEAST = 20
"""The fewest of either kind: below it a threshold says more about the claims than about the model."""
FACTUAL = 4
"""The least factuality, of 5, of an answer that counts as supported."""
_MOST_LINES = 20_000


@dataclass(frozen=True, slots=True)
class JudgedClaims:
    """Claims that were judged together, and the texts that each of them is held against."""

    claims: tuple[str, ...]
    texts: tuple[str, ...]
    supported: bool


class _Pair(BaseModel):
    text: str
    claim: str
    supported: StrictBool


class _Answer(BaseModel):
    qid: str
    response: str
    judge: dict[str, object] | None = None


def read_pair(line: str) -> JudgedClaims:
    """Read a line `{"text", "claim", "supported"}`. Raises ValidationError."""
    pair = _Pair.model_validate_json(line)
    return JudgedClaims((pair.claim,), (pair.text,), pair.supported)


def answer_reader(gold: Path, collection: Collection) -> Callable[[str], JudgedClaims | None]:
    """Return a reader of lines that are answers to the questions of a file of MMDocIR, with `pdfs` beside it.

    Its documents are in the collection. It returns None for an answer that nobody judged or that claims nothing, and
    raises ValidationError. Raises ModelsError.
    """
    try:
        questions = {question.qid: question for question in mmdocir.read(gold, gold.parent / "pdfs").questions}
    except EvaluationError as error:
        raise ModelsError(str(error)) from None

    def read(line: str) -> JudgedClaims | None:
        answer = _Answer.model_validate_json(line)
        question, score = questions.get(answer.qid), (answer.judge or {}).get("Factuality")
        if question is None or not isinstance(score, int | float):
            return None
        said = [plain(each.text) for each in statements(answer.response) if not (each.heading or each.remark)]
        claims = tuple(claim for claim in said if not claims_nothing(claim, question.text))
        pages = collection.elements_on(sorted(question.places))
        texts = ("\n".join(each.text for each in page if each.text and each.kind != "group") for page in pages)
        of_pages = tuple(filter(None, texts))
        return JudgedClaims(claims, of_pages, score >= FACTUAL) if claims and of_pages else None

    return read


def read_judged(path: Path, read: Callable[[str], JudgedClaims | None]) -> list[JudgedClaims]:
    """Read a file by its lines. Raises ModelsError for one, or a line, that is none, and for too few of either kind."""
    known: list[JudgedClaims] = []
    number = 0
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(itertools.islice(file, _MOST_LINES), 1):  # noqa: B007  named by the error
                known += filter(None, [read(line)] if line.strip() else [])
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "the line"
        raise ModelsError(f"{path}, line {number}: {where}: {error.errors()[0]['msg']}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelsError(f"{path} cannot be read ({error}): give a file with a judged claim a line") from None
    supported = sum(each.supported for each in known)
    if min(supported, len(known) - supported) < LEAST:
        counts = f"{supported} supported claims and {len(known) - supported} others that can be read"
        raise ModelsError(f"{path} has {counts}: give at least {LEAST} of each")
    return known
