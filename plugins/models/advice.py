"""Say for each role what is used, what would be better on this machine, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator

from plugins.models.catalogue import ROLES, Entry, Role, catalogue
from plugins.models.library import installed_models
from plugins.models.profile import uses
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
    """Yield for `vouch doctor` the roles in which a model of the catalogue would do better than what is used."""
    here = installed_models()
    indexing = profile.indexing
    used = {
        "writer": profile.rag.model.name if profile.rag.model else "",
        "text": indexing.text_checkpoint if indexing.embedder != "minilm" else "",
        "visual": indexing.checkpoint,
    }
    for role, does in ROLES.items():
        if used[role]:
            yield f"model that {does}", "good", used[role]
            continue
        ready = [manifest.name for manifest in here if manifest.role == role and not uses(profile, manifest)]
        better = suggestion(role)
        if ready:
            yield f"model that {does}", "skipped", f"none is used; {ready[0]} is here: vouch models use {ready[0]}"
        elif better:
            advice = (
                f"none is used; this machine can run {better.name} ({cost(better)}): vouch models get {better.name}"
            )
            yield f"model that {does}", "skipped", advice
