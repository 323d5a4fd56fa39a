"""The benchmark MAVIS (Song et al. 2025, arXiv 2511.12142): questions about images, long answers that cite both kinds.

Data: a folder with `mavis.jsonl` (or full_test_sampled.jsonl), a question a line: `{"qid", "Q", "A": [answers],
"image": file, "pos_documents": [ids], "sub_answers": [facts]}`, and the documents: `all_docs.json`, a text a line,
`{"snippet_id", "fact"}`, and `image2id.json`, `{file: id}`. Ids of texts have a hyphen or an underscore, as published.

Everything in the folder is searched, or with --base text or image one kind: to keep a run small, cut the two files of
documents down. A model that writes (vanilla, cot) is given the best K documents of each query, whole. NDCG and Recall
look at the retrieved documents, and for the paper's Recall@100 these must be a hundred: --top-k 100, or the run says
that it is a lower bound. They are of one ranked list of texts and images with all gold documents; the figures of one
kind are of its documents alone, in their order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation import GoldUnreadable
from evaluation.metrics import f1
from evaluation.tasks import (
    Figures,
    Gold,
    GoldQuestion,
    GoldReader,
    Rubric,
    file_id,
    found_in,
    of,
    reason,
    rows_of,
    text_of,
)
from plugins.research.metrics import mavis, ndcg, recall_at
from plugins.research.tasks.items import SourceItem, drafts_of, items_of, judge_material, sentences_of, text_document

NAME = "mavis"
SAYS = "write long answers about an image that cite texts and images (MAVIS)"
SCOPE = "collection"
GROUPINGS = ("evidence",)
MACRO = None
TABLE = ("Informativeness F1", "Own groundedness F1", "Groundedness F1", "NDCG@10", "Recall@100")
FILES = ("mavis.jsonl", "full_test_sampled.jsonl", "test.jsonl")
INPUTS = ("gold-documents", "nothing")
DEEPEST = ("Recall@100", 100)
SCALE = (0.0, 0.5, 1.0)
KINDS = ("text", "image")
RETRIEVAL = (("NDCG@10", ndcg, 10), ("Recall@100", recall_at, 100))
_NOT_RANKED: Figures = {f"{name}{kind}": None for name, _, _ in RETRIEVAL for kind in (" text", " image", "")}

Cited = tuple[str, list[str]]
"""A sentence, and the documents that it cites."""


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:  # noqa: ARG001  all are searched
    """Read questions and documents; names of images start from `documents`, by default the data's folder."""
    file = found_in(data, FILES)
    text, digest = text_of(file)
    folder, reader = documents or file.parent, GoldReader()
    by_name = _texts(reader, file.parent, material) | _images(reader, file.parent, folder)
    items = {item.document: item for item, _ in by_name.values()}  # all are searched: one mapping for all questions
    reader.each(rows_of(file, text), lambda where, row: _add_question(reader, where, row, by_name, items, folder))
    if reader.questions:
        reader.files |= {item.document: path for item, path in by_name.values()}
    return reader.gold(file, digest)


def _texts(reader: GoldReader, folder: Path, material: Path) -> dict[str, tuple[SourceItem, Path]]:
    """Return the text documents by the ids of the data."""
    file, documents = folder / "all_docs.json", {}
    for where, row in rows_of(file, text_of(file)[0]) if file.is_file() else ():
        try:
            fact = of(row, "fact", str, "text")
            path = text_document(material, fact)
            documents[str(of(row, "snippet_id", object, "id"))] = (SourceItem(file_id(path), "text", fact), path)
        except ValueError as error:
            reader.note(f"{where}: {reason(error)}")
    return documents


def _images(reader: GoldReader, folder: Path, start: Path) -> dict[str, tuple[SourceItem, Path]]:
    """Return the image documents by the ids of the data."""
    file, documents = folder / "image2id.json", {}
    if not file.is_file():
        return {}
    try:
        numbers = json.loads(text_of(file)[0])
    except ValueError as error:
        raise GoldUnreadable(f"{file}: {reason(error)}") from None
    if not isinstance(numbers, dict):
        raise GoldUnreadable(f"{file}: it is not an object of ids by file name: use the published file")
    for name, number in numbers.items():
        path = start / name
        if path.is_file():
            documents[str(number)] = (SourceItem(file_id(path), "image"), path)
        else:
            reader.note(f"{file.name}: {name} is not in {start}")
    return documents


