"""What a question names: places, numbers and names; its language, and its misspelt words."""

import pytest

from indexing import IndexingSettings
from rag.question import (
    conditions_of,
    correct_spelling,
    embedder_note,
    hints_of,
    is_unread_language,
    slips_of,
)
from rag.question.language import UNFITTED

PAGES = [
    ("What stands on page 5?", (5,)), ("Compare pages 3 and 7.", (3, 7)), ("the fax number on page fourteen", (14,)),
    ("Was steht auf Seite zwölf?", (12,)), ("What is on the twelfth page?", (12,)),
    ("Who signs the last page?", (-1,)), ("Which court is named on the cover page?", (1,)), ("pages 1-400", (1,)),
    ("pages 9-3", (9,)), ("How many pages does it have?", ()), ("Which page is about 1914?", ()),
]  # fmt: skip
NAMES = [
    ("What does Figure 3 show?", ("figure 3",)), ("figures 1-4", ("figure 1", "figure 2", "figure 3", "figure 4")),
    ("Appendix C", ("appendix c",)), ("What do --jobs, `-j` and --wait-for=2 do?", ("--jobs", "--wait-for", "-j")),
    ("Is the run-on sentence - or a well-known one - longer?", ()),
    ("How do Section 5.2 and chapter 3 agree?", ("chapter 3", "section 5.2")), ("configure 3 ports", ()),
]  # fmt: skip


@pytest.mark.parametrize(("question", "pages"), PAGES)
def test_pages(question: str, pages: tuple[int, ...]) -> None:
    assert hints_of(question).pages == pages


@pytest.mark.parametrize(("question", "names"), NAMES)
def test_names(question: str, names: tuple[str, ...]) -> None:
    assert hints_of(question).names == names


@pytest.mark.parametrize(
    ("question", "conditions"),
    [
        ("What did the Acme group earn in FY2015, more than 2,300?", ("Acme", "2015", "2,300")),
        ("When was the mill built?", ()),
        ("how many boats had Gull Island in 1912 and in 1912", ("Gull", "Island", "1912")),
        ("WHAT IS THE CASE NUMBER OF SMITH?", ()),
        ("", ()),
    ],
)
def test_numbers_and_names_are_conditions(question: str, conditions: tuple[str, ...]) -> None:
    assert conditions_of(question) == conditions


GERMAN = "Wann wurde die alte Mühle am Ufer des großen Flusses von den Brüdern gebaut?"
FRENCH = "Quand est-ce que le vieux moulin au bord de la grande rivière a été construit par les frères?"


@pytest.mark.parametrize(
    ("languages", "question", "told"),
    [((), FRENCH, False), (("en", "de"), FRENCH, True), (("en", "de"), GERMAN, False),
     (("en",), "Wann öffnet es?", True), (("en", "de"), "Où est-ce?", False)],
)  # fmt: skip
def test_an_embedder_of_ones_own_reads_the_languages_that_are_said(
    languages: tuple[str, ...], question: str, told: bool
) -> None:
    made_with = IndexingSettings(embedder="colbert", text_languages=languages)
    assert is_unread_language(question, made_with) is told
    notes = embedder_note(question, made_with)
    assert (len(notes), notes[0]) == (1 + told, UNFITTED)
    assert not told or f"({', '.join(languages)})" in notes[1]


SAILING = ["The percentage of seniors who sail. Contoso paid 12 crowns."]


@pytest.mark.parametrize(
    ("question", "tokens", "slips"),
    [
        ("the percentge", "the per ##cent ##ge", {"percentge": "percentage"}),
        ("two senoirs", "two sen ##oir ##s", {"senoirs": "seniors"}),
        ("the percentage of seniors", "the percentage of seniors", {}),
        ("the zeppelin", "the ze ##ppel ##in", {}),
        ("the Contosa", "the con ##tos ##a", {"Contosa": "Contoso"}),
        ("the Contora", "the con ##tor ##a", {}),
        ("the Senoirs", "the sen ##oir ##s", {}),
        ("the CONTOSA", "the con ##tos ##a", {}),
        ("the 12percentge", "the 12 ##per ##cent ##ge", {"percentge": "percentage"}),
        ("the pct", "the pc ##t", {}),
    ],
)  # fmt: skip
def test_only_unknown_words_close_to_one_of_the_pages(question: str, tokens: str, slips: dict[str, str]) -> None:
    assert slips_of(question, tokens.split(), SAILING) == slips


def test_the_question_is_mended_word_by_word() -> None:
    assert correct_spelling("Percentge, percentge?", {"percentge": "percentage"}) == "Percentge, percentage?"
