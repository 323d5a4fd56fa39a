"""An answer in Markdown -> its statements, what stands above each, and the lines that only name what follows."""

import time

from rag.attribution.statements import MOST_STATEMENTS, statements

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


def test_a_hostile_answer_is_bounded() -> None:
    started = time.process_time()
    for text in ("![" * 20_000, "[1" * 20_000, "**" * 20_000, "$\\" * 20_000, "- a\n" * 5_000, "|" * 20_000):
        assert len(statements(text)) <= MOST_STATEMENTS
    assert time.process_time() - started < 10
