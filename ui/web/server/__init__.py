"""The server: its address, and the checks that every request passes."""

from ui.web.server.bodies import Bodies
from ui.web.server.connections import PEER, Connections
from ui.web.server.fault_log import logged_faults
from ui.web.server.origin_check import OriginCheck, ServerAddress, explain_start_failure
from ui.web.server.ownership import Ownership
from ui.web.server.route_filter import (
    MCP,
    METADATA,
    PROBLEM,
    REST,
    App,
    Message,
    Receive,
    RouteFilter,
    Scope,
    Send,
    answer_fault,
    called_at,
    caller,
    is_rest,
    problem,
    read_body,
    refuse,
    route,
)
from ui.web.server.visitors import ACCOUNT, QueuedEvent, QueueShares, Visitors, has_role, identity, may_see, visitor
