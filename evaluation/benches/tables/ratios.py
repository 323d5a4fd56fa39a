"""Questions for ratios and figures of reports, answered in code from one table each: how many are right.

    python -m evaluation.benches.tables.ratios --questions ../shared/train/qa.jsonl.gz

The tables are those of annual reports (TAT-QA), each put as the only statement of a report; nothing was fitted on them.
An answer is right if it has the members of the gold answer (`evaluation.metrics.denotation`). No model is called.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evaluation.metrics import denotes
from evaluation.table_questions import TableQuestion, read
from evaluation.tables import print_table
from indexing import BBox, Document, Element
from rag.calculation import computed_ratio, load_ratios

SOURCE = "tatqa"


class OneTable:
    """A collection of one report: a cover, and a page with one table below a heading that calls it a statement."""

    def __init__(self, table: Element) -> None:
        """Keep the table as the second element of page 2."""
        head = "Consolidated statements of operations"
        heading = Element("d-2-1", "d", 2, "heading", head, BBox(0, 0, 1, 0.1), "layer")
        self.elements = (heading, replace(table, id="d-2-2", doc_id="d", page=2))

    def documents(self) -> list[Document]:
        """Return nothing: one report is never too much to be gone through."""
        return []

    def outlines(self, *, kind: str = "", saying: str = "") -> Iterator[Element]:
        """Yield the table if it says something."""
        yield from (e for e in self.elements if e.kind == kind and re.search(saying, e.text))

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        """Return the elements of the pages; the cover has none."""
        return [self.elements if page == 2 else () for _, page in pages]


def answered(question: TableQuestion, document: Document) -> str | None:
    """Return the ratio or figure that a question asks for; None where none is computed."""
    found = computed_ratio(question.text, [document], OneTable(question.table), load_ratios())  # type: ignore[arg-type]
    return found.text[slice(*found.short)] if found and found.short else None


def main() -> None:
    """Read the questions, answer those that ask for a ratio or a figure, and print how many are right."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--questions", type=Path, required=True, help="qa.jsonl.gz")
    options.add_argument("--show", action="store_true", help="list what is wrong")
    asked = options.parse_args()
    document = Document("d", "report.pdf", "", 2, "")
    questions = [q for q in read(asked.questions) if q.source == SOURCE]
    started = time.perf_counter()
    found = [(q, said) for q in questions if (said := answered(q, document))]
    spent = 1000 * (time.perf_counter() - started) / max(1, len(questions))
    wrong = [(q, said) for q, said in found if not denotes((said,), q.answers)]
    right = f"{100 * (len(found) - len(wrong)) / max(1, len(found)):.1f}%"
    columns = ("questions", "answered", "right", "share", "ms a question")
    counts = (str(len(questions)), str(len(found)), str(len(found) - len(wrong)))
    print_table("Ratios and figures of reports", columns, [(*counts, right, f"{spent:.1f}")])
    for question, said in wrong if asked.show else ():
        print(f"{question.text!r} gold {question.answers}, said {said}")


if __name__ == "__main__":
    main()
