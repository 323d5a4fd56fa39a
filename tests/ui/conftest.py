"""What the tests of ui share: one embedder, since loading it takes a while.

The package is imported first: it silences onnxruntime, which comes in with PyMuPDF, before a test imports PyMuPDF.
"""

import itertools
from collections.abc import Callable, Iterator

import pytest

from indexing.embed.minilm import MiniLM
from tests.support import postgres
from tests.support.tools import missing


@pytest.fixture(scope="session")
def embedder() -> MiniLM:
    return MiniLM(threads=1)


@pytest.fixture(scope="session")
def postgres_database() -> Iterator[Callable[[], str]]:
    """`postgres_database()` is the address of an empty database; without PostgreSQL it is skipped, in CI it fails."""
    import psycopg

    programs = postgres.programs()
    if programs is None:
        missing("PostgreSQL is not installed (make postgres)")
    numbers = itertools.count(1)
    with postgres.running(programs) as server:

        def made() -> str:
            name = f"vouch{next(numbers)}"
            with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {name}".encode())
            return f"{server}{name}"

        yield made


@pytest.fixture(scope="module", autouse=True)
def share_workers(warm_workers: None) -> None:
    """To start a worker takes seconds."""
