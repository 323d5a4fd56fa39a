"""Stems and normal forms: what makes two words one."""

from __future__ import annotations

import pytest

from indexing.language import look_alike, meaning, opposite, stem, without_accents


@pytest.mark.parametrize(
    "words",
    [
        ("process", "processes"),
        ("study", "studies", "studied"),
        ("class", "classes"),
        ("reset", "resetting"),
        ("call", "called", "calling"),
        ("size", "sizes"),
        ("box", "Boxes"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize("word", ["is", "as", "using", "need", "this", "bus", "gpt-4", "2021"])
def test_words_that_only_look_like_forms_are_left(word: str) -> None:
    assert stem(word) == word


def test_synonyms_have_one_meaning_and_opposites_are_known() -> None:
    assert meaning("increased") == meaning("Rises") == meaning("growth")
    assert opposite(meaning("increased"), meaning("fell"))
    assert not opposite(meaning("increased"), meaning("grew"))


def test_accents_go_be_they_in_the_letter_or_beside_it() -> None:
    assert without_accents("Zürich") == "Zurich"
    assert without_accents("Universit\u00b4e") == without_accents("Université")
    assert look_alike("Universit\u00b4e") == look_alike("Université")
