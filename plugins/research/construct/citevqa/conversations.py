"""CiteVQA data as conversations for supervised fine-tuning: pages and a question in, an answer with `<bbox/>` out.

The pages are those with evidence, crucial or supplemental; the answer cites the crucial boxes, in the form that
`rag.formats` writes and reads: thousandths of the page, whatever the model. One conversation a line: `{"id",
"question", "images": [files], "messages": [{"role", "content"}]}`, where content is a list of `{"type": "text",
"text"}` and `{"type": "image", "image": file}`, as chat templates take it. The images stand in a folder beside the
lines and are named from there.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.harness import rubric_prompt
from evaluation.tasks import THOUSANDTHS
from indexing import BBox, Collection, IndexingError
from rag import CitedRegion, Statement, write_citevqa
from rag.llm import in_line

PAGE_WIDTH = 1000


def export(rows: Sequence[Mapping[str, Any]], collection: Collection, out: Path) -> int:
    """Write rows that were made of a collection as conversations, their pages as images beside them, and count them.

    A row with a page that cannot be drawn is left out, and named on stderr.
    """
    ids = {document.path: document.id for document in collection.documents()}
    folder = out.with_name(f"{out.stem}-pages")
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    with out.open("w", encoding="utf-8") as file:
        for row in rows:
            places = sorted({(e["source_doc_index"], e["source_page_id"]) for e in row["Evidence"]})
            try:
                names = [_page(collection, ids[row["PDF_Source"][doc - 1]], page, folder) for doc, page in places]
            except IndexingError as error:
                print(f"left out: {row['index']}: {error}", file=sys.stderr)
                continue
            file.write(json.dumps(conversation(row, places, names), ensure_ascii=False) + "\n")
            written += 1
    return written


def conversation(row: Mapping[str, Any], places: Sequence[tuple[int, int]], images: Sequence[str]) -> dict[str, Any]:
    """Return the conversation of a row; `images` are the files of the pages `places`, (document, page) from 1."""
    several = len(row["PDF_Source"]) > 1
    names = [f"Document {doc}, page {page}:" if several else f"Page {page}:" for doc, page in places]
    question = in_line(row["Question"])
    content = cited_request(question, names, images)
    answer = {"type": "text", "text": cited_answer(row)}
    return {
        "id": row["index"],
        "question": question,
        "images": list(images),
        "messages": [{"role": "user", "content": content}, {"role": "assistant", "content": [answer]}],
    }


def cited_request(question: str, names: Sequence[str], images: Sequence[str]) -> list[dict[str, str]]:
    """Return the content of the user's message: the pages after their names, then the question."""
    content: list[dict[str, str]] = []
    for name, image in zip(names, images, strict=True):
        content += [{"type": "text", "text": name}, {"type": "image", "image": image}]
    return [
        *content,
        {"type": "text", "text": rubric_prompt("plugins.research:construct_cited").filled(question=question)},
    ]


def cited_answer(row: Mapping[str, Any]) -> str:
    """Return the answer of a row with a tag for each crucial box, as `read_citevqa` reads it."""
    regions = []
    for evidence in row["Evidence"]:
        x0, y0, x1, y1 = evidence["bbox"]
        box = BBox.from_page(x0, y0, x1, y1, *THOUSANDTHS)
        if evidence["necessity"] == "crucial" and box is not None:
            regions.append(CitedRegion(evidence["source_doc_index"], evidence["source_page_id"], box))
    statement = Statement(in_line(row["Standard_Answer"]), tuple(regions))
    return write_citevqa([statement], multiple=len(row["PDF_Source"]) > 1)


def _page(collection: Collection, doc_id: str, page: int, folder: Path) -> str:
    """Draw a page into the folder, once, and return its name as seen from the folder above."""
    file = folder / f"{doc_id}-{page}.png"
    if not file.is_file():
        collection.draw_page(doc_id, page, PAGE_WIDTH).save(file)
    return f"{folder.name}/{file.name}"
