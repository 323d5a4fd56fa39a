"""Method quote: the best pieces of the evidence, word for word, with the regions in which they stand."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from indexing import BBox, Collection, Element
from rag.attribution import relocated
from rag.attribution.localize import boxes_of, localize, localizer_of
from rag.calculation import with_computed
from rag.events import Checked, Event
from rag.llm import ChatModel
from rag.methods.protocol import Draft
from rag.methods.quote.regions import answers_of, candidate_regions, choose
from rag.methods.quote.select import QuotedSentence, best_of, confidence_of, quotes, select, words_of
from rag.options import Question
from rag.retrieval import Retrieved
from rag.settings import RagSettings
from rag.types import Citation, Sentence
from rag.usage import Ledger


@dataclass(frozen=True, slots=True)
class QuoteMethod:
    """The method that answers about a collection by quoting. `model` is called only if the settings want its boxes."""

    collection: Collection
    settings: RagSettings
    model: Callable[[], ChatModel]
    sees: bool = False

    def answer(self, asked: Question, found: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield each quote, and return all; none if an answer is too improbable. Raises what the localizer raises."""
        with ledger.timed("answer"):
            proofs, around = self._proofs(asked, found)
        with ledger.timed("check"):
            sure = confidence_of(found)
            sentences = self._boxed([quoted(each, around, sure) for each in proofs], around, ledger)
            sentences = with_computed(asked, self.collection, found.evidence, sentences, self.settings.max_sentences)
        for index, sentence in enumerate(sentences):
            yield Checked(index, sentence)
        return Draft(tuple(sentences), found.evidence)

    def _proofs(self, asked: Question, found: Retrieved) -> tuple[list[QuotedSentence], list[Element]]:
        """Return the quotes that answer, with the regions in which they stand; and the elements of their pages."""
        if confidence_of(found) < self.settings.min_confidence:
            return [], []
        scored = quotes(asked.text, found)
        words = [words_of(element, found.query) for element in found.elements]
        pages = list(dict.fromkeys((e.element.doc_id, e.element.page) for e in found.evidence))
        around = dict(zip(pages, self.collection.elements_on(pages), strict=True))
        speaking = {quote.evidence.label for quote in scored}
        regions = [
            region
            for region in candidate_regions(found.evidence, words, found.pages, around, found.hints)
            if speaking.intersection(region.labels)
        ]
        first = best_of(scored, regions)
        proofs = select(scored, choose(regions, self.settings.max_sentences, first), self.settings)
        return proofs, [e for each in around.values() for e in each]

    def _boxed(self, sentences: list[Sentence], elements: Sequence[Element], ledger: Ledger) -> list[Sentence]:
        """Box the quotes by another localizer where the settings name one; they come with boxes of their lines."""
        if self.settings.localizer == "element" or not sentences:
            return sentences
        localizer = localizer_of(self.collection, self.settings, self.model)
        boxed = [relocated(sentence, elements, localizer) for sentence in sentences]
        ledger.charge(localizer)
        return boxed


def quoted(proofs: QuotedSentence, elements: Sequence[Element], confidence: float) -> Sentence:
    """Return a quote as a sentence; it cites the regions that it, or the same text, is in.

    `confidence` is that of the whole answer, 0 to 1.

    With it are shown the heads of the cells of a table, and the caption of a picture, where that is quoted; the caption
    is among `elements`.
    """
    citations = []
    for quote, region in proofs:
        element = quote.evidence.element
        boxes = boxes_of(element, quote.start, quote.end)
        context: Sequence[BBox] = ()
        if element.cells:
            context = localize(quote.text, element, ((quote.start, quote.end),)).context
        elif quote.of_caption:
            context = _caption_boxes(element, elements)
        shown = replace(quote.evidence, element=region.element)
        citations.append(Citation.of(shown, quote.text, boxes, [c for c in context if c not in boxes]))
    answers = max(answers_of(confidence, region, quote.confidence) for quote, region in proofs)
    return Sentence(proofs[0][0].text, tuple(citations), "quoted", "word for word", answers)


def _caption_boxes(picture: Element, elements: Sequence[Element]) -> list[BBox]:
    """Return the boxes of the lines of a picture's caption."""
    page = [e for e in elements if (e.doc_id, e.page, e.kind) == (picture.doc_id, picture.page, "caption")]
    return [box for e in page if e.text in picture.caption for box in boxes_of(e, 0, len(e.text))]
