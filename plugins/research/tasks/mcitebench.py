"""The benchmark MCiteBench (Hu et al. 2025, arXiv 2503.02589): a question, five items, sentences that cite items.

Data: a folder with `data.jsonl` (or data_example.jsonl) and `visual_resources/` as published, a question a line:
`{"question_id", "pdf_id", "question_type": "explanation" or "locating", "question", "answer", "evidence_contents",
"distractor_contents", "evidence_modal"}`; contents are texts, or paths of images inside the folder of `pdf_id`.

Method vanilla follows the paper: the model is shown the items as they are, texts after their numbers ([1]), figures and
tables after their names (Figure 3, Table 2) as `text_2_idx`, `image_2_idx`, `table_2_idx` have them, and cites these
names in its sentences; its reply is read as the output of another system would be. `captions`, by content, is a key of
our own: captions are shown where all figures and tables of a question have one, and with --input names they are left
out (table 14). A caption of the evidence alone, as in the published `meta_data`, would tell which item it is. With
--input retrieved, and with other methods, items are documents that are searched.

Outputs of other systems are lines with `question_id` and `response`, an answer with inline citations, or with
`sentence_citation_list` as the published code writes it: `[{"Sentence", "Citation": ["1", "Figure 3"]}]`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evaluation.metrics import containment, f1
from evaluation.tasks import (
    Figures,
    Gold,
    GoldQuestion,
    GoldReader,
    ItemPicture,
    Rubric,
    file_id,
    found_in,
    of,
    rows_of,
    text_of,
)
from plugins.research.metrics import mcitebench as mcite
from plugins.research.tasks.inline_citations import cited_names, cited_sentences
from plugins.research.tasks.items import SourceItem, items_of, judge_material, sentences_of, shuffle, text_document
from rag.llm import in_line, load_prompt

if TYPE_CHECKING:
    from PIL import Image

NAME = "mcitebench"
SAYS = "write sentences that cite items, five per question (MCiteBench)"
SCOPE = "document"
GROUPINGS = ("setting", "question type", "sources", "modality", "two sources")
MIXED = "mixed"
"""The modality of all questions with evidence of several (table 4)."""
MACRO = None
TABLE = ("Citation F1", "Source F1", "Source EM", "Acc")
INPUTS = ("items", "names")
FILES = ("data.jsonl", "data/data.jsonl", "data_example.jsonl", "data/data_example.jsonl")
FOLDERS = ("visual_resources", "visual_resources_example")
IMAGES = (".jpg", ".jpeg", ".png")
PROMPT = load_prompt("plugins.research:mcite_answer", "question")
HIGHEST = dict.fromkeys(("mcite_explanation", "mcite_locating"), 2.0)


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:
    """Read the questions; `documents` is the folder of the visual resources. Texts become documents in `material`."""
    file = found_in(data, FILES)
    text, digest = text_of(file)
    folders = [documents] if documents else [file.parent / name for name in FOLDERS]
    reader = GoldReader()
    reader.each(rows_of(file, text), lambda where, row: _add_question(reader, where, row, folders, material))
    return reader.gold(file, digest, limit_docs)


def _add_question(reader: GoldReader, where: str, row: Any, folders: Sequence[Path], material: Path) -> None:
    """Add a question with its items, which are image files or one-page PDFs of texts. Raises ValueError."""
    qid, text = str(of(row, "question_id", object)), of(row, "question", str)
    evidence, distractors = of(row, "evidence_contents", list), of(row, "distractor_contents", list)
    if not evidence:
        raise ValueError("has no evidence: there is nothing to score its sources with")
    contents = list(dict.fromkeys([*map(str, evidence), *map(str, distractors)]))
    names, captions = _names(row, contents), _captions(row, contents)
    items: list[SourceItem] = []
    files: dict[str, Path] = {}
    for content in contents:
        if _is_image(content):
            path = _find_image(content, str(row.get("pdf_id", "")), folders)
            kind: Literal["table", "figure"] = "table" if names[content].startswith("Table") else "figure"
            items.append(SourceItem(file_id(path), kind, name=names[content], caption=captions.get(content, "")))
        else:
            path = text_document(material, content)
            items.append(SourceItem(file_id(path), "text", content, names[content]))
        files[items[-1].document] = path
    count = len(set(map(str, evidence)))
    modal = row.get("evidence_modal") or ["unlabelled"]
    modalities = list(map(str, modal)) if isinstance(modal, list) else [str(modal)]
    kind_of_question, sources = str(row.get("question_type", "unlabelled")), "single" if count == 1 else "multiple"
    groups = {
        "setting": (f"{kind_of_question}, {sources}",),  # the three columns of table 2
        "question type": (kind_of_question,),
        "sources": (sources,),
        "modality": (" ".join(modalities), *([MIXED] if len(set(modalities)) > 1 else [])),
        "two sources": (("single" if len({item.kind for item in items[:2]}) == 1 else MIXED,) if count == 2 else ()),
    }
    # The order says nothing: it is by their ids, which are hashes.
    ids = tuple(sorted({item.document for item in items}))
    more = {
        "items": {item.document: item for item in items},
        "gold": frozenset(item.document for item in items[:count]),
    }
    reader.take(where, GoldQuestion(qid, text, str(of(row, "answer", object)), ids, groups=groups, more=more), files)


def _is_image(content: str) -> bool:
    return content.lower().endswith(IMAGES)


def _names(row: Mapping[str, Any], contents: Sequence[str]) -> dict[str, str]:
    """Return the name by which each content is cited; one that the data does not name gets the next free number.

    Raises ValueError where two have the same name.
    """
    keys = dict(zip(map(str, row["evidence_contents"]), map(str, row.get("evidence_keys") or ()), strict=False))
    names: dict[str, str] = {}
    for content in contents:
        for form, key in (("[{}]", "text_2_idx"), ("Figure {}", "image_2_idx"), ("Table {}", "table_2_idx")):
            if content in (row.get(key) or {}):
                names[content] = form.format(row[key][content])
        if content not in names and _is_image(content):
            names.update((content, name) for name in cited_names(keys.get(content, ""))[:1])
    for content in contents:
        form, number = ("Figure {}" if _is_image(content) else "[{}]"), 1
        while content not in names:
            if form.format(number) not in names.values():
                names[content] = form.format(number)
            number += 1
    if len(set(names.values())) < len(names):
        raise ValueError(f"two of its items have the same name ({', '.join(sorted(names.values()))})")
    return names


def _captions(row: Mapping[str, Any], contents: Sequence[str]) -> Mapping[str, str]:
    """Return the captions by content, if all figures and tables have one: some alone would give the evidence away."""
    captions = {str(content): str(caption).strip() for content, caption in (row.get("captions") or {}).items()}
    return captions if all(captions.get(content) for content in contents if _is_image(content)) else {}


def _find_image(content: str, pdf_id: str, folders: Sequence[Path]) -> Path:
    for folder in folders:
        for path in (folder / pdf_id / content, folder / content):
            if path.is_file():
                return path
    raise ValueError(f"{content} of {pdf_id} is not in {' or '.join(map(str, folders))}")


def as_shown(question: GoldQuestion, seed: int = 0) -> tuple[SourceItem, ...]:
    """Return the items in the order that the model sees: shuffled, with the texts by number, as published."""
    items = shuffle(tuple(items_of(question).values()), question.qid, seed)
    texts = iter(sorted((item for item in items if item.text), key=lambda item: (len(item.name), item.name)))
    return tuple(next(texts) if item.text else item for item in items)


def message(question: GoldQuestion, picture: ItemPicture, *, captions: bool) -> tuple[str | Image.Image, ...]:
    """Return the paper's input: each item after its name, then the question. Raises Unshowable."""
    parts: list[str | Image.Image] = []
    for item in as_shown(question):
        text = in_line(item.text or (item.caption if captions else ""))
        parts.append(f"{item.name} {text}".strip() if item.text else f"{item.name}: {text}".rstrip(": "))
        parts += [] if item.text else [picture(item.document)]
    return *parts, PROMPT.fill(question=in_line(question.text))


