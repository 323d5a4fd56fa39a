"""The benchmark CiteVQA (Ma et al. 2026, arXiv 2605.12882): questions about documents, with the elements that prove it.

Data: `CiteVQA.json` as published (in `data/validation/`), a list of `{"index", "Question", "Standard_Answer",
"Question_Type", "dataset_type", "description", "language", "PDF_Source": [paths], "Evidence": [{"source_doc_index",
"source_page_id", "bbox": [x0, y0, x1, y1] in thousandths of the page, "type", "necessity"}]}`. Pages and documents
count from 0 where some evidence of the file has a 0, else from 1.

`necessity` is `crucial` or `supplemental`, or a word that means the same (CRUCIAL and SUPPLEMENTAL in this module); a
question with any other word is left out, with the word. Evidence without the key is crucial. Rec, Page and SAA are of
the crucial boxes, Prec of both kinds, and F1 is the harmonic mean of Prec and Rec.

With --inline the model is asked as the paper does: it is shown all pages of the question's documents as pictures, and
writes an answer with `<bbox .../>` tags, which is read as another system's would be.

With --input a model that writes is given all pages of the question's documents (documents), of those with gold
(gold-documents), or the pages with gold (gold-pages), in the place of what a search finds.

Outputs of other systems (--predictions): `{"index", "model_predict"}`, text with `<bbox .../>` tags.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation import metrics
from evaluation.metrics import PageBox
from evaluation.tasks import (
    Figures,
    Gold,
    GoldQuestion,
    GoldReader,
    PageRegion,
    Picture,
    Rubric,
    box,
    boxes_of,
    file_id,
    found_in,
    of,
    page_count,
    page_number,
    rows_of,
    text_of,
)
from plugins.research.metrics import citevqa
from plugins.research.tasks.items import WHOLE
from rag import read_citevqa
from rag.formats import SCALE
from rag.llm import in_line, load_prompt

if TYPE_CHECKING:
    from PIL import Image

NAME = "citevqa"
SAYS = "answer and cite the elements that prove it, from one or several documents (CiteVQA)"
SCOPE = "document"
GROUPINGS = ("setting", "question type", "evidence type", "document type", "language", "difficulty")
MACRO = None
TABLE = ("Rec", "Rel", "Ans", "SAA")
CURVE = ("Ans", "Rec")
FILES = ("data/validation/CiteVQA.json", "validation/CiteVQA.json", "CiteVQA.json", "CiteVQA.jsonl")
THOUSANDTHS = (1000.0, 1000.0)
INPUTS = ("documents", "gold-documents", "gold-pages")
INLINE = load_prompt("plugins.research:citevqa_inline", "question", "doc")
SCORES = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
HIGHEST = dict.fromkeys(("citevqa_answer", "citevqa_relevance"), SCORES[-1])
CRUCIAL = frozenset({"crucial", "critical", "essential", "necessary", "required", "true", "yes", "1"})
SUPPLEMENTAL = frozenset(
    {"supplemental", "supplementary", "supporting", "auxiliary", "additional", "other", "optional", "redundant"}
    | {"unnecessary", "not necessary", "non-crucial", "not crucial", "non-essential", "false", "no", "0"}
)
"""The words of `necessity`, in lower case: crucial evidence is lost when it is masked, supplemental evidence is not."""


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:  # noqa: ARG001  nothing to be made
    """Read the annotations; PDFs are searched in `documents`, then at `PDF_Source` relative to the data."""
    file = found_in(data, FILES)
    text, digest = text_of(file)
    keys = ("source_page_id", "source_doc_index")
    zeros = {key for _, row in rows_of(file, text) for key in keys if _has_a_zero(row, key)}
    first = {key: 0 if key in zeros else 1 for key in keys}
    folders = [p for p in (documents, data, *file.parents[:3]) if p is not None]
    find = functools.cache(lambda name: _find_file(name, folders))  # many questions are about the same document
    more = functools.cache(lambda files: {"pages": tuple(map(page_count, files))})  # and share what is known of it
    reader = GoldReader()
    # The rows are read twice rather than kept: there may be very many.
    reader.each(rows_of(file, text), lambda where, row: _add_question(reader, where, row, first, find, more))
    return reader.gold(file, digest, limit_docs)


def _has_a_zero(row: Any, key: str) -> bool:
    """Return True if `key` is 0 in some evidence of a row."""
    evidence = row.get("Evidence") if isinstance(row, dict) else None
    return any(isinstance(e, dict) and e.get(key) == 0 for e in (evidence if isinstance(evidence, list) else ()))


def _add_question(
    reader: GoldReader,
    where: str,
    row: Any,
    first: Mapping[str, int],
    find: Callable[[str], Path],
    more: Callable[[tuple[Path, ...]], Mapping[str, Any]],
) -> None:
    """Add a question; `find` returns a document's file by its name, `more` further values of all its files."""
    qid = str(of(row, "index", object))
    files = tuple(find(str(name)) for name in of(row, "PDF_Source", list))
    if not files:
        raise ValueError("names no document in 'PDF_Source'")
    boxes, supplemental, kinds = [], [], []
    for number, evidence in enumerate(of(row, "Evidence", list), 1):
        try:
            if not isinstance(evidence, dict):
                raise ValueError(f"{evidence!r} is not an object with 'bbox' and 'source_page_id'")  # noqa: TRY301, TRY004
            gold = _gold_box(evidence, first, len(files))
            if _is_crucial(evidence):
                boxes.append(gold)
                kinds.append(str(evidence.get("type", "unlabelled")))
            else:
                supplemental.append(gold)
        except ValueError as error:
            raise ValueError(f"evidence {number}: {error}") from None
    if not boxes:
        raise ValueError("has no crucial evidence: there is nothing to score its citations with")
    ids = tuple(file_id(file) for file in files)
    groups = {
        "setting": (str(row.get("dataset_type", "unlabelled")),),
        "question type": (str(row.get("Question_Type", "unlabelled")),),
        "evidence type": tuple(dict.fromkeys(kinds)),
        "document type": (str(row.get("description", "unlabelled")),),
        "language": (str(row.get("language", "unlabelled")),),
        "difficulty": (str(row.get("Difficulty", "unlabelled")),),
    }
    text, answer = of(row, "Question", str), str(of(row, "Standard_Answer", object))
    pages = frozenset(b.page for b in boxes)
    facts = {**more(files), "supplemental": tuple(supplemental)}
    for number, gold in enumerate(supplemental, 1):
        count = facts["pages"][gold.doc - 1]
        if count is not None and gold.page > count:
            raise ValueError(f"its supplemental evidence {number} is on page {gold.page}, counted from 1, of {count}")
    question = GoldQuestion(qid, text, answer, ids, pages, tuple(boxes), groups, more=facts)
    reader.take(where, question, dict(zip(ids, files, strict=True)))


