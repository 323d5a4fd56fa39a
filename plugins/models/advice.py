"""Advice for each role: the model in use, a better one for this machine, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator

from indexing import cores
from plugins.models.catalogue import ROLES, Entry, Role, catalogue
from plugins.models.library import installed_models, models_folder
from plugins.models.profile import uses
from rag import Profile
from ui.show import count_of, size

_SUGGESTED: dict[Role, tuple[str, ...]] = {
    "writer": ("qwen3-vl-8b", "qwen3-vl-4b", "qwen3-vl-2b"),
    "text": ("lateon", "mxbai-edge-colbert-32m"),
    "visual": ("colmodernvbert",),
    "reranker": ("ettin-reranker-150m", "ettin-reranker-32m", "ettin-reranker-17m"),
    "verifier": ("nli-deberta-v3-small",),
}
"""The models that are suggested for a role, the best first: the first that this machine has memory for."""
_DEFAULTS: dict[Role, str] = {
    "writer": "none: answers are quotes",
    "text": "minilm, which comes with Vouch",
    "visual": "none: the text on page images is read by OCR",
    "reranker": "none: late interaction alone orders",
    "verifier": "none: rules decide, and the model that writes",
}
"""What a role uses where no model is configured for it."""
_PATIENCE = 300.0
"""The most seconds per question of a writer that is suggested, if a smaller one is faster."""
_PROMPT_TOKENS, _REPLY_TOKENS = 8000, 200
"""The tokens of a question: four pages with their pictures, and an answer of six sentences."""


def memory() -> int:
    """Return the bytes of memory of this machine."""
    import psutil

    return int(psutil.virtual_memory().total)


def fits(entry: Entry) -> bool:
    """Return True if a model needs at most three quarters of this machine's memory."""
    return entry.memory <= memory() * 3 // 4


def suggestion(role: Role, *, english: bool = True) -> Entry | None:
    """Return the best model of the catalogue for a role that fits this machine, None where none does.

    A writer that would be too slow gives way to a faster one. For documents or questions that are not English, the
    text embedder is the one of several languages.
    """
    by_name = {entry.name: entry for entry in catalogue()}
    names = ("mlateon",) if role == "text" and not english else _SUGGESTED[role]
    fitting = [by_name[name] for name in names if fits(by_name[name])]
    if role != "writer" or not fitting:
        return fitting[0] if fitting else None
    return next((entry for entry in fitting if seconds(entry) <= _PATIENCE), min(fitting, key=seconds))


def seconds(entry: Entry) -> float:
    """Return the seconds that a question takes a writer on the processors of this machine, estimated from its size.

    Q4 weights take 0.65 bytes a parameter. Reading a prompt needs two operations a parameter and token, of which a core
    does 30 billion a second; each written token reads all weights at 20 GB a second.
    """
    reading = 2 * entry.disk / 0.65 * _PROMPT_TOKENS / (cores() * 30e9)
    return reading + _REPLY_TOKENS * entry.disk / 20e9


def minutes(entry: Entry) -> str:
    """Return the time that a question takes a writer here, in words."""
    return f"about {max(1, round(seconds(entry) / 60))} min a question on {count_of(cores(), 'core')}, estimated"


def cost(entry: Entry) -> str:
    """Return what a model takes: `1.6 GB on disk, about 4.0 GB of memory, apache-2.0`."""
    about = "about " if entry.estimated else ""
    return f"{about}{size(entry.disk)} on disk, about {size(entry.memory)} of memory, {entry.licence}"


def facts(entry: Entry) -> str:
    """Return the languages and the published score: `several languages; nDCG@10 ... .576 (https://...)`."""
    languages = {"en": "English", "several": "several languages"}.get(entry.languages, "")
    return "; ".join(filter(None, (languages, f"{entry.score} ({entry.source})" if entry.score else "")))


def findings(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """Yield (label, state, text) for `vouch doctor` on each role: the model in use, and a better one with its cost."""
    manifests = installed_models()
    for role, work in ROLES.items():
        used = _model_in_use(profile, role)
        ready = [manifest for manifest in manifests if manifest.role == role and not uses(profile, manifest)]
        advice = suggestion(role)
        texts = [f"{used or _DEFAULTS[role]}"]
        if not used and ready:
            texts.append(f"{ready[0].name} is here and not used: vouch models use {ready[0].name}")
        elif not used and advice is not None:
            texts.append(
                f"{advice.name} would fit ({cost(advice)}{_time(advice)}): vouch models get {advice.name} --use"
            )
        yield f"model that {work}", "good" if used or len(texts) == 1 else "skipped", "; ".join(texts)


def _model_in_use(profile: Profile, role: Role) -> str:
    """Return the model that a profile uses in a role, "" for none or for the one that comes with Vouch."""
    rag, indexing = profile.rag, profile.indexing
    value = {
        "writer": rag.model.name if rag.model else "",
        "text": "" if indexing.embedder == "minilm" else f"{indexing.embedder} {indexing.text_checkpoint}".strip(),
        "visual": indexing.checkpoint,
        "reranker": rag.reranker,
        "verifier": rag.verifier.checkpoint if rag.verifier else "",
    }[role]
    return value.replace(f"{models_folder()}/", "")


def _time(entry: Entry) -> str:
    return f", {minutes(entry)}" if entry.role == "writer" else ""