def foreign(question: GoldQuestion, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of an answer with inline citations by any system. Raises ValueError for another form."""
    if "response" in row:
        answer = of(row, "response", str)
        sentences = cited_sentences(answer)
    else:
        pairs = of(row, "sentence_citation_list", list)
        names_of_pairs = [[str(name) for name in of(pair, "Citation", list)] for pair in pairs]
        sentences = [
            (
                of(pair, "Sentence", str),
                [n for name in names for n in cited_names(f"[{name}]" if name.isdigit() else name)],
            )
            for pair, names in zip(pairs, names_of_pairs, strict=True)
        ]
        answer = " ".join(text for text, _ in sentences)
    documents = {item.name: item.document for item in items_of(question).values()}
    names_cited = list(dict.fromkeys(name for _, names in sentences for name in names))
    return {
        "ranked_pages": [],
        "answer": answer,
        "abstained": not answer.strip(),
        "sentences": [
            {"text": t, "citations": [names_cited.index(n) for n in dict.fromkeys(names)]} for t, names in sentences
        ],
        "cited": [{"document": documents.get(name, name), "name": name} for name in names_cited],
        "latency_ms": None,
    }


def output_line(question: GoldQuestion, row: Mapping[str, Any]) -> str:
    """Return a line that the published code reads: `question_id`, and `response` with its citations."""
    names = {item.document: item.name for item in items_of(question).values()}
    sentences = []
    for text, documents in sentences_of(row):
        missing = [names.get(document, document) for document in documents]
        missing = [name for name in missing if name not in cited_names(text)]
        body, stop = (text[:-1], text[-1]) if text[-1:] in (".", "!", "?") else (text, "")
        sentences.append(" ".join([body, *(n if n[0] == "[" else f"({n})" for n in missing)]) + stop)
    return json.dumps({"question_id": question.qid, "response": " ".join(sentences)}, ensure_ascii=False)


def rubrics(question: GoldQuestion, predicted: Mapping[str, Any]) -> Sequence[Rubric]:
    """Return the rubrics: the answer, and every sentence with all its citations and with each one alone."""
    items = items_of(question)
    results: list[Rubric] = []
    if str(predicted.get("answer", "")).strip():
        explains = question.groups["question type"] == ("explanation",)
        values = {"question": question.text, "gold": question.answer, "said": str(predicted["answer"])}
        prompt = f"plugins.research:mcite_{'explanation' if explains else 'locating'}"
        results.append(Rubric("Acc", prompt, values, mcite.RATINGS))
    for n, (sentence, documents) in enumerate(sentences_of(predicted)):
        supporting = [document for document in documents if document in items]  # others support nothing
        if supporting:
            text, regions = judge_material(supporting, items)
            values = {"statement": sentence, "sources": text}
            results.append(
                Rubric(
                    f"recall:{n}", "plugins.research:support", values, mcite.SUPPORT, regions, pictured=bool(regions)
                )
            )
        for document in supporting:
            text, regions = judge_material([document], items)
            values = {"statement": sentence, "sources": text}
            key = f"precision:{n}:{documents.index(document)}"
            results.append(Rubric(key, "plugins.research:support_single", values, (0.0, 1.0), regions, bool(regions)))
    return results


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:
    """Return citation figures and accuracy by a judge, else None; source figures without. Ans* is by string match.

    A citation of what is no item of the question supports nothing, and is among the cited sources.
    """
    sentences, items = sentences_of(predicted), items_of(question)
    cited_documents = {document for _, documents in sentences for document in documents}
    gold = question.more["gold"]
    recall = precision = accuracy = None
    if grades is not None:
        recall = mcite.citation_recall(
            [grades.get(f"recall:{n}") if items.keys() & set(of_it) else 0.0 for n, (_, of_it) in enumerate(sentences)]
        )
        precision = mcite.citation_precision(
            [
                [grades.get(f"precision:{n}:{m}") if d in items else 0.0 for m, d in enumerate(of_it)]
                for n, (_, of_it) in enumerate(sentences)
            ]
        )
        accuracy = mcite.accuracy(grades.get("Acc")) if str(predicted.get("answer", "")).strip() else 0.0
    return {
        "Citation recall": recall,
        "Citation precision": precision,
        "Citation F1": f1(precision, recall),
        "Source F1": mcite.source_f1(gold, cited_documents),
        "Source EM": mcite.source_exact_match(gold, cited_documents),
        "Acc": accuracy,
        "Ans*": containment(question.answer, str(predicted.get("answer", ""))),
        "abstained": float(bool(predicted.get("abstained"))),
        "ms": predicted.get("latency_ms"),
    }
