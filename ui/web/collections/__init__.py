"""The tab that manages collections."""

from ui.web.collections.tab import collections_tab
