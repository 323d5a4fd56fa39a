"""`vouch feedback`: export people's judgements of answers, with gold boxes where the anchors of right ones point."""

from __future__ import annotations

import json
import shutil
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from indexing import (
    BBox,
    Collection,
    Document,
    DocumentMissing,
    IndexingError,
    default_home,
    list_collections,
)
from ui.cli.terminal import fail
from ui.errors import ExportError, KeptUnreadable
from ui.show import clean, count_of
from ui.state import Feedback, FeedbackStore, JudgedAnswer, open_state, read_form, relocate_citations

if TYPE_CHECKING:
    from rag import Answer, Citation, Sentence


@dataclass
class GoldSet:
    """An evaluation set: its questions, its documents by file name, and messages on what was left out."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    documents: dict[str, tuple[Collection, Document]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def feedback(args: Namespace) -> int:
    """Run `vouch feedback export FOLDER` or `vouch feedback list`; return 1 if something was left out."""
    with open_state(default_home()) as state:
        judgements = FeedbackStore(state).all_judged()
    return _list(judgements, as_json=args.json) if args.action == "list" else _export(judgements, Path(args.folder))


def _list(answers: Sequence[JudgedAnswer], *, as_json: bool) -> int:
    """Print every judgement; report answers that cannot be read on stderr, and then return 1."""
    n_unread = 0
    for one in answers:
        try:
            form = read_form(one.form)
        except KeptUnreadable as error:
            fail(str(error))
            n_unread += 1
            continue
        for number, judgement in one.feedback.items():
            sentences = form.answer.sentences
            text = sentences[number - 1].text if number <= len(sentences) else ""
            values = {"collection": one.collection, "question": form.question.text, "sentence": text}
            values |= {"judgement": judgement.judgement, "note": judgement.note, "time": one.created}
            values |= {"box": str(judgement.moved)} if judgement.moved else {}
            line = f"{judgement.judgement}: {text} ({form.question.text})"
            note = f" - {judgement.note}" if judgement.note else ""
            print(json.dumps(values) if as_json else clean(line + note))
    return 1 if n_unread else 0


def _export(items: Sequence[JudgedAnswer], folder: Path) -> int:
    """Write `questions.yaml` and `documents/` to a folder. Raises ExportError if it is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportError(f"{folder}: is not empty: choose a new folder")
    collections = {name: Collection.open(name) for name in {one.collection for one in items} & set(list_collections())}
    try:
        gold = gold_set(items, collections)
        for note in gold.left_out:
            fail(f"left out: {note}")
        if not gold.rows:
            raise ExportError(
                "no sentence with a right or a moved box has a place in the collection: judge some in the page first"
            )
        (folder / "documents").mkdir(parents=True)
        for name, (collection, document) in gold.documents.items():
            shutil.copyfile(collection.originals.path(document), folder / "documents" / name)
    finally:
        for collection in collections.values():
            collection.close()
    text = yaml.safe_dump(gold.rows, sort_keys=False, allow_unicode=True, width=120)
    (folder / "questions.yaml").write_text(text, encoding="utf-8")
    counts = f"{count_of(len(gold.rows), 'question')} on {count_of(len(gold.documents), 'document')}"
    print(f"{counts}: vouch eval questions --data {folder} --out RUN")
    return 1 if gold.left_out else 0


def gold_set(answers: Sequence[JudgedAnswer], collections: dict[str, Collection]) -> GoldSet:
    """Return the questions whose answers have sentences judged right, or with a moved box, in the form of our samples.

    Each question occurs once, with its latest answer, and has one document: that which proves most of these sentences.
    """
    gold, questions = GoldSet(), set[str]()
    for one in reversed(answers):
        right = {number: each for number, each in one.feedback.items() if each.judgement == "right" or each.moved}
        if not right:
            continue
        try:
            form = read_form(one.form)
            answer = relocate_citations(form, collections.get(one.collection))
        except (KeptUnreadable, IndexingError) as error:
            gold.left_out.append(f"an answer of {one.created[:10]}: {error}")
            continue
        question = form.question.text
        if question in questions:
            continue
        questions.add(question)
        try:
            _add_question(gold, question, answer, right, collections.get(one.collection))
        except DocumentMissing as error:
            gold.left_out.append(f"{question}: {error}")
    gold.rows.reverse()
    return gold


def _add_question(
    gold: GoldSet, question: str, answer: Answer, right: Mapping[int, Feedback], collection: Collection | None
) -> None:
    """Add a question with its gold boxes; `right` has sentences by number. Raises DocumentMissing for its document."""
    by_document: dict[str, list[tuple[str, Citation]]] = {}
    for number, sentence in enumerate(answer.sentences, 1):
        for citation in _proof(sentence, right[number]) if number in right else ():
            by_document.setdefault(citation.doc_id, []).append((sentence.text, citation))
    if not by_document or collection is None:
        gold.left_out.append(f"{question}: its place can no longer be found in the collection")
        return
    doc_id, proofs = max(by_document.items(), key=lambda item: len(item[1]))
    if len(by_document) > 1:
        others = ", ".join(sorted({c.document for d, ps in by_document.items() if d != doc_id for _, c in ps}))
        gold.left_out.append(f"{question}: proofs in {others}: a question may be about one document only")
    document = collection.document(doc_id)
    name = Path(document.name).name
    gold_document = gold.documents.get(name)
    if gold_document is not None and gold_document[1].sha256 != document.sha256:
        gold.left_out.append(f"{question}: another document is also called {name}")
        return
    collection.originals.path(document)
    gold.documents[name] = collection, document
    boxes = dict.fromkeys((c.page, _gold_box(c)) for _, c in proofs)
    gold.rows.append(
        {
            "question": question,
            "answer": " ".join(dict.fromkeys(text for text, _ in proofs)),
            "document": name,
            "kind": proofs[0][1].kind,
            "boxes": [{"page": page, "bbox": [round(v, 4) for v in box.as_tuple()]} for page, box in boxes],
        }
    )


def _proof(sentence: Sentence, feedback: Feedback) -> tuple[Citation, ...]:
    """Return the proving citations of a sentence; if a person moved its box, one on that page with the moved box."""
    moved_box = feedback.moved
    if moved_box is None:
        return sentence.proof
    on_page = [c for c in sentence.citations if (c.doc_id, c.page) == (moved_box.doc_id, moved_box.page)][:1]
    return tuple(replace(c, bbox=moved_box.box, boxes=(moved_box.box,)) for c in on_page)


def _gold_box(citation: Citation) -> BBox:
    """Return the box of a proof: around the cited lines of a paragraph, else the entire element."""
    lines = citation.boxes if citation.kind == "text" else ()
    return BBox.union(lines) if lines else citation.bbox
