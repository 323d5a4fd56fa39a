"""`vouch models calibrate`: the threshold from which a verifier confirms a claim, found on claims that were judged."""

from __future__ import annotations

import itertools
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, StrictBool, ValidationError

from indexing import IndexingError
from plugins.models.errors import ModelsError
from plugins.models.library import installed_model, write_manifest
from plugins.models.profile import uses, write_changes
from plugins.models.verifier import parts_of, probabilities
from rag import VerifierSettings, load_profile

LEAST = 20
"""The fewest pairs of either kind: below it a threshold says more about the pairs than about the model."""
_MOST_LINES = 20_000


class JudgedPair(BaseModel):
    """A text, a claim, and whether a person found that the text supports it: a line of the file of pairs."""

    text: str
    claim: str
    supported: StrictBool


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold, with the precision and the recall of the claims that it confirms, 0 to 1."""

    threshold: float
    precision: float
    recall: float


def calibrate(args: Namespace) -> int:
    """Run `vouch models calibrate`. Raises ModelsError."""
    manifest, folder = installed_model(args.name)
    if manifest.role != "verifier":
        raise ModelsError(f"{args.name} {'writes' if manifest.role == 'writer' else 'searches'}, and has no threshold")
    pairs = read_pairs(Path(args.pairs))
    settings = VerifierSettings.model_validate({"checkpoint": str(folder), **manifest.settings})
    try:
        scores = [probability(each, settings) for each in pairs]
    except IndexingError as error:
        raise ModelsError(f"{args.name} cannot be used ({error}); nothing was changed") from None
    truths = [each.supported for each in pairs]
    best = threshold_of(scores, truths, args.precision)
    print(f"{len(pairs)} pairs, of which {sum(truths)} are supported")
    for what, value in (("before", at_threshold(settings.threshold, scores, truths)), ("now", best)):
        print(
            f"  {what}: threshold {value.threshold:.3f}, {value.precision:.0%} of the confirmed claims are right, "
            f"{value.recall:.0%} of the supported ones are confirmed"
        )
    write_manifest(manifest.model_copy(update={"settings": {**manifest.settings, "threshold": best.threshold}}))
    if uses(load_profile(), manifest):
        new_settings = settings.model_copy(update={"threshold": best.threshold})
        print(f"written: {write_changes({'rag': {'verifier': new_settings.model_dump()}})}")
    else:
        print(f"Next: vouch models use {manifest.name}")
    return 0


def probability(pair: JudgedPair, settings: VerifierSettings) -> float:
    """Return the probability of a claim, by the part of the text that proves it best. Raises IndexingError."""
    return max(probabilities([(part, pair.claim) for part in parts_of(pair.text)], settings))


def read_pairs(path: Path) -> list[JudgedPair]:
    """Read a judged pair per line of JSON. Raises ModelsError for an invalid line, or too few pairs of a kind."""
    pairs: list[JudgedPair] = []
    number = 0
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(itertools.islice(file, _MOST_LINES), 1):  # noqa: B007  named by the error
                pairs += [JudgedPair.model_validate_json(line)] if line.strip() else []
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"])) or "the line"
        raise ModelsError(f"{path}, line {number}: {where}: {error.errors()[0]['msg']}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelsError(f"{path} cannot be read ({error}): give a file with a judged claim a line") from None
    n_supported = sum(pair.supported for pair in pairs)
    if min(n_supported, len(pairs) - n_supported) < LEAST:
        counts = f"{n_supported} supported claims and {len(pairs) - n_supported} others that can be read"
        raise ModelsError(f"{path} has {counts}: give at least {LEAST} of each")
    return pairs


def at_threshold(threshold: float, scores: Sequence[float], truths: Sequence[bool]) -> Calibration:
    """Return precision and recall at a threshold; the precision is 1 if nothing is confirmed."""
    hits = [truth for value, truth in zip(scores, truths, strict=True) if value >= threshold]
    precision = sum(hits) / len(hits) if hits else 1.0
    return Calibration(threshold, precision, sum(hits) / sum(truths))


def threshold_of(scores: Sequence[float], truths: Sequence[bool], precision: float) -> Calibration:
    """Return the threshold, between two scores, with the best recall at that precision. Raises ModelsError for none."""
    ranking = sorted(zip(scores, truths, strict=True), reverse=True)
    best, best_precision, right = None, 0.0, 0
    for count, (value, truth) in enumerate(ranking, 1):
        right += truth
        lower = ranking[count][0] if count < len(ranking) else 0.0
        if lower == value or not right:
            continue  # no threshold lies between equal ones
        best_precision = max(best_precision, right / count)
        if right / count >= precision and (best is None or right / sum(truths) > best.recall):
            best = Calibration((value + lower) / 2, right / count, right / sum(truths))
    if best is None:
        raise ModelsError(
            f"no threshold confirms claims with a precision of {precision:.0%}; the best is {best_precision:.0%}: give "
            "a lower --precision, or use another verifier"
        )
    return best
