"""LanceDB is imported without the client of a catalogue's server; whoever asks for it gets it."""

from __future__ import annotations

import subprocess
import sys

OPENED = """
import sys
import indexing.store
import indexing.store.database
loaded = [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client.")]
assert any(name.endswith(".models") for name in loaded), loaded
"""


def _run(code: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", OPENED + code], check=False, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_the_client_of_a_server_is_not_loaded() -> None:
    assert _run('print([name for name in loaded if ".api" in name])').strip() == "[]"


def test_the_client_is_there_for_whoever_asks() -> None:
    code = "import lance_namespace_urllib3_client as client; print(client.TableApi.__name__, client.__version__ != '')"
    assert _run(code).strip() == "TableApi True"


def test_names_of_it_can_be_imported() -> None:
    code = "from lance_namespace_urllib3_client import ApiClient; print(ApiClient.__name__)"
    assert _run(code).strip() == "ApiClient"


def test_what_was_imported_before_stays() -> None:
    code = "import lancedb, indexing.store, lance_namespace_urllib3_client as client; print('TableApi' in vars(client))"
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=120)
    assert ended.stdout.strip() == "True", ended.stderr
