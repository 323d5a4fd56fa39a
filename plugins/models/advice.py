"""Say for each role what is used, what would be better on this machine, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator

from plugins.models.catalogue import ROLES, Entry, Role, catalogue
from plugins.models.library import installed_models
from rag import Profile
from ui.show import size

_FIRST: dict[Role, tuple[str, ...]] = {
    "writer": ("qwen3-vl-8b", "qwen3-vl-4b", "qwen3-vl-2b"),
    "text": ("lateon", "mxbai-edge-colbert-32m"),
    "visual": ("colmodernvbert",),
}
"""The models that are suggested for a role, the best first: the first that this machine has memory for."""


def memory() -> int:
    """Return the bytes of memory of this machine."""
    import psutil

    return int(psutil.virtual_memory().total)


def fits(entry: Entry) -> bool:
    """Return True where a model leaves a quarter of the machine's memory to everything else."""
    return entry.memory <= memory() * 3 // 4


def suggestion(role: Role, *, english: bool = True) -> Entry | None:
    """Return the best model of the catalogue for a role that fits this machine, None where none does.

    For documents or questions that are not English, the text embedder is the one of several languages.
    """
    by_name = {entry.name: entry for entry in catalogue()}
    names = ("mlateon",) if role == "text" and not english else _FIRST[role]
    return next((by_name[name] for name in names if fits(by_name[name])), None)


def cost(entry: Entry) -> str:
    """Return what a model takes: `1.6 GB on disk, about 4.0 GB of memory, apache-2.0`."""
    about = "about " if entry.estimated else ""
    return f"{about}{size(entry.disk)} on disk, about {size(entry.memory)} of memory, {entry.licence}"


def findings(profile: Profile) -> Iterator[tuple[str, str, str]]:
    """Yield for `vouch doctor` what would be better here than what is used, and what it costs; nothing where all is."""
    here = installed_models()
    indexing = profile.indexing
    used = {
        "writer": profile.rag.model is not None,
        "text": indexing.embedder != "minilm",
        "visual": bool(indexing.checkpoint),
    }
    advice = []
    for role, does in ROLES.items():
        ready = [manifest.name for manifest in here if manifest.role == role]
        better = suggestion(role)
        if used[role]:
            continue
        if ready:
            advice.append(f"{ready[0]}, which {does}, is here and not used: vouch models use {ready[0]}")
        elif better:
            advice.append(f"this machine can run {better.name}, which {does} ({cost(better)})")
    if advice:
        yield "models", "skipped", f"{'; '.join(advice)}: see vouch models"
