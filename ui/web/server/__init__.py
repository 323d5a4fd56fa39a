"""The server: its address, its accounts, and the rules that every request must keep to."""

from ui.web.server.access import ServerAddress
from ui.web.server.accounts import read_accounts
from ui.web.server.addresses import caller
from ui.web.server.bodies import Bodies
from ui.web.server.border import Border
from ui.web.server.connections import Connections
from ui.web.server.fault_log import logged_faults
from ui.web.server.guard import App, Guard, Receive, Scope, Send, route
from ui.web.server.ownership import Ownership
from ui.web.server.queue_shares import QueuedEvent, QueueShares
from ui.web.server.sessions import LogOut, Sessions
from ui.web.server.visitors import ACCOUNT, Visitors, may_see, visitor

__all__ = [
    "ACCOUNT",
    "App",
    "Bodies",
    "Border",
    "Connections",
    "Guard",
    "LogOut",
    "Ownership",
    "QueueShares",
    "QueuedEvent",
    "Receive",
    "Scope",
    "Send",
    "ServerAddress",
    "Sessions",
    "Visitors",
    "caller",
    "logged_faults",
    "may_see",
    "read_accounts",
    "route",
    "visitor",
]
