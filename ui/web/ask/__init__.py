"""The tab that asks and answers."""

from ui.web.ask.asking import AT_ONCE, Asking
from ui.web.ask.tab import ask_tab, documents_box
from ui.web.ask.turns import READ_NOTES, AskRequest, Turn

__all__ = ["AT_ONCE", "READ_NOTES", "AskRequest", "Asking", "Turn", "ask_tab", "documents_box"]
