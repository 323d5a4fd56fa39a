"""The benchmark ViDoRe (Faysse et al. 2024, arXiv 2407.01449; v2: 2505.17166; v3: 2601.08620): find page images.

Data: a folder as published, in one of two forms. BEIR form (v2, v3, and v1's sets named _beir): the parts `corpus`
(`corpus-id`, `image`), `queries` (`query-id`, `query`, `language`) and `qrels` (`query-id`, `corpus-id`, `score`), each
a folder of Parquet files, or one file such as corpus.parquet. v3 writes `corpus_id` and `query_id`. QA form (v1):
Parquet files with `query`, `image` and `image_filename` in each row, where a row without query is a page only. Files
may also be JSON lines, whose `image` is the name of an image file in --documents (default: the folder of the data).

Every page image is a document of one page. Vouch indexes all of them with the embedder of --visual, and searches all of
them for each question; nothing is answered. The ranking is that of `vouch search`, with its bonuses and, in the modes
text and multi, its full-text match. nDCG, recall and MRR are computed as mteb and vidore-benchmark do, with pytrec_eval
(mteb/_evaluators/retrieval_metrics.py): the gain is the score itself. Leaderboards report NDCG@5 of v1 and v2, NDCG@10
of v3, and the mean over languages (--by language). `outputs.jsonl` of a run has a line for each question,
`{"query-id", "results": {corpus id: score}}`, and --predictions reads such lines of any other system.

Equal images are one page and, in QA form, equal queries one question with the pages of all its rows, as in the
published conversion of v1 (vidore_benchmark/cli/convert_ds_from_qa_to_beir.py). A question without a relevant page is
left out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation import GoldUnreadable
from evaluation.metrics import PageBox
from evaluation.tasks import Figures, Gold, GoldQuestion, GoldReader, file_id, found_in, of, reason, rows_of, text_of
from plugins.research.metrics import ndcg, recall_at, reciprocal_rank
from plugins.research.tasks.items import MOST_ROWS, digest_of, of_test_split, table_rows, tables_in, write_image

NAME = "vidore"
SAYS = "find the page images that answer a question: compares visual embedders (ViDoRe)"
SCOPE = "collection"
SEARCH_MODE = "image"
GROUPINGS = ("language", "type")
"""The groupings; `type` are v3's `query_types`."""
MACRO = "language"
TABLE = ("NDCG@5", "NDCG@10", "Recall@5", "MRR@10")
PARTS = ("corpus", "queries", "qrels")
FILES = ("vidore.jsonl", "test.jsonl")
CORPUS_ID = ("corpus-id", "corpus_id", "id", "_id")
QUERY_ID = ("query-id", "query_id", "id", "_id")
MOST_SHOWN = 10
"""The number of pages of a ranking that a line and a report name."""
WHOLE_PAGE = (0.0, 0.0, 1.0, 1.0)


@dataclass(slots=True)
class _Corpus:
    """The pages. `files` are image files by document id, `documents` the document ids by the ids of the data, and
    `names` the first of these ids by document id.
    """

    images: Path
    material: Path
    files: dict[str, Path] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def image_of(self, row: Any) -> Path:
        """Return the image file of a row: written from its bytes, or the one that it names. Raises ValueError."""
        image = of(row, "image", object)
        if isinstance(image, dict):
            if image.get("bytes") is not None or not image.get("path"):
                return write_image(image, self.material)
            image = image["path"]
        if not isinstance(image, str):
            raise ValueError("its image is neither bytes nor the name of a file")  # noqa: TRY004
        if Path(image).is_absolute() or ".." in Path(image).parts or not (self.images / image).is_file():
            raise ValueError(f"its image {image} is not in {self.images}: name the folder with --documents")
        return self.images / image

    def add(self, name: str, file: Path) -> None:
        """Add a page under an id of the data."""
        doc_id = file_id(file)
        self.documents[name] = doc_id
        self.files.setdefault(doc_id, file)
        self.names.setdefault(doc_id, name)


