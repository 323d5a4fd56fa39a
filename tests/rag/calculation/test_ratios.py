"""Ratios that a report does not say are computed from its statements, each cell cited; what is not sure is not."""

from collections.abc import Sequence

import pytest

from rag import Sentence
from rag.calculation import computed_ratio, load_ratios
from tests.rag.calculation.statements import BALANCE, CASH, HEADS, INCOME, Report, Rows, report


def asked(question: str, of: Report | None = None) -> Sentence | None:
    of = of or report()
    return computed_ratio(question, of.documents(), of, load_ratios())  # type: ignore[arg-type]


def said(question: str, of: Report | None = None) -> str:
    found = asked(question, of)
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the current ratio in 2021?", "2.50 (current ratio, 2021: Total current assets 3,000 / "),
        ("What is the current ratio?", "2.50 (current ratio, 2021: "),
        ("What was the quick ratio in FY21? Round your answer to three decimal places.", "1.250 ("),
        ("What was the gross margin in 2021?", "40.00% (gross margin, 2021: Gross profit 3,200 / Net revenues 8,000)."),
        (
            "Calculate the inventory turnover for 2021",
            "4.00 (inventory turnover, 2021: Cost of sales 4,800 / the average",
        ),
        ("What is the R&D to asset ratio in 2021?", "4.00% (R&D to asset ratio, 2021: Research and development 400 /"),
        ("What was the 3 year average of the capex to revenue ratio, 2019 - 2021?", "6.32% (the average of capex to "),
        (
            "What was the EBITDA margin in 2021?",
            "15.75% (EBITDA margin, 2021: (Operating income 1,000 + Depreciation and",
        ),
        (
            "What was the free cash flow in 2021?",
            "1,050 (free cash flow, 2021: Net cash (used in) provided by operating",
        ),
        ("What is the ROA in 2021?", "6.40% (ROA, 2021: Net income (loss) 640 / Total assets 10,000)."),
        ("What was the revenue in 2021?", "8,000 (revenue, 2021: Net revenues 8,000, in thousands)."),
        ("What was net income in 2020?", "(250) (net income, 2020: Net income (loss) (250), in thousands)."),
    ],
)
def test_it_is_computed_by_the_textbook(question: str, answer: str) -> None:
    assert said(question).startswith(answer)


@pytest.mark.parametrize(
    "question",
    [
        "What is the current ratio of the freight segment in 2021?",
        "What is the current ratio of Adidas in 2021?",
        "Which current ratio does the covenant require?",
        "What is the current ratio in 1998?",
        "What is the average inventory turnover in 2019?",
        "What is the cash flow to total debt ratio in 2020?",
        "How did the current ratio change from 2020 to 2021?",
        "What amount did revenue increase by in 2021?",
        "What drives the gross margin in 2021?",
        "What is the boat to captain ratio in 2021?",
        "What is EBITDA?",
        "By what percentage did revenue grow in 2021?",
        "What is the dividend payout ratio in 2020?",
        "What is the interest coverage in 2021?",
        "What was the average revenue?",
        "What was the average revenue in 2021?",
        "What was the revenue of Asia in 2021?",
    ],
)
def test_what_asks_for_another_thing_or_has_no_sure_figures_is_left(question: str) -> None:
    """A segment, another company, a year that is not there, two rows of one name, growth, the ratio to a loss."""
    assert asked(question) is None


def test_every_cell_is_boxed_with_its_label_and_year_around_it() -> None:
    found = asked("What is the inventory turnover in 2021?")
    assert found is not None
    assert (found.verdict, found.short) == ("computed", (0, 4))
    assert [c.page for c in found.citations] == [3, 4]
    income, balance = (
        t for t in report().pages.values() if len(t) > 1 and t[0].text in HEADS.values() and t[1].page < 5
    )
    boxes = {e.text[c.start : c.end]: c.bbox for e in (income[1], balance[1]) for c in e.cells}
    assert found.citations[0].boxes == (boxes["4,800"],)
    assert set(found.citations[0].context) == {boxes["Cost of sales"], boxes["2021"]}
    assert set(found.citations[1].boxes) == {boxes["1,000"], boxes["1,400"]}
    assert found.citations[1].quote == "Inventories | 1,000"
    assert not set(found.citations[1].boxes) & set(found.citations[1].context)


QUARTERS: Rows = (("", "Q1 2021", "Q2 2021", "2020"), *INCOME[1:])
SUMMARY: Rows = (("", "2021", "2020"), ("Gross margin (1)", "41.2 %", "38.0 %"), *INCOME[1:5])
AMOUNT: Rows = (*INCOME[:3], ("Gross margin", "3,200", "2,400", "2,100"), *INCOME[4:])
NO_RECEIVABLES: Rows = tuple(row for row in BALANCE if not row[0].startswith("Accounts receivable"))
MILLIONS: Rows = (
    ("(In millions)", "2021", "2020"),
    ("Net cash provided by operating activities", "1.5", "0.3"),
    ("Capital expenditures", "(0.45)", "(0.32)"),
    ("Depreciation and amortization", "0.26", "0.24"),
)


@pytest.mark.parametrize(
    ("tables", "question", "answer"),
    [
        ([SUMMARY, INCOME], "gross margin in 2021", "41.2 % (gross margin, 2021: Gross margin 41.2 %)."),
        ([SUMMARY, INCOME], "gross margin in 2019", "35.00% (gross margin, 2019: "),
        ([AMOUNT], "gross margin in 2021", "40.00% (gross margin, 2021: Gross margin 3,200 / "),
        ([INCOME, MILLIONS], "capex to revenue ratio in 2021", "5.62% ("),
        ([QUARTERS], "revenue in 2021", ""),
        ([INCOME, NO_RECEIVABLES, CASH], "quick ratio in 2021", ""),
    ],
    ids=["a row of its own", "not for the year", "an amount", "other units", "quarters", "changes are no balances"],
)
def test_the_row_that_is_taken(tables: Sequence[Rows], question: str, answer: str) -> None:
    heads = {INCOME: "income", AMOUNT: "income", QUARTERS: "income", NO_RECEIVABLES: "balance"}
    of = Report(*(("RESULTS" if rows is SUMMARY else HEADS[heads.get(rows, "cash")], rows) for rows in tables))
    text = said(f"What was the {question}?", of)
    assert text.startswith(answer)
    assert bool(text) == bool(answer)


def test_whose_figures_are_asked_for() -> None:
    of = report(name="MERROW_2021.pdf", front="A report")
    assert said("What is the current ratio of MRRW in 2021?", of).startswith("2.50 (")
    assert asked("What is the current ratio of MRWX in 2021?", of) is None
    front = report(front="An annual report for those who sail in Asia, on the Kelp and elsewhere")
    assert asked("What is the current ratio of Kelp?", front) is None
    segment = Report((HEADS["income"], INCOME), ("Kelp Segment", INCOME))
    assert asked("What was the revenue of the Kelp segment in 2021?", segment) is None
    assert said("What was the revenue in 2021?", segment).startswith("8,000 (")
