"""Method quote: the best pieces of the evidence, word for word, with the regions in which they stand."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from indexing import BBox, Collection, Element
from rag.attribution import relocated
from rag.attribution.localize import boxes_of, localize, localizer_of
from rag.events import Checked, Event
from rag.llm import ChatModel
from rag.methods.protocol import Draft, MethodContext
from rag.methods.quote.answerers import AskedCollection, answered
from rag.methods.quote.regions import answers_of, candidate_regions, choose
from rag.methods.quote.rows import read_row
from rag.methods.quote.run_on import whole_sentence
from rag.methods.quote.select import (
    QuotedSentence,
    best_of,
    confidence_of,
    is_part,
    quotes,
    select,
    shares_words,
    words_of,
)
from rag.methods.quote.short import short_of
from rag.options import Question
from rag.question import unread
from rag.retrieval import Retrieved
from rag.settings import RagSettings
from rag.types import Citation, Evidence, Sentence
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
        if whole := answered(AskedCollection(asked, found, self.collection, self.settings)):
            for index, sentence in enumerate(whole.sentences):
                yield Checked(index, sentence)
            return replace(whole, evidence=(*whole.evidence, *found.evidence))
        with ledger.timed("answer"):
            proofs, around = self._proofs(asked, found)
        with ledger.timed("check"):
            sure = confidence_of(found)
            made, halves = self._sentences(asked, proofs, around, sure)
            made = [e if e.beside or e.short else replace(e, short=short_of(asked.text, e.text)) for e in made]
            sentences = self._boxed(made, around, ledger)
        for index, sentence in enumerate(sentences):
            yield Checked(index, sentence)
        return Draft(tuple(sentences), (*found.evidence, *halves))

    def _sentences(
        self, asked: Question, proofs: Sequence[QuotedSentence], elements: Sequence[Element], sure: float
    ) -> tuple[list[Sentence], list[Evidence]]:
        """Return the quotes as sentences, none cut in two by a column or a page, and the evidence of other halves.

        What stands beside the answer comes after it. A term is said once, before the first of its quotes.
        """
        made: list[Sentence] = []
        halves: list[Evidence] = []
        last: tuple[object, ...] = ()
        for each in sorted(proofs, key=lambda each: not is_part(each, proofs[0])):
            said, span = each[0][0].evidence, (each[0][0].start, each[0][0].end)
            if said.element.kind == "heading" and said.element.id in _ids(halves):
                continue  # it is the term in front of another quote
            sentence = replace(quoted(each, elements, sure, asked.text), beside=not is_part(each, proofs[0]))
            page = [e for e in elements if _page_of(e) == _page_of(said.element)]
            below = (sentence.beside, said.element.doc_id, said.element.section)
            sentence, more = whole_sentence(sentence, said, span, page, self._around, term=below != last)
            if all(sentence.text != other.text for other in made):  # both halves may have been found
                made.append(sentence)
                halves += more
                last = below
        return made, halves

    def _around(self, element: Element) -> list[Element]:
        """Return the elements of the page of one, of the page before and of the page after, in reading order."""
        last = self.collection.document(element.doc_id).n_pages
        pages = [(element.doc_id, n) for n in range(max(element.page - 1, 1), min(element.page + 1, last) + 1)]
        return [e for own in self.collection.elements_on(pages) for e in own]

    def _proofs(self, asked: Question, found: Retrieved) -> tuple[list[QuotedSentence], list[Element]]:
        """Return the quotes that answer, with the regions in which they stand; and the elements of their pages."""
        found = found.quotable
        if confidence_of(found) < self.settings.min_confidence:
            return [], []
        scored = quotes(asked.text, found)
        if unread(asked.text, self.collection.settings):
            scored = [quote for quote in scored if shares_words(asked.text, quote)]
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


def quoted(proofs: QuotedSentence, elements: Sequence[Element], confidence: float, question: str = "") -> Sentence:
    """Return a quote as a sentence; it cites the regions that it, or the same text, is in.

    `confidence` is that of the whole answer, 0 to 1.

    With it are shown the heads of the cells of a table, and the caption of a picture, where that is quoted; the caption
    is among `elements`. A row is read with its heads, and of its cells those that the question is about.
    """
    citations = []
    text, reason = proofs[0][0].text, "word for word"
    for n, (quote, region) in enumerate(proofs):
        element = quote.evidence.element
        boxes = boxes_of(element, quote.start, quote.end)
        context: Sequence[BBox] = ()
        if element.cells and (row := read_row(element, quote.start, quote.end, question)):
            boxes, context = row.boxes, row.heads
            if n == 0:
                text, reason = row.text, "word for word, read with the heads of its row and columns"
        elif element.cells:
            context = localize(quote.text, element, ((quote.start, quote.end),)).context
        elif quote.of_caption:
            context = _caption_boxes(element, elements)
        shown = replace(quote.evidence, element=region.element)
        citations.append(Citation.of(shown, quote.text, boxes, [c for c in context if c not in boxes]))
    answers = max(answers_of(confidence, region, quote.confidence) for quote, region in proofs)
    return Sentence(text, tuple(citations), "quoted", reason, answers)


def _ids(evidence: Sequence[Evidence]) -> set[str]:
    return {each.element.id for each in evidence}


def _page_of(element: Element) -> tuple[str, int]:
    return element.doc_id, element.page


def _caption_boxes(picture: Element, elements: Sequence[Element]) -> list[BBox]:
    """Return the boxes of the lines of a picture's caption."""
    page = [e for e in elements if (e.doc_id, e.page, e.kind) == (picture.doc_id, picture.page, "caption")]
    return [box for e in page if e.text in picture.caption for box in boxes_of(e, 0, len(e.text))]


def quote_method(made: MethodContext) -> QuoteMethod:
    """Return the method for one question."""
    return QuoteMethod(made.collection, made.settings, made.model)
