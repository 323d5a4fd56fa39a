"""Small data sets in the forms that the benchmarks are published in, made for the tests."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageDraw, ImageFont

from tests.support import documents

MILL = ["The mill at Harrow grinds nine sacks of barley every day.", "Its keeper is called Agnes Tull."]
VAULT = ["The vault under the town hall holds forty barrels of cider.", "It was dug in the year 1844."]
WHERE = "The ferry to Merrow leaves at noon."
PAGE = [420.0, 595.0]
"""Points of a page of `tests.support.documents.pdf`."""
WHOLE = [0, 0, 420, 595]


def lines(path: Path, *rows: Any) -> Path:
    """A file with a JSON value a line; a text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def pdfs(folder: Path) -> Path:
    """A folder with mill.pdf (two pages, the mill on the second) and vault.pdf."""
    folder.mkdir(parents=True, exist_ok=True)
    documents.pdf(folder / "mill.pdf", ["An empty page but for this line about nothing."], MILL)
    documents.pdf(folder / "vault.pdf", VAULT)
    return folder


def mmdocir_question(**other: Any) -> dict[str, Any]:
    layout = [{"page": 1, "page_size": PAGE, "bbox": WHOLE}]
    asked = {"Q": "How many sacks of barley does the mill grind?", "A": "nine", "type": "['Table']", "page_id": [1]}
    return asked | {"layout_mapping": layout} | other


def mmdocir(folder: Path, *more: Any) -> Path:
    """MMDocIR: pages and boxes count from 0, boxes in points."""
    pdfs(folder / "pdfs")
    rows = [
        {"doc_name": "mill.pdf", "domain": "Farming", "questions": [mmdocir_question()]},
        {
            "doc_name": "vault.pdf",
            "domain": "Towns",
            "questions": [
                mmdocir_question(
                    Q="When was the vault dug?",
                    A="1844",
                    page_id=[0],
                    layout_mapping=[{"page": 0, "page_size": PAGE, "bbox": WHOLE}],
                )
            ],
        },
    ]
    lines(folder / "MMDocIR_annotations.jsonl", *rows, *more)
    return folder


def citevqa_row(index: Any, **other: Any) -> dict[str, Any]:
    evidence = {"source_doc_index": 0, "source_page_id": 1, "bbox": [60, 80, 900, 125], "type": "text", "content": "x"}
    row = {
        "index": index,
        "Question": "How many sacks of barley does the mill grind every day?",
        "Standard_Answer": "nine sacks",
        "Question_Type": "Factual Retrieval",
        "dataset_type": "Single-Doc",
        "language": "en",
        "description": "farming / mills",
        "PDF_Source": ["data/pdf/mill.pdf"],
        "Evidence": [evidence],
    }
    return row | other


def citevqa(folder: Path, *more: Any) -> Path:
    """CiteVQA: one JSON array; pages and documents count from 0, boxes are thousandths."""
    pdfs(folder / "data" / "pdf")
    both = ["data/pdf/mill.pdf", "data/pdf/vault.pdf"]
    vault = {"source_doc_index": 1, "source_page_id": 0, "bbox": [60, 80, 900, 125], "type": "text", "content": "y"}
    asked = "How many barrels of cider does the vault hold?"
    more_rows = [
        citevqa_row("2", dataset_type="Multi (1-Gold)", PDF_Source=both, Question=asked, Evidence=[vault]),
        *more,
    ]
    file = folder / "data" / "validation" / "CiteVQA.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps([citevqa_row("1"), *more_rows]))
    return folder


def visa_row(qid: str, **other: Any) -> dict[str, Any]:
    row = {"id": qid, "question": "When does the ferry leave?", "short_answer": "at noon", "candidates": ["ferry.png"]}
    more = {"oracle": 0, "bbox": [40, 200, 880, 290], "image_size": [900, 600], "kind": "passage"}
    return row | more | other


