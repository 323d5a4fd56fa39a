"""The fluency of MAVIS: MAUVE (Pillutla et al. 2021, arXiv 2102.01454; 2023, JMLR 24) between answers and gold answers.

It is one figure for a whole run, from 0 to 1, which says how much the distribution of the answers resembles that of
the gold answers: the area under their divergence curve, after both were put into buckets by the last hidden state of a
language model at each text's last token. The package `mauve-text` computes it from the features; GPT-2 large, on which
its defaults were chosen, makes them. It is meant for a thousand texts or more, and other feature models give other
figures.

A text is what the published code of MAVIS makes of it: the question and an answer to it, without citations, line breaks
and bold, of questions whose gold answer has more than 500 characters, its first 512 tokens. That code also keeps to
questions with gold of both kinds, and drops answers in which the words "Error", "document" or "information" stand; here
all that say something count, each beside its own gold answer.

Without the package, the model or enough answers the figure is blank, with the reason.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import RunRefused
from evaluation.harness.mauve_process import mauve
from evaluation.progress import say
from evaluation.tasks import GoldQuestion
from indexing import IndexingError

PACKAGES = {"mauve": "mauve", "torch": "visual", "transformers": "visual"}
"""The packages that compute it, and the extras that bring them."""
MOST_TOKENS = 512
"""The most tokens of a text that are looked at, as in MAVIS and ALCE."""
LONG = 500
"""The characters that a gold answer must exceed, as in MAVIS."""
LEAST = 2
"""The least texts that can be put into buckets: the package makes two at least."""
_CITATION = re.compile(r"\[\d+\]")
NOT_ASKED = "no feature model was given (--mauve)"


@dataclass(frozen=True, slots=True)
class Fluency:
    """The MAUVE of `n` answers by the features of `model`; where `value` is None, the reason says why.

    `texts` stands for the answers and gold answers: the same ones need not be looked at again.
    """

    value: float | None
    n: int
    model: str
    texts: str
    reason: str = ""


def fluency_text(question: str, answer: str) -> str:
    r"""Return the text that is compared: question and answer, without citations and bold, on one line.

    >>> fluency_text("What is it?", "A **mill** [1].\nIt grinds [2][3].")
    'What is it? A mill. It grinds.'
    """
    text = _CITATION.sub("", f"{question} {answer}").replace("**", "")
    return " ".join(text.split()).replace(" .", ".")


def fluency(pairs: Sequence[tuple[str, str]], model: str, kept: Fluency | None = None, device: str = "auto") -> Fluency:
    """Return MAUVE of pairs of texts, one of an answer and one of its gold answer; `kept` if it is of the same ones."""
    texts = hashlib.sha256(json.dumps(pairs).encode()).hexdigest()[:16]
    if kept is not None and kept.texts == texts and kept.value is not None and model in ("", kept.model):
        return kept
    missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
    if not model:
        why = NOT_ASKED
    elif missing:
        extras = ",".join(sorted({PACKAGES[name] for name in missing}))
        why = f"{' and '.join(missing)} not installed: pip install 'vouch[{extras}]'"
    elif len(pairs) < LEAST:
        why = f"{len(pairs)} answers are too few: those count whose gold answer has more than {LONG} characters"
    else:
        try:
            rows = features([text for pair in pairs for text in pair], model, device)
            return Fluency(mauve(rows[1::2], rows[0::2]), len(pairs), model, texts)
        except (IndexingError, ValueError) as error:
            why = str(error)
    return Fluency(None, len(pairs), model, texts, why)


def features(texts: Sequence[str], model: str, device: str = "auto") -> NDArray[np.float32]:
    """Return the last hidden state at the last token of each text, (n, d), one text at a time.

    Raises ExtraMissing, CheckpointMissing, CheckpointUnfit, and ValueError for a model that takes no text.
    """
    from indexing.embed.visual import loading, locate

    checkpoint = locate(model, "MAUVE")
    with loading.importing("MAUVE"):
        import torch
        from transformers import AutoModel, AutoTokenizer

    where = loading.device_of(device)
    loaded = loading.load(AutoModel, checkpoint, "MAUVE", where)
    tokenizer = loading.processor(AutoTokenizer, checkpoint, "MAUVE")
    most = min(MOST_TOKENS, getattr(loaded.config, "max_position_embeddings", MOST_TOKENS))
    rows = []
    with torch.inference_mode():
        for number, text in enumerate(texts, 1):
            ids = tokenizer(text, return_tensors="pt", truncation=True, max_length=most)["input_ids"].to(where)
            rows.append(loaded(input_ids=ids).last_hidden_state[0, -1].float().cpu().numpy())
            say("MAUVE: texts", number, len(texts))
    print(file=sys.stderr)
    found: NDArray[np.float32] = np.stack(rows)
    if not np.isfinite(found).all():
        raise ValueError(f"{model} returned values that are not numbers on {where}")
    return found


def of_run(rows: Mapping[str, Mapping[str, Any]], questions: Sequence[GoldQuestion], model: str, path: Path) -> Fluency:
    """Return the fluency of a run's answers; it is kept in the file `path`, and found there again.

    Answers that say nothing are left out, and so are questions with a short gold answer.
    """
    asked = [(q, str(rows[q.qid].get("answer", ""))) for q in questions if q.qid in rows and len(q.answer) > LONG]
    pairs = [(fluency_text(q.text, said), fluency_text(q.text, q.answer)) for q, said in asked if said.strip()]
    found = fluency(pairs, model, _kept(path))
    if found.value is not None:
        part = path.with_name(path.name + ".part")
        part.write_text(json.dumps(asdict(found), indent=1) + "\n", encoding="utf-8")
        part.replace(path)
    return found


def _kept(path: Path) -> Fluency | None:
    if not path.is_file():
        return None
    try:
        return Fluency(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise RunRefused(
            f"{path}: it is not a record of fluency: delete it, or give another folder with --out"
        ) from None