def _add_question(
    reader: GoldReader,
    where: str,
    row: Any,
    items_by_name: Mapping[str, tuple[SourceItem, Path]],
    items: Mapping[str, SourceItem],
    folder: Path,
) -> None:
    """Add a question; `items_by_name` are the documents by the ids of the data, `items` those by our ids."""
    qid, text = str(of(row, "qid", object)), of(row, "Q", str, "question")
    answers = of(row, "A", list, "answers")
    positive = [str(name) for name in of(row, "pos_documents", list)]
    if not answers or not positive:
        raise ValueError("has no answer or no document that answers: there is nothing to score it with")
    missing = [name for name in positive if name not in items_by_name]
    if missing:
        raise ValueError(f"its document {missing[0]} is not among the texts and images of the data")
    image = folder / str(row["image"]) if row.get("image") else None
    if image is not None and not image.is_file():
        raise ValueError(f"its image {image.name} is not in {image.parent}")
    gold = {items_by_name[name][0].document: items_by_name[name][0].kind for name in positive}
    kinds = {"text" if kind == "text" else "image" for kind in gold.values()}
    more = {
        "gold": gold,
        "facts": tuple(map(str, of(row, "sub_answers", list) if row.get("sub_answers") else ())),
        "items": items,
    }
    groups = {"evidence": (" and ".join(sorted(kinds)),)}
    reader.take(where, GoldQuestion(qid, text, str(answers[0]), (), groups=groups, image=image, more=more), {})


def gold_pages(question: GoldQuestion) -> tuple[tuple[str, int], ...]:
    """Return the gold documents, each of which is one page, ordered by their ids, which are hashes."""
    return tuple((document, 1) for document in sorted(question.more["gold"]))


def in_base(question: GoldQuestion, base: str) -> tuple[str, ...]:
    """Return the documents of a base: the texts (Text-RAG), the images (Image-RAG), or both (Multi-RAG)."""
    return tuple(d for d, item in items_of(question).items() if base in ("multi", _modality(item.kind)))


def _modality(kind: str) -> str:
    return "text" if kind == "text" else "image"


def rubrics(question: GoldQuestion, predicted: Mapping[str, Any]) -> Sequence[Rubric]:
    """Return the rubrics: every gold fact against the answer, every sentence against question and citations.

    A sentence as the model wrote it is judged as well if checking changed it or its citations.
    """
    answer = str(predicted.get("answer", ""))
    sentences, drafts = sentences_of(predicted), drafts_of(predicted) or []
    results: list[Rubric] = []
    if answer.strip():
        for n, fact in enumerate(question.more["facts"]):
            results.append(Rubric(f"fact:{n}", "plugins.research:mavis_fact", {"fact": fact, "said": answer}, SCALE))
        for n, (sentence, _) in enumerate(sentences):
            values = {"question": question.text, "gold": question.answer, "statement": sentence}
            results.append(
                Rubric(f"relevance:{n}", "plugins.research:mavis_sentence", values, SCALE, image=question.image)
            )
    statements = {f"grounded:{n}": statement for n, statement in enumerate(sentences)}
    statements |= dict(zip(_keys_of(drafts, sentences), drafts, strict=True))
    for key, (sentence, ids) in statements.items():
        groups = [ids, *([document] for document in ids)] if len(ids) > 1 else [ids][: len(ids)]
        for m, group in enumerate(groups):
            text, regions = judge_material(group, items_of(question))
            values = {"statement": sentence, "sources": text}
            results.append(
                Rubric(f"{key}:{m}", "plugins.research:mavis_support", values, SCALE, regions, pictured=bool(regions))
            )
    return results


def _keys_of(drafts: Sequence[Cited], sentences: Sequence[Cited]) -> list[str]:
    """Return the key under which each draft is judged: that of an equal sentence (text and citations), if any."""
    return [f"grounded:{sentences.index(d)}" if d in sentences else f"own:{n}" for n, d in enumerate(drafts)]


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:
    """Return the paper's figures: utilization, retrieval if anything was searched, others by a judge; else None."""
    ranking = (
        _ranking_figures(question, predicted.get("ranked_ids", [])) if predicted.get("searched", True) else _NOT_RANKED
    )
    numbers = counts(question, predicted)
    used = {f"Utilization {k}": mavis.utilization(numbers[f"{k} given"], numbers[f"{k} used"]) for k in KINDS}
    return (
        ranking
        | used
        | _judge_figures(question, sentences_of(predicted), drafts_of(predicted), grades)
        | {
            "abstained": float(bool(predicted.get("abstained"))),
            "ms": predicted.get("latency_ms"),
        }
    )


