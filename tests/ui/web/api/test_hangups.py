"""A check by a tool ends when whoever asked for it hangs up; `test_answers.py` shows it of the API."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.waiting import until
from tests.ui.forked import Served
from tests.ui.served_page import serving
from tests.ui.web.people.town import TOOL_HEADERS

pytestmark = pytest.mark.slow
TOKEN = "of nobody"
TEXT = "".join(f"The mill sold {number} ships in {1000 + number}. " for number in range(2000))
ARGUMENTS = {"text": TEXT, "collection": "made-up"}


@pytest.fixture(scope="module")
def page(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOUCH_METRICS_TOKEN", TOKEN)
        with serving(tmp_path_factory.mktemp("served"), home, collection="made-up", mcp=True) as served:
            yield served


def metric(page: Served, line: str) -> float:
    told = httpx.get(
        f"{page.address}/metrics", headers={"authorization": f"Bearer {TOKEN}"}, timeout=60
    ).text.splitlines()
    return sum(float(one.rpartition(" ")[2]) for one in told if one.startswith(line))


@contextmanager
def posted(page: Served, path: str, body: object) -> Iterator[None]:
    """A request whose answer nobody reads."""
    url, sent = httpx.URL(page.address + path), json.dumps(body)
    headers = TOOL_HEADERS | {"host": f"{url.host}:{url.port}", "content-type": "application/json"}
    lines = [f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
    with socket.create_connection((url.host, url.port or 0)) as connection:
        connection.sendall("\r\n".join([*lines, f"content-length: {len(sent)}", "", sent]).encode())
        yield


@pytest.mark.gate
def test_a_check_ends_when_nobody_waits_for_it(page: Served) -> None:
    params = {"name": "check", "arguments": ARGUMENTS}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    stopped = 'vouch_answers_total{kind="api_check",outcome="stopped"}'
    before = metric(page, stopped)
    with posted(page, "/mcp", call):
        until(lambda: metric(page, "vouch_answers_under_way") == 1)
    until(lambda: metric(page, "vouch_answers_under_way") == 0)
    assert metric(page, stopped) == before + 1
