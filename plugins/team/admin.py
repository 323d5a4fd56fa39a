"""The command `vouch admin`: manage the people, groups, roles, tokens, quotas and sessions of a server."""

from __future__ import annotations

import getpass
import json
import re
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from configs import did_you_mean
from indexing import default_home
from plugins.team.audit_log import DEEDS, AuditLog, TeamDeed, audit_entries
from plugins.team.credentials import Tokens, end_sessions
from plugins.team.people import People
from plugins.team.quotas import Quotas
from ui import BadPerson
from ui.access import command_line
from ui.show import clean, count_of
from ui.state import open_state
from vouch.hooks import load

_PLAIN = re.compile(r"[\w.@+*:/-]{1,64}", re.ASCII)
_LONGEST = 4096
"""The most characters of a password that is read."""


def run(args: Namespace) -> int:
    """Run the command below `vouch admin` that was named; returns the exit code. Raises BadPerson, StateUnreadable."""
    with open_state(default_home()) as state:
        deed: TeamDeed | None = args.noted_as
        if deed == "give-role" and args.role == "none":
            deed = "take-role"
        with AuditLog(state).record(deed, *_target(args), by=command_line()) if deed else nullcontext():
            load(f"plugins.team.admin:{args.command_below}")(People(state), args)
    return 0


def _target(args: Namespace) -> tuple[str, str]:
    """Return for the audit log the collection that a command changes ("" for none or several), and its other target."""
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
    _print_line(f"Added {args.name}. Next, give them a role: vouch admin user role {args.name} COLLECTION ROLE")


def _set_password(people: People, args: Namespace) -> None:
    people.set_password(args.name, _password(args.name))
    _print_line(f"{args.name} has a new password and was logged out everywhere.")


def _remove_user(people: People, args: Namespace) -> None:
    people.remove(args.name)
    _print_line(f"Removed {args.name}, with all roles, tokens and logins.")


def _set_admin(people: People, args: Namespace) -> None:
    people.set_admin(args.name, args.admin == "on")
    _print_line(f"{args.name} is {'an admin now' if args.admin == 'on' else 'not an admin any more'}.")


def _list_users(people: People, args: Namespace) -> None:
    _print(args.json, "users", people.users(), "There are no people yet: vouch admin user add NAME --admin")


def _add_group(people: People, args: Namespace) -> None:
    people.add_group(args.group)
    _print_line(f"Added the group {args.group}. Next, add members: vouch admin group join {args.group} NAME")


def _remove_group(people: People, args: Namespace) -> None:
    people.remove_group(args.group)
    _print_line(f"Removed the group {args.group}; its members stay.")


def _join_group(people: People, args: Namespace) -> None:
    people.join_group(args.group, args.name)
    _print_line(f"{args.name} is now a member of {args.group}.")


def _leave_group(people: People, args: Namespace) -> None:
    people.join_group(args.group, args.name, member=False)
    _print_line(f"{args.name} is not a member of {args.group} any more.")


def _give_role(people: People, args: Namespace) -> None:
    """Give a person or a group a role in a collection, or take it away."""
    role = None if args.role == "none" else args.role
    whose = args.name if args.kind == "user" else args.group
    where = "every collection" if args.collection == "*" else args.collection
    people.give(args.collection, role, **{args.kind: whose})
    _print_line(f"{whose} now has the role {role} in {where}." if role else f"{whose} has no role in {where} any more.")


def _list_groups(people: People, args: Namespace) -> None:
    _print(args.json, "groups", people.groups(), "There are no groups yet: vouch admin group add NAME")


def _add_token(people: People, args: Namespace) -> None:
    days = None if args.for_ever else args.days
    secret = Tokens(people.state).add(args.name, args.label, args.role, args.collection, days)
    message = "Keep it now: it is shown only once. Send it as  Authorization: Bearer TOKEN"
    _print_secret(args.json, "token", secret, message)


