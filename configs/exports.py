"""The forms in which an answer can be written: those of Vouch, then those of plugins, by one type (vouch/hooks.py)."""

from __future__ import annotations

from vouch.hooks import Export, additions, with_added

_WRITERS = "ui.export.writers"

EXPORTS: tuple[Export, ...] = (
    Export("html", (".html", ".htm"), "HTML, one file", "text/html", f"{_WRITERS}:html_file", pictures=True),
    Export(
        "markdown", (".md", ".markdown"), "Markdown with pictures", "text/markdown",
        f"{_WRITERS}:markdown_files", pictures=True,
    ),
    Export("pdf", (".pdf",), "PDF with highlights", "application/pdf", f"{_WRITERS}:marked_pdfs", cites=True),
    Export("csv", (".csv",), "CSV, a row for each claim", "text/csv", "ui.export.claims:claims_file"),
    Export(
        "xlsx", (".xlsx",), "XLSX, a row for each claim with a link to its box",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "ui.export.claims:workbook_files", pictures=True,
    ),
    Export("json", (".json",), "JSON", "application/json", f"{_WRITERS}:json_file"),
    Export("bbox", (".bbox", ".txt"), "CiteVQA's form", "text/plain", f"{_WRITERS}:citevqa_file", offered=False),
)  # fmt: skip
"""The forms of the core."""


def exports() -> tuple[Export, ...]:
    """Return all export formats, those of the core first."""
    return with_added(EXPORTS, additions("exports"))


def export_spec(name: str) -> Export | None:
    """Return the export format with that name, or suffix without its dot ("markdown", "md"); None if there is none."""
    by_suffix = {suffix.removeprefix("."): one for one in exports() for suffix in one.suffixes}
    return ({one.name: one for one in exports()} | by_suffix).get(name)


def offered_exports(*, cites: bool) -> list[tuple[str, str]]:
    """Return name and label of the formats that the page offers for an answer; `cites` is True if it cites anything."""
    return [(one.name, one.label) for one in exports() if one.offered and (cites or not one.cites)]
