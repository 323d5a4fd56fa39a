"""`vouch admin` itself: what each command does to the people of a server, and what it prints."""

from __future__ import annotations

import getpass
import json
import re
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from configs import did_you_mean
from indexing import default_home, machine_folder
from ui.errors import BadPerson
from ui.show import clean, counted
from ui.state import AuditLog, People, audit_entries, open_state
from ui.state.audit import DEEDS as ALL_DEEDS
from ui.state.audit import Deed, command_line
from ui.state.people import Quotas, Tokens, Visits, invite

_PLAIN = re.compile(r"[\w.@+*:/-]{1,64}", re.ASCII)
_LONGEST = 4096
"""The most characters of a password that is read."""


def run(args: Namespace) -> int:
    """Run the command below `vouch admin` that was named; returns the exit code. Raises BadPerson, StateUnreadable."""
    with open_state(machine_folder(default_home())) as state:
        people = People(state)
        kind, action = args.kind, getattr(args, "action", "")
        command = _COMMANDS.get((kind, action)) or _COMMANDS[kind, ""]
        action_name = _deed(kind, action, args)
        audit_entry = (
            AuditLog(state).record(action_name, *_object(args), by=command_line()) if action_name else nullcontext()
        )
        with audit_entry:
            command(people, args)
    return 0


def _deed(kind: str, action: str, args: Namespace) -> Deed | None:
    """Return what the audit log calls a command; None for one that changes nothing."""
    if action == "role":
        return "take-role" if args.role == "none" else "give-role"
    return DEEDS.get((kind, action))


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


def _passwd(people: People, args: Namespace) -> None:
    people.set_password(args.name, _password(args.name))
    _say(f"{args.name} has a new password and was logged out everywhere.")


def _remove_user(people: People, args: Namespace) -> None:
    people.remove(args.name)
    _say(f"Removed {args.name}, with all roles, tokens and logins.")


def _user_role(people: People, args: Namespace) -> None:
    people.give(args.collection, _role(args), user=args.name)
    _say(_role_message(args.name, args))


def _set_admin(people: People, args: Namespace) -> None:
    people.set_admin(args.name, args.admin == "on")
    _say(f"{args.name} is {'an admin now' if args.admin == 'on' else 'not an admin any more'}.")


def _list_users(people: People, args: Namespace) -> None:
    rows = [asdict(user) for user in people.users()]
    _print(args.json, "users", rows, "There are no people yet: vouch admin user add NAME --admin")


def _add_group(people: People, args: Namespace) -> None:
    people.add_group(args.group)
    _say(f"Added the group {args.group}. Next, add members: vouch admin group join {args.group} NAME")


def _remove_group(people: People, args: Namespace) -> None:
    people.remove_group(args.group)
    _say(f"Removed the group {args.group}; its members stay.")


def _join(people: People, args: Namespace) -> None:
    people.join_group(args.group, args.name)
    _say(f"{args.name} is now a member of {args.group}.")


def _leave(people: People, args: Namespace) -> None:
    people.join_group(args.group, args.name, member=False)
    _say(f"{args.name} is not a member of {args.group} any more.")


def _group_role(people: People, args: Namespace) -> None:
    people.give(args.collection, _role(args), group=args.group)
    _say(_role_message(args.group, args))


def _list_groups(people: People, args: Namespace) -> None:
    _print(
        args.json, "groups", [asdict(g) for g in people.groups()], "There are no groups yet: vouch admin group add NAME"
    )


def _add_token(people: People, args: Namespace) -> None:
    days = None if args.for_ever else args.days
    secret = Tokens(people.state).add(args.name, args.label, args.role, args.collection, days)
    _told_once(
        args.json, "token", secret, "Keep it now: it is shown only once. Send it as  Authorization: Bearer TOKEN"
    )


def _list_tokens(people: People, args: Namespace) -> None:
    rows = [asdict(token) for token in Tokens(people.state).list_tokens(args.user)]
    _print(args.json, "tokens", rows, "There are no tokens yet: vouch admin token add NAME --label WORDS")


def _revoke_token(people: People, args: Namespace) -> None:
    Tokens(people.state).revoke(args.number)
    _say(f"Token {args.number} is revoked.")


def _invite(people: People, args: Namespace) -> None:
    invitation = invite(people.state, args.collection, args.role, args.group, args.days)
    link = f"{args.address.rstrip('/')}/join#{invitation.secret}"
    _told_once(
        args.json,
        "link",
        link,
        f"It creates one account and is valid until {invitation.expires_at}. Send it to one person only.",
    )


