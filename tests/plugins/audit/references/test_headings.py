"""Where a bibliography ends, and what stands round it: bold years are no headings, running heads are no entries."""

from __future__ import annotations

from dataclasses import replace

from plugins.audit.references.entries.headings import bibliographies
from plugins.audit.references.lines import TextLine

ENTRY = TextLine("", 1, 0, 100.0, 500.0, 0.0, 10.0, 12.0)


def lines_of(*texts: str, step: float = 24.0) -> list[TextLine]:
    return [replace(ENTRY, text=text, top=step * n, bottom=step * n + 10) for n, text in enumerate(texts)]


def test_a_bold_year_on_a_line_of_its_own_ends_no_list() -> None:
    entries = [f"({n}) Holm, A.; Lind, P. Terns in fog. Ibis 20{n}, 3, 1–9." for n in range(10, 20)]
    lines = lines_of("References", *entries[:5], "2022,", *entries[5:])
    lines[6] = replace(lines[6], bold=True)
    [span] = bibliographies(lines)
    assert (span.start, span.end) == (1, len(lines))


def test_a_closing_heading_that_white_parts_from_the_entries_ends_the_list() -> None:
    entries = [f"Holm, A. (20{n}), “Terns in fog”, Ibis, Vol. 3, pp. 1-9." for n in range(10, 16)]
    about = ["About the authors", "Dr Anna Holm teaches the counting of terns in Oslo.", "She walks along the piers."]
    lines = lines_of("References", *entries, *about, step=11.0)
    shifted = [replace(line, top=line.top + 20, bottom=line.bottom + 20) for line in lines[7:]]
    [span] = bibliographies([*lines[:7], *shifted])
    assert span.end == 7
