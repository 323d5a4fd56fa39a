"""What an abbreviation stands for is told where a document spells it out, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexing.embed.minilm import MiniLM
from rag import Pipeline
from rag.methods.quote.abbreviations import MOST_TOLD, abbreviation_asked, long_forms
from tests.support import fakes


@pytest.mark.parametrize(
    ("question", "short"),
    [
        ("What does REML stand for?", "REML"),
        ("what does the abbreviation “GLMs” stand for in this paper?", "GLMs"),
        ("What is TCP/IP short for?", "TCP/IP"),
        ("What's MIA an acronym of?", "MIA"),
        ("What is the full form of W3C?", "W3C"),
        ("Wofür steht BGB?", "BGB"),
        ("What does the mayor stand for election for?", ""),
        ("What is REML?", ""),
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
        ("MIA", "MIA stands for the missing in action, of whom", "missing in action"),
        ("GLMs", "all generalized linear models (GLMs, see page 3)", "generalized linear models"),
        ("GLM", "all generalized linear models (GLMs)", "generalized linear models"),
        ("reml", "by restricted maximum likelihood (REML)", "restricted maximum likelihood"),
        ("DOH", "the Department of Health [DOH]", "Department of Health"),
        ("HSP", "over HSP (Headset Profile)", "Headset Profile"),
        ("ZIP", "a zero-inflated Poisson (ZIP)", "zero-inflated Poisson"),
        ("AT", "with regular access to (AT least once a week)", ""),
        ("ML", "the mill (ML) is old", ""),
        ("MIA", "the missing people of the action (MIA)", ""),
        ("REML", "a kind of likelihood (REML)", ""),
        ("MIA", "missing in action, or MIA", ""),
        ("MIA", "(MIA)", ""),
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


def test_no_more_meanings_than_these_and_none_of_what_is_not_spelled_out(tmp_path: Path, embedder: MiniLM) -> None:
    lines = [f"{word} on boats (TOB) {n}" for n, word in enumerate(("Tar", "Tin", "Tea", "Tow"))]
    made = fakes.collection(tmp_path, embedder, "many")
    fakes.index(made, {"many.pdf": [lines, ["The NNN met."]]})
    assert len(Pipeline(made).answer("What does TOB stand for?").sentences) == MOST_TOLD
    assert all(s.short is None for s in Pipeline(made).answer("What does NNN stand for?").sentences)
