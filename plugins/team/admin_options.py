"""The options of `vouch admin`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse
import math
from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

ROLES = ("reader", "editor", "owner")
QUOTAS = ("questions", "pages", "mb")
"""The roles of `ui.access` and the quotas of quotas.py, whose modules are heavy."""
_COLLECTION = "the collection, or '*' for all collections, including future ones"
_ROLE = (
    "the role: a reader asks and reads, an editor also adds and removes documents, an owner also deletes and shares "
    "the collection"
)
_GROUP, _PERSON = ("group", "the group"), ("name", "the person")
_ROLE_IN = ("collection", _COLLECTION)
_Verbs = argparse._SubParsersAction  # noqa: SLF001 - argparse gives the type no public name


def add_admin_options(admin: ArgumentParser) -> None:
    """Add the subcommands of `vouch admin`, each with its options."""
    kinds = admin.add_subparsers(dest="kind", metavar="COMMAND", title="commands", required=True)
    _user_commands(_verbs(kinds, "user", "add, list and remove people, and give them roles"))
    _group_commands(_verbs(kinds, "group", "put people into groups, and give the groups roles"))
    _token_commands(_verbs(kinds, "token", "manage the tokens of programs, each in a person's name"))
    _quota_commands(_verbs(kinds, "quota", "limit how much a person, or each member of a group, may ask and add"))
    _audit_command(kinds)
    _invite_command(kinds)
    sessions = _verbs(kinds, "sessions", "log people out")
    revoke = _command(sessions, "revoke", "log a person out everywhere", "_revoke_sessions", "end-sessions")
    whose = revoke.add_mutually_exclusive_group(required=True)
    whose.add_argument("name", nargs="?", metavar="NAME", help="the person")
    whose.add_argument("--all", action="store_true", help="log everybody out")


def _verbs(kinds: _Verbs[ArgumentParser], name: str, summary: str) -> _Verbs[ArgumentParser]:
    """Add a command that has subcommands; return the object to which they are added."""
    parser = kinds.add_parser(name, help=summary, description=f"{summary.capitalize()}.")
    return parser.add_subparsers(dest="action", metavar="COMMAND", title="commands", required=True)


def _command(
    verbs: _Verbs[ArgumentParser],
    name: str,
    summary: str,
    run: str,
    deed: str | None = None,
    arguments: Sequence[tuple[str, str]] = (),
) -> ArgumentParser:
    """Add a command with its positional arguments; `run` is its function in admin.py, `deed` its name in the log."""
    parser = verbs.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
    parser.set_defaults(command_below=run, noted_as=deed)
    for argument, help_ in arguments:
        parser.add_argument(argument, metavar=argument.upper(), help=help_)
    return parser


def _list_command(verbs: _Verbs[ArgumentParser], summary: str, run: str) -> ArgumentParser:
    listing = _command(verbs, "list", summary, run)
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    return listing


def _user_commands(verbs: _Verbs[ArgumentParser]) -> None:
    summary = "add a person; asks for the password, or reads it from the first line of standard input"
    add = _command(verbs, "add", summary, "_add_user", "add-user", [("name", "the name with which the person logs in")])
    add.add_argument("--admin", action="store_true", help="make the person an admin, who may do everything")
    add.add_argument(
        "--no-password",
        action="store_true",
        help="set no password: the person logs in by single sign-on or through a proxy",
    )
    _list_command(verbs, "list all people, with their groups and roles", "_list_users")
    summary = "remove a person with their roles, tokens and logins"
    _command(verbs, "remove", summary, "_remove_user", "remove-user", [_PERSON])
    summary = "give a person a new password, and log them out everywhere"
    _command(verbs, "passwd", summary, "_set_password", "set-password", [_PERSON])
    summary = "give a person a role in a collection, or take it away"
    _add_role(_command(verbs, "role", summary, "_give_role", "give-role", [_PERSON, _ROLE_IN]))
    summary = "make a person an admin, or take that away"
    admin = _command(verbs, "admin", summary, "_set_admin", "set-admin", [_PERSON])
    admin.add_argument("admin", choices=("on", "off"), help="an admin (on) or not (off)")


def _group_commands(verbs: _Verbs[ArgumentParser]) -> None:
    _command(verbs, "add", "make a group", "_add_group", "add-group", [_GROUP])
    _list_command(verbs, "list all groups, with their members and roles", "_list_groups")
    summary = "remove a group; its members keep their accounts"
    _command(verbs, "remove", summary, "_remove_group", "remove-group", [_GROUP])
    _command(verbs, "join", "put a person into a group", "_join_group", "join-group", [_GROUP, _PERSON])
    _command(verbs, "leave", "take a person out of a group", "_leave_group", "leave-group", [_GROUP, _PERSON])
    summary = "give a group a role in a collection, or take it away"
    _add_role(_command(verbs, "role", summary, "_give_role", "give-role", [_GROUP, _ROLE_IN]))


def _add_role(parser: ArgumentParser) -> None:
    parser.add_argument("role", choices=(*ROLES, "none"), help=f"{_ROLE}; none takes a role away")


def _token_commands(verbs: _Verbs[ArgumentParser]) -> None:
    summary = "print a new token for a person; it is shown once, and only its hash is stored"
    person = ("name", "the person in whose name the program asks")
    add = _command(verbs, "add", summary, "_add_token", "make-token", [person])
    add.add_argument("--label", required=True, metavar="WORDS", help="the purpose of the token")
    add.add_argument(
        "--role",
        choices=ROLES,
        default="reader",
        help="the role of the token; it never may do more than its person (default: %(default)s)",
    )
    add.add_argument(
        "--collection",
        "-c",
        action="append",
        default=[],
        metavar="NAME",
        help="this collection only; may be repeated (default: all that the person has)",
    )
    ends = add.add_mutually_exclusive_group()
    ends.add_argument(
        "--days", type=_days, default=90.0, metavar="N", help="the number of days that it is valid (default: 90)"
    )
    ends.add_argument("--for-ever", action="store_true", help="keep it valid until it is revoked")
    add.add_argument("--json", action="store_true", help="print JSON and nothing else")
    listing = _list_command(verbs, "list the tokens, without their secrets", "_list_tokens")
    listing.add_argument("--user", default="", metavar="NAME", help="list the tokens of this person only")
    revoke = _command(verbs, "revoke", "revoke a token", "_revoke_token", "revoke-token")
    revoke.add_argument("number", type=int, metavar="NUMBER", help="its number in vouch admin token list")


def _quota_commands(verbs: _Verbs[ArgumentParser]) -> None:
    summary = "give a person, or each member of a group, a quota that differs from the profile's"
    name = ("name", "the person, or the group with --group")
    change = _command(verbs, "set", summary, "_set_quota", "set-quota", [name])
    change.add_argument(
        "quota",
        choices=QUOTAS,
        help="questions: per minute; pages, mb: of all documents that the person has added",
    )
    change.add_argument(
        "most", type=_quota, metavar="NUMBER", help="the limit; off for none, default for the one in the profile"
    )
    change.add_argument("--group", action="store_true", help="NAME is a group")
    _list_command(verbs, "list the quotas that differ from the profile's", "_list_quotas")


def _invite_command(kinds: _Verbs[ArgumentParser]) -> None:
    summary = "print a link with which one person can create an account, once"
    invite = _command(kinds, "invite", summary, "_invite", "invite")
    invite.add_argument("--collection", "-c", default="", metavar="NAME", help=_COLLECTION)
    invite.add_argument("--role", choices=ROLES, help=_ROLE)
    invite.add_argument("--group", default="", metavar="NAME", help="a group to add the person to")
    invite.add_argument(
        "--days", type=_days, default=7.0, metavar="N", help="the number of days that it is valid (default: 7)"
    )
    invite.add_argument(
        "--address",
        default="http://127.0.0.1:7860",
        metavar="URL",
        help="the address of the page, for the link (default: %(default)s)",
    )
    invite.add_argument("--json", action="store_true", help="print JSON and nothing else")


def _audit_command(kinds: _Verbs[ArgumentParser]) -> None:
    audit = _command(kinds, "audit", "list who saw or changed what, newest last", "_list_audit")
    audit.add_argument("--who", default="", metavar="NAME", help="only actions of this person")
    audit.add_argument("--collection", "-c", default="", metavar="NAME", help="only actions on this collection")
    audit.add_argument("--deed", default="", metavar="DEED", help="only this action; docs/team.md lists them")
    audit.add_argument(
        "--since",
        type=_since,
        default="",
        metavar="TIME",
        help="only entries since then: 2026-11-25, 2026-11-25T08:30, 36h or 7d",
    )
    audit.add_argument(
        "--most",
        type=_count,
        default=1000,
        metavar="N",
        help="the most entries to list, the newest ones (default: %(default)s)",
    )
    audit.add_argument("--json", action="store_true", help="print JSON and nothing else")


def _quota(text: str) -> int | str:
    return text if text in ("off", "default") else _count(text, least=0)


def _count(text: str, least: int = 1) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of {least} or more")
    return int(text)


def _since(text: str) -> str:
    """Parse a time, or how long ago it was; return it as it is stored: ISO 8601 in UTC, to the microsecond."""
    if not text:  # the default
        return ""
    try:
        if text[-1:] in ("h", "d"):
            ago = float(text[:-1]) * (24 if text.endswith("d") else 1)
            when = datetime.now(UTC) - timedelta(hours=ago)
        else:
            when = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a time: write 2026-11-25, 2026-11-25T08:30, 36h or 7d"
        ) from None
    return when.isoformat(timespec="microseconds")


def _days(text: str) -> float:
    """Parse a number of days: above 0, at most 3,650."""
    try:
        days = float(text)
    except ValueError:
        days = math.nan
    if not 0 < days <= 3650:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days up to 3,650")
    return days
