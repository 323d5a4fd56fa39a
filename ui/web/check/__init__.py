"""The tab that checks a text against a collection."""

from ui.web.check.checks import Checks
from ui.web.check.tab import check_tab

__all__ = ["Checks", "check_tab"]
