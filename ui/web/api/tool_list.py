"""The list of the tools of `vouch serve --mcp`: words and arguments of functions, from their docstrings and types."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from pydantic import TypeAdapter

from ui.web.api.collections import SentFile
from ui.web.api.schemas import ANSWERS, Schema

_FILE = SentFile.model_json_schema()
_FILES: Mapping[str, Schema] = {"files": {"type": "array", "items": _FILE}, "file": _FILE}
"""The schemas of the arguments that hold bytes, by name."""
_ARGUMENT = re.compile(r" {4}(\w+): (.*)")


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as language models are told of it: `takes` and `gives` are JSON schemas of objects."""

    name: str
    says: str
    takes: Schema
    gives: Schema


def listed(name: str, function: Callable[..., Any]) -> ListedTool:
    """Return a function as a tool. Each argument has its words under `Args:` in the docstring of the function."""
    says, words = _told(inspect.getdoc(function) or "")
    types, parameters = get_type_hints(function), inspect.signature(function).parameters
    takes: Schema = {}
    for argument, parameter in parameters.items():
        schema = _FILES.get(argument) or TypeAdapter(types[argument]).json_schema()
        default = {} if parameter.default in (parameter.empty, None) else {"default": parameter.default}
        takes[argument] = schema | default | {"description": words[argument]}
    needed = [name for name, parameter in parameters.items() if parameter.default is parameter.empty]
    required = {"required": needed} if needed else {}
    return ListedTool(name, says, {"type": "object", "properties": takes, **required}, ANSWERS[name])


def _told(doc: str) -> tuple[str, dict[str, str]]:
    """Return what a docstring says before `Args:`, and of each argument, with their lines joined."""
    says, _, after = doc.partition("\n\nArgs:\n")
    words: dict[str, str] = {}
    name = ""
    for line in after.splitlines():
        if found := _ARGUMENT.fullmatch(line):
            name = found[1]
            words[name] = found[2]
        elif name and line.strip():
            words[name] += f" {line.strip()}"
    return " ".join(says.split()), words
