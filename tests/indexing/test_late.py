"""LanceDB is imported without the client of a catalogue's server, and by commands without pandas; both stay at hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = """
import sys
import indexing.store.database
loaded = [name for name in sys.modules if name.startswith("lance_namespace_urllib3_client.")]
print(any(name.endswith(".models") for name in loaded), [name for name in loaded if ".api" in name])
import lance_namespace_urllib3_client as client
print(client.TableApi.__name__)
"""
PANDAS = """
import sys
from importlib.util import find_spec
from indexing.late import import_without
import_without("lancedb", "pandas")
finder = sys.meta_path[0]
import indexing.store.database
print(find_spec("pandas") is not None, "pandas" in sys.modules, finder in sys.meta_path)
import lancedb, pyarrow as pa
print(pa.table({"page": [4, 5]}).to_pandas()["page"].sum())
"""
LOADED = """
import pandas, sys
from indexing.late import import_without
n = len(sys.meta_path)
import_without("lancedb", "pandas")
print(len(sys.meta_path) - n)
"""
BROKEN = """
import sys
from indexing.late import import_without
sys.path.insert(0, sys.argv[1])
import_without("breaks", "pandas")
try:
    import breaks
except ImportError as error:
    print(error.name)
import pandas
print(pandas.__name__)
"""


@pytest.mark.parametrize(
    ("code", "output"),
    [
        pytest.param(CLIENT, "True []\nTableApi", id="a client is loaded when asked for"),
        pytest.param(PANDAS, "True False False\n9", id="so is pandas"),
        pytest.param(LOADED, "0", id="what is loaded already is not left out"),
        pytest.param(BROKEN, "nothing_of_this_name\npandas", id="a package that breaks leaves the other at hand"),
    ],
)
def test_packages_are_imported_without_what_nobody_uses(code: str, output: str, tmp_path: Path) -> None:
    (tmp_path / "breaks.py").write_text("import nothing_of_this_name\n")
    command = [sys.executable, "-c", code, str(tmp_path)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert (ended.stdout.strip(), ended.returncode) == (output, 0), ended.stderr
