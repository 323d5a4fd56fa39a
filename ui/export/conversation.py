"""A whole conversation as one file: Markdown without pictures, or JSON, each answer with its sources and anchors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ui.export.markdown import escape, markdown
from ui.export.sources import MARK, ExportContents, gather
from ui.export.writers import to_json

if TYPE_CHECKING:
    from indexing import Collection
    from rag import Answer

ConversationPart = tuple[str, str, "Answer", "Collection | None"]
"""An answer of a conversation: its time, the name of its collection, itself, the collection where it is there."""


def conversation_file(name: str, parts: Sequence[ConversationPart], form: str) -> bytes:
    """Return a conversation in the form `markdown` or `json`. Raises DocumentMissing for a document that went just now.

    An answer whose collection is gone cites nothing.
    """
    contents = [gather(a, c, pictures=False) if c is not None else ExportContents(a, (), a.notes) for *_, a, c in parts]
    if form == "json":
        answers = [
            {"time": time, "collection": collection, **to_json(one)}
            for (time, collection, *_), one in zip(parts, contents, strict=True)
        ]
        return (json.dumps({"generator": MARK, "name": name, "answers": answers}, indent=2) + "\n").encode()
    lines = [f"<!-- {MARK} -->", "", f"# {escape(name)}", ""]
    for (time, collection, *_), one in zip(parts, contents, strict=True):
        lines += [f"*{escape(collection)}, {time[:10]}*", "", *_below(markdown(one, "")), ""]
    return ("\n".join(lines) + "\n").encode()


def _below(text: str) -> list[str]:
    """Return the lines of an answer's file, its headings one step lower, without the mark at its head."""
    return [f"#{line}" if line.startswith("#") else line for line in text.splitlines()[2:]]
