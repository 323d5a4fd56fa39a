"""LanceDB is imported without the client of a catalogue's server, and by commands without pandas; both stay at hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

OPENED = """
import sys
import indexing.store
import indexing.store.database
loaded = [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client.")]
assert any(name.endswith(".models") for name in loaded), loaded
"""
WITHOUT = """
import sys
from importlib.util import find_spec
from indexing.late import import_without
import_without("lancedb", "pandas")
finder = sys.meta_path[0]
assert find_spec("pandas") is not None
import indexing.store.database
assert "pandas" not in sys.modules
assert finder not in sys.meta_path
"""


def printed(code: str) -> str:
    """What a new Python prints that runs this."""
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


SEEN = """
print([name for name in loaded if ".api" in name])
from lance_namespace_urllib3_client import ApiClient
import lance_namespace_urllib3_client as client
print(ApiClient.__name__, client.TableApi.__name__, client.__version__ != "")
"""
AFTERWARDS = """
import lancedb, pyarrow as pa
from importlib.resources import files
print(lancedb.connect.__name__, files("lancedb").joinpath("__init__.py").is_file())
print(pa.table({"page": [4, 5]}).to_pandas()["page"].sum())
"""
BEFORE = "import lancedb, indexing.store, lance_namespace_urllib3_client as client; print('TableApi' in vars(client))"
LOADED = """
import pandas, sys
from indexing.late import import_without
n = len(sys.meta_path)
import_without("lancedb", "pandas")
print(len(sys.meta_path) - n)
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        pytest.param(OPENED + SEEN, "[]\nApiClient TableApi True", id="a client is loaded when asked for"),
        pytest.param(WITHOUT + AFTERWARDS, "connect True\n9", id="so is pandas"),
        pytest.param(BEFORE, "True", id="what was imported before stays"),
        pytest.param(LOADED, "0", id="what is loaded already is not left out"),
    ],
)
def test_packages_are_imported_without_what_nobody_uses(code: str, said: str) -> None:
    assert printed(code) == said


def test_a_package_that_cannot_be_run_leaves_the_other_at_hand(tmp_path: Path) -> None:
    (tmp_path / "breaks.py").write_text("import nothing_of_this_name\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from indexing.late import import_without\n"
    code += "import_without('breaks', 'pandas')\n"
    code += "try:\n    import breaks\nexcept ImportError as error:\n    print(error.name)\n"
    code += "import pandas; print(pandas.__name__)"
    assert printed(code).split() == ["nothing_of_this_name", "pandas"]
