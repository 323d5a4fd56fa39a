"""The server: its address, its accounts, and the checks that every request passes."""

from ui.web.server.access import ServerAddress, told_why_not
from ui.web.server.accounts import LEAST_PASSWORD, Accounts, read_accounts
from ui.web.server.bodies import Bodies
from ui.web.server.border import Border
from ui.web.server.connections import PEER, Connections
from ui.web.server.fault_log import logged_faults
from ui.web.server.guard import (
    MCP,
    METADATA,
    PROBLEM,
    REST,
    App,
    Guard,
    Message,
    Receive,
    Scope,
    Send,
    called_at,
    caller,
    is_rest,
    problem,
    refuse,
    route,
    whole,
)
from ui.web.server.ownership import Ownership
from ui.web.server.queue_shares import QueuedEvent, QueueShares
from ui.web.server.sessions import LogOut, Sessions, token_cookies
from ui.web.server.visitors import ACCOUNT, Entrance, Visitors, has_role, identity, may_see, visitor

__all__ = [
    "ACCOUNT",
    "LEAST_PASSWORD",
    "MCP",
    "METADATA",
    "PEER",
    "PROBLEM",
    "REST",
    "Accounts",
    "App",
    "Bodies",
    "Border",
    "Connections",
    "Entrance",
    "Guard",
    "LogOut",
    "Message",
    "Ownership",
    "QueueShares",
    "QueuedEvent",
    "Receive",
    "Scope",
    "Send",
    "ServerAddress",
    "Sessions",
    "Visitors",
    "called_at",
    "caller",
    "has_role",
    "identity",
    "is_rest",
    "logged_faults",
    "may_see",
    "problem",
    "read_accounts",
    "refuse",
    "route",
    "token_cookies",
    "told_why_not",
    "visitor",
    "whole",
]