def visa(folder: Path, *more: Any) -> Path:
    """VISA: page images, boxes in pixels."""
    folder.mkdir(parents=True, exist_ok=True)
    documents.picture(["The ferry leaves at noon."]).save(folder / "ferry.png")
    documents.picture(["Apples cost two crowns."]).save(folder / "apples.png")
    both = ["apples.png", "ferry.png"]
    without = {"candidates": ["apples.png"], "oracle": None, "bbox": None}
    rows = [visa_row("v1"), visa_row("v2", candidates=both, oracle=1), visa_row("v3", **without)]
    lines(folder / "visa.jsonl", *rows, *more)
    return folder


def mcite_row(qid: str, **other: Any) -> dict[str, Any]:
    row = {
        "question_id": qid,
        "pdf_id": "paper",
        "question_type": "explanation",
        "question": "How many sacks of barley does the mill at Harrow grind every day?",
        "answer": "Nine sacks.",
        "evidence_contents": [MILL[0]],
        "evidence_modal": ["text"],
        "distractor_contents": [VAULT[0], "images/ferry.png"],
        "table_2_idx": {},
    }
    return row | other


def mcitebench(folder: Path, *more: Any) -> Path:
    """MCiteBench: texts and images."""
    images = folder / "visual_resources" / "paper" / "images"
    images.mkdir(parents=True)
    documents.picture(["The ferry leaves at noon."]).save(images / "ferry.png")
    picture = mcite_row(
        "c2",
        question_type="locating",
        question="When does the ferry leave?",
        answer="at noon",
        evidence_contents=["images/ferry.png"],
        evidence_modal=["figure"],
        distractor_contents=[MILL[0], VAULT[1]],
    )
    lines(folder / "data.jsonl", mcite_row("c1"), picture, *more)
    return folder


def mavis_row(qid: str, **other: Any) -> dict[str, Any]:
    row = {"qid": qid, "Q": "How many sacks of barley does the mill grind?", "A": ["Nine sacks a day."]}
    return row | {"pos_documents": ["t-1"], "sub_answers": ["The mill grinds nine sacks."]} | other


def mavis(folder: Path, *more: Any) -> Path:
    """MAVIS: texts and images to be searched, questions with and without an image."""
    folder.mkdir(parents=True, exist_ok=True)
    documents.picture(["The ferry leaves at noon."]).save(folder / "ferry.png")
    lines(folder / "all_docs.json", {"snippet_id": "t-1", "fact": MILL[0]}, {"snippet_id": "t-2", "fact": VAULT[0]})
    (folder / "image2id.json").write_text(json.dumps({"ferry.png": 7}))
    second = mavis_row("a2", Q="When does the ferry leave?", A=["At noon."], pos_documents=[7], sub_answers=[])
    lines(folder / "mavis.jsonl", mavis_row("a1"), second, *more)
    return folder


PAGES = (
    "The mill grinds nine sacks of barley.",
    "The vault holds forty barrels of cider.",
    "The ferry leaves at noon.",
)
"""What the pages of ViDoRe say."""
MILL_ASKED, FERRY_ASKED = "How many sacks of barley does the mill grind?", "When does the ferry leave?"


def page_image(text: str, form: str = "PNG") -> dict[str, Any]:
    """A page image as `datasets` writes it into Parquet: a line in large letters."""
    image, data = Image.new("RGB", (900, 240), "white"), io.BytesIO()
    ImageDraw.Draw(image).text((40, 90), text, fill="black", font=ImageFont.load_default(36))
    image.save(data, form)
    return {"bytes": data.getvalue(), "path": None}