def _is_crucial(evidence: Any) -> bool:
    """Return True for crucial evidence, False for supplemental. Raises ValueError, which names any other word."""
    if "necessity" not in evidence:
        return True
    word = str(evidence["necessity"]).strip().lower()
    if word not in CRUCIAL | SUPPLEMENTAL:
        raise ValueError(f"its necessity {evidence['necessity']!r} is unknown: use 'crucial' or 'supplemental'")
    return word in CRUCIAL


def _gold_box(evidence: Any, first: Mapping[str, int], documents: int) -> PageBox:
    values = of(evidence, "bbox", list)
    doc = page_number(evidence.get("source_doc_index", first["source_doc_index"]), first["source_doc_index"])
    page = page_number(of(evidence, "source_page_id", object), first["source_page_id"])
    if doc > documents:
        raise ValueError(f"is of document {doc} of {documents}")
    return PageBox(page, box(values, THOUSANDTHS), doc)


def _find_file(name: str, folders: Sequence[Path]) -> Path:
    """Return the file of a document, by its path or by its name alone. Raises ValueError."""
    for folder in folders:
        for path in (folder / name, folder / Path(name).name, folder / "pdf" / Path(name).name):
            if path.is_file():
                return path
    raise ValueError(f"{name} is not in {folders[0]}: give the folder of the documents with --documents")


def gold_pages(question: GoldQuestion) -> tuple[tuple[str, int], ...]:
    """Return the pages that have evidence, crucial or supplemental, document by document."""
    places = sorted({box_.place for box_ in (*question.boxes, *question.more["supplemental"])})
    return tuple((question.documents[doc - 1], page) for doc, page in places)


def inline_message(
    question: GoldQuestion, pages: Sequence[tuple[str, int]], draw: Picture
) -> tuple[str | Image.Image, ...]:
    """Return the pages as pictures, each document after its number where there are several, and the question.

    Each page has its position before it, as gold pages alone would not show it. Raises Unshowable.
    """
    parts: list[str | Image.Image] = []
    several = len(question.documents) > 1
    for doc_id, page in pages:
        doc = f'doc="{question.documents.index(doc_id) + 1}" ' if several else ""
        parts += [f'{doc}page="{page}"', draw(PageRegion(doc_id, page, WHOLE))]
    return *parts, INLINE.fill(question=in_line(question.text), doc='doc="..." ' if several else "")


def rubrics(question: GoldQuestion, predicted: Mapping[str, Any]) -> Sequence[Rubric]:
    """Return the rubrics: Ans, and Rel of each pair of a statement and a box that it cites, 0 to 5.

    The judge of Rel sees the box, cropped from its page, as the place counts. An empty answer, one without citations,
    and a box on a page that does not exist need no judge.
    """
    answer = str(predicted.get("answer", ""))
    if not answer.strip():
        return ()
    values = {"question": question.text, "gold": question.answer}
    results = [Rubric("Ans", "plugins.research:citevqa_answer", values | {"said": answer}, SCORES)]
    for n, (statement, box_) in enumerate(_pairs(predicted)):
        if _is_page_of(question, box_):
            region = PageRegion(question.documents[box_.doc - 1], box_.page, box_.bbox)
            inputs = values | {"statement": statement}
            results.append(
                Rubric(f"Rel:{n}", "plugins.research:citevqa_relevance", inputs, SCORES, (region,), pictured=True)
            )
    return results