def _revoke_sessions(people: People, args: Namespace) -> None:
    if args.name and not people.is_known(args.name):
        raise BadPerson(f"there is no user {args.name!r}: see vouch admin user list")
    number = Visits(people.state, 1, 1).revoke("" if args.all else args.name)
    _say(f"{counted(number, 'login')} ended.")


def _set_quota(people: People, args: Namespace) -> None:
    quotas, owner = Quotas(people.state), {"group" if args.group else "user": args.name}
    if args.most == "default":
        quotas.take(args.quota, **owner)
    else:
        quotas.give(args.quota, None if args.most == "off" else args.most, **owner)
    words = {"off": "no limit", "default": "as in the profile"}.get(args.most, str(args.most))
    _say(f"{args.name}: {args.quota}: {words}.")


def _list_quotas(people: People, args: Namespace) -> None:
    rows = [
        asdict(quota) | {"most": "off" if quota.most is None else quota.most}
        for quota in Quotas(people.state).list_quotas()
    ]
    _print(
        args.json,
        "quotas",
        rows,
        "There are no quotas other than the profile's: vouch admin quota set NAME questions 30",
    )


def _list_audit(people: People, args: Namespace) -> None:
    """Print entries; what is no plain word stands in quotes, so that no name looks like another column."""
    if args.deed and args.deed not in ALL_DEEDS:
        raise BadPerson(f"there is no deed {args.deed[:64]!r}{did_you_mean(args.deed, ALL_DEEDS)}: see docs/team.md")
    entries = audit_entries(people.state, args.who, args.collection, args.deed, args.since, args.most)
    if args.json:
        print(json.dumps({"entries": [asdict(entry) for entry in entries]}, indent=2))
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


_COMMANDS: dict[tuple[str, str], Callable[[People, Namespace], None]] = {
    ("user", "add"): _add_user,
    ("user", "list"): _list_users,
    ("user", "remove"): _remove_user,
    ("user", "passwd"): _passwd,
    ("user", "role"): _user_role,
    ("user", "admin"): _set_admin,
    ("group", "add"): _add_group,
    ("group", "list"): _list_groups,
    ("group", "remove"): _remove_group,
    ("group", "join"): _join,
    ("group", "leave"): _leave,
    ("group", "role"): _group_role,
    ("token", "add"): _add_token,
    ("token", "list"): _list_tokens,
    ("token", "revoke"): _revoke_token,
    ("sessions", "revoke"): _revoke_sessions,
    ("invite", ""): _invite,
    ("quota", "set"): _set_quota,
    ("quota", "list"): _list_quotas,
    ("audit", ""): _list_audit,
}
DEEDS: dict[tuple[str, str], Deed] = {
    ("user", "add"): "add-user",
    ("user", "remove"): "remove-user",
    ("user", "passwd"): "set-password",
    ("user", "admin"): "set-admin",
    ("group", "add"): "add-group",
    ("group", "remove"): "remove-group",
    ("group", "join"): "join-group",
    ("group", "leave"): "leave-group",
    ("token", "add"): "make-token",
    ("token", "revoke"): "revoke-token",
    ("sessions", "revoke"): "end-sessions",
    ("invite", ""): "invite",
    ("quota", "set"): "set-quota",
}
"""The names that the audit log has for the commands that change something; `role` gives or takes one."""


def _password(name: str) -> str:
    """Return a new password: typed twice, or the first line of what is piped in. Raises BadPerson."""
    if not sys.stdin.isatty():
        return sys.stdin.readline(_LONGEST).rstrip("\r\n")
    password = getpass.getpass(f"New password of {clean(name)}: ")
    if getpass.getpass("Repeat the password: ") != password:
        raise BadPerson("the passwords do not match: nothing was changed")
    return password


def _role(args: Namespace) -> Any:
    return None if args.role == "none" else args.role


def _role_message(whose: str, args: Namespace) -> str:
    where = "every collection" if args.collection == "*" else args.collection
    return (
        f"{whose} has no role in {where} any more."
        if args.role == "none"
        else f"{whose} now has the role {args.role} in {where}."
    )


def _say(words: str) -> None:
    print(clean(words))


def _told_once(as_json: bool, key: str, secret: str, words: str) -> None:
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
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)
