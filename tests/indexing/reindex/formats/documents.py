"""The two documents of the fixtures: python documents.py FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

import pymupdf

PAGES = {
    "mill.pdf": [
        ["The Mill of Aldern", "The mill was built in 1742 by the brothers Holm.", "Its wheel is nine metres wide."],
        ["The Bees", "The miller keeps bees behind the mill."],
    ],
    "ferry.pdf": [["The Ferry", "The ferry crosses the bay twice a day, and carries forty people."]],
}

for name, pages in PAGES.items():
    made = pymupdf.open()
    for heading, *lines in pages:
        page = made.new_page(width=420, height=595)
        page.insert_text((40, 60), heading, fontsize=18)
        for n, line in enumerate(lines):
            page.insert_text((40, 110 + 40 * n), line, fontsize=11)
    made.save(Path(sys.argv[1], name))