def _pairs(predicted: Mapping[str, Any]) -> list[tuple[str, PageBox]]:
    """Return the pairs (A_i, b_i), each once: a sentence, and a box that it cites.

    A box that no sentence cites, or one without words, is that of the whole answer.
    """
    boxes, answer = boxes_of(predicted, "citations"), str(predicted.get("answer", ""))
    citations = [(str(s["text"]), n) for s in predicted.get("sentences", ()) for n in s["citations"] if n < len(boxes)]
    alone = [("", n) for n in sorted(set(range(len(boxes))) - {n for _, n in citations})]
    return [(text.strip() or answer, boxes[n]) for text, n in dict.fromkeys([*citations, *alone])]


def _is_page_of(question: GoldQuestion, box: PageBox) -> bool:
    """Return True if a cited page exists in the question's documents: other systems may cite any page."""
    if not 0 < box.doc <= len(question.documents):
        return False
    pages = question.more["pages"][box.doc - 1]
    return box.page > 0 and (pages is None or box.page <= pages)


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:
    """Return the paper's figures; those of judges stay None without one.

    Ans* and SAA* are by string match, never the paper's. SAA is None without Rel even where Ans and Rec decide it: a
    mean over those cases alone would be biased.
    """
    cited_boxes = boxes_of(predicted, "citations")
    recall = metrics.citation_recall(question.boxes, cited_boxes)
    precision = metrics.citation_precision((*question.boxes, *question.more["supplemental"]), cited_boxes)
    containment = metrics.containment(question.answer, predicted.get("answer", ""))
    answer = relevance = None
    if grades is not None:  # an empty answer scores 0, and so does a box on a page that does not exist
        has_answer = bool(str(predicted.get("answer", "")).strip())
        pairs = _pairs(predicted) if has_answer else []
        answer = grades.get("Ans") if has_answer else 0.0
        relevance = citevqa.relevance(
            [grades.get(f"Rel:{n}") if _is_page_of(question, b) else 0.0 for n, (_, b) in enumerate(pairs)]
        )
    return {
        "Rec": recall,
        "Page": citevqa.page_recall(question.boxes, cited_boxes),
        "Prec": precision,
        "F1": metrics.f1(precision, recall),
        "Rel": citevqa.share(relevance),
        "Ans": citevqa.share(answer),
        "SAA": None if relevance is None else citevqa.strict_attributed_accuracy(answer, relevance, recall),
        "Ans*": containment,
        "SAA*": metrics.strict_accuracy(containment, recall),
        "abstained": float(bool(predicted.get("abstained"))),
        "ms": predicted.get("latency_ms"),
    }


def foreign(question: GoldQuestion, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of an answer by another system: text without tags, boxes as citations, bad tags as notes."""
    text = of(row, "model_predict", str, "prediction", "answer")
    reading = read_citevqa(text)
    regions = list(dict.fromkeys(region for s in reading.statements for region in s.regions))
    several = len(question.documents) > 1
    notes = list(reading.problems)
    if regions and all(max(r.bbox.as_tuple()) * SCALE <= 1 for r in regions):
        notes.append("all its coordinates are from 0 to 1: they are read as thousandths of the page, not as fractions")
    citations = [
        {"page": r.page, "bbox": list(r.bbox.as_tuple()), **({"doc": r.doc} if several else {})} for r in regions
    ]
    return {
        "qid": question.qid,
        "question": question.text,
        "ranked_pages": [],
        "ranked_boxes": [],
        "citations": citations,
        "answer": " ".join(s.text for s in reading.statements if s.text),
        "sentences": [
            {"text": s.text, "verdict": "unconfirmed", "reason": "", "citations": [regions.index(r) for r in s.regions]}
            for s in reading.statements
        ],
        "abstained": not any(s.text for s in reading.statements),
        "latency_ms": None,
        "notes": notes,
    }


def output_line(question: GoldQuestion, row: Mapping[str, Any]) -> str:
    """Return a line in the format of the benchmark: `{"index", "model_predict"}` in JSON."""
    from rag import CitedRegion, Statement, write_citevqa

    boxes = boxes_of(row, "citations")

    def region(box_: PageBox) -> CitedRegion:
        from indexing import BBox

        return CitedRegion(box_.doc, box_.page, BBox(*box_.bbox))

    statements = [
        Statement(s["text"], tuple(region(boxes[n]) for n in s["citations"] if boxes[n].page > 0))
        for s in row.get("sentences", ())
    ]
    text = write_citevqa(statements, multiple=len(question.documents) > 1)
    return json.dumps({"index": question.qid, "model_predict": text}, ensure_ascii=False)
