"""Method write: a model writes from the best pages, and every sentence is checked and boxed as it comes.

If the model says that something is missing on the pages, it is searched for, and the model is asked again with the
pages found, for at most `writing.rounds` rounds.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from indexing import Collection, Mode
from rag.attribution import Checker, judge_of, localizer_of
from rag.crops import Crops
from rag.errors import ModelError, PromptTooLong, ReplyCutOff, ReplyUnusable
from rag.events import Checked, Drafted, Event, Extracted, Shown
from rag.knowledge import Extractor, Knowledge, with_knowledge
from rag.llm import ChatModel
from rag.methods.protocol import Draft, MethodContext
from rag.methods.write.generate import Written, generate
from rag.methods.write.pages import Labels, PageView, notes_views, page_views
from rag.methods.write.prompt import Writing, WritingTask
from rag.options import Question
from rag.retrieval import Retrieved, best_pages, every_page, further_pages, pages_shown
from rag.settings import RagSettings
from rag.types import Evidence, Judge, RankedPage, Sentence
from rag.usage import Ledger

MOST_REPORTED = 3
"""The most documents of which the notes say how much was read."""

MOST_NOTED = 20
"""The most sentences that a model notes in one reply where it reads every page."""


@dataclass(frozen=True, slots=True)
class WriteMethod:
    """The method that writes an answer about a collection; a `judge` that is given replaces that of the settings.

    `search` finds pages for what the model says is missing.
    """

    collection: Collection
    settings: RagSettings
    model: ChatModel
    writing: Writing
    search: Callable[[str], Retrieved]
    judge: Judge | None = None

    @property
    def sees(self) -> bool:
        """True if the model looks at images."""
        return self.model.capacity.images > 0

    def answer(self, question: Question, results: Retrieved, ledger: Ledger) -> Generator[Event, None, Draft]:
        """Yield drafts and verdicts as they come, and return the checked sentences.

        With `extract`, knowledge is extracted from the evidence first, without the question, and the answer is written
        from that alone, but checked against the evidence itself. Raises ModelError; closing it ends the model's call.
        """
        writing = self.settings.writing
        crops = Crops(self.collection, max(writing.page_width, writing.page_side), writing.picture_side)
        if self.settings.extract if question.extract is None else question.extract:
            return (yield from self._from_notes(question, results, crops, ledger))
        count = pages_shown(writing.pages, self.model.capacity.images)
        if question.every_page:
            return (yield from self._from_every_page(question, results, crops, count, ledger))
        pages = results.pages if question.pages else best_pages(results, count)
        labels, missing, looking_for = Labels(), "", ""
        sentences: tuple[Sentence, ...] = ()
        pages_read: dict[tuple[str, int], str] = {}
        for number in range(1, (1 if question.pages else writing.rounds) + 1):
            yield Shown(pages, number, looking_for)
            with ledger.measure("draw"):
                views, notes = page_views(
                    self.collection, crops, pages, results.evidence, results.mode, writing, labels
                )
                ledger.add(notes=notes)
            now = {(page.doc_id, page.number): page.document for page in pages}
            task = self._task(question, results, frozenset(pages_read) - frozenset(now))
            try:
                reply, again = yield from self._write_round(task, views, crops, labels, ledger)
            except ModelError as error:
                if number == 1:
                    raise
                ledger.add(error.usage, [f"the second look failed, and the first answer stands: {error}"])
                break
            pages_read |= now
            if again or number == 1:
                sentences = again or sentences
            missing = reply.missing
            if not missing or number == writing.rounds:
                break
            cited_pages = {(c.doc_id, c.page) for sentence in sentences for c in sentence.citations}
            with ledger.measure("retrieve"):
                more = self.search(missing)
                pages = further_pages(self.collection, (results, more), pages, cited_pages, reply.look, count)
            if not pages:
                break
            looking_for = missing
            results = results.and_more(more)
        if missing:
            ledger.add(notes=self._coverage_notes(pages_read))
        return Draft(sentences, _evidence_of_answer(results, sentences, labels), missing=missing)

    def _coverage_notes(self, pages_read: Mapping[tuple[str, int], str]) -> list[str]:
        """Return a note on how much of each document was read, where something is missing and pages are left."""
        pages = {
            doc_id: self.collection.document(doc_id).n_pages for doc_id in dict.fromkeys(doc for doc, _ in pages_read)
        }
        names, counts = {doc: name for (doc, _), name in pages_read.items()}, Counter(doc for doc, _ in pages_read)
        return [
            f"{counts[doc]} of {pages[doc]} pages of {names[doc]} were read: ask for every page to read the rest"
            for doc in pages
            if counts[doc] < pages[doc]
        ][:MOST_REPORTED]

    def _from_every_page(
        self, question: Question, results: Retrieved, crops: Crops, count: int, ledger: Ledger
    ) -> Generator[Event, None, Draft]:
        """Return the draft of a model that reads all pages, `count` at a time, and answers from its notes.

        A batch of which the model did not read all, or of which it has more to say than one reply holds, is read again
        in halves. A page that cannot be read alone is named in a note. Notes that the answer leaves out follow it.
        """
        pages, labels, notes = every_page(self.collection, question), Labels(), dict[str, list[str]]()
        task, failures, calls = self._task(question, results), list[str](), 0
        reading = replace(task, settings=task.settings.model_copy(update={"sentences": MOST_NOTED}))
        waiting = deque(pages[at : at + count] for at in range(0, len(pages), count))
        while waiting:
            batch, calls = waiting.popleft(), calls + 1
            yield Shown(batch, calls)
            reply = self._read(batch, reading, results.mode, crops, labels, ledger)
            if reply is not None and len(reply.views) == len(batch) and reply.is_whole:
                usable = reply
            elif len(batch) > 1:
                half = (len(batch) + 1) // 2
                waiting.extendleft((batch[half:], batch[:half]))
                continue
            elif reply is None or not reply.views:
                failures.append(f"page {batch[0].number} of {batch[0].document}")
                continue
            else:
                usable = reply
                ledger.add(notes=[f"page {batch[0].number} of {batch[0].document} may say more than was noted"])
            ledger.add(notes=usable.notes)
            for draft in usable.drafts:
                for label in dict.fromkeys(label.partition(".")[0] for label in draft.labels):
                    notes.setdefault(label, []).append(draft.text)
        could_not = f"; these could not be read: {', '.join(failures)}" if failures else ""
        ledger.add(notes=[f"{len(pages) - len(failures)} of {len(pages)} pages were read, in {calls} calls{could_not}"])
        pieces = ((labels.find(label), texts) for label, texts in notes.items())
        with_notes = [replace(piece, knowledge="\n".join(texts)) for piece, texts in pieces if piece is not None]
        reply, sentences = yield from self._write_round(
            task, notes_views(self.collection, with_notes), crops, labels, ledger
        )
        sentences += tuple(self._also_noted(question, with_notes, sentences) if sentences else ())
        for index in range(len(reply.drafts), len(sentences)):
            yield Checked(index, sentences[index])
        return Draft(sentences, _evidence_of_answer(results, sentences, labels), missing=reply.missing)

    def _read(
        self, batch: Sequence[RankedPage], task: WritingTask, mode: Mode, crops: Crops, labels: Labels, ledger: Ledger
    ) -> Written | None:
        """Return the model's notes on some pages; None if its reply is cut off or unusable. Raises ModelError.

        A page of which there is neither text nor picture is not among the `views` of the reply.
        """
        with ledger.measure("draw"):
            views, undrawn = page_views(self.collection, crops, batch, (), mode, self.settings.writing, labels)
            ledger.add(notes=undrawn)
        views = tuple(view for view in views if view.pieces or view.image is not None)
        try:
            with ledger.measure("answer"):
                *_, reply = generate(self.model, task, views)
        except (PromptTooLong, ReplyCutOff, ReplyUnusable) as error:
            ledger.add(error.usage)
            return None
        assert isinstance(reply, Written)  # noqa: S101  the last of what it yields
        ledger.add(reply.usage)
        return reply

    def _also_noted(
        self, question: Question, noted_evidence: Sequence[Evidence], sentences: Sequence[Sentence]
    ) -> Iterator[Sentence]:
        """Yield the notes on elements that no sentence of the answer cites, as sentences checked by words alone."""
        check, cited_ids = Checker(about=(question.text,)), {c.element_id for one in sentences for c in one.citations}
        for piece in noted_evidence:
            if piece.element.id not in cited_ids:
                for text in dict.fromkeys(piece.knowledge.splitlines()):
                    yield replace(check(text, [piece], ()), beside=True, heading="Also noted on these pages")

    def _from_notes(
        self, question: Question, results: Retrieved, crops: Crops, ledger: Ledger
    ) -> Generator[Event, None, Draft]:
        """Return the draft of a model that sees only the knowledge extracted from the evidence, and no page."""
        results = yield from self._extract_knowledge(results, crops, ledger)
        labels = Labels()
        for item in results.evidence:
            labels.evidence(item.element, item.document, item)
        views = notes_views(self.collection, results.evidence)
        reply, sentences = yield from self._write_round(self._task(question, results), views, crops, labels, ledger)
        return Draft(sentences, results.evidence, missing=reply.missing)

    def _extract_knowledge(self, results: Retrieved, crops: Crops, ledger: Ledger) -> Generator[Event, None, Retrieved]:
        """Return the evidence with the knowledge extracted from each element; yield the progress."""
        elements = list({item.element.id: item.element for item in results.evidence}.values())
        knowledge: dict[str, Knowledge] = {}
        at_once = self.settings.model.concurrency if self.settings.model else 1
        with closing(Extractor(self.collection, self.model, crops, at_once).extract(elements)) as extracting:
            while True:
                with ledger.measure("extract"):
                    new = next(extracting, None)
                if new is None:
                    break
                knowledge[new[0].id] = new[1]
                ledger.add(new[1].usage)
                yield Extracted(len(knowledge), len(elements))
        ledger.add(notes=_notes_on_failed_extraction(results.evidence, knowledge))
        return results.with_evidence(with_knowledge(results.evidence, knowledge))

    def _write_round(
        self, task: WritingTask, views: Sequence[PageView], crops: Crops, labels: Labels, ledger: Ledger
    ) -> Generator[Event, None, tuple[Written, tuple[Sentence, ...]]]:
        """Yield the sentences of one round as they are drafted and checked; return the reply and all sentences."""
        judge = judge_of(self.settings, self.model, crops, self.judge)
        localizer = localizer_of(self.collection, self.settings, lambda: self.model)
        check = Checker(judge, localizer, about=(task.question,))
        evidence = [piece for view in views for piece in view.pieces]
        sentences: list[Sentence] = []
        with closing(generate(self.model, task, views)) as writing:
            while True:
                with ledger.measure("answer"):
                    piece = next(writing)
                if isinstance(piece, Written):
                    break
                index, draft = piece
                yield Drafted(index, draft.text, draft.labels)
                with ledger.measure("check"):
                    sources = [item for label in draft.labels if (item := labels.find(label)) is not None]
                    sentences[index:] = [check(draft.text, sources, evidence)]
                yield Checked(index, sentences[index])
        ledger.add(piece.usage, piece.notes)
        ledger.charge(judge, localizer)
        return piece, tuple(sentences[: len(piece.drafts)])

    def _task(
        self, question: Question, results: Retrieved, earlier_pages: frozenset[tuple[str, int]] = frozenset()
    ) -> WritingTask:
        model_settings = self.settings.model
        form = model_settings.structured if model_settings is not None else "schema"
        return WritingTask(
            question.text, self.writing, form, self.settings.writing, results.picture, question.earlier, earlier_pages
        )


def _evidence_of_answer(search: Retrieved, sentences: Sequence[Sentence], labels: Labels) -> tuple[Evidence, ...]:
    """Return the evidence of an answer: the retrieved elements, best first, then other cited ones."""
    results = [labels.evidence(item.element, item.document, item) for item in search.evidence]
    citations = [labels.find(citation.label) for sentence in sentences for citation in sentence.citations]
    cited_items = [item for item in citations if item is not None]
    return tuple({item.label: item for item in (*results, *cited_items)}.values())


def _notes_on_failed_extraction(evidence: Sequence[Evidence], knowledge: Mapping[str, Knowledge]) -> list[str]:
    """Return a note for each reason why nothing could be extracted from some evidence."""
    labels: dict[str, list[str]] = {}
    for item in evidence:
        if item.element.id in knowledge and (problem := knowledge[item.element.id].problem):
            labels.setdefault(problem, []).append(item.label)
    return [
        f"nothing was extracted from {', '.join(those)}, which the model was shown as found: {problem}"
        for problem, those in labels.items()
    ]


def write_method(context: MethodContext, writing: Writing = "vanilla") -> WriteMethod:
    """Return the method for one question. Raises NoModel."""
    return WriteMethod(context.collection, context.settings, context.model(), writing, context.search, context.judge)


def write_method_in_steps(context: MethodContext) -> WriteMethod:
    """Return the method that finds, extracts and answers in three steps. Raises NoModel."""
    return write_method(context, "cot")
