"""An answer in Markdown -> its statements, what stands above each, and the lines that only name what follows."""

from __future__ import annotations

import time

from rag.attribution.statements import MOST_STATEMENTS, plain, statements

ANSWER = """\
To answer this, let's look at the table.

### Sales by year
According to [3], **sales rose** to 4.1 million. Costs fell [8][E2].

![A chart of sales](image1)

LinkedIn counts:
- Followers
1. *Shu*: it means keep
   - Keep the rules

| City | Ferries |
|---|---|
| Bergen | 4 |
"""


def test_an_answer_is_taken_apart() -> None:
    assert [s.text for s in statements(ANSWER) if not s.heading] == [
        "To answer this, let's look at the table.",
        "According to [3], sales rose to 4.1 million.",
        "Costs fell [8][E2].",
        "Followers",
        "Shu: it means keep",
        "Keep the rules",
        "City: Bergen; Ferries: 4",
    ]
    assert [s.text for s in statements(ANSWER) if s.heading] == ["Sales by year", "LinkedIn counts:"]


def test_an_item_keeps_what_stands_above_it() -> None:
    above = {s.text: s.under for s in statements(ANSWER)}
    assert above["Costs fell [8][E2]."] == ("Sales by year",)
    assert above["Followers"] == ("Sales by year", "LinkedIn counts")
    assert above["Keep the rules"][-1] == "Shu"


def test_a_number_in_bold_is_said_and_a_name_in_bold_is_a_heading() -> None:
    (number,) = statements("**12.5**")
    (name,) = statements("**Conclusion**")
    assert (number.heading, name.heading) == (False, True)


def test_a_mark_behind_the_end_of_a_sentence_belongs_to_it() -> None:
    text = "Sales rose.[3] Costs fell. [4, 5] Rain came.\u00b2 Wind rose.[^note]"
    assert [s.text for s in statements(text)] == [
        "Sales rose [3].",
        "Costs fell [4, 5].",
        "Rain came \u00b2.",
        "Wind rose [^note].",
    ]


def test_formulas_and_money_are_read() -> None:
    assert plain(r"about $16\%$ of $5 and \boxed{12}") == "about 16% of $5 and {12}"


def test_a_hostile_answer_is_bounded() -> None:
    started = time.process_time()
    for text in ("![" * 20_000, "[1" * 20_000, "**" * 20_000, "$\\" * 20_000, "- a\n" * 5_000, "|" * 20_000):
        assert len(statements(text)) <= MOST_STATEMENTS
    assert time.process_time() - started < 10


def test_running_text_does_not_stand_under_the_title_of_the_whole() -> None:
    text = "# The ferries in review\n\nFares rose by 4%.\n\n- North: 12\n\n## Winter\n\nFares fell.\n"
    by_text = {s.text: s.under for s in statements(text)}
    assert by_text["Fares rose by 4%."] == ()
    assert by_text["North: 12"] == ("The ferries in review",)
    assert by_text["Fares fell."] == ("Winter",)
