"""Markdown and plain text have the statements that answers have, at their characters."""

from __future__ import annotations

from rag.attribution import ENTRY, listed_entries, own_bibliography, statements
from rag.manuscripts.markdown import markdown_manuscript, unwrap_lines

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
