"""The command `vouch admin`: manage the people, groups, roles, tokens, quotas and sessions of a server."""

from __future__ import annotations

import argparse
import getpass
import json
import math
import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from configs import did_you_mean
from indexing import default_home, machine_folder
from plugins.team.audit_log import DEEDS, AuditLog, TeamDeed, audit_entries
from plugins.team.credentials import Tokens, end_sessions
from plugins.team.people import People
from plugins.team.quotas import QUOTA_KINDS, Quotas
from ui import BadPerson
from ui.access import ROLES, command_line
from ui.show import clean, counted
from ui.state import open_state

_PLAIN = re.compile(r"[\w.@+*:/-]{1,64}", re.ASCII)
_LONGEST = 4096
"""The most characters of a password that is read."""
_COLLECTION = "the collection, or '*' for all collections, including future ones"
_ROLE = (
    "the role: a reader asks and reads, an editor also adds and removes documents, an owner also deletes and shares "
    "the collection"
)
_GROUP, _PERSON = ("group", "the group"), ("name", "the person")
_ROLE_IN = ("collection", _COLLECTION)
_Below = argparse._SubParsersAction  # noqa: SLF001 - argparse gives the type no public name
Run = Callable[[People, Namespace], None]


def add_admin_options(admin: ArgumentParser) -> None:
    """Add the commands below `vouch admin`, each with its options."""
    kinds = admin.add_subparsers(dest="kind", metavar="COMMAND", title="commands", required=True)
    _user_commands(_below(kinds, "user", "add, list and remove people, and give them roles"))
    _group_commands(_below(kinds, "group", "put people into groups, and give the groups roles"))
    _token_commands(_below(kinds, "token", "manage the tokens of programs, each in a person's name"))
    _quota_commands(_below(kinds, "quota", "limit how much a person, or each member of a group, may ask and add"))
    _audit_command(kinds)
    _invite_command(kinds)
    sessions = _below(kinds, "sessions", "log people out")
    revoke = _command(sessions, "revoke", "log a person out everywhere", _revoke_sessions, "end-sessions")
    whose = revoke.add_mutually_exclusive_group(required=True)
    whose.add_argument("name", nargs="?", metavar="NAME", help="the person")
    whose.add_argument("--all", action="store_true", help="log everybody out")


def run(args: Namespace) -> int:
    """Run the command below `vouch admin` that was named; returns the exit code. Raises BadPerson, StateUnreadable."""
    with open_state(machine_folder(default_home())) as state:
        deed: TeamDeed | None = args.noted_as
        if deed == "give-role" and args.role == "none":
            deed = "take-role"
        with AuditLog(state).record(deed, *_object(args), by=command_line()) if deed else nullcontext():
            args.command_below(People(state), args)
    return 0


def _below(kinds: _Below[ArgumentParser], name: str, says: str) -> _Below[ArgumentParser]:
    """Add a command with commands of its own."""
    parser = kinds.add_parser(name, help=says, description=f"{says.capitalize()}.")
    return parser.add_subparsers(dest="action", metavar="COMMAND", title="commands", required=True)


def _command(
    below: _Below[ArgumentParser],
    name: str,
    says: str,
    run: Run,
    deed: TeamDeed | None = None,
    arguments: Sequence[tuple[str, str]] = (),
) -> ArgumentParser:
    """Add a command, which the audit log knows as `deed` if it changes something, with its positional arguments."""
    parser = below.add_parser(name, help=says, description=f"{says[0].upper()}{says[1:]}.")
    parser.set_defaults(command_below=run, noted_as=deed)
    for argument, help_ in arguments:
        parser.add_argument(argument, metavar=argument.upper(), help=help_)
    return parser


def _list_command(below: _Below[ArgumentParser], says: str, run: Run) -> ArgumentParser:
    listing = _command(below, "list", says, run)
    listing.add_argument("--json", action="store_true", help="print JSON and nothing else")
    return listing


def _user_commands(below: _Below[ArgumentParser]) -> None:
    says = "add a person; asks for the password, or reads it from the first line of standard input"
    add = _command(below, "add", says, _add_user, "add-user", [("name", "the name with which the person logs in")])
    add.add_argument("--admin", action="store_true", help="make the person an admin, who may do everything")
    add.add_argument(
        "--no-password",
        action="store_true",
        help="set no password: the person logs in by single sign-on or through a proxy",
    )
    _list_command(below, "list all people, with their groups and roles", _list_users)
    says = "remove a person with their roles, tokens and logins"
    _command(below, "remove", says, _remove_user, "remove-user", [_PERSON])
    says = "give a person a new password, and log them out everywhere"
    _command(below, "passwd", says, _set_password, "set-password", [_PERSON])
    says = "give a person a role in a collection, or take it away"
    _add_role(_command(below, "role", says, _give_role, "give-role", [_PERSON, _ROLE_IN]))
    says = "make a person an admin, or take that away"
    admin = _command(below, "admin", says, _set_admin, "set-admin", [_PERSON])
    admin.add_argument("admin", choices=("on", "off"), help="an admin (on) or not (off)")


