"""CiteVQA-style data from any documents (arXiv 2605.12882, section 3): evidence packages, questions, masking ablation.

A package holds elements of one section or, for several documents, an element with the nearest ones of others. A
model writes a question by a template; it is kept when the package answers it, and when no answer comes without
documents. Then each element is masked in turn: it is crucial when the answer is lost. The result is in the published
form.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from evaluation.construct.made import ConstructedRows
from evaluation.errors import Unjudged
from evaluation.harness import RubricJudge, rubric_prompt
from evaluation.tasks import THOUSANDTHS, Rubric
from indexing import Collection, Element
from rag import ModelError
from rag.llm import ChatModel, Form, Message, complete_as, fenced

TEMPLATES = {
    "Factual Retrieval": "one that asks for a fact which two or more of the elements state in part",
    "Complex Synthesis": "one that asks to bring together what the elements say about the same thing",
    "Quantitative Reasoning": "one whose answer is a number that is computed from numbers in the elements",
}
KINDS = ("text", "list", "table")
LEAST_CHARS, MOST_CHARS = 60, 1500
PACKAGE = 3
"""The most elements of a package."""
REPLY_TOKENS = 400


class _Asked(Form):
    question: str = Field(max_length=400)
    answer: str = Field(max_length=400)


class _Said(Form):
    answerable: bool
    answer: str = Field(max_length=400)


def construct(collection: Collection, model: ChatModel, out: Path, count: int, seed: int = 0) -> ConstructedRows:
    """Write `CiteVQA.json` with at most `count` questions into `out`: what was made, however it ends.

    Raises the errors of `errors.HOPELESS`.
    """
    out.mkdir(parents=True, exist_ok=True)
    made = ConstructedRows()
    try:
        _make(collection, model, count, random.Random(seed), made)  # noqa: S311  not a secret
    finally:
        text = json.dumps(made.rows, indent=1, ensure_ascii=False) + "\n"
        (out / "CiteVQA.json").write_text(text, encoding="utf-8")
    return made


def _make(collection: Collection, model: ChatModel, count: int, dice: random.Random, made: ConstructedRows) -> None:
    documents = {d.id: d for d in collection.documents()}
    pages = [(d.id, number) for d in documents.values() for number in range(1, d.n_pages + 1)]
    dice.shuffle(pages)
    for doc_id, number in pages:
        if len(made.rows) == count:
            break
        package = package_of(collection, doc_id, number, dice)
        if len(package) < 2:
            made.skipped["no package on the page"] += 1
            continue
        kind = dice.choice(sorted(TEMPLATES))
        try:
            found = _question(model, package, kind, made)
        except ModelError as error:
            made.skip(error)
            continue
        except Unjudged:
            made.skipped["an answer could not be judged"] += 1
            continue
        if found is not None:
            asked, crucial = found
            paths = {doc: documents[doc].path for doc in dict.fromkeys(e.doc_id for e in package)}
            made.rows.append(_row(len(made.rows), asked, kind, package, crucial, paths))


def package_of(collection: Collection, doc_id: str, page: int, dice: random.Random) -> tuple[Element, ...]:
    """Return elements that belong together: of a section of the page or, every other time, near ones elsewhere."""
    fit = [e for e in collection.page_elements(doc_id, page) if _fits(e)]
    if not fit:
        return ()
    first = dice.choice(fit)
    others = [d.id for d in collection.documents() if d.id != doc_id]
    if others and dice.random() < 0.5:
        found = collection.search(first.text[:300], doc_ids=others, limit=PACKAGE * 2).hits
        near = [hit.element for hit in found if _fits(hit.element)]
    else:
        near = [e for e in fit if e.id != first.id and e.section == first.section]
    return (first, *near[: PACKAGE - 1])


def crucial_of(model: ChatModel, asked: tuple[str, str], package: Sequence[Element]) -> list[bool]:
    """Run the masking ablation: for each element, True if the answer is lost when the model sees all others."""
    return [not _right(model, asked, [e for e in package if e is not masked]) for masked in package]


def _fits(element: Element) -> bool:
    return element.kind in KINDS and LEAST_CHARS <= len(element.text) <= MOST_CHARS


def _question(
    model: ChatModel, package: Sequence[Element], kind: str, made: ConstructedRows
) -> tuple[tuple[str, str], list[bool]] | None:
    """Return question, answer, and masks of crucial elements; None, and a reason counted, when it fails a check."""
    words = rubric_prompt("construct_package").filled(template=TEMPLATES[kind], elements=_shown(package))
    reply, _ = complete_as(model, [Message("user", (words,))], _Asked, REPLY_TOKENS)
    asked = (reply.question.strip(), reply.answer.strip())
    if not all(asked):
        made.skipped["nothing to ask about"] += 1
        return None
    if not _right(model, asked, package):
        made.skipped["the package does not answer it"] += 1
        return None
    if _right(model, asked, None):
        made.skipped["it is answered without a document"] += 1
        return None
    crucial = crucial_of(model, asked, package)
    if not any(crucial):
        made.skipped["no element is crucial"] += 1
        return None
    return asked, crucial


def _right(model: ChatModel, asked: tuple[str, str], package: Sequence[Element] | None) -> bool:
    """Return True if the model gives the answer from these elements or, with None, from its own knowledge.

    Raises Unjudged when that cannot be said: taken for no, it would make every element crucial.
    """
    question, gold = asked
    if package is None:
        words = rubric_prompt("construct_closed").filled(question=question)
    else:
        words = rubric_prompt("construct_answer").filled(question=question, elements=_shown(package))
    said, _ = complete_as(model, [Message("user", (words,))], _Said, REPLY_TOKENS)
    if not said.answerable or not said.answer.strip():
        return False
    values = {"question": question, "gold": gold, "said": said.answer}
    score = RubricJudge(model).judge(Rubric("same", "construct_same", values, (0.0, 1.0))).score
    if score is None:
        raise Unjudged
    return score == 1


def _shown(package: Sequence[Element]) -> str:
    return "\n".join(f"{n}. ({e.kind}) {fenced(e.text)}" for n, e in enumerate(package, 1)) or "(none)"


def _row(
    number: int,
    asked: tuple[str, str],
    kind: str,
    package: Sequence[Element],
    crucial: Sequence[bool],
    paths: dict[str, str],
) -> dict[str, Any]:
    order = list(paths)
    gold = {e.doc_id for e, needed in zip(package, crucial, strict=True) if needed}
    setting = "Single-Doc" if len(order) == 1 else "Multi (1-Gold)" if len(gold) == 1 else "Multi (N-Gold)"
    return {
        "index": f"made-{number:05}",
        "Question": asked[0],
        "Standard_Answer": asked[1],
        "Question_Type": kind,
        "dataset_type": setting,
        "PDF_Source": [paths[doc] for doc in order],
        "Evidence": [
            {
                "source_doc_index": order.index(e.doc_id) + 1,
                "source_page_id": e.page,
                "bbox": [round(v) for v in e.bbox.to_page(*THOUSANDTHS)],
                "type": e.kind,
                "content": e.text,
                "necessity": "crucial" if needed else "supplemental",
            }
            for e, needed in zip(package, crucial, strict=True)
        ],
    }
