"""The audit trail: each kind of route is driven by people and a program, and the entries are those of the table."""

import base64
from pathlib import Path
from typing import Any

import httpx
import pytest

from indexing.embed.minilm import MiniLM
from plugins.team.audit_log import audit_entries
from plugins.team.credentials import Tokens
from tests.plugins.team.permissions import page_events_of
from tests.plugins.team.town import PASSWORD, Person, town
from tests.support.waiting import until
from tests.ui.real_collection import mill
from ui.state import open_state

QUESTION = "When was the mill built?"
ONE = "/api/v1/collections/made-up"
EXPECTED = """
stranger   page  log-in             -        refused
reader     page  log-in             -        refused
reader     page  log-in             -        done
editor     page  log-in             -        done
owner      page  log-in             -        done
tenant     page  log-in             -        done
reader     api   ask                made-up  done
reader     api   search             made-up  done
reader     api   check              made-up  done
reader     api   audit              -        done
reader     api   audit              made-up  done
reader     api   see-page           made-up  done
reader     api   see-page           made-up  done
reader     page  see-page           made-up  done
reader     api   export             made-up  done
reader     api   ask                made-up  done
reader     page  ask                made-up  done
reader     api   remove-document    made-up  refused
reader     api   add-document       made-up  refused
reader     api   delete-collection  made-up  refused
reader     api   make-collection    new      refused
tenant     api   ask                made-up  refused
tenant     api   ask                made-up  refused
tenant     page  see-page           made-up  refused
tenant     api   open               nosuch   refused
editor     api   open               made-up  done
editor     api   add-document       made-up  done
editor     api   remove-document    made-up  done
reader     page  log-in             -        refused
reader     page  set-password       -        refused
reader     page  set-password       -        done
owner      page  log-out            -        done
owner 1    api   ask                made-up  done
owner 1    api   remove-document    made-up  refused
owner      page  log-in             -        done
owner      api   delete-collection  made-up  done
"""


def _drive(served: Any, token: str, doc: str) -> None:
    with Person(served) as stranger:
        for name in ("my secret password", "reader"):
            stranger.client.post("/login", data={"username": name, "password": "wrong words"})
        for path in (ONE, f"/vouch/page/made-up/{doc}/1.webp", "/api/v1/collections"):
            assert stranger.client.get(path).status_code == 401  # of strangers nothing else is told
    reader, editor, owner, tenant = (Person(served, name) for name in ("reader", "editor", "owner", "tenant"))
    _read(reader, doc)
    _try(reader.client, doc)
    for _ in range(2):
        assert tenant.client.post(f"{ONE}/ask", json={"question": QUESTION}).status_code == 404
    assert tenant.client.get(f"/vouch/page/made-up/{doc}/1.webp?w=160").status_code == 404
    for name in ("made-up", "nosuch"):  # of the first the question was refused already: that is told once
        assert tenant.client.get(f"/api/v1/collections/{name}").status_code == 404
    _change(editor.client, doc)
    for word in ("no", PASSWORD):
        reader.client.post("/account", data={"password": word, "new": "another good one"})
    owner.client.post("/logout")
    with httpx.Client(base_url=served.address, timeout=60, headers={"authorization": f"Bearer {token}"}) as program:
        assert program.post(f"{ONE}/ask", json={"question": QUESTION}).status_code == 200
        assert program.delete(f"{ONE}/documents/{doc}").status_code == 403
    owner.client.post("/login", data={"username": "owner", "password": PASSWORD})
    assert owner.client.delete(ONE).status_code == 204
    for one in (reader, editor, owner, tenant):
        one.client.close()


def _read(reader: Person, doc: str) -> None:
    """Read all that a reader may, by each kind of route."""
    client = reader.client
    answer = client.post(f"{ONE}/ask", json={"question": QUESTION}).json()["id"]
    assert client.post(f"{ONE}/search", json={"question": QUESTION}).status_code == 200
    assert client.post(f"{ONE}/check", json={"text": "The mill was built in 1887."}).status_code == 200
    entry = "@book{holm, author={A. Holm}, title={Mills}, year={2001}}"
    assert client.post("/api/v1/audit", json={"entries": entry}).status_code == 200
    paper = {"name": "refs.bib", "base64": base64.b64encode(entry.encode()).decode()}
    assert client.post("/api/v1/audit", json={"file": paper, "collection": "made-up"}).status_code == 200
    assert client.get(f"{ONE}/documents/{doc}/pages/1/image?width=160").status_code == 200
    assert client.get(f"{ONE}/documents/{doc}/pages/1/elements").status_code == 200
    assert client.get(f"/vouch/page/made-up/{doc}/1.webp?w=160").status_code == 200
    assert client.get(f"/api/v1/answers/{answer}").status_code == 200
    assert client.get(f"/api/v1/answers/{answer}/export/md").status_code == 200
    stream = client.post(f"{ONE}/ask", json={"question": QUESTION}, headers={"accept": "text/event-stream"})
    assert "event: answered" in stream.text
    reader.fire("collection_box", [], "audited")  # which fills the box of collections
    (asked,) = [data for event, _, data in page_events_of(client.get("/config").json()) if event.startswith("ask ")]
    said = reader.fire("ask", asked, "audited")
    assert "Anna Holm" in said


def _try(client: httpx.Client, doc: str) -> None:
    """Try what takes more than a reader."""
    assert client.delete(f"{ONE}/documents/{doc}").status_code == 403
    assert client.post(f"{ONE}/documents", files={"files": ("a.txt", b"words")}).status_code == 403
    assert client.delete(ONE).status_code == 403
    assert client.post("/api/v1/collections", json={"name": "new"}).status_code == 403


def _change(client: httpx.Client, doc: str) -> None:
    """Add a document, wait for it, and remove another."""
    sent = client.post(f"{ONE}/documents", files={"files": ("a\nb.txt", b"Nine barrels of cider.")})
    assert sent.status_code == 202, sent.text
    until(lambda: client.get(sent.headers["location"]).json()["state"] not in ("queued", "running"))
    assert client.delete(f"{ONE}/documents/{doc}").status_code == 204


@pytest.mark.gate
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_each_kind_of_route_leaves_the_entry_that_the_table_says(tmp_path: Path, embedder: MiniLM) -> None:
    mill(tmp_path, embedder)
    state = tmp_path / "state.sqlite"
    with town(tmp_path, tmp_path / "home") as served:
        with open_state(tmp_path, str(state)) as store:
            secret = Tokens(store).add("owner", "ci", "reader")
        with Person(served, "admin") as admin:
            (shown,) = admin.client.get(f"{ONE}/documents").json()["items"]
        _drive(served, secret, shown["id"])
    with open_state(tmp_path, str(state)) as store:
        entries = audit_entries(store)
    rows = [
        f"{f'{e.who or e.kind} {e.token or str()}'.strip():10} {e.channel:5} {e.deed:18} "
        f"{e.collection or '-':8} {e.outcome}"
        for e in entries
        if e.who != "admin" and (e.deed != "open" or e.channel == "api")
    ]
    assert rows == EXPECTED.strip().splitlines(), "\n".join(rows)
    assert {e.address for e in entries} == {"127.0.0.1"}
    assert not [e for e in entries if QUESTION in e.question or "secret password" in str(e)]
    (added,) = [e for e in entries if (e.deed, e.outcome) == ("add-document", "done")]
    assert added.thing.isprintable()