def _group_commands(below: _Below[ArgumentParser]) -> None:
    _command(below, "add", "make a group", _add_group, "add-group", [_GROUP])
    _list_command(below, "list all groups, with their members and roles", _list_groups)
    says = "remove a group; its members keep their accounts"
    _command(below, "remove", says, _remove_group, "remove-group", [_GROUP])
    _command(below, "join", "put a person into a group", _join_group, "join-group", [_GROUP, _PERSON])
    _command(below, "leave", "take a person out of a group", _leave_group, "leave-group", [_GROUP, _PERSON])
    says = "give a group a role in a collection, or take it away"
    _add_role(_command(below, "role", says, _give_role, "give-role", [_GROUP, _ROLE_IN]))


def _add_role(parser: ArgumentParser) -> None:
    parser.add_argument("role", choices=(*ROLES, "none"), help=f"{_ROLE}; none takes a role away")


def _token_commands(below: _Below[ArgumentParser]) -> None:
    says = "print a new token for a person; it is shown once, and only its hash is stored"
    person = ("name", "the person in whose name the program asks")
    add = _command(below, "add", says, _add_token, "make-token", [person])
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
    listing = _list_command(below, "list the tokens, without their secrets", _list_tokens)
    listing.add_argument("--user", default="", metavar="NAME", help="list the tokens of this person only")
    revoke = _command(below, "revoke", "revoke a token", _revoke_token, "revoke-token")
    revoke.add_argument("number", type=int, metavar="NUMBER", help="its number in vouch admin token list")


def _quota_commands(below: _Below[ArgumentParser]) -> None:
    says = "give a person, or each member of a group, a quota that differs from the profile's"
    name = ("name", "the person, or the group with --group")
    change = _command(below, "set", says, _set_quota, "set-quota", [name])
    change.add_argument(
        "quota",
        choices=QUOTA_KINDS,
        help="questions: per minute; pages, mb: of all documents that the person has added",
    )
    change.add_argument(
        "most", type=_quota, metavar="NUMBER", help="the limit; off for none, default for the one in the profile"
    )
    change.add_argument("--group", action="store_true", help="NAME is a group")
    _list_command(below, "list the quotas that differ from the profile's", _list_quotas)


def _invite_command(kinds: _Below[ArgumentParser]) -> None:
    says = "print a link with which one person can create an account, once"
    invite = _command(kinds, "invite", says, _invite, "invite")
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


def _audit_command(kinds: _Below[ArgumentParser]) -> None:
    audit = _command(kinds, "audit", "list who saw or changed what, newest last", _list_audit)
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


def _object(args: Namespace) -> tuple[str, str]:
    """Return the collection that a command is about, "" for none or several, and whom or what it is about."""
    options = vars(args)
    collection = options.get("collection") or ""
    group = options.get("group")
    parts = ["group" if group is True else f"group {group}" if group else ""]
    parts += [str(options.get("name") or ""), f"token {args.number}" if "number" in options else ""]
    parts += [f"{key} {options[key]}" for key in ("role", "admin", "label", "quota") if options.get(key)]
    parts += [f"most {args.most}"] if "most" in options else []
    parts += ["everybody"] if options.get("all") else []
    if isinstance(collection, list):  # those of a token
        parts += [f"in {', '.join(collection)}"]
        collection = ""
    return str(collection), ", ".join(part for part in parts if part)


def _add_user(people: People, args: Namespace) -> None:
    people.add(args.name, None if args.no_password else _password(args.name), args.admin)
    _say(f"Added {args.name}. Next, give them a role: vouch admin user role {args.name} COLLECTION ROLE")


def _set_password(people: People, args: Namespace) -> None:
    people.set_password(args.name, _password(args.name))
    _say(f"{args.name} has a new password and was logged out everywhere.")


def _remove_user(people: People, args: Namespace) -> None:
    people.remove(args.name)
    _say(f"Removed {args.name}, with all roles, tokens and logins.")


def _set_admin(people: People, args: Namespace) -> None:
    people.set_admin(args.name, args.admin == "on")
    _say(f"{args.name} is {'an admin now' if args.admin == 'on' else 'not an admin any more'}.")


def _list_users(people: People, args: Namespace) -> None:
    _print(args.json, "users", people.users(), "There are no people yet: vouch admin user add NAME --admin")


def _add_group(people: People, args: Namespace) -> None:
    people.add_group(args.group)
    _say(f"Added the group {args.group}. Next, add members: vouch admin group join {args.group} NAME")


def _remove_group(people: People, args: Namespace) -> None:
    people.remove_group(args.group)
    _say(f"Removed the group {args.group}; its members stay.")


def _join_group(people: People, args: Namespace) -> None:
    people.join_group(args.group, args.name)
    _say(f"{args.name} is now a member of {args.group}.")