def _ranking_figures(question: GoldQuestion, ranking: Sequence[str]) -> Figures:
    """Return NDCG@10 and Recall@100 of each kind among its own documents, and of both in the list as it is."""
    items, gold = items_of(question), question.more["gold"]
    scores: Figures = {}
    for name, score, k in RETRIEVAL:
        for kind in KINDS:
            gains = {d: 1 for d, of_kind in gold.items() if _modality(of_kind) == kind}
            among = [d for d in ranking if d in items and _modality(items[d].kind) == kind]
            scores[f"{name} {kind}"] = score(gains, among, k)
        scores[name] = score(dict.fromkeys(gold, 1), ranking, k)
    return scores


def counts(question: GoldQuestion, predicted: Mapping[str, Any]) -> dict[str, int]:
    """Return how many documents of each modality a model was given, and how many of them it cites (Table 4).

    The citations are the model's own, before checking, or those of the answer where no model wrote.
    """
    items, drafts = items_of(question), drafts_of(predicted)
    given_documents = {e["document"] for e in predicted.get("evidence", ())}
    used = {d for _, documents in (sentences_of(predicted) if drafts is None else drafts) for d in documents}
    numbers: dict[str, int] = {}
    for kind in KINDS:
        of_kind = {d for d in given_documents if d in items and _modality(items[d].kind) == kind}
        numbers |= {f"{kind} given": len(of_kind), f"{kind} used": len(of_kind & used)}
    return numbers


def _judge_figures(
    question: GoldQuestion,
    sentences: Sequence[Cited],
    drafts: Sequence[Cited] | None,
    grades: Mapping[str, float] | None,
) -> Figures:
    """Return the figures of a judge. Groundedness is of the sentences as they are shown, checked; `Own` is of the
    model's own citations, before checking, as the paper measures; it is blank where no model wrote.
    """
    facts = question.more["facts"]
    complete = relevant = None
    by_kind: dict[str, list[float | None]] = {"text": [], "image": []}
    if grades is not None:
        scores = [grades.get(f"fact:{n}") if sentences else 0.0 for n in range(len(facts))]
        complete = mavis.completeness(scores) if scores else None
        relevant = mavis.relevance([grades.get(f"relevance:{n}") for n in range(len(sentences))])
    keys = [f"grounded:{n}" for n in range(len(sentences))]
    for key, (_, documents) in zip(keys, sentences, strict=True):
        for document, score in zip(documents, _scores_alone(key, documents, grades or {}), strict=True):
            item = items_of(question).get(document)
            by_kind["text" if item and item.kind == "text" else "image"].append(score)
    own = None if drafts is None else _keys_of(drafts, sentences)
    return {
        "Completeness": complete,
        "Relevance": relevant,
        "Informativeness F1": mavis.informativeness(complete, relevant),
        **_groundedness("Groundedness", keys, sentences, grades),
        **_groundedness("Own groundedness", own or [], drafts or [], None if own is None else grades),
        **{f"Groundedness {k}": mavis.grounded_precision([v]) if v else None for k, v in by_kind.items()},
    }


def _groundedness(
    name: str, keys: Sequence[str], statements: Sequence[Cited], grades: Mapping[str, float] | None
) -> Figures:
    """Return recall, precision and F1 of statements that were judged under these keys; None each without a judge."""
    recall = precision = None
    if grades is not None:
        each = [(key, documents) for key, (_, documents) in zip(keys, statements, strict=True)]
        recall = mavis.grounded_recall([grades.get(f"{key}:0") if documents else 0.0 for key, documents in each])
        precision = mavis.grounded_precision([_scores_alone(key, documents, grades) for key, documents in each])
    return {f"{name} recall": recall, f"{name} precision": precision, f"{name} F1": f1(precision, recall)}


def _scores_alone(key: str, documents: Sequence[str], grades: Mapping[str, float]) -> list[float | None]:
    """Return the score of each document of a sentence alone; a single document has the score of all (0)."""
    return [grades.get(f"{key}:{m + (len(documents) > 1)}") for m in range(len(documents))]