def load(data: Path, documents: Path | None, material: Path, limit_docs: int | None) -> Gold:  # noqa: ARG001  all are searched
    """Read the questions and pages; images in rows are written into `material`."""
    parts = {name: _part(data, name) for name in PARTS}
    lacking = [name for name, files in parts.items() if not files]
    if 0 < len(lacking) < len(PARTS):
        raise GoldUnreadable(f"{data}: has no {' and no '.join(lacking)}: add the missing folders of the data set")
    files = [file for part in parts.values() for file in part] or tables_in(data)
    if not files and data.is_dir() and not any((data / name).is_file() for name in FILES):
        raise GoldUnreadable(f"{data}: has no {', '.join(PARTS)} and no Parquet file: give the folder of one data set")
    corpus = _Corpus(documents or (data if data.is_dir() else data.parent), material / NAME)
    corpus.material.mkdir(parents=True, exist_ok=True)
    reader = GoldReader()
    if lacking:
        files = files or [found_in(data, FILES)]
        _read_rows(reader, corpus, files)
    else:
        _read_parts(reader, corpus, parts)
    if reader.questions:
        reader.files |= corpus.files
    return reader.gold(data, digest_of(files))


def _part(data: Path, name: str) -> list[Path]:
    """Return the files of a part of the BEIR form."""
    for suffix in (".parquet", ".jsonl"):
        if (data / f"{name}{suffix}").is_file():
            return [data / f"{name}{suffix}"]
        if files := sorted((data / name).rglob(f"*{suffix}")):
            return of_test_split(data / name, files)
    return []


def _rows(files: Sequence[Path]) -> Iterator[tuple[str, Any]]:
    """Yield (place, row) of all files. Raises GoldUnreadable, also for too many rows."""
    count = 0
    for path in files:
        part = f"{path.parent.name}/" if path.parent.name in PARTS else ""
        for place, row in table_rows([path]) if path.suffix == ".parquet" else rows_of(path, text_of(path)[0]):
            count += 1
            if count > MOST_ROWS:
                raise GoldUnreadable(f"{path}: has more than {MOST_ROWS:,} rows: split the data")
            yield part + place, row


def _read_parts(reader: GoldReader, corpus: _Corpus, parts: Mapping[str, Sequence[Path]]) -> None:
    """Read the BEIR form."""
    scores: dict[str, dict[str, int]] = {}
    boxes: dict[str, dict[str, Any]] = {}
    qids: set[str] = set()

    def add_page(_: str, row: Any) -> None:
        name = _id(row, CORPUS_ID)
        if name in corpus.documents:
            raise ValueError(f"its id {name!r} is that of an earlier page")
        corpus.add(name, corpus.image_of(row))

    def add_score(_: str, row: Any) -> None:
        qid, name = _id(row, QUERY_ID[:2]), _id(row, CORPUS_ID[:2])
        scores.setdefault(qid, {})[name] = _score(row)
        boxes.setdefault(qid, {})[name] = row.get("bounding_boxes")

    def add_question(where: str, row: Any) -> None:
        qid = _id(row, QUERY_ID)
        qids.add(qid)
        _add(reader, where, corpus, qid, of(row, "query", str, "text"), scores.get(qid, {}), row, boxes.get(qid, {}))

    _each(reader, _rows(parts["corpus"]), add_page)
    _each(reader, _rows(parts["qrels"]), add_score)
    reader.each(_rows(parts["queries"]), add_question)
    if strays := [qid for qid in scores if qid not in qids]:
        reader.note(f"qrels: {len(strays)} of its queries (such as {strays[0]!r}) are not among the queries")


def _read_rows(reader: GoldReader, corpus: _Corpus, files: Sequence[Path]) -> None:
    """Read the QA form."""
    questions: dict[str, tuple[str, dict[str, int], Any]] = {}

    def add_page(where: str, row: Any) -> None:
        file = corpus.image_of(row)
        name = str(row.get("image_filename") or where)
        if corpus.documents.get(name, file_id(file)) != file_id(file):
            name = f"{name} ({file_id(file)})"  # two images of one name
        corpus.add(name, file)
        if query := str(of(row, "query", object) or "").strip():
            about = {key: value for key, value in row.items() if key != "image"}
            questions.setdefault(query, (where, {}, about))[1][name] = 1

    _each(reader, _rows(files), add_page)
    for number, (query, (where, scores, row)) in enumerate(questions.items()):
        try:
            _add(reader, where, corpus, str(number), query, scores, row)
        except ValueError as error:
            reader.leave_out(f"{where}: {reason(error)}")


def _each(reader: GoldReader, rows: Iterable[tuple[str, Any]], take: Callable[[str, Any], None]) -> None:
    """Call `take` on every row; a ValueError becomes a note, and leaves out no question by itself."""
    for where, row in rows:
        try:
            take(where, row)
        except ValueError as error:
            reader.note(f"{where}: {reason(error)}")


def _id(row: Any, keys: Sequence[str]) -> str:
    """Return an id as text: published ones are numbers. Raises ValueError."""
    value = of(row, keys[0], object, *keys[1:])
    if not isinstance(value, int | str) or value == "":
        raise ValueError(f"its {keys[0]} is {value!r}, expected a number or a text")
    return str(value)


