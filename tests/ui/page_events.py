"""The events of a served page: sent, and followed to their end, as a browser does it."""

from typing import Any

import httpx


def numbers(client: httpx.Client) -> dict[str, int]:
    """The number of each function of the page, by its name; of several of a name the first."""
    return {d["api_name"]: d["id"] for d in reversed(client.get("/config").json()["dependencies"])}


def join(client: httpx.Client, number: int, data: list[Any], session: str) -> httpx.Response:
    """The answer to an event that is put into the queue."""
    body = {"data": data, "fn_index": number, "session_hash": session, "trigger_id": None}
    return client.post("/gradio_api/queue/join", json=body)


def outcome(client: httpx.Client, session: str) -> str:
    """Everything that the server says of the events of a session."""
    text = ""
    with client.stream("GET", f"/gradio_api/queue/data?session_hash={session}") as stream:
        for line in stream.iter_lines():
            text += line + "\n"
            if '"close_stream"' in line:
                break
    return text


def fire(client: httpx.Client, name: str, data: list[Any], session: str) -> str:
    """Everything that the server says of one event, or why it refuses it."""
    joined = join(client, numbers(client)[name], data, session)
    return outcome(client, session) if joined.status_code == 200 else joined.text
