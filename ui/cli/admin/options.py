"""The options of `vouch admin`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse
import math
from datetime import UTC, datetime, timedelta

EXAMPLES = """\
examples:
  vouch admin user add ada --admin                   add an admin, who may do everything; asks for her password
  vouch admin user add bob                           add a person; the password may also come from standard input
  vouch admin user role bob papers editor            let him add documents to a collection and remove them
  vouch admin group add lab                          make a group
  vouch admin group join lab bob                     put a person into it
  vouch admin group role lab '*' reader              let its members read every collection
  vouch admin invite --collection papers --role reader    print a link with which one person can create an account
  vouch admin token add bob --label backup           print a token for a program, once
  vouch admin sessions revoke bob                    log him out everywhere
  vouch admin quota set bob questions 30             let him ask 30 questions a minute
  vouch admin audit --collection papers --since 7d   list who saw or changed what there in the last week
  vouch admin user list --json                       list all people, for a program

These are the accounts of vouch serve --accounts. They are stored beside the collections, or in the database that
VOUCH_STATE names: docs/team.md.
"""
_ROLES = ("reader", "editor", "owner")
_QUOTAS = ("questions", "pages", "mb")
_QUOTA = "questions: per minute; pages, mb: of all documents that the person has added"
_COLLECTION = "the collection, or '*' for all collections, including future ones"
_ROLE = (
    "the role: a reader asks and reads, an editor also adds and removes documents, an owner also deletes and shares "
    "the collection"
)


def add_admin_options(admin: argparse.ArgumentParser) -> None:
    """Add the commands below `vouch admin`, each with its options."""
    kinds = admin.add_subparsers(dest="kind", metavar="COMMAND", title="commands", required=True)
    _add_user(_below(kinds, "user", "add, list and remove people, and give them roles"))
    _add_group(_below(kinds, "group", "put people into groups, and give the groups roles"))
    _add_token(_below(kinds, "token", "manage the tokens of programs, each in a person's name"))
    _add_quota(_below(kinds, "quota", "limit how much a person, or each member of a group, may ask and add"))
    _add_audit(kinds)
    _add_invite(kinds)
    sessions = _below(kinds, "sessions", "log people out")
    revoke = _action(sessions, "revoke", "log a person out everywhere")
    whose = revoke.add_mutually_exclusive_group(required=True)
    whose.add_argument("name", nargs="?", metavar="NAME", help="the person")
    whose.add_argument("--all", action="store_true", help="log everybody out")


_Below = argparse._SubParsersAction  # noqa: SLF001 - argparse gives the type no public name


def _below(kinds: _Below[argparse.ArgumentParser], name: str, says: str) -> _Below[argparse.ArgumentParser]:
    """Add a command with commands of its own."""
    parser = kinds.add_parser(name, help=says, description=f"{says.capitalize()}.")
    return parser.add_subparsers(dest="action", metavar="COMMAND", title="commands", required=True)


def _action(below: _Below[argparse.ArgumentParser], name: str, says: str) -> argparse.ArgumentParser:
    return below.add_parser(name, help=says, description=f"{says[0].upper()}{says[1:]}.")


def _listing(below: _Below[argparse.ArgumentParser], says: str) -> argparse.ArgumentParser:
    listing = _action(below, "list", says)
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    return listing


def _add_arguments(parser: argparse.ArgumentParser, *arguments: tuple[str, str]) -> None:
    for name, says in arguments:
        parser.add_argument(name, metavar=name.upper(), help=says)


def _role(parser: argparse.ArgumentParser) -> None:
    """Add the collection, and the role there, or none."""
    parser.add_argument("collection", metavar="COLLECTION", help=_COLLECTION)
    parser.add_argument("role", choices=(*_ROLES, "none"), help=f"{_ROLE}; none takes a role away")


def _add_user(below: _Below[argparse.ArgumentParser]) -> None:
    person = ("name", "the name with which the person logs in")
    add = _action(
        below, "add", "add a person; asks for the password, or reads it from the first line of standard input"
    )
    _add_arguments(add, person)
    add.add_argument("--admin", action="store_true", help="make the person an admin, who may do everything")
    add.add_argument(
        "--no-password",
        action="store_true",
        help="set no password: the person logs in by single sign-on or through a proxy",
    )
    _listing(below, "list all people, with their groups and roles")
    _add_arguments(_action(below, "remove", "remove a person with their roles, tokens and logins"), person)
    _add_arguments(_action(below, "passwd", "give a person a new password, and log them out everywhere"), person)
    role = _action(below, "role", "give a person a role in a collection, or take it away")
    _add_arguments(role, person)
    _role(role)
    admin = _action(below, "admin", "make a person an admin, or take that away")
    _add_arguments(admin, person)
    admin.add_argument("admin", choices=("on", "off"), help="an admin (on) or not (off)")


def _add_group(below: _Below[argparse.ArgumentParser]) -> None:
    group, person = ("group", "the group"), ("name", "the person")
    _add_arguments(_action(below, "add", "make a group"), group)
    _listing(below, "list all groups, with their members and roles")
    _add_arguments(_action(below, "remove", "remove a group; its members keep their accounts"), group)
    _add_arguments(_action(below, "join", "put a person into a group"), group, person)
    _add_arguments(_action(below, "leave", "take a person out of a group"), group, person)
    role = _action(below, "role", "give a group a role in a collection, or take it away")
    _add_arguments(role, group)
    _role(role)


def _add_token(below: _Below[argparse.ArgumentParser]) -> None:
    add = _action(below, "add", "print a new token for a person; it is shown once, and only its hash is stored")
    _add_arguments(add, ("name", "the person in whose name the program asks"))
    add.add_argument("--label", required=True, metavar="WORDS", help="the purpose of the token")
    add.add_argument(
        "--role",
        choices=_ROLES,
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
    listing = _listing(below, "list the tokens, without their secrets")
    listing.add_argument("--user", default="", metavar="NAME", help="list the tokens of this person only")
    revoke = _action(below, "revoke", "revoke a token")
    revoke.add_argument("number", type=int, metavar="NUMBER", help="its number in vouch admin token list")


def _add_invite(kinds: _Below[argparse.ArgumentParser]) -> None:
    invite = _action(kinds, "invite", "print a link with which one person can create an account, once")
    invite.add_argument("--collection", "-c", default="", metavar="NAME", help=_COLLECTION)
    invite.add_argument("--role", choices=_ROLES, help=_ROLE)
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


def _add_quota(below: _Below[argparse.ArgumentParser]) -> None:
    change = _action(below, "set", "give a person, or each member of a group, a quota that differs from the profile's")
    change.add_argument("name", metavar="NAME", help="the person, or the group with --group")
    change.add_argument("quota", choices=_QUOTAS, help=_QUOTA)
    change.add_argument(
        "most", type=_quota, metavar="NUMBER", help="the limit; off for none, default for the one in the profile"
    )
    change.add_argument("--group", action="store_true", help="NAME is a group")
    _listing(below, "list the quotas that differ from the profile's")


def _add_audit(kinds: _Below[argparse.ArgumentParser]) -> None:
    audit = _action(kinds, "audit", "list who saw or changed what, newest last")
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
    """Read the number of a quota, or a word for none."""
    return text if text in ("off", "default") else _count(text, least=0)


def _count(text: str, least: int = 1) -> int:
    """Read a number."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of {least} or more")
    return int(text)


def _since(text: str) -> str:
    """Read a time, or how long ago it was; return it as entries keep theirs: in UTC, to the microsecond."""
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
    """Read a number of days: more than none, and at most ten years."""
    try:
        days = float(text)
    except ValueError:
        days = math.nan
    if not 0 < days <= 3650:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days up to 3,650")
    return days
