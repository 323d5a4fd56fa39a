"""LanceDB is imported without the client of a catalogue's server, and by commands without pandas; both stay at hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


def test_the_client_of_a_server_is_not_loaded() -> None:
    assert printed(OPENED + 'print([name for name in loaded if ".api" in name])') == "[]"


def test_the_client_is_there_for_whoever_asks() -> None:
    code = "import lance_namespace_urllib3_client as client; print(client.TableApi.__name__, client.__version__ != '')"
    assert printed(OPENED + code) == "TableApi True"


def test_names_of_it_can_be_imported() -> None:
    code = "from lance_namespace_urllib3_client import ApiClient; print(ApiClient.__name__)"
    assert printed(OPENED + code) == "ApiClient"


def test_what_was_imported_before_stays() -> None:
    code = "import lancedb, indexing.store, lance_namespace_urllib3_client as client; print('TableApi' in vars(client))"
    assert printed(code) == "True"


def test_lancedb_is_imported_without_pandas() -> None:
    assert printed(WITHOUT + "import lancedb; print(lancedb.connect.__name__)") == "connect"


def test_pandas_is_there_for_whoever_asks_afterwards() -> None:
    code = "import pyarrow as pa; print(pa.table({'page': [4, 5]}).to_pandas()['page'].sum())"
    assert printed(WITHOUT + code) == "9"


def test_files_in_a_package_imported_without_another_are_found() -> None:
    code = "from importlib.resources import files; print(files('lancedb').joinpath('__init__.py').is_file())"
    assert printed(WITHOUT + code) == "True"


def test_nothing_is_left_out_where_it_is_loaded_already() -> None:
    code = "import pandas, sys; from indexing.late import import_without; n = len(sys.meta_path); "
    code += "import_without('lancedb', 'pandas'); print(len(sys.meta_path) - n)"
    assert printed(code) == "0"


def test_a_package_that_cannot_be_run_leaves_the_other_at_hand(tmp_path: Path) -> None:
    (tmp_path / "breaks.py").write_text("import nothing_of_this_name\n")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from indexing.late import import_without\n"
    code += "import_without('breaks', 'pandas')\n"
    code += "try:\n    import breaks\nexcept ImportError as error:\n    print(error.name)\n"
    code += "import pandas; print(pandas.__name__)"
    assert printed(code).split() == ["nothing_of_this_name", "pandas"]
