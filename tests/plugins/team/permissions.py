"""`python -m tests.plugins.team.permissions`: writes permissions.txt anew, the table of what each person may.

Read its diff before it is kept: each line that changes is somebody who may more, or less, than before.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx

from indexing import Collection, CollectionMissing, DocumentMissing
from indexing.embed.minilm import MiniLM
from plugins.team.access import TeamAccess
from rag import Profile
from tests.plugins.team.town import NAMES, TOOL_HEADERS, Person, settle, tokens_in, town
from tests.ui import page_events
from tests.ui.forked import Served
from tests.ui.real_collection import mill
from ui.access import NOBODY, acting
from ui.errors import NotAllowed
from ui.settings import UiSettings
from ui.state import StateStore, open_state
from ui.web.collection_service import CollectionService
from ui.web.open_collections import OpenCollections
from ui.web.server.route_filter import _ALLOWED, MCP, METADATA

FILE = Path(__file__).with_name("permissions.txt")
MARKS = ("mill.pdf", "Anna Holm")
"""The words of the collection that are told to nobody but its readers."""
_QUESTION = "When was the mill built?"
_HEAD = "what is done".ljust(34) + "".join(name.ljust(11) for name in NAMES)


def line(name: str, outcomes: list[str]) -> str:
    """A line of the table."""
    return (name.ljust(34) + "".join(outcome.ljust(11) for outcome in outcomes)).rstrip()


def deeds(folder: Path) -> Iterator[str]:
    """The lines of what each may do to collections, asked of the rule itself."""
    settle(folder / "state.sqlite")
    with open_state(folder, str(folder / "state.sqlite")) as state:
        for number, (name, deed) in enumerate(_DEEDS.items()):
            yield line(name, [_did(state, folder / f"{number}-{who}", who, deed) for who in NAMES])


Deed = Callable[[OpenCollections, CollectionService], object]
_DEEDS: dict[str, Deed] = {
    "see its name": lambda held, _: "made-up" in held.collections() or None,
    "see a name that is not its own": lambda held, _: "hidden" in held.collections() or None,
    "read it": lambda held, _: _read(held, "made-up"),
    "read one that is not there": lambda held, _: _read(held, "nosuch"),
    "add a document": lambda _, service: service.admit("made-up") or True,
    "make a collection": lambda _, service: service.admit("new") or True,
    "remove a document": lambda _, service: service.remove("made-up", "nosuch"),
    "unlock documents": lambda _, service: service.unlock("made-up", "word"),
    "compact it": lambda _, service: service.compact("made-up"),
    "delete it": lambda _, service: service.delete("made-up") or True,
}


def _read(held: OpenCollections, name: str) -> bool:
    with held.open_collection(name):
        return True


def _did(state: StateStore, folder: Path, who: str, deed: Deed) -> str:
    """Let a person do something to a fresh collection that stands beside one which only an admin may see."""
    for name in ("made-up", "hidden"):
        Collection.create(name, folder).close()
    access = TeamAccess(state, UiSettings())
    held = OpenCollections(Profile(), folder, access=access)
    try:
        with acting(access.people.identity(who) or NOBODY):
            return "no" if deed(held, CollectionService(held, UiSettings())) is None else "yes"
    except NotAllowed:
        return "no"
    except DocumentMissing:
        return "yes"
    except CollectionMissing as error:
        return "told all" if "hidden" in str(error) else "not there"
    finally:
        held.close()


def requests(served: Served, state: str) -> Iterator[str]:
    """The lines of what each is answered by a served page: the status, and "told" where words of the collection are.

    The tools are asked by a token of each person, which may all that the person may.
    """
    with ExitStack() as held:
        crowd = [held.enter_context(Person(served, name)) for name in NAMES]
        admin = crowd[NAMES.index("admin")].client
        (shown,) = admin.get("/api/v1/collections/made-up/documents").json()["items"]
        for name, ask in _ROWS.items():
            yield line(name, [_told(ask(one.client, shown["id"])) for one in crowd])
        tokens = tokens_in(state)
        for name in _TOOL_ROWS:
            yield line(f"tool {name}", [_told_of_tools(served, name, tokens[who]) for who in NAMES])
        config = admin.get("/config").json()
        for event, number, data in page_events_of(config):
            yield line(f"event {event}", [_fired(one, config, event, number, data) for one in crowd])


Ask = Callable[[httpx.Client, str], httpx.Response]
_BODIES: dict[str, dict[str, Any]] = {
    "ask": {"question": _QUESTION, "collection": "made-up"},
    "search": {"question": _QUESTION, "collection": "made-up"},
    "check": {"text": "Anna Holm built the mill.", "collection": "made-up"},
    "audit": {"entries": "@book{holm, author={A. Holm}, title={Mills}, year={2001}}", "collection": "made-up"},
}
_ROWS: dict[str, Ask] = {
    "GET /": lambda client, _: client.get("/"),
    "GET /config": lambda client, _: client.get("/config"),
    "GET /health": lambda client, _: client.get("/health"),
    "GET /ready": lambda client, _: client.get("/ready"),
    "GET /metrics": lambda client, _: client.get("/metrics"),
    "GET /vouch/page": lambda client, doc: client.get(f"/vouch/page/made-up/{doc}/1.webp?w=160"),
    "GET /vouch/page of none": lambda client, doc: client.get(f"/vouch/page/nosuch/{doc}/1.webp?w=160"),
    "GET /vouch/heat": lambda client, doc: client.get(f"/vouch/heat/made-up/{doc}/1.svg?q=mill"),
    "GET /vouch/export": lambda client, _: client.get("/vouch/export/0123456789abcdef/json"),
    "GET /vouch/paper": lambda client, _: client.get("/vouch/paper/0123456789abcdef/1.webp"),
    "GET /api/v1/collections": lambda client, _: client.get("/api/v1/collections"),
    "GET /api/v1/collections/made-up": lambda client, _: client.get("/api/v1/collections/made-up"),
    "GET /api/v1/collections/nosuch": lambda client, _: client.get("/api/v1/collections/nosuch"),
    "GET /api/v1 documents": lambda client, _: client.get("/api/v1/collections/made-up/documents"),
    "GET /api/v1 a document": lambda client, doc: client.get(f"/api/v1/collections/made-up/documents/{doc}"),
    "GET /api/v1 elements": lambda client, doc: client.get(
        f"/api/v1/collections/made-up/documents/{doc}/pages/1/elements"
    ),
    "GET /api/v1 an image": lambda client, doc: client.get(
        f"/api/v1/collections/made-up/documents/{doc}/pages/1/image?width=160"
    ),
    "GET /api/v1/jobs": lambda client, _: client.get("/api/v1/jobs"),
    "POST /api/v1/search": lambda client, _: client.post(
        "/api/v1/collections/made-up/search", json={"question": _QUESTION}
    ),
    "POST /api/v1/ask": lambda client, _: client.post("/api/v1/collections/made-up/ask", json={"question": _QUESTION}),
    "POST /api/v1/check": lambda client, _: client.post(
        "/api/v1/collections/made-up/check", json={"text": "Anna Holm built the mill."}
    ),
    "POST /api/v1/audit": lambda client, _: client.post("/api/v1/audit", json=_BODIES["audit"]),
    "POST /api/v1 documents, unfit": lambda client, _: client.post(
        "/api/v1/collections/made-up/documents", content=b"x", headers={"content-type": "text/plain"}
    ),
    "DELETE /api/v1 no document": lambda client, _: client.delete("/api/v1/collections/made-up/documents/nosuch"),
    "DELETE /api/v1/collections/nosuch": lambda client, _: client.delete("/api/v1/collections/nosuch"),
    "POST /api/v1/collections again": lambda client, _: client.post("/api/v1/collections", json={"name": "made-up"}),
    "GET /vouch/answer of none": lambda client, _: client.get("/vouch/answer/nosuch"),
    "GET /gradio_api/info": lambda client, _: client.get("/gradio_api/info"),
    "GET /gradio_api/user": lambda client, _: client.get("/gradio_api/user"),
    "GET /gradio_api/login_check": lambda client, _: client.get("/gradio_api/login_check"),
    "GET /gradio_api/queue/data": lambda client, _: client.get("/gradio_api/queue/data?session_hash=nosuch"),
    "GET /gradio_api/upload_progress": lambda client, _: client.get("/gradio_api/upload_progress?upload_id=x"),
    "POST /gradio_api/upload": lambda client, _: client.post("/gradio_api/upload", files={"files": ("a.txt", b"a")}),
    "GET /gradio_api/file=": lambda client, _: client.get("/gradio_api/file=/etc/passwd"),
    "GET /gradio_api/mcp/": lambda client, _: client.get("/gradio_api/mcp/"),
    "GET /mcp": lambda client, _: client.get("/mcp"),
    "POST /mcp by cookie": lambda client, _: client.post("/mcp", json=_tool("collections"), headers=TOOL_HEADERS),
    "GET metadata of /mcp": lambda client, _: client.get("/.well-known/oauth-protected-resource/mcp"),
    "GET /join": lambda client, _: client.get("/join"),
    "POST /join": lambda client, _: client.post("/join", data={"invitation": "x", "username": "x", "password": "x"}),
    "GET /account": lambda client, _: client.get("/account"),
    "POST /account": lambda client, _: client.post("/account", data={"password": "no", "new": "long enough"}),
    "GET /sso/login": lambda client, _: client.get("/sso/login"),
    "GET /sso/callback": lambda client, _: client.get("/sso/callback?state=x&code=x"),
    "GET /logout": lambda client, _: client.get("/logout"),
}


_TOOL_ROWS: dict[str, dict[str, Any]] = {
    **_BODIES,
    "collections": {},
    "collections made-up": {"name": "made-up"},
    "ask nosuch": {"question": _QUESTION, "collection": "nosuch"},
    "index": {"files": [], "collection": "made-up"},
    "index nosuch": {"files": [], "collection": "nosuch"},
}
"""What the tools are asked, by the name of the tool and a word."""


def _tool(name: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
    """The call of a tool."""
    params = {"name": name, "arguments": arguments or {}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _told_of_tools(served: Served, name: str, token: str) -> str:
    """What a tool says to a token: the status, "no" for an error, and "told" where words of the collection are."""
    headers = TOOL_HEADERS | ({"authorization": f"Bearer {token}"} if token else {})
    call = _tool(name.split(maxsplit=1)[0], _TOOL_ROWS[name])
    answer = httpx.post(f"{served.address}/mcp", json=call, headers=headers, timeout=60)
    return "no" if '"isError":true' in answer.text else _told(answer)


def _told(answer: httpx.Response) -> str:
    words = answer.text
    return f"{answer.status_code} told" if any(mark in words for mark in MARKS) else str(answer.status_code)


def page_events_of(config: dict[str, Any]) -> Iterator[tuple[str, int, list[Any]]]:
    """Each event of the page that asks the server: its name, its number, and the value of each input as it stands.

    The box of the collection says made-up, and boxes of text hold a question.
    """
    parts = {part["id"]: part for part in config["components"]}
    for event in config["dependencies"]:
        if event["backend_fn"]:
            yield f"{event['api_name']} {event['id']}", event["id"], [_value(parts[i]) for i in event["inputs"]]


def _value(part: dict[str, Any]) -> Any:
    if part["props"].get("elem_id") == "v-collection":
        return "made-up"
    if part["type"] == "textbox":
        return _QUESTION
    return part["props"].get("value")


def _fired(one: Person, config: dict[str, Any], event: str, number: int, data: list[Any]) -> str:
    """Let a person fire an event in a visit of its own, whose box of collections has been filled."""
    visit = f"{one.name}-{event}".replace(" ", "-")
    fresh = next(d["id"] for d in config["dependencies"] if d["api_name"] == "collection_box")
    first = page_events.join(one.client, fresh, [], visit)
    if first.status_code != 200:
        return _told(first)
    page_events.outcome(one.client, visit)
    page_events.join(one.client, number, data, visit)
    said = page_events.outcome(one.client, visit)
    return "told" if any(mark in said for mark in MARKS) else "-"


def table(folder: Path, home: Path, state: str = "") -> list[str]:
    """The whole table; `home` has the collection made-up, whose one document is mill.pdf, `state` takes the people."""
    state = state or str(folder / "state.sqlite")
    (folder / "deeds").mkdir()
    lines = ["The addresses that are served at all (a new one needs a row below):", _ALLOWED.pattern]
    lines += ["And with --mcp:", MCP.pattern, METADATA.pattern, "", _HEAD]
    lines += deeds(folder / "deeds")
    with town(folder, home, state, mcp=True) as served:
        lines += ["", _HEAD, *requests(served, state)]
    return lines


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mill(folder, MiniLM())
        FILE.write_text("\n".join(table(folder, folder / "home")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
