"""The server: its address, its accounts, and the rules that every request must keep to."""

from ui.web.server.access import ServerAddress
from ui.web.server.accounts import read_accounts
from ui.web.server.border import Border
from ui.web.server.guard import App, Guard, Receive, Scope, Send, route
from ui.web.server.ownership import Ownership
from ui.web.server.sessions import LogOut, Sessions
from ui.web.server.upload_gate import UploadGate
from ui.web.server.visitors import Visitors, may_see, visitor

__all__ = [
    "App",
    "Border",
    "Guard",
    "LogOut",
    "Ownership",
    "Receive",
    "Scope",
    "Send",
    "ServerAddress",
    "Sessions",
    "UploadGate",
    "Visitors",
    "may_see",
    "read_accounts",
    "route",
    "visitor",
]
