"""The construction of CiteVQA-style data (arXiv 2605.12882, section 3), step by step, question by question.

Documents are linked by profile and aligned by segment; a model chooses an evidence package, writes a question by a
template and says it in other words; both are answered from screenshots, and not without documents. Then each element
is masked in turn: it is crucial when the answer is lost, else supplemental. A model rates what was made. What fails
is left out and counted by reason. The result is in the published form, with `Question_Written`, `Template`, `Linking`,
`Quality` and `Difficulty` (0 to 5) as keys of our own.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation import ConstructedRows, RunRefused, say
from evaluation.tasks import THOUSANDTHS
from indexing import Collection, Element, IndexingError
from plugins.research.construct.citevqa.linking import (
    SHOWN_SEGMENTS,
    Linker,
    Segment,
    SegmentGroup,
    segments_of,
    uniform,
)
from plugins.research.construct.citevqa.packages import package_of
from plugins.research.construct.citevqa.questions import answers, quality_of, question_of
from plugins.research.construct.citevqa.templates import TEMPLATES, QuestionPattern
from plugins.research.errors import LeftOut, Unjudged
from rag import Citation, Crops, Evidence, ModelError
from rag.attribution import mask_citations
from rag.llm import ChatModel

SINGLE, ONE_GOLD, SEVERAL_GOLD = "Single-Doc", "Multi (1-Gold)", "Multi (N-Gold)"
WINDOW = 24
"""The pages of a document from which the segments of one alignment come; a longer one has several such windows."""
PAGE_WIDTH, SIDE = 1400, 1000
LEAST_IMAGES = 2
"""The least images that the model must take in one prompt: those of the smallest package."""


@dataclass(frozen=True, slots=True)
class PackageRecipe:
    """The numbers of the data: the most questions, the seed of what is drawn, the templates of the questions."""

    count: int = 100
    seed: int = 0
    templates: tuple[QuestionPattern, ...] = TEMPLATES


@dataclass(frozen=True, slots=True)
class _Draw:
    """One draw: a setting, a document, and the first page of its window."""

    setting: str
    doc_id: str
    first: int


def construct(collection: Collection, model: ChatModel, out: Path, recipe: PackageRecipe) -> ConstructedRows:
    """Write `CiteVQA.json` into `out`, with what was made, however it ends.

    Raises RunRefused for a model that sees too little, and the errors of `errors.HOPELESS`.
    """
    if model.capacity.images < LEAST_IMAGES:
        raise RunRefused(
            f"questions are checked on screenshots, and the model takes {model.capacity.images} images: "
            f"choose one that takes {LEAST_IMAGES} or more (rag.model.images)"
        )
    out.mkdir(parents=True, exist_ok=True)
    making = _Construction(collection, model, recipe)
    try:
        making.run()
    finally:
        text = json.dumps(making.made.rows, indent=1, ensure_ascii=False) + "\n"
        (out / "CiteVQA.json").write_text(text, encoding="utf-8")
    return making.made


class _Construction:
    """A run of the construction: what it draws from, and what it has made."""

    def __init__(self, collection: Collection, model: ChatModel, recipe: PackageRecipe) -> None:
        self.made = ConstructedRows()
        self._collection = collection
        self._model = model
        self._recipe = recipe
        self._dice = random.Random(recipe.seed)  # noqa: S311  not a secret
        self._linker = Linker(collection, model)
        self._crops = Crops(collection, PAGE_WIDTH, SIDE)
        self._documents = {document.id: document for document in collection.documents()}

    def run(self) -> None:
        """Make questions until there are enough of them, or every draw was made."""
        for draw in self._draws():
            for group, documents in self._groups(draw):
                if len(self.made.rows) == self._recipe.count:
                    return
                row = self._try(draw, group, documents)
                if row is not None:
                    self.made.rows.append(row)
                say("questions", len(self.made.rows), self._recipe.count, f"{self.made.skipped.total()} left out")

    def _draws(self) -> list[_Draw]:
        settings = (SINGLE, ONE_GOLD, SEVERAL_GOLD) if len(self._documents) > 1 else (SINGLE,)
        draws = [
            _Draw(setting, document.id, first)
            for document in self._documents.values()
            for first in range(1, document.n_pages + 1, WINDOW)
            for setting in settings
        ]
        self._dice.shuffle(draws)
        return draws

    def _groups(self, draw: _Draw) -> list[tuple[SegmentGroup, tuple[str, ...]]]:
        """Return the groups of a draw, each with the documents that the question is asked of, in an order by chance."""
        documents = [draw.doc_id]
        try:
            if draw.setting != SINGLE:
                near = self._linker.nearest(draw.doc_id)
                if not near:
                    self.made.skipped["no document is similar"] += 1
                    return []
                documents.append(self._dice.choice(near))
            segments = list(self._segments(draw.doc_id, draw.first))
            if draw.setting == SEVERAL_GOLD:
                last = self._documents[documents[1]].n_pages
                segments += self._segments(documents[1], self._dice.randrange(1, last + 1, WINDOW))
            why = uniform([e for s in segments for e in s.elements])
            if why:
                self.made.skipped[f"the pages have {why}"] += 1
                return []
            groups = self._linker.aligned(segments)
        except ModelError as error:
            self.made.skip(error)
            return []
        if not groups:
            self.made.skipped["no segments belong together"] += 1
        order = tuple(self._dice.sample(documents, len(documents)))
        return [(group, order) for group in groups]

    def _segments(self, doc_id: str, first: int) -> Sequence[Segment]:
        """Return segments of a window of a document, drawn by chance where there are too many, in reading order."""
        last = min(first + WINDOW - 1, self._documents[doc_id].n_pages)
        found = segments_of(self._collection, doc_id, first, last)
        if len(found) <= SHOWN_SEGMENTS:
            return found
        return [found[n] for n in sorted(self._dice.sample(range(len(found)), SHOWN_SEGMENTS))]

    def _try(self, draw: _Draw, group: SegmentGroup, documents: tuple[str, ...]) -> dict[str, Any] | None:
        """Return the row of a question about a group; None, and a reason counted, when it fails."""
        try:
            return self._row(draw, group, documents)
        except LeftOut as why:
            self.made.skipped[str(why)] += 1
        except Unjudged:
            self.made.skipped["an answer could not be judged"] += 1
        except IndexingError:
            self.made.skipped["a page cannot be drawn"] += 1
        except ModelError as error:
            self.made.skip(error)
        return None

    def _row(self, draw: _Draw, group: SegmentGroup, documents: tuple[str, ...]) -> dict[str, Any]:
        package = package_of(self._model, self._crops, group, 2 if draw.setting == SEVERAL_GOLD else 1)
        template = self._dice.choice(self._templates(package))
        asked = question_of(self._model, self._crops, package, template)
        crucial = [
            not answers(self._model, self._masking(element), package, asked.text, asked.answer) for element in package
        ]
        if not any(crucial):
            raise LeftOut("no element is crucial")
        quality = quality_of(self._model, package, self._crops, asked)
        gold = {e.doc_id for e, needed in zip(package, crucial, strict=True) if needed}
        return {
            "index": f"made-{len(self.made.rows):05}",
            **asked.to_json(),
            "Question_Type": template.category,
            "Template": template.text,
            "dataset_type": SINGLE if len(documents) == 1 else ONE_GOLD if len(gold) == 1 else SEVERAL_GOLD,
            "description": self._linker.profile(draw.doc_id).type or "unlabelled",
            "PDF_Source": [self._documents[doc].path for doc in documents],
            "Evidence": [evidence_of(e, documents, needed) for e, needed in zip(package, crucial, strict=True)],
            "Linking": {"score": group.score, "rationale": group.rationale},
            "Quality": quality.model_dump(exclude={"difficulty"}),
            "Difficulty": quality.difficulty,
        }

    def _templates(self, package: Sequence[Element]) -> list[QuestionPattern]:
        """Return the templates that suit a package: what is read off a figure or table takes one."""
        seen = any(e.kind in ("picture", "table") for e in package)
        fit = [t for t in self._recipe.templates if seen or t.category != "Multimodal Parsing"]
        if not fit:
            raise LeftOut("no template fits the package")
        return fit

    def _masking(self, element: Element) -> Crops:
        """Return the cutter of a collection in which the element is painted over."""
        document = self._documents[element.doc_id]
        hidden = Citation.of(Evidence("E1", element, document.name, 0.0), element.text, ())
        return Crops(mask_citations(self._collection, [hidden]), PAGE_WIDTH, SIDE)


def evidence_of(element: Element, documents: Sequence[str], crucial: bool) -> dict[str, Any]:
    """Return an element as evidence in the published form; `documents` are the ids of `PDF_Source`."""
    return {
        "source_doc_index": documents.index(element.doc_id) + 1,
        "source_page_id": element.page,
        "bbox": [round(v) for v in element.bbox.to_page(*THOUSANDTHS)],
        "type": element.kind,
        "content": element.text,
        "necessity": "crucial" if crucial else "supplemental",
    }