def table(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    """A Parquet file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def vidore_v3(folder: Path, *more: dict[str, Any]) -> Path:
    """ViDoRe v3: a folder for each part, pages of grade 2 and 1, two languages. `more` are further rows of qrels."""
    corpus = [{"corpus_id": n, "image": page_image(t), "doc_id": "book", "markdown": t} for n, t in enumerate(PAGES)]
    table(folder / "corpus" / "test-00000-of-00002.parquet", corpus[:2])
    table(folder / "corpus" / "test-00001-of-00002.parquet", corpus[2:])
    types = ["extractive", "numerical"]
    queries = [
        {"query_id": 7, "query": MILL_ASKED, "language": "english", "query_types": types},
        {"query_id": 8, "query": FERRY_ASKED, "language": "french", "query_types": types[:1]},
    ]
    table(folder / "queries" / "test-00000-of-00001.parquet", queries)
    scores = [(7, 0, 2), (7, 2, 1), (8, 2, 1)]
    rows = [{"query_id": q, "corpus_id": c, "score": s, "content_type": ["Text"]} for q, c, s in scores]
    table(folder / "qrels" / "test-00000-of-00001.parquet", [*rows, *more])
    return folder


def vidore_boxes(folder: Path) -> Path:
    """ViDoRe v3 with boxes: two people marked page 0 (900 x 240 pixels) for the mill, nobody page 2."""
    vidore_v3(folder)
    left, right, upper = ((0, 0, 450, 240), (450, 0, 900, 240), (0, 0, 900, 120))
    marks = [(1, left), (1, right), (2, upper)]
    boxes = [{"annotator": a, "x1": b[0], "y1": b[1], "x2": b[2], "y2": b[3]} for a, b in marks]
    rows = [{"query_id": 7, "corpus_id": 0, "score": 2, "bounding_boxes": boxes}]
    rows += [{"query_id": q, "corpus_id": 2, "score": 1, "bounding_boxes": []} for q in (7, 8)]
    table(folder / "qrels" / "test-00000-of-00001.parquet", rows)
    return folder


def vidore_lines(folder: Path) -> Path:
    """The BEIR form as JSON lines beside image files, with the names of v2 and scores of v1."""
    (folder / "images").mkdir(parents=True)
    for number, text in enumerate(PAGES):
        (folder / "images" / f"{number}.jpg").write_bytes(page_image(text, "JPEG")["bytes"])
    lines(folder / "corpus.jsonl", *({"corpus-id": n, "image": f"images/{n}.jpg"} for n in range(len(PAGES))))
    lines(folder / "queries.jsonl", {"query-id": 7, "query": MILL_ASKED}, {"query-id": 8, "query": FERRY_ASKED})
    scores = [(7, 0, 1.0), (7, 1, 0.0), (8, 2, 1.0)]
    lines(folder / "qrels.jsonl", *({"query-id": q, "corpus-id": c, "score": s} for q, c, s in scores))
    return folder


def vidore_v1(folder: Path) -> Path:
    """ViDoRe v1: a query, its page and the name of its file in each row. The mill is asked of two pages; the last row
    is a page only, and has the image of the first under another name.
    """
    rows = [
        {"query": MILL_ASKED, "image": page_image(PAGES[0]), "image_filename": "mill.png"},
        {"query": FERRY_ASKED, "image": page_image(PAGES[2]), "image_filename": "ferry.png"},
        {"query": MILL_ASKED, "image": page_image(PAGES[1]), "image_filename": "vault.png"},
        {"query": None, "image": page_image(PAGES[0]), "image_filename": "copy.png"},
    ]
    table(folder / "data" / "test-00000-of-00001.parquet", rows)
    return folder


def bbox_docvqa_row(**other: Any) -> dict[str, Any]:
    row = {"query": "When does the ferry leave?", "answer": "at noon", "category": "cs", "doc_name": "2401.00001"}
    return row | {"evidence_page": [2], "bbox": [[[90, 0, 900, 300]]]} | other


def bbox_docvqa(folder: Path, *more: Any) -> Path:
    """BBox-DocVQA: page images of a paper, boxes in pixels of 900 x 600."""
    pages = folder / "cs" / "2401.00001"
    pages.mkdir(parents=True)
    for number, said in ((1, "Apples cost two crowns."), (2, "The ferry leaves at noon."), (10, "A list of ferries.")):
        documents.picture([said]).save(pages / f"2401.00001_{number}.png")
    lines(folder / "BBox_DocVQA_Bench.jsonl", bbox_docvqa_row(), *more)
    return folder
