"""Record the replies of a capable model to the questions about the samples.

    python -m tests.recorded.record BASE_URL NAME [--collection samples]

The collection holds samples/documents, indexed as `make demo` does. The model is shown whole pages with their pictures.
Afterwards somebody reads every sentence beside its page and sets `true` to false where it is not: the tests hold only
true ones against the checks.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from indexing import Collection
from rag import Pipeline, RagSettings
from rag.events import Answered, Shown
from rag.llm import ModelSettings, ServedModel
from rag.llm.chat import Reply
from rag.methods.write.pages import Labels
from tests.recorded.replies import FILE, Round, questions

SLOW = 7200.0
"""The seconds that a reply may take: a careful reader may be the model."""


class Recorder(ServedModel):
    """A client that keeps the texts of all replies."""

    def __init__(self, settings: ModelSettings) -> None:
        super().__init__(settings)
        self.replies: list[str] = []

    def stream(self, messages: Any, **options: Any) -> Any:
        for piece in super().stream(messages, **options):
            if isinstance(piece, Reply):
                self.replies.append(piece.text)
            yield piece


def recorded(collection: Collection, settings: ModelSettings, question: dict[str, Any]) -> dict[str, Any]:
    """Return the rounds of a question: request, reply and the places of the labels that it names."""
    model, labels, rounds = Recorder(settings), Labels(), list[Round]()
    rag = RagSettings(method="vanilla", mode="multi", judge="rules", print_check=False, model=settings)
    for event in Pipeline(collection, rag, model=model).stream(question["question"]):
        if isinstance(event, Shown):
            rounds.append(Round(collection, question["question"], event, labels))
        if isinstance(event, Answered):
            break
    entries = []
    for laid_out, text in zip(rounds, model.replies, strict=True):
        reply, places = json.loads(text), laid_out.places()
        named = dict.fromkeys(label for sentence in reply["sentences"] for label in sentence["labels"])
        for sentence in reply["sentences"]:
            sentence["true"] = True
        entries.append(
            {
                "request": laid_out.request,
                "places": {label: places[label].to_json() for label in named if label in places},
                "reply": reply,
            }
        )
    return {"question": question["question"], "answer": question["answer"], "rounds": entries}


def main() -> None:
    """Ask all questions at once, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base_url")
    parser.add_argument("name")
    parser.add_argument("--collection", default="samples")
    asked = parser.parse_args()
    settings = ModelSettings(
        base_url=asked.base_url,
        name=asked.name,
        context_tokens=65_536,
        images=12,
        max_pixels=1_700_000,
        timeout=SLOW,
        max_seconds=SLOW,
        queue_seconds=SLOW,
        retries=0,
        concurrency=64,
    )
    collection = Collection.open(asked.collection)
    every = questions()
    with ThreadPoolExecutor(len(every)) as pool:
        entries = list(pool.map(lambda question: recorded(collection, settings, question), every))
    FILE.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
