"""The tab that asks and answers."""

from ui.web.ask.asking import Asking
from ui.web.ask.tab import ask_tab
from ui.web.ask.turns import READ_NOTES, AskRequest, Turn

__all__ = ["READ_NOTES", "AskRequest", "Asking", "Turn", "ask_tab"]
