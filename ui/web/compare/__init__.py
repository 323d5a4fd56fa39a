"""The tab that compares modes and methods."""

from ui.web.compare.tab import compare_tab

__all__ = ["compare_tab"]
