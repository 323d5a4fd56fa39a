"""Store users, groups, roles, quotas, sessions and tokens, and decide who may do what."""

from ui.state.people.identity import (
    ACTING,
    ALL_COLLECTIONS,
    EVERYTHING,
    NOBODY,
    ROLES,
    Identity,
    Role,
    acting,
    may,
)
from ui.state.people.invitations import Invited, invite, join
from ui.state.people.passwords import LEAST_PASSWORD
from ui.state.people.people import GroupListed, People, UserListed, user_name
from ui.state.people.quotas import QUOTA_KINDS, QuotaKind, QuotaListed, Quotas
from ui.state.people.tokens import TOKEN_START, TokenListed, Tokens
from ui.state.people.visits import Visits

__all__ = [
    "ACTING",
    "ALL_COLLECTIONS",
    "EVERYTHING",
    "LEAST_PASSWORD",
    "NOBODY",
    "QUOTA_KINDS",
    "ROLES",
    "TOKEN_START",
    "GroupListed",
    "Identity",
    "Invited",
    "People",
    "QuotaKind",
    "QuotaListed",
    "Quotas",
    "Role",
    "TokenListed",
    "Tokens",
    "UserListed",
    "Visits",
    "acting",
    "invite",
    "join",
    "may",
    "user_name",
]
