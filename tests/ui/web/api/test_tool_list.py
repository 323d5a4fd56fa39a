"""The list of the tools: arguments and their words come from the functions themselves."""

from __future__ import annotations

from typing import Literal

import jsonschema
import pytest

from ui.web.api.collections import SentFile
from ui.web.api.schemas import ANSWERS
from ui.web.api.tool_list import listed


def index(
    collection: str, files: list[SentFile] | None = None, mode: Literal["a", "b"] = "a", top_k: int = 0
) -> list[str]:
    """Read documents,
    and wait.

    Args:
        collection: The name
            of a collection.
        files: The documents.
        mode: One of two: a, b.
        top_k: The most.

    """
    return [collection, mode, str(top_k), str(files)]


def test_a_function_is_told_of_by_its_docstring_and_its_types() -> None:
    tool = listed("index", index)
    assert (tool.name, tool.says, tool.gives) == ("index", "Read documents, and wait.", ANSWERS["index"])
    assert tool.takes["required"] == ["collection"]
    arguments = tool.takes["properties"]
    assert arguments["collection"] == {"type": "string", "description": "The name of a collection."}
    assert arguments["mode"] == {
        "type": "string",
        "enum": ["a", "b"],
        "default": "a",
        "description": "One of two: a, b.",
    }
    assert arguments["top_k"]["default"] == 0
    assert arguments["files"]["items"]["required"] == ["name", "base64"]
    jsonschema.Draft202012Validator.check_schema(tool.takes)


def test_an_argument_without_words_is_a_fault() -> None:
    def ask(question: str) -> str:
        """Ask."""
        return question

    with pytest.raises(KeyError):
        listed("ask", ask)
