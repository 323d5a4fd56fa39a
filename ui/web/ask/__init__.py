"""The tab that answers questions."""

from ui.web.ask.asking import AT_ONCE, Asking
from ui.web.ask.page import where_of
from ui.web.ask.tab import ask_tab, chips_box, documents_box
from ui.web.ask.turns import AskRequest, Turn