def _leave_group(people: People, args: Namespace) -> None:
    people.join_group(args.group, args.name, member=False)
    _say(f"{args.name} is not a member of {args.group} any more.")


def _give_role(people: People, args: Namespace) -> None:
    """Give a person or a group a role in a collection, or take it away."""
    role = None if args.role == "none" else args.role
    whose = args.name if args.kind == "user" else args.group
    where = "every collection" if args.collection == "*" else args.collection
    people.give(args.collection, role, **{args.kind: whose})
    _say(f"{whose} now has the role {role} in {where}." if role else f"{whose} has no role in {where} any more.")


def _list_groups(people: People, args: Namespace) -> None:
    _print(args.json, "groups", people.groups(), "There are no groups yet: vouch admin group add NAME")


def _add_token(people: People, args: Namespace) -> None:
    days = None if args.for_ever else args.days
    secret = Tokens(people.state).add(args.name, args.label, args.role, args.collection, days)
    words = "Keep it now: it is shown only once. Send it as  Authorization: Bearer TOKEN"
    _print_secret(args.json, "token", secret, words)


def _list_tokens(people: People, args: Namespace) -> None:
    rows = Tokens(people.state).list_tokens(args.user)
    _print(args.json, "tokens", rows, "There are no tokens yet: vouch admin token add NAME --label WORDS")


def _revoke_token(people: People, args: Namespace) -> None:
    Tokens(people.state).revoke(args.number)
    _say(f"Token {args.number} is revoked.")


def _invite(people: People, args: Namespace) -> None:
    secret, expires_at = people.invite(args.collection, args.role, args.group, args.days)
    words = f"It creates one account and is valid until {expires_at}. Send it to one person only."
    _print_secret(args.json, "link", f"{args.address.rstrip('/')}/join#{secret}", words)


def _revoke_sessions(people: People, args: Namespace) -> None:
    _say(f"{counted(end_sessions(people.state, '' if args.all else args.name), 'login')} ended.")


def _set_quota(people: People, args: Namespace) -> None:
    Quotas(people.state).give(args.quota, args.most, **{"group" if args.group else "user": args.name})
    words = {"off": "no limit", "default": "as in the profile"}.get(args.most, str(args.most))
    _say(f"{args.name}: {args.quota}: {words}.")


def _list_quotas(people: People, args: Namespace) -> None:
    none = "There are no quotas other than the profile's: vouch admin quota set NAME questions 30"
    _print(args.json, "quotas", Quotas(people.state).list_quotas(), none)


def _list_audit(people: People, args: Namespace) -> None:
    """Print entries; what is no plain word stands in quotes, so that no name looks like another column."""
    deed = args.deed
    if deed and deed not in DEEDS:
        raise BadPerson(f"there is no deed {deed[:64]!r}{did_you_mean(deed, DEEDS)}: see docs/team.md")
    entries = audit_entries(people.state, args.who, args.collection, deed, args.since, args.most)
    if args.json:
        print(json.dumps({"entries": [entry._asdict() for entry in entries]}, indent=2))
        return
    if not entries:
        _say("There are no matching entries.")
    for entry in entries:
        who = f"{_word(entry.who)} ({entry.kind}{f' {entry.token}' if entry.token else ''})"
        question = [json.dumps(entry.question)] if entry.question else []
        places = [_word(entry.address), entry.channel, who, entry.outcome, entry.deed]
        print("  ".join([entry.at, *places, _word(entry.collection), _word(entry.thing), *question]))


def _word(text: str) -> str:
    """Return a name as it is where it is a plain word, else in quotes, in ASCII; - for none."""
    return "-" if not text else text if _PLAIN.fullmatch(text) else json.dumps(text)


def _password(name: str) -> str:
    """Return a new password: typed twice, or the first line of what is piped in. Raises BadPerson."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(_LONGEST).rstrip("\r\n")
    password = getpass.getpass(f"New password of {clean(name)}: ")
    if getpass.getpass("Repeat the password: ") != password:
        raise BadPerson("the passwords do not match: nothing was changed")
    return password


def _say(words: str) -> None:
    print(clean(words))


def _print_secret(as_json: bool, key: str, secret: str, words: str) -> None:
    """Print a secret alone on standard output, and what to know of it beside."""
    print(json.dumps({key: secret}) if as_json else secret)
    if not as_json:
        print(words, file=sys.stderr)


def _print(as_json: bool, kind: str, rows: Sequence[Mapping[str, Any]], none: str) -> None:
    """Print a table, or JSON."""
    if as_json:
        print(json.dumps({kind: rows}, indent=2))
        return
    if not rows:
        _say(none)
        return
    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name.replace("_", " "))
    for row in rows:
        table.add_row(*(Text(clean(_cell(value))) for value in row.values()))
    Console(soft_wrap=True).print(table)


def _cell(value: Any) -> str:
    """Return a value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in sorted(value.items())) or "-"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)
