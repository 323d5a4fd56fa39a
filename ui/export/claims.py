"""Write the claims of an answer as CSV, for a spreadsheet: a row for each sentence and each place that it cites."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from indexing import BBox
from ui.export.sources import MARK, ExportContents, Files
from ui.show import VERDICT_NAMES, how_checked, safe_cell

if TYPE_CHECKING:
    from ui.export.sources import Source

_HEADS = (
    *("Number", "Sentence", "Verdict", "How it was checked", "Source", "Role", "Document", "Page"),
    *("Left", "Top", "Right", "Bottom", "Quote", "Anchor", MARK),
)


def claims_file(contents: ExportContents, target: Path) -> Files:
    """Return the claims as CSV. No cell can be taken for a formula; boxes are fractions of the displayed page.

    The head of the last column, which is empty, is the mark of our files.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(_HEADS)
    sources = {source.number: source for source in contents.sources}
    for number, sentence in enumerate(contents.answer.sentences, 1):
        claim = (number, safe_cell(sentence.text), VERDICT_NAMES[sentence.verdict], safe_cell(how_checked(sentence)))
        numbers = contents.answer.numbers(sentence)
        for cited in numbers:
            writer.writerow((*claim, *_place(sources[cited])))
        if not numbers:
            writer.writerow((*claim, *[""] * (len(_HEADS) - len(claim))))
    return {target: buffer.getvalue().encode("utf-8-sig", errors="replace")}


def _place(source: Source) -> tuple[object, ...]:
    """Return the cells of a place, with the box around its cited lines or, where there are none, its element."""
    cited = source.citation
    box = BBox.union(cited.boxes) if cited.boxes else cited.bbox
    sides = (round(side, 4) for side in box.as_tuple())
    texts = safe_cell(cited.quote), safe_cell(str(source.anchor))
    return source.number, cited.role, safe_cell(cited.document), cited.page, *sides, *texts, ""
