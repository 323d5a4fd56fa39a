"""Method quote: the best sentences and rows of the evidence, word for word, with their regions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace

from indexing import BBox, Collection, Element, Hints
from rag.attribution import boxes_of, localize, localizer_of, relocate_citations
from rag.events import Checked, Event
from rag.llm import ChatModel
from rag.methods.protocol import Draft, MethodContext
from rag.methods.quote.answerers import NOT_ALL, AskedCollection, first_answer, wants_all
from rag.methods.quote.form import other_year
from rag.methods.quote.pieces import read_row
from rag.methods.quote.regions import candidate_regions, caption_boxes, choose, figure_of, figure_sentence
from rag.methods.quote.run_on import whole_sentence
from rag.methods.quote.select import (
    QuotedSentence,
    answers_of,
    best_of,
    confidence_of,
    is_part,
    quotes,
    select,
    shares_words,
    too_unsure,
    words_of,
)
from rag.options import Question
from rag.question import is_unread_language
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

    def answer(self, question: Question, results: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield and return the quotes; none if no answer is likely enough. Raises what the localizer raises."""
        if draft := first_answer(AskedCollection(question, results, self.collection, self.settings)):
            for index, sentence in enumerate(draft.sentences):
                yield Checked(index, sentence)
            return replace(draft, evidence=(*draft.evidence, *results.evidence))
        with ledger.measure("answer"):
            proofs, around = self._proofs(question, results)
        with ledger.measure("check"):
            sure = confidence_of(results)
            drafts, halves = self._sentences(question, proofs, around, sure, results.hints)
            sentences = self._relocate(drafts, around, ledger)
            ledger.add(notes=[NOT_ALL] if sentences and wants_all(question.text) else ())
        for index, sentence in enumerate(sentences):
            yield Checked(index, sentence)
        nothing = "" if sentences else too_unsure(results, self.settings, "min_confidence")
        return Draft(tuple(sentences), (*results.evidence, *halves), nothing=nothing)

    def _sentences(
        self, query: Question, proofs: Sequence[QuotedSentence], elements: Sequence[Element], sure: float, hints: Hints
    ) -> tuple[list[Sentence], list[Evidence]]:
        """Return the quotes as sentences, completed across columns and pages, and the evidence of the added halves.

        Sentences beside the answer come after it. A term comes once, before its first quote.
        """
        results: list[Sentence] = []
        halves: list[Evidence] = []
        last: tuple[object, ...] = ()
        figure = figure_of(query.text, proofs[0][0][0], elements, hints) if proofs else None
        if figure:
            results.append(figure_sentence(figure, proofs[0][0][0].evidence, elements))
        for each in sorted(proofs, key=lambda each: not is_part(each, proofs[0])):
            quote = each[0][0]
            element = quote.evidence.element
            if element.kind == "heading" and any(half.element.id == element.id for half in halves):
                continue  # it is the term in front of another quote
            if figure and (element.id == figure.id or each is proofs[0] or element.text in figure.caption):
                continue  # labels and captions are no answer beside it either
            sentence = quote_sentence(each, elements, sure, query.text)
            if figure or not is_part(each, proofs[0]):
                sentence = replace(sentence, answers=None, beside=True)
            page = [e for e in elements if (e.doc_id, e.page) == (element.doc_id, element.page)]
            below = (sentence.beside, element.doc_id, element.section)
            span = quote.start, quote.end
            sentence, more = whole_sentence(
                sentence, quote.evidence, span, page, self._neighbouring_elements, term=below != last
            )
            if all(sentence.text != other.text for other in results):  # both halves may have been found
                results.append(sentence)
                halves += more
                last = below
        return results, halves

    def _neighbouring_elements(self, element: Element) -> list[Element]:
        """Return the elements of the page of one, of the page before and of the page after, in reading order."""
        last = self.collection.document(element.doc_id).n_pages
        pages = [(element.doc_id, n) for n in range(max(element.page - 1, 1), min(element.page + 1, last) + 1)]
        return [e for own in self.collection.elements_on(pages) for e in own]

    def _proofs(self, question: Question, results: Retrieved) -> tuple[list[QuotedSentence], list[Element]]:
        """Return the quotes that answer, with their regions, and the elements of their pages."""
        results = results.quotable
        if confidence_of(results) < self.settings.min_confidence:
            return [], []
        candidates = quotes(question.text, results)
        if is_unread_language(question.text, self.collection.settings):
            candidates = [quote for quote in candidates if shares_words(question.text, quote)]
        words = [words_of(element, results.query) for element in results.elements]
        pages = list(dict.fromkeys((e.element.doc_id, e.element.page) for e in results.evidence))
        around = dict(zip(pages, self.collection.elements_on(pages), strict=True))
        speaking = {quote.evidence.label for quote in candidates}
        regions = [
            region
            for region in candidate_regions(results.evidence, words, results.pages, around, results.hints)
            if speaking.intersection(region.labels)
        ]
        first = best_of(candidates, regions)
        proofs = select(candidates, choose(regions, self.settings.max_sentences, first), self.settings)
        return proofs, [e for each in around.values() for e in each]

    def _relocate(self, sentences: list[Sentence], elements: Sequence[Element], ledger: Ledger) -> list[Sentence]:
        """Return the quotes with boxes of the localizer in the settings; by default these are the boxes of lines."""
        if self.settings.localizer == "element" or not sentences:
            return sentences
        localizer = localizer_of(self.collection, self.settings, self.model)
        results = [relocate_citations(sentence, elements, localizer) for sentence in sentences]
        ledger.charge(localizer)
        return results


def quote_sentence(
    proofs: QuotedSentence, elements: Sequence[Element], confidence: float, question: str = ""
) -> Sentence:
    """Return a quote as a sentence that cites each region with this text, or in a group the paragraph that has it.

    `confidence` is that of the complete answer, 0 to 1.

    The context of a citation is the column headers of a table row, or the caption of a picture (one of `elements`) if
    that is quoted. A row is read with its headers, and only the cells that the question is about.
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
            context = caption_boxes(element, elements)
        evidence = quote.evidence if element.kind == "text" else replace(quote.evidence, element=region.element)
        citations.append(Citation.of(evidence, quote.text, boxes, [c for c in context if c not in boxes]))
    answers = max(answers_of(confidence, quote) for quote, _ in proofs)
    first = proofs[0][0].evidence.element
    heads = (first.text[cell.start : cell.end] for cell in first.cells if cell.header)
    near_miss = other_year(question, text, " ".join((first.caption, *first.section, *heads)))
    return Sentence(text, tuple(citations), "quoted", reason, answers, near_miss=near_miss)


def quote_method(context: MethodContext) -> QuoteMethod:
    """Return the method for one question."""
    return QuoteMethod(context.collection, context.settings, context.model)
