"""Blocks and Markdown become statements under what stands above them, each at its characters."""

from __future__ import annotations

import pytest

from plugins.audit.manuscripts.composition import Block, build_manuscript
from plugins.audit.manuscripts.markdown import markdown_manuscript, unwrap_lines
from rag.attribution import ENTRY, listed_entries, own_bibliography, statements


def test_a_statement_knows_what_it_stands_under_and_where() -> None:
    found = build_manuscript(
        "r",
        "docx",
        [
            Block("heading", "2 Ferries", 1),
            Block("text", "The company has ships. Two of them burn oil:"),
            Block("item", "• the Alma", 0),
            Block("head", "Ship | Seats", cells=("Ship", "Seats")),
            Block("row", "Alma | 120", cells=("Alma", "120"), head=("Ship", "Seats")),
        ],
    )
    said = [(s.text, s.under, s.heading, s.item) for s in found.statements]
    assert said == [
        ("Ferries", (), True, False),
        ("The company has ships.", ("Ferries",), False, False),
        ("Two of them burn oil:", ("Ferries",), True, False),
        ("the Alma", ("Ferries", "Two of them burn oil"), False, True),
        ("Ship: Alma; Seats: 120", ("Ferries", "Two of them burn oil"), False, False),
    ]
    assert found.text[found.statements[1].start : found.statements[1].end] == "The company has ships."
    assert found.text[found.statements[4].start : found.statements[4].end] == "Alma | 120"


def test_running_text_does_not_stand_under_the_title() -> None:
    blocks = [Block("heading", "Ferries in review", 1), Block("text", "Fares rose."), Block("item", "• North: 12", 0)]
    assert [s.under for s in build_manuscript("r", "docx", blocks).statements] == [(), (), ("Ferries in review",)]


def test_a_bibliography_is_no_claim_until_the_next_heading_of_its_rank() -> None:
    found = build_manuscript(
        "r",
        "pages",
        [
            Block("heading", "5. Literaturverzeichnis", 1),
            Block("text", "Holm, A. (1887). On lamps. Bergen: Lys."),
            Block("heading", "A", 2),
            Block("item", "[2] Berg, B. On ferries, 1901."),
            Block("heading", "Appendix", 1),
            Block("text", "The lamp was lit in 1887."),
        ],
    )
    assert [bool(s.remark) for s in found.statements if not s.heading] == [True, True, False]


@pytest.mark.parametrize("heading", ["Notes", "Sources", "Footnotes", "Endnotes", "Fuentes"])
def test_notes_are_text_in_files_with_headings_and_entries_in_markdown(heading: str) -> None:
    note = "Fares rose to 12 million in 1887."
    blocks = [Block("heading", heading, 1), Block("text", note)]
    assert [s.remark for s in build_manuscript("r", "docx", blocks).statements] == ["", ""]
    assert markdown_manuscript("r", f"# {heading}\n\n{note}\n").statements[-1].remark == ENTRY


def test_a_line_of_contents_is_no_claim() -> None:
    (statement,) = build_manuscript("r", "pages", [Block("text", "3 Ferries of the north ........ 12")]).statements
    assert "list of contents" in statement.remark


def test_what_stands_under_contents_is_no_claim_but_for_sentences() -> None:
    found = build_manuscript(
        "r",
        "pages",
        [
            Block("heading", "Table of Contents", 1),
            Block("row", "Ferries | 8", cells=("Ferries", "8")),
            Block("text", "The lamp was lit in 1887."),
            Block("text", "\u00a9 Holm 2016"),
        ],
    )
    assert [bool(s.remark) for s in found.statements[1:]] == [True, False, True]


@pytest.mark.parametrize("mark", ["2", "²", "²¹"])
def test_the_mark_of_a_footnote_ends_no_sentence_of_its_own_and_is_no_number(mark: str) -> None:
    text = f"The lamp burned oil.{mark} It was lit in 1887. Q4. Its keeper left."
    found = build_manuscript("r", "pages", [Block("text", text)])
    assert [s.text for s in found.statements] == ["The lamp burned oil.", "It was lit in 1887. Q4.", "Its keeper left."]


