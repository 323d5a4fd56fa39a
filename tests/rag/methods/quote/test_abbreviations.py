"""What an abbreviation stands for is told where a document spells it out, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from rag import Pipeline
from rag.methods.quote.abbreviations import abbreviation_asked, long_forms
from tests.support import fakes


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("What does REML stand for?", "REML"),
        ("What is TCP/IP short for?", "TCP/IP"),
        ("Wofür steht BGB?", "BGB"),
        ("What does the mayor stand for election for?", ""),
        ("What does the keeper of the mill stand for?", ""),
        (f"What does {'X' * 200} stand for?", ""),
    ],
)
def test_questions_that_ask_it(question: str, short: str) -> None:
    assert abbreviation_asked(question) == short


@pytest.mark.parametrize(
    ("short", "text", "words"),
    [
        ("REML", "by restricted maximum likelihood (REML) or not", "restricted maximum likelihood"),
        ("REML", "REML (restricted maximum likelihood) is slow", "restricted maximum likelihood"),
        ("REML", "REML: restricted maximum likelihood\nML: maximum likelihood", "restricted maximum likelihood"),
        ("MIA", "MIA | missing in action | rare", "missing in action"),
        ("GLMs", "all generalized linear models (GLMs, see page 3)", "generalized linear models"),
        ("reml", "by restricted maximum likelihood (REML)", "restricted maximum likelihood"),
        ("AT", "with regular access to (AT least once a week)", ""),
        ("ML", "the mill (ML) is old", ""),
        ("MIA", "the missing people of the action (MIA)", ""),
        ("MIA", "missing in action, or MIA", ""),
    ],
)
def test_its_letters_are_taken_from_the_words_beside_it(short: str, text: str, words: str) -> None:
    assert [text[a:b] for a, b in long_forms(short, text)] == ([words] if words else [])


def test_the_sentence_that_spells_it_out_is_quoted_with_the_words_in_bold(tmp_path: Path, embedder: MiniLM) -> None:
    text = "It rains. The Board of Boats (BOB) met in May. BOB has nine members."
    made = fakes.collection(tmp_path, embedder, "boats")
    fakes.index(
        made, {"boats.pdf": [["Boats wait.", text]], "mill.pdf": [["BOB: bags of barley", "BOB: bag of barley"]]}
    )
    first, second = Pipeline(made).answer("What does BOB stand for?").sentences
    assert (first.text, first.text[slice(*first.short or ())]) == (
        "The Board of Boats (BOB) met in May.", "Board of Boats",
    )  # fmt: skip
    assert (first.verdict, first.answers, second.text) == ("quoted", None, "BOB: bags of barley")
    (citation,) = first.citations
    assert (citation.quote, citation.document, len(citation.boxes)) == (first.text, "boats.pdf", 1)


def test_more_pages_than_are_gone_through_are_searched_as_ever(
    tmp_path: Path, embedder: MiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = fakes.collection(tmp_path, embedder, "large")
    fakes.index(made, {"large.pdf": [["The Board of Boats (BOB) met."], ["It rains."]]})
    assert Pipeline(made).answer("What does BOB stand for?").sentences[0].short
    monkeypatch.setattr("rag.methods.quote.abbreviations.MOST_PAGES", 1)
    assert not any(s.short for s in Pipeline(made).answer("What does BOB stand for?").sentences)