def _list_tokens(people: People, args: Namespace) -> None:
    rows = Tokens(people.state).list_tokens(args.user)
    _print(args.json, "tokens", rows, "There are no tokens yet: vouch admin token add NAME --label WORDS")


def _revoke_token(people: People, args: Namespace) -> None:
    Tokens(people.state).revoke(args.number)
    _print_line(f"Token {args.number} is revoked.")


def _invite(people: People, args: Namespace) -> None:
    secret, expires_at = people.invite(args.collection, args.role, args.group, args.days)
    message = f"It creates one account and is valid until {expires_at}. Send it to one person only."
    _print_secret(args.json, "link", f"{args.address.rstrip('/')}/join#{secret}", message)


def _revoke_sessions(people: People, args: Namespace) -> None:
    _print_line(f"{count_of(end_sessions(people.state, None if args.all else args.name), 'login')} ended.")


def _set_quota(people: People, args: Namespace) -> None:
    Quotas(people.state).give(args.quota, args.most, **{"group" if args.group else "user": args.name})
    limit = {"off": "no limit", "default": "as in the profile"}.get(args.most, str(args.most))
    _print_line(f"{args.name}: {args.quota}: {limit}.")


def _list_quotas(people: People, args: Namespace) -> None:
    none = "There are no quotas other than the profile's: vouch admin quota set NAME questions 30"
    _print(args.json, "quotas", Quotas(people.state).list_quotas(), none)


def _list_audit(people: People, args: Namespace) -> None:
    """Print entries; texts that are no plain word are quoted, so that no name looks like another column."""
    deed = args.deed
    if deed and deed not in DEEDS:
        raise BadPerson(f"there is no deed {deed[:64]!r}{did_you_mean(deed, DEEDS)}: see docs/team.md")
    entries = audit_entries(people.state, args.who, args.collection, deed, args.since, args.most)
    if args.json:
        print(json.dumps({"entries": [entry._asdict() for entry in entries]}, indent=2))
        return
    if not entries:
        _print_line("There are no matching entries.")
    for entry in entries:
        who = f"{_word(entry.who)} ({entry.kind}{f' {entry.token}' if entry.token else ''})"
        question = [json.dumps(entry.question)] if entry.question else []
        columns = [_word(entry.address), entry.channel, who, entry.outcome, entry.deed]
        print("  ".join([entry.at, *columns, _word(entry.collection), _word(entry.thing), *question]))


def _word(text: str) -> str:
    """Return a plain word as it is, another text as a quoted ASCII string; - for none."""
    return "-" if not text else text if _PLAIN.fullmatch(text) else json.dumps(text)


def _password(name: str) -> str:
    """Return a new password: typed twice, or the first line of standard input. Raises BadPerson."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(_LONGEST).rstrip("\r\n")
    password = getpass.getpass(f"New password of {clean(name)}: ")
    if getpass.getpass("Repeat the password: ") != password:
        raise BadPerson("the passwords do not match: nothing was changed")
    return password


def _print_line(message: str) -> None:
    print(clean(message))


def _print_secret(as_json: bool, key: str, secret: str, message: str) -> None:
    """Print a secret alone on standard output, and advice on it on standard error."""
    print(json.dumps({key: secret}) if as_json else secret)
    if not as_json:
        print(message, file=sys.stderr)


def _print(as_json: bool, kind: str, rows: Sequence[Mapping[str, Any]], none: str) -> None:
    """Print rows as a table or JSON; in their absence the message `none`."""
    if as_json:
        print(json.dumps({kind: rows}, indent=2))
        return
    if not rows:
        _print_line(none)
        return
    table = Table(box=None, pad_edge=False)
    for name in rows[0]:
        table.add_column(name.replace("_", " "))
    for row in rows:
        table.add_row(*(Text(clean(_cell(value))) for value in row.values()))
    Console(soft_wrap=True).print(table)


def _cell(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {one}" for key, one in sorted(value.items())) or "-"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)
