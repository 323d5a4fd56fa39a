"""Reading training questions: answers are found where they stand, documents stay on one side, long texts are cut."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import GoldUnreadable
from evaluation.fit.reader.corpus import (
    LONGEST,
    Corpus,
    cells_of,
    found_in,
    header_rows,
    held_out,
    mentioned,
    paragraphs,
    read,
)
from evaluation.fit.reader.regions import Material
from evaluation.fit.reader.wording import sentences_of, unspaced
from tests.evaluation.fit.reader import towns


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return towns.corpus(tmp_path_factory.mktemp("data"))


def test_answers_are_marked_where_they_stand(corpus: Corpus) -> None:
    assert len(corpus.questions) == 4 * towns.GROUPS
    for q in corpus.questions:
        if q.passage >= 0:
            text = corpus.passages[q.passage].text
            assert {text[a:b] for a, b in q.spans} == set(q.answers)
        else:
            assert [corpus.tables[q.table].rows[r][c] for r, c in q.cells] == list(q.answers)


def test_the_split_keeps_groups_apart(corpus: Corpus) -> None:
    train, test = Material(corpus), Material(corpus, training=False)
    assert {q.group for q in train.questions} & {q.group for q in test.questions} == set()
    assert set(train.passages) & set(test.passages) == set(train.tables) & set(test.tables) == set()
    assert len(train.questions) + len(test.questions) == len(corpus.questions)
    assert test.questions != []
    for material in (train, test):
        groups = {q.group for q in material.questions}
        assert {corpus.passages[n].group for n in material.passages} <= groups
        assert {corpus.tables[n].group for n in material.tables} <= groups


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
        ("In 1904 and 1905.", "1905", ["1905"]),
        ("In 19045 boats.", "1904", []),
        ("The Old\nMill burnt.", "old mill", ["Old\nMill"]),
        ("a b a b a b a b", "a b", ["a b"] * 3),
        ("nothing", "  ", []),
    ],
)
def test_an_answer_is_found_as_whole_words(text: str, answer: str, found: list[str]) -> None:
    assert [text[a:b] for a, b in found_in(text, answer)] == found


def test_an_answer_in_many_cells_is_in_none() -> None:
    rows = [["a", "b"], *[["x", "7"]] * 4, ["y", "$ 1,250"]]
    assert cells_of(rows, ["1250"]) == ((5, 1),)
    assert cells_of(rows, ["7"]) == cells_of(rows, ["1250", "seven"]) == ()


def test_a_sentence_mentions_cells_of_one_row() -> None:
    rows = [["Year", "Ship"], ["1912", "Orla"], ["1913", "Finch"]]
    assert mentioned(rows, 1, "The Finch sailed in 1913, after 1912.") == ((2, 0), (2, 1))


def test_the_header_ends_before_the_first_number() -> None:
    assert header_rows([["", "2019", "2020"], ["", "in", "tons"], ["Ore", "5.5", "6"]]) == 2
    assert header_rows([["Name", "Town"], ["Ann", "Elmwick"]]) == 1


@given(st.text(alphabet="ab .!?\n'AB1", max_size=3000))
def test_paragraphs_keep_every_letter(text: str) -> None:
    pieces = paragraphs(text)
    assert "".join("".join(pieces).split()) == "".join(text.split()) or max(map(len, pieces)) == LONGEST


@given(st.text(alphabet="ab .!?'\")AB1", max_size=200))
def test_sentences_cover_a_text(text: str) -> None:
    assert "".join(text[a:b] for a, b in sentences_of(text)).strip() == text.strip()


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
