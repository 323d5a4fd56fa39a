"""Reading training questions: answers are found where they stand, documents stay on one side, long texts are cut."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import GoldUnreadable
from plugins.research.fit.corpus import LONGEST, Corpus, contains, held_out, paragraphs, read, sentence_spans, unspaced
from tests.plugins.research.fit import towns


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return towns.corpus(tmp_path_factory.mktemp("data"))


def test_questions_lead_to_the_text_and_the_table_that_answer(corpus: Corpus) -> None:
    assert len(corpus.questions) == 4 * towns.GROUPS
    answers = [row["answers"][0] for row in towns.rows()]
    for question, answer in zip(corpus.questions, answers, strict=True):
        if question.passage >= 0:
            assert answer in corpus.passages[question.passage].text
        else:
            assert answer in {cell for row in corpus.tables[question.table].rows for cell in row}


@given(st.text())
def test_a_group_is_held_out_by_its_name_alone(group: str) -> None:
    assert held_out(group) == held_out("".join(list(group)))


def test_pages_of_a_document_are_held_out_together(corpus: Corpus) -> None:
    sides: dict[str, set[bool]] = {}
    for passage in corpus.passages:
        sides.setdefault(passage.group, set()).add(held_out(passage.group))
    assert {len(found) for found in sides.values()} == {1}


@pytest.mark.parametrize(
    ("text", "answer", "found"),
    [
        ("In 1904 and 1905.", "1905", True),
        ("In 19045 boats.", "1904", False),
        ("The Old\nMill burnt.", "old mill", True),
        ("nothing", "  ", False),
    ],
)
def test_an_answer_is_found_as_whole_words(text: str, answer: str, found: bool) -> None:
    assert contains(text, answer) is found


@given(st.text(alphabet="ab .!?\n'AB1", max_size=3000))
def test_paragraphs_keep_every_letter(text: str) -> None:
    pieces = paragraphs(text)
    assert "".join("".join(pieces).split()) == "".join(text.split()) or max(map(len, pieces)) == LONGEST


@given(st.text(alphabet="ab .!?'\")AB1", max_size=200))
def test_sentences_cover_a_text(text: str) -> None:
    assert "".join(text[a:b] for a, b in sentence_spans(text)).strip() == text.strip()


def test_tokens_that_stand_apart_are_joined() -> None:
    assert unspaced("It 's `` new '' -LRB- 5 % -RRB- , they said .") == 'It\'s "new" (5%), they said.'


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "qa.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.write(json.dumps(towns.of_text(0)) + "\n{\n")
    with pytest.raises(GoldUnreadable, match="line 2"):
        read(path)
    with pytest.raises(GoldUnreadable, match="VOUCH_TRAIN"):
        read(tmp_path / "none.gz")
