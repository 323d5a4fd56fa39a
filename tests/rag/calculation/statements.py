"""The statements of a made-up ferry line, as pages of a report, in a collection that holds nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from indexing import Document, Element
from tests.rag.calculation.tables import table
from tests.support import fakes

Rows = Sequence[Sequence[str]]

INCOME = (
    ("(In thousands)", "2021", "2020", "2019"), ("Net revenues", "$ 8,000", "$ 6,400", "$ 6,000"),
    ("Cost of sales", "4,800", "4,000", "3,900"), ("Gross profit", "3,200", "2,400", "2,100"),
    ("Research and development", "(400)", "(380)", "(350)"), ("Operating income", "1,000", "(200)", "300"),
    ("Net income (loss)", "$ 640", "$ (250)", "$ 160"),
)  # fmt: skip
BALANCE = (
    ("(In thousands)", "May 31, 2021", "May 31, 2020"), ("Cash and cash equivalents", "$ 900", "$ 700"),
    ("Accounts receivable, net of allowances of $12 and $9", "600", "400"), ("Inventories", "1,000", "1,400"),
    ("Total current assets", "3,000", "2,900"), ("Total assets", "10,000", "9,000"),
    ("Accounts payable", "500", "300"), ("Total current liabilities", "1,200", "1,250"),
    ("Debt and lease obligations", "—", "150"), ("Debt and lease obligations", "2,000", "1,800"),
    ("Total liabilities", "4,000", "3,900"), ("Total Merrow Ferries, Inc. shareholders’ equity", "6,000", "5,100"),
    ("Total liabilities and shareholders’ equity", "$ 10,000", "$ 9,000"),
)  # fmt: skip
CASH = (
    ("(In thousands)", "2021", "2020", "2019"),
    ("Net income (loss)", "640", "(250)", "160"),
    ("Depreciation and amortization of property and boats (1)", "260", "240", "230"),
    ("Accounts receivable", "(200)", "(50)", "10"),
    ("Net cash (used in) provided by operating activities", "1,500", "300", "700"),
    ("Purchases of property, plant and equipment (PP&E)", "(450)", "(320)", "(500)"),
)
NOTE = (("", "2021", "2020"), ("Cost of sales", "7", "9"))
HEADS = {
    "income": "CONSOLIDATED STATEMENTS OF INCOME",
    "balance": "CONSOLIDATED BALANCE SHEETS",
    "cash": "CONSOLIDATED STATEMENTS OF CASH FLOWS",
}


class Report:
    """A collection with one document of several pages: a front, and headings with a table each."""

    def __init__(
        self,
        *tables: tuple[str, Rows],
        front: str = "Merrow Ferries, Inc. Annual report",
        name: str = "report.pdf",
        key: str = "d1",
    ) -> None:
        self._documents = [replace(fakes.document(name, [["x"]] * (len(tables) + 1)), id=key)]
        self.pages: dict[tuple[str, int], tuple[Element, ...]] = {(key, 1): (fakes.element(front, key, 1, 1),)}
        for page, (head, rows) in enumerate(tables, 2):
            above = fakes.element(head, key, page, 1, kind="heading")
            self.pages[key, page] = (above, replace(table(rows), id=f"{key}-{page}-2", doc_id=key, page=page))

    def and_also(self, other: Report) -> Report:
        """Add the documents of another report."""
        self._documents += other._documents
        self.pages |= other.pages
        return self

    def outlines(self, *, kind: str, saying: str) -> Iterator[Element]:
        for elements in self.pages.values():
            yield from (e for e in elements if e.kind == kind and re.search(saying, e.text))

    def elements_on(self, pages: Sequence[tuple[str, int]]) -> list[tuple[Element, ...]]:
        return [self.pages[place] for place in pages]

    def documents(self) -> list[Document]:
        return self._documents


def report(**more: str) -> Report:
    """The report of Merrow Ferries: a summary with other figures first, then its statements."""
    return Report(
        ("NOTE 4", NOTE), (HEADS["income"], INCOME), (HEADS["balance"], BALANCE), (HEADS["cash"], CASH), **more
    )
