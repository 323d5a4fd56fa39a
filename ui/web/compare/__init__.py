"""The tab that compares search modes and methods of answering."""

from ui.web.compare.tab import compare_tab
