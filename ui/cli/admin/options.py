"""The options of `vouch admin`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse
import math
from datetime import UTC, datetime, timedelta

EXAMPLES = """\
examples:
  vouch admin user add ada --admin                   add a person, who may everything; her password is asked for
  vouch admin user add bob                           add another; a password may come by standard input, too
  vouch admin user role bob papers editor            let him add documents to a collection and remove them
  vouch admin group add lab                          make a group
  vouch admin group join lab bob                     put a person into it
  vouch admin group role lab '*' reader              let all of it read every collection
  vouch admin invite --collection papers --role reader    print a link by which one person makes an account
  vouch admin token add bob --label backup           print a token for a program, once
  vouch admin sessions revoke bob                    log him out everywhere
  vouch admin quota set bob questions 30             let him ask 30 questions a minute
  vouch admin audit --collection papers --since 7d   list who saw and changed what there in the last week
  vouch admin user list --json                       name all people, for a program

They are the people of vouch serve --accounts. They are kept beside the collections, or in the database that
VOUCH_STATE names: docs/team.md.
"""
_ROLES = ("reader", "editor", "owner")
_QUOTAS = ("questions", "pages", "mb")
_QUOTA = "questions: a minute; pages, mb: of all the documents that the person has added"
_COLLECTION = "the collection, or '*' for all, those to come among them"
_ROLE = "the role: a reader asks and reads, an editor adds and removes documents too, an owner deletes and shares it"


def add_admin_options(admin: argparse.ArgumentParser) -> None:
    """Add the commands below `vouch admin`, each with its options."""
    kinds = admin.add_subparsers(dest="kind", metavar="COMMAND", title="commands", required=True)
    _add_user(_below(kinds, "user", "add, list and remove people, and say what they may"))
    _add_group(_below(kinds, "group", "put people into groups, and say what these may"))
    _add_token(_below(kinds, "token", "let programs in, each in a person's name"))
    _add_quota(_below(kinds, "quota", "say how much a person, or each member of a group, may"))
    _add_audit(kinds)
    _add_invite(kinds)
    sessions = _below(kinds, "sessions", "end logins")
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


def _named(parser: argparse.ArgumentParser, *arguments: tuple[str, str]) -> None:
    for name, says in arguments:
        parser.add_argument(name, metavar=name.upper(), help=says)


def _role(parser: argparse.ArgumentParser) -> None:
    """Add the collection, and the role there, or none."""
    parser.add_argument("collection", metavar="COLLECTION", help=_COLLECTION)
    parser.add_argument("role", choices=(*_ROLES, "none"), help=f"{_ROLE}; none takes a role away")


def _add_user(below: _Below[argparse.ArgumentParser]) -> None:
    person = ("name", "the name by which the person logs in")
    add = _action(below, "add", "add a person; the password is asked for, or the first line of standard input")
    _named(add, person)
    add.add_argument("--admin", action="store_true", help="make the person an admin: one who may everything")
    add.add_argument(
        "--no-password", action="store_true", help="give none: the person comes by single sign-on or by a proxy"
    )
    _listing(below, "name all people, with their groups and roles")
    _named(_action(below, "remove", "remove a person with their roles, tokens and logins"), person)
    _named(_action(below, "passwd", "give a person a new password, and log them out everywhere"), person)
    role = _action(below, "role", "give a person a role in a collection, or take it away")
    _named(role, person)
    _role(role)
    admin = _action(below, "admin", "make a person an admin, or an admin no more")
    _named(admin, person)
    admin.add_argument("admin", choices=("on", "off"), help="make an admin (on), or an admin no more (off)")


def _add_group(below: _Below[argparse.ArgumentParser]) -> None:
    group, person = ("group", "the group"), ("name", "the person")
    _named(_action(below, "add", "make a group"), group)
    _listing(below, "name all groups, with their members and roles")
    _named(_action(below, "remove", "remove a group; its members stay people of the server"), group)
    _named(_action(below, "join", "put a person into a group"), group, person)
    _named(_action(below, "leave", "take a person out of a group"), group, person)
    role = _action(below, "role", "give a group a role in a collection, or take it away")
    _named(role, group)
    _role(role)


def _add_token(below: _Below[argparse.ArgumentParser]) -> None:
    add = _action(below, "add", "print a new token of a person: it is shown once, and kept as a hash")
    _named(add, ("name", "the person in whose name a program asks"))
    add.add_argument("--label", required=True, metavar="WORDS", help="words that say what it is for")
    add.add_argument(
        "--role",
        choices=_ROLES,
        default="reader",
        help="the most that it may, and never more than its person (default: %(default)s)",
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
    ends.add_argument("--days", type=_days, default=90.0, metavar="N", help="days that it lasts (default: 90)")
    ends.add_argument("--for-ever", action="store_true", help="let it last until it is revoked")
    add.add_argument("--json", action="store_true", help="print JSON and nothing else")
    listing = _listing(below, "name the tokens, without their secrets")
    listing.add_argument("--user", default="", metavar="NAME", help="name those of this person only")
    revoke = _action(below, "revoke", "end a token")
    revoke.add_argument("number", type=int, metavar="NUMBER", help="its number in vouch admin token list")


def _add_invite(kinds: _Below[argparse.ArgumentParser]) -> None:
    invite = _action(kinds, "invite", "print a link by which one person makes an account, once")
    invite.add_argument("--collection", "-c", default="", metavar="NAME", help=_COLLECTION)
    invite.add_argument("--role", choices=_ROLES, help=_ROLE)
    invite.add_argument("--group", default="", metavar="NAME", help="the group that the person becomes a member of")
    invite.add_argument("--days", type=_days, default=7.0, metavar="N", help="days that it lasts (default: 7)")
    invite.add_argument(
        "--address",
        default="http://127.0.0.1:7860",
        metavar="URL",
        help="the address of the page, with which the link begins (default: %(default)s)",
    )
    invite.add_argument("--json", action="store_true", help="print JSON and nothing else")


def _add_quota(below: _Below[argparse.ArgumentParser]) -> None:
    change = _action(below, "set", "give a person, or each member of a group, a quota other than the profile's")
    change.add_argument("name", metavar="NAME", help="the person, or the group with --group")
    change.add_argument("quota", choices=_QUOTAS, help=_QUOTA)
    change.add_argument(
        "most", type=_quota, metavar="NUMBER", help="the most; off for no limit, default for what the profile says"
    )
    change.add_argument("--group", action="store_true", help="NAME is a group")
    _listing(below, "name the quotas that are other than the profile's")


def _add_audit(kinds: _Below[argparse.ArgumentParser]) -> None:
    audit = _action(kinds, "audit", "list who saw and changed what, the newest last")
    audit.add_argument("--who", default="", metavar="NAME", help="the deeds of this person")
    audit.add_argument("--collection", "-c", default="", metavar="NAME", help="the deeds done to this collection")
    audit.add_argument("--deed", default="", metavar="DEED", help="this deed; docs/team.md lists them")
    audit.add_argument(
        "--since", type=_since, default="", metavar="TIME", help="from then on: 2026-11-25, 2026-11-25T08:30, 36h or 7d"
    )
    audit.add_argument(
        "--most", type=_count, default=1000, metavar="N", help="the most entries, the newest (default: %(default)s)"
    )
    audit.add_argument("--json", action="store_true", help="print JSON and nothing else")


def _quota(text: str) -> int | str:
    """Read the number of a quota, or a word for none."""
    return text if text in ("off", "default") else _count(text, least=0)


def _count(text: str, least: int = 1) -> int:
    """Read a number."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from {least}")
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
            f"{text!r} is no time: write 2026-11-25, 2026-11-25T08:30, 36h or 7d"
        ) from None
    return when.isoformat(timespec="microseconds")


def _days(text: str) -> float:
    """Read a number of days: more than none, and at most ten years."""
    try:
        days = float(text)
    except ValueError:
        days = math.nan
    if not 0 < days <= 3650:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of days up to 3,650")
    return days
