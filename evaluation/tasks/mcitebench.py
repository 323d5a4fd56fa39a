"""The benchmark MCiteBench (Hu et al. 2025, arXiv 2503.02589): a question, five items, sentences that cite items.

Data: a folder with `data.jsonl` (or data_example.jsonl) and `visual_resources/` as published, a question a line:
`{"question_id", "pdf_id", "question_type": "explanation" or "locating", "question", "answer", "evidence_contents",
"distractor_contents", "evidence_modal"}`; contents are texts, or paths of images inside the folder of `pdf_id`.

With --identify, a model of its own is also shown question and items, of the explanation questions with a single source,
and chooses the item that answers (the paper's RQ1, table 11): Identified is 1 when that is the gold item. A guess among
five is right 20 times of 100.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.metrics import containment, f1
from evaluation.metrics import mcitebench as mcite
from evaluation.tasks.items import Choice, SourceItem, items_of, sentences_of, shown, shuffled
from evaluation.tasks.questions import Figures, Gold, GoldQuestion, GoldReader, file_id, found_in, of, rows_of, text_of
from evaluation.tasks.rubric import Rubric
from evaluation.tasks.text_documents import text_document

NAME = "mcitebench"
SAYS = "write sentences that cite items, five a question (MCiteBench)"
SCOPE = "document"
GROUPINGS = ("question type", "sources", "modality")
MACRO = None
TABLE = ("Citation F1", "Source F1", "Source EM", "Acc")
CHOSEN = ("Identified",)
FILES = ("data.jsonl", "data/data.jsonl", "data_example.jsonl", "data/data_example.jsonl")
FOLDERS = ("visual_resources", "visual_resources_example")
IMAGES = (".jpg", ".jpeg", ".png")


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:
    """Read the questions; `documents` is the folder of the visual resources. Texts become documents in `material`."""
    file = found_in(data, FILES)
    text, digest = text_of(file)
    folders = [documents] if documents else [file.parent / name for name in FOLDERS]
    reader = GoldReader()
    reader.each(rows_of(file, text), lambda where, row: _take(reader, where, row, folders, material))
    return reader.gold(file, digest, limit_docs)


def _take(reader: GoldReader, where: str, row: Any, folders: Sequence[Path], material: Path) -> None:
    qid, text = str(of(row, "question_id", object)), of(row, "question", str)
    evidence, distractors = of(row, "evidence_contents", list), of(row, "distractor_contents", list)
    if not evidence:
        raise ValueError("has no evidence: there is nothing to score its sources with")
    tables = row.get("table_2_idx") or {}
    items: list[SourceItem] = []
    files: dict[str, Path] = {}
    for content in dict.fromkeys([*map(str, evidence), *map(str, distractors)]):
        is_image = content.lower().endswith(IMAGES)
        path = _image(content, str(row.get("pdf_id", "")), folders) if is_image else text_document(material, content)
        items.append(
            SourceItem(file_id(path), "table" if content in tables else "figure")
            if is_image
            else SourceItem(file_id(path), "text", content)
        )
        files[items[-1].document] = path
    count = len(set(map(str, evidence)))
    modal = row.get("evidence_modal") or ["unlabelled"]
    groups = {
        "question type": (str(row.get("question_type", "unlabelled")),),
        "sources": ("single" if count == 1 else "multiple",),
        "modality": (" ".join(map(str, modal)) if isinstance(modal, list) else str(modal),),
    }
    # The order says nothing: it is by their ids, which are hashes.
    ids = tuple(sorted({item.document for item in items}))
    more = {
        "items": {item.document: item for item in items},
        "gold": frozenset(item.document for item in items[:count]),
    }
    reader.take(where, GoldQuestion(qid, text, str(of(row, "answer", object)), ids, groups=groups, more=more), files)


def _image(content: str, pdf_id: str, folders: Sequence[Path]) -> Path:
    for folder in folders:
        for path in (folder / pdf_id / content, folder / content):
            if path.is_file():
                return path
    raise ValueError(f"{content} of {pdf_id} is not in {' or '.join(map(str, folders))}")


def rubrics(question: GoldQuestion, predicted: Mapping[str, Any]) -> Sequence[Rubric]:
    """Return the rubrics: the answer, every sentence with all its citations, and with each of several by itself."""
    items = items_of(question)
    asked: list[Rubric] = []
    if str(predicted.get("answer", "")).strip():
        explains = question.groups["question type"] == ("explanation",)
        values = {"question": question.text, "gold": question.answer, "said": str(predicted["answer"])}
        prompt = "mcite_explanation" if explains else "mcite_locating"
        asked.append(Rubric("Acc", prompt, values, mcite.RATINGS))
    for n, (sentence, cited) in enumerate(sentences_of(predicted)):
        if cited:
            text, regions = shown(cited, items)
            values = {"statement": sentence, "sources": text}
            asked.append(Rubric(f"recall:{n}", "support", values, mcite.SUPPORT, regions, pictured=bool(regions)))
        for m, document in enumerate(cited):
            text, regions = shown([document], items)
            values = {"statement": sentence, "sources": text}
            asked.append(Rubric(f"precision:{n}:{m}", "support_single", values, (0.0, 1.0), regions, bool(regions)))
    return asked


def choice(question: GoldQuestion, seed: int) -> Choice | None:
    """Return all items of an explanation question with a single source as options; None for any other (table 11)."""
    if question.groups["question type"] != ("explanation",) or len(question.more["gold"]) != 1:
        return None
    return Choice(question.text, shuffled(tuple(items_of(question).values()), question.qid, seed))


def figures(question: GoldQuestion, predicted: Mapping[str, Any], judged: Mapping[str, float] | None = None) -> Figures:
    """Return citation figures and accuracy by a judge, else None; source figures without. Ans* is by string match."""
    sentences = sentences_of(predicted)
    cited = {document for _, documents in sentences for document in documents}
    gold = question.more["gold"]
    chosen = None if predicted.get("identified") is None else frozenset(predicted["identified"])
    recall = precision = accuracy = None
    if judged is not None:
        recall = mcite.citation_recall([judged.get(f"recall:{n}") if s[1] else 0.0 for n, s in enumerate(sentences)])
        precision = mcite.citation_precision(
            [[judged.get(f"precision:{n}:{m}") for m in range(len(s[1]))] for n, s in enumerate(sentences)]
        )
        accuracy = mcite.accuracy(judged.get("Acc")) if str(predicted.get("answer", "")).strip() else 0.0
    return {
        "Citation recall": recall,
        "Citation precision": precision,
        "Citation F1": f1(precision, recall),
        "Source F1": mcite.source_f1(gold, cited),
        "Source EM": mcite.source_exact_match(gold, cited),
        "Acc": accuracy,
        "Identified": None if chosen is None else mcite.source_exact_match(gold, chosen),
        "Ans*": containment(question.answer, str(predicted.get("answer", ""))),
        "abstained": float(bool(predicted.get("abstained"))),
        "ms": predicted.get("latency_ms"),
    }
