"""Every page of a document read by a model, a few at a time: what is shown, noted, answered and refused."""

from __future__ import annotations

import pytest

from indexing import Collection
from rag import Pipeline, RagSettings
from rag.errors import PagesNotShown, TooManyPages
from rag.events import Answered, Shown
from rag.settings import WritingSettings
from tests.support.fakes import text_of
from tests.support.writers import Writer, said

RULES = RagSettings(method="vanilla", mode="text", judge="rules", print_check=False)


class TestEveryPage:
    """Counts and lists over a whole document: a model reads all pages, and answers from its notes."""

    ASKED = "In how many years did the mill grind rye?"

    def test_all_pages_are_read_and_the_answer_is_written_from_the_notes(self, long: Collection) -> None:
        notes = [said((f"It ground rye in batch {n}.", [f"E{2 * n - 1}"])) for n in range(1, 5)]
        model = Writer(*notes, said(answerable=False), said(("The mill of year 1 ground rye.", ["E1"])))
        settings = RULES.model_copy(update={"writing": WritingSettings(pages=2)})  # type: ignore[arg-type]
        *told, last = Pipeline(long, settings, model=model).stream(self.ASKED, documents=["mill.pdf"], every_page=True)
        shown = [[page.number for page in event.pages] for event in told if isinstance(event, Shown)]
        assert shown == [[1, 2], [3, 4], [5, 6], [7, 8], [9]]
        final = text_of(model.asked[-1])
        assert [f"| It ground rye in batch {n}." in final for n in range(1, 5)] == [True] * 4
        assert "ground rye and wheat" not in final
        assert isinstance(last, Answered)
        (sentence,) = last.answer.sentences
        assert (sentence.verdict, sentence.citations[0].page) == ("confirmed", 1)
        assert "9 of 9 pages were read, in 5 calls" in last.answer.notes
        assert last.answer.usage.calls == 6

    def test_where_no_page_answers_nothing_more_is_asked(self, long: Collection) -> None:
        model = Writer(*[said(answerable=False)] * 2)
        answer = Pipeline(long, RULES, model=model).answer(self.ASKED, documents=["mill.pdf"], every_page=True)
        assert (answer.abstained, answer.usage.calls) == (True, 2)

    def test_stopping_ends_it(self, long: Collection) -> None:
        model = Writer(*[said(answerable=False)] * 9)
        told = Pipeline(long, RULES, model=model).stream(self.ASKED, documents=["mill.pdf"], every_page=True)
        while not isinstance(next(told), Shown):
            pass
        told.close()
        assert model.asked == []

    def test_without_documents_or_with_another_method_it_is_refused_before_any_call(self, long: Collection) -> None:
        model = Writer()
        with pytest.raises(TooManyPages, match="which documents"):
            Pipeline(long, RULES, model=model).stream(self.ASKED, every_page=True)
        with pytest.raises(PagesNotShown, match="vanilla or cot"):
            Pipeline(long, RULES, model=model).stream(
                self.ASKED, documents=["mill.pdf"], every_page=True, method="quote"
            )
        assert model.asked == []