def test_a_heading_with_a_number_says_something() -> None:
    found = build_manuscript(
        "r", "html", [Block("heading", "1.2 Revenue rose by 12%", 2), Block("text", "Ships did it.")]
    )
    assert [(s.text, s.heading, s.under) for s in found.statements] == [
        ("Revenue rose by 12%", False, ()),
        ("Ships did it.", False, ()),
    ]


def test_reading_ends_after_what_can_be_checked() -> None:
    endless = (Block("text", f"Ship {n} has seats.") for n in iter(int, 1))
    assert len(build_manuscript("r", "html", endless).statements) == 2001


TEXT = """# Lights

The **lamp** of Holm was lit in 1887 [3]. Its keeper was [Ada Holm](https://holm.example/ada).[^1]

- Ships:
  - the `Alma`

| Ship | Seats |
|------|-------|
| Alma | 120   |

[^1]: Parish register, 1890.
"""


def test_the_statements_are_those_of_answers() -> None:
    found = markdown_manuscript("r.md", TEXT)
    *own, entry = [(s.text, s.under, s.heading, s.item, s.remark) for s in found.statements]
    _, claims = own_bibliography(TEXT)
    assert own == [(s.text, s.under, s.heading, s.item, "") for s in statements(claims)]
    assert entry == ("[^1]: Parish register, 1890.", (), False, False, ENTRY)


def test_entries_of_a_bibliography_are_remarks_with_the_lines_below_them() -> None:
    entries = "- [1] Ada Holm. Lamps.\n  Quay Press, 1890.\n- [2] Bo Li. Tides.\n\n"
    text = f"The lamp was lit in 1887 [1].\n\n## References\n\n{entries}"
    claim, heading, first, second = markdown_manuscript("r.md", text).statements
    assert (claim.remark, heading.heading) == ("", True)
    assert (first.text, first.remark) == ("[1] Ada Holm. Lamps. Quay Press, 1890.", ENTRY)
    assert text[first.start : first.end] == "- [1] Ada Holm. Lamps.\n  Quay Press, 1890."
    assert [reference.label for reference in listed_entries((claim, heading, first, second))] == ["1", "2"]


def test_each_statement_has_its_characters_links_and_footnotes() -> None:
    found = markdown_manuscript("r.md", TEXT)
    by_text = {s.text: s for s in found.statements}
    lamp = by_text["The lamp of Holm was lit in 1887 [3]."]
    assert TEXT[lamp.start : lamp.end] == "The **lamp** of Holm was lit in 1887 [3]."
    keeper = next(s for s in found.statements if s.text.startswith("Its keeper"))
    assert keeper.links == ("https://holm.example/ada",)
    assert keeper.footnotes == ("Parish register, 1890.",)
    row = by_text["Ship: Alma; Seats: 120"]
    assert TEXT[row.start : row.end] == "| Alma | 120   |"
    assert [p.kind for p in found.passages][:4] == ["heading", "text", "item", "item"]


def test_a_paragraph_that_was_broken_to_fit_a_width_is_whole_again() -> None:
    broken = (
        "The lighthouse of Holm was first lit in the spring of the year\n"
        "1887 by its keeper.\n\n- an item that is long enough to go on in the line that comes\n  after it\nnot this\n"
    )
    found = unwrap_lines(broken)
    assert len(found) == len(broken)
    assert found.splitlines()[0] == "The lighthouse of Holm was first lit in the spring of the year 1887 by its keeper."
    assert found.splitlines()[-1] == "not this"
    said = markdown_manuscript("r.txt", broken).statements[0]
    assert said.text.endswith("of the year 1887 by its keeper.")
    assert broken[said.start : said.end].endswith("1887 by its keeper.")


def test_lines_of_code_and_lists_without_marks_stay_lines() -> None:
    code = "```\n" + "x = 1  # a line of code that is long enough to look like broken prose\n" * 2 + "```\n"
    assert unwrap_lines(code) == code
    facts = "Seats: 120\nShips: 4\n"
    assert unwrap_lines(facts) == facts
