"""Ratios that a report does not say are computed from its statements, each cell cited; what is not sure is not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from indexing import Document, Element
from rag import Sentence
from rag.calculation.ratios import computed_ratio, load_ratios
from rag.calculation.ratios.ratio import RIGHT
from rag.calculation.ratios.told import told_lines
from tests.rag.calculation.ratios.statements import BALANCE, CASH, HEADS, INCOME, Report, Rows, report


def asked(question: str, of: Report | None = None) -> Sentence | None:
    of = of or report()
    return computed_ratio(question, of.documents(), of, load_ratios())  # type: ignore[arg-type]


def told(question: str, of: Report | None = None) -> str:
    found = asked(question, of)
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the current ratio in 2021?", "2.50 (current ratio, 2021: Total current assets 3,000 / "),
        ("What is the current ratio?", "2.50 (current ratio, 2021: "),
        ("What was the quick ratio in FY21? Round your answer to three decimal places.", "1.250 ("),
        ("What was the quick ratio in FY21? Round your answer to six decimal places.", "1.250000 ("),
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
        (
            "By what percentage did revenue grow in 2021?",
            "25.00% (growth of revenue, 2021: Net revenues (8,000 - 6,400) /",
        ),
        ("What was the revenue growth from 2019 to 2021?", "33.33% ("),
        ("What was the revenue in 2021?", "8,000 (revenue, 2021: Net revenues 8,000, in thousands)."),
        ("What was net income in 2020?", "(250) (net income, 2020: Net income (loss) (250), in thousands)."),
    ],
)
def test_it_is_computed_by_the_textbook(question: str, answer: str) -> None:
    assert told(question).startswith(answer)


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
        "What was the growth of net income in 2021?",
        "What amount did revenue increase by in 2021?",
        "What drives the gross margin in 2021?",
        "What is the boat to captain ratio in 2021?",
        "What is EBITDA?",
    ],
)
def test_what_asks_for_another_thing_or_has_no_sure_figures_is_left(question: str) -> None:
    """A segment, another company, a year that is not there, two rows of one name, the growth from a loss."""
    assert asked(question) is None


def test_every_cell_is_boxed_with_its_label_and_year_around_it() -> None:
    found = asked("What is the inventory turnover in 2021?")
    assert found is not None
    assert (found.verdict, found.answers, found.short) == ("computed", RIGHT, (0, 4))
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


def test_a_row_of_its_own_is_the_answer() -> None:
    summary: Rows = (("", "2021", "2020"), ("Gross margin (1)", "41.2 %", "38.0 %"), *INCOME[1:5])
    of = Report(("RESULTS", summary), (HEADS["income"], INCOME))
    assert told("What was the gross margin in 2021?", of) == "41.2 % (gross margin, 2021: Gross margin 41.2 %)."
    assert told("What was the gross margin in 2019?", of).startswith("35.00% (gross margin, 2019: ")


def test_statements_that_count_by_other_units_are_put_right() -> None:
    cash: Rows = (
        ("(In millions)", "2021", "2020"),
        ("Net cash provided by operating activities", "1.5", "0.3"),
        ("Capital expenditures", "(0.45)", "(0.32)"),
        ("Depreciation and amortization", "0.26", "0.24"),
    )
    of = Report((HEADS["income"], INCOME), (HEADS["cash"], cash))
    assert told("What is the capex to revenue ratio in 2021?", of).startswith("5.62% (")


def test_the_changes_in_a_statement_of_cash_flows_are_no_balances() -> None:
    without = tuple(row for row in BALANCE if not row[0].startswith("Accounts receivable"))
    of = Report((HEADS["income"], INCOME), (HEADS["balance"], without), (HEADS["cash"], CASH))
    assert asked("What is the quick ratio in 2021?", of) is None


def test_columns_of_quarters_have_no_year() -> None:
    quarters: Rows = (("", "Q1 2021", "Q2 2021", "2020"), *INCOME[1:])
    assert asked("What was the revenue in 2021?", Report((HEADS["income"], quarters))) is None


def test_the_letters_of_the_stock_market_name_a_company() -> None:
    of = report(name="MERROW_2021.pdf", front="A report")
    assert told("What is the current ratio of MRRW in 2021?", of).startswith("2.50 (")
    assert asked("What is the current ratio of MRWX in 2021?", of) is None


ADVERTISING = (
    "Ads are costs. Advertising expenses were $0.4 million, $0.32 million and $0.2 million for the years ended"
)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        (f"{ADVERTISING} May 31, 2021, 2020 and 2019, respectively.", {2021: 0.4, 2020: 0.32, 2019: 0.2}),
        ("Our total advertising costs totaled $1,200 in 2021, $900 in 2020.", {2021: 1200, 2020: 900}),
        ("Advertising expense was $0.4 million in 2021.", {2021: 0.4}),
        ("Advertising expense of the freight segment was $0.4 million in 2021.", {}),
        ("Advertising expense was $0.4 million and $0.3 million in 2021.", {}),
        ("Advertising expense was $0.4 million in 2021 and $300 thousand in 2020.", {}),
        ("In 2021 advertising expense was $0.4 million.", {}),
        ("Advertising expense was 5% of revenue in 2021.", {}),
        ("Advertising expense was $0.4 million in 2021, after 2020 with $0.3 million.", {}),
    ],
)
def test_a_figure_that_a_sentence_tells(text: str, years: dict[int, float]) -> None:
    of = Report((HEADS["income"], INCOME), texts=[text])
    found = told_lines([load_ratios().figures["advertising"]], of.document, of)  # type: ignore[arg-type]
    lines = found.get("advertising", [])
    assert [{year: cell.value for year, cell in line.cells.items()} for line in lines] == ([years] if years else [])


def test_a_figure_that_two_sentences_tell_differently_is_not_taken() -> None:
    texts = ["Advertising expense was $0.4 million in 2021.", "Advertising expense was $0.5 million in 2021."]
    for told, found in ((texts[:1] * 2, True), (texts, False)):
        of = Report((HEADS["income"], INCOME), texts=told)
        assert (asked("What is the advertising expense to sales ratio in 2021?", of) is not None) is found


def test_a_ratio_with_a_figure_of_a_sentence_cites_the_sentence() -> None:
    of = Report((HEADS["income"], INCOME), texts=[f"{ADVERTISING} May 31, 2021, 2020 and 2019, respectively."])
    found = asked("What is the advertsing expense to sales ratio in 2020?", of)
    assert found is not None
    assert found.text.startswith(
        "5.00% (advertising expense to sales ratio, 2020: Advertising expenses 0.32 million / "
    )
    assert found.text.endswith("Net revenues 6,400 thousand).")
    told_there, row = found.citations
    assert told_there.quote == "Advertising expenses were $0.4 million, $0.32 million"
    assert (told_there.page, row.page) == (3, 2)
    assert asked("What was the advertising expense in 2020?", of) is None  # the sentence itself is quoted


def test_a_ratio_to_a_loss_says_nothing() -> None:
    assert asked("What is the dividend payout ratio in 2020?") is None
    assert asked("What is the interest coverage in 2021?") is None


@pytest.mark.parametrize(
    "question",
    [
        "What was the average revenue?",
        "What was the average revenue in 2021?",
        "What was the change in revenue growth in 2021?",
        "What was the revenue of Asia in 2021?",
        "What is the current ratio of Kelp?",
    ],
)
def test_what_the_first_page_speaks_of_is_no_company(question: str) -> None:
    """Nor is a mean of nobody knows which years told, nor the growth of growth."""
    of = report(front="An annual report for those who sail in Asia, on the Kelp and elsewhere")
    assert asked(question, of) is None


def test_a_row_of_that_name_is_a_percentage_where_the_ratio_is() -> None:
    rows: Rows = (*INCOME[:3], ("Gross margin", "3,200", "2,400", "2,100"), *INCOME[4:])
    of = Report((HEADS["income"], rows))
    assert told("What was the gross margin in 2021?", of).startswith(
        "40.00% (gross margin, 2021: Gross margin 3,200 / "
    )


def test_what_stands_above_the_table_of_a_segment_is_no_company() -> None:
    of = Report((HEADS["income"], INCOME), ("Kelp Segment", INCOME))
    assert asked("What was the revenue of the Kelp segment in 2021?", of) is None
    assert told("What was the revenue in 2021?", of).startswith("8,000 (")


class Reports:
    """A collection of two reports with the same figures."""

    def __init__(self) -> None:
        self.made = {key: report(name=name, key=key) for key, name in (("d1", "merrow.pdf"), ("d2", "kelp.pdf"))}

    def documents(self) -> list[Document]:
        return [each.document for each in self.made.values()]

    def outlines(self, *, kind: str, saying: str) -> Iterator[Element]:
        for each in self.made.values():
            yield from each.outlines(kind=kind, saying=saying)

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        return [self.made[doc_id].pages[number] for doc_id, number in pages]


def test_of_several_reports_the_one_that_is_named_is_meant_and_none_is_guessed() -> None:
    both = Reports()
    named = computed_ratio("What is the current ratio of Kelp in 2021?", both.documents(), both, load_ratios())  # type: ignore[arg-type]
    assert named is not None
    assert {c.document for c in named.citations} == {"kelp.pdf"}
    assert computed_ratio("What is the current ratio in 2021?", both.documents(), both, load_ratios()) is None  # type: ignore[arg-type]
