"""The profile that `vouch connect` writes, or adds a model to: its keys that are not as they are by default."""

from __future__ import annotations

import tempfile
from pathlib import Path
from textwrap import indent
from typing import Any

import yaml
from pydantic import ValidationError

from rag import ModelSettings, ProfileError, RagSettings, load_profile

_HEAD = """\
# Written by `vouch connect`. All keys are explained in rag/settings.py and rag/llm/settings.py.
# `vouch doctor --profile THIS_FILE` checks it again.
"""
_ASKED_WITH = {"retries", "timeout"}
"""The keys that the command itself asks with, and that a profile has as they are by default."""


def check_free(path: Path) -> None:
    """Raise ProfileError for a file that is there already, or that no profile can be called."""
    if path.suffix not in (".yaml", ".yml"):
        raise ProfileError(f"{path}: a profile is a .yaml file: give such a name with --to")
    if path.exists():
        raise ProfileError(f"{path} already exists: name another file with --to, or remove it")


def write_profile(path: Path, settings: ModelSettings) -> None:
    """Write the profile of a model; one that sees nothing is asked in mode text. Raises ProfileError, OSError."""
    check_free(path)
    rag: dict[str, Any] = {"method": "vanilla"}
    if not settings.images:
        rag["mode"] = "text"
    rag["model"] = _changed_keys(settings)
    with path.open("x", encoding="utf-8") as file:
        file.write(_HEAD + yaml.safe_dump({"rag": rag}, sort_keys=False, allow_unicode=True))


def check_addable(path: Path, name: str) -> None:
    """Raise ProfileError for a profile to which no model of that name can be added, before any is asked."""
    if path.suffix not in (".yaml", ".yml"):
        raise ProfileError(f"{path}: a profile is a .yaml file: name the one to extend with --to")
    rag = load_profile(str(path)).rag
    if rag.model is None:
        raise ProfileError(f"{path} has no rag.model to add others to: write a profile without --add first")
    if name in rag.model_names:
        raise ProfileError(f"{path} already has a model {name!r}: give another name with --add")
    try:
        RagSettings(model=rag.model, models={**rag.models, name: rag.model})
    except ValidationError as error:
        raise ProfileError(f"--add: {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None


def add_model(path: Path, name: str, settings: ModelSettings) -> None:
    """Add a model to the further ones of a profile; every other line, comments too, stays as it is.

    Raises ProfileError, with the lines to add, for a file in whose form they cannot be put between others; OSError.
    """
    check_addable(path, name)
    text = path.read_text(encoding="utf-8")
    values = _changed_keys(settings)
    entry = yaml.safe_dump({name: values}, sort_keys=False, allow_unicode=True)
    profile_values = yaml.safe_load(text)
    profile_values["rag"]["models"] = {**(profile_values["rag"].get("models") or {}), name: values}
    longer = _with_entry(text, entry)
    try:
        fits = yaml.safe_load(longer) == profile_values
    except yaml.YAMLError:
        fits = False
    if not fits:
        raise ProfileError(f"{path} cannot be extended automatically: put this under rag.models in it:\n{entry}")
    with tempfile.NamedTemporaryFile("w", dir=path.parent, suffix=path.suffix, encoding="utf-8", delete=False) as file:
        file.write(longer)
    Path(file.name).chmod(path.stat().st_mode)
    Path(file.name).replace(path)


def _with_entry(text: str, entry: str) -> str:
    """Return a profile with the lines of a model after the last of the further ones, or after all of `rag`."""
    rag = _value(yaml.compose(text, Loader=yaml.SafeLoader), "rag")
    models = _value(rag, "models")
    into = models or rag
    lines = text.splitlines(keepends=True)
    if not into.value:
        return text
    if models is None:
        entry = f"models:\n{indent(entry, '  ')}"
    last = into
    while isinstance(last, yaml.CollectionNode) and last.value and not last.flow_style:
        last = last.value[-1][-1] if isinstance(last, yaml.MappingNode) else last.value[-1]
    end = last.end_mark.line + (last.end_mark.column > 0)
    before = "".join(lines[:end])
    before += "\n" * (not before.endswith("\n"))
    return before + indent(entry, " " * into.start_mark.column) + "".join(lines[end:])


def _value(node: Any, key: str) -> Any:
    """Return the value of a key of a mapping in YAML, None where it is not there."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else ()
    return next((value for name, value in pairs if name.value == key), None)


def _changed_keys(settings: ModelSettings) -> dict[str, Any]:
    """Return the keys that name the model, and those that differ from the defaults."""
    first = ("base_url", "gguf", "mmproj", "name")
    values = {key: value for key in first if (value := getattr(settings, key))}
    usual = ModelSettings.model_validate(values)
    rest = settings.model_dump(exclude={*first, *_ASKED_WITH})
    return values | {key: value for key, value in rest.items() if value != getattr(usual, key)}