def _score(row: Any) -> int:
    """Return the score of a judgement, which some sets write as 1.0. Raises ValueError."""
    score = of(row, "score", object)
    if not isinstance(score, int | float) or not math.isfinite(score) or score != int(score):
        raise ValueError(f"its score is {score!r}, expected a whole number")
    return int(score)


def _add(
    reader: GoldReader,
    where: str,
    corpus: _Corpus,
    qid: str,
    text: str,
    scores: Mapping[str, int],
    row: Any,
    boxes: Mapping[str, Any] | None = None,
) -> None:
    """Add a question with the scores of its pages, and v3's boxes. Raises ValueError where it cannot be scored."""
    missing = next((name for name, score in scores.items() if score > 0 and name not in corpus.documents), None)
    if missing is not None:
        raise ValueError(f"its page {missing} is not in the corpus")
    gains: dict[str, int] = {}
    for name, score in sorted(scores.items(), key=lambda item: -item[1]):
        if score > 0:
            gains.setdefault(corpus.names[corpus.documents[name]], score)
    if not gains:
        raise ValueError("has no relevant page: there is nothing to score it with")
    documents = tuple(corpus.documents[name] for name in gains)
    kinds = row.get("query_types")
    groups = {
        "language": (str(row.get("language") or "unlabelled"),),
        "type": tuple(map(str, kinds)) if isinstance(kinds, list) and kinds else ("unlabelled",),
    }
    answer = ", ".join(f"{name} ({score})" for name, score in gains.items())
    pages = tuple(PageBox(1, WHOLE_PAGE, number) for number in range(1, len(documents) + 1))
    zones = {corpus.documents[name]: rows for name, rows in (boxes or {}).items() if name in corpus.documents}
    more = {"gains": gains, "names": corpus.names, "documents": corpus.documents, "marked": zones}
    question = GoldQuestion(qid, text, answer, documents, boxes=pages, groups=groups, more=more)
    reader.take(where, question, {doc_id: corpus.files[doc_id] for doc_id in documents})


def ranking(question: GoldQuestion, pages: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """Return the fields of a line for a search: the pages by the ids of the data and their scores, best first.

    Reports show the first pages as the answer, and the first of them as the citation.
    """
    names = [question.more["names"][doc_id] for doc_id, _ in pages]
    first = [{"page": 1, "bbox": list(WHOLE_PAGE)}] if pages else []
    return {
        "ranked": names,
        "scores": [round(score, 5) for _, score in pages],
        "answer": ", ".join(names[:MOST_SHOWN]),
        "citations": first,
        "cited": [{"document": doc_id, "page": 1} for doc_id, _ in pages[:1]],
    }


def foreign(question: GoldQuestion, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of a ranking by another system, `{"query-id", "results": {corpus id: score}}`.

    The highest score is first; of equal ones the greater id, as in trec_eval.
    """
    if "ranked" in row:
        return dict(row)
    results = of(row, "results", dict)
    if not all(isinstance(score, int | float) and math.isfinite(score) for score in results.values()):
        raise ValueError("its results are not scores by corpus id")
    names, documents = question.more["names"], question.more["documents"]
    by_score = sorted(results, key=lambda name: (results[name], name), reverse=True)
    ranking = list(dict.fromkeys(names[documents[name]] if name in documents else name for name in by_score))
    return {"question": question.text, "ranked": ranking, "answer": ", ".join(ranking[:MOST_SHOWN])}


def output_line(question: GoldQuestion, row: Mapping[str, Any]) -> str:
    """Return a line of ours in the format that `foreign` reads."""
    results = dict(zip(row.get("ranked", ()), row.get("scores", ()), strict=True))
    return json.dumps({"query-id": question.qid, "results": results}, ensure_ascii=False)


def figures(question: GoldQuestion, predicted: Mapping[str, Any], grades: Mapping[str, float] | None = None) -> Figures:  # noqa: ARG001  no judge
    """Return nDCG@5 and @10, recall@5 and @10 and the reciprocal rank, from 0 to 1, and the milliseconds."""
    gains, ranking = question.more["gains"], predicted.get("ranked", [])
    return {
        **{f"NDCG@{k}": ndcg(gains, ranking, k) for k in (5, 10)},
        **{f"Recall@{k}": recall_at(gains, ranking, k) for k in (5, 10)},
        "MRR@10": reciprocal_rank(gains, ranking, 10),
        "ms": predicted.get("latency_ms"),
    }
