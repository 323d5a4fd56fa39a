"""A few kills, and two real writers at once."""

from pathlib import Path

import pytest

from indexing.embed import MiniLM
from tests.faults import wholeness
from tests.faults.kills import Bench, Kill


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("kills") / "bench", MiniLM(threads=1))


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    "kill",
    [
        pytest.param(Kill("replace", "worker", 0.2), marks=pytest.mark.gate),
        *(
            pytest.param(kill, marks=pytest.mark.thorough)
            for kill in (Kill("index", "writer", 0.5), Kill("reread", "writer", 0.4))
        ),
    ],
    ids=lambda kill: f"{kill.command}-{kill.victim}",
)
def test_a_kill_leaves_a_whole_collection_that_the_next_run_completes(bench: Bench, kill: Kill) -> None:
    struck = bench.strike(kill)
    assert struck.hit
    assert bench.judge(kill, struck) == []


@pytest.mark.slow
@pytest.mark.gate
def test_of_two_runs_at_once_one_is_told_to_wait_and_nothing_is_lost(bench: Bench) -> None:
    bench.arrange("index")
    runs = [bench.start("index") for _ in range(2)]
    ended = [(run.communicate(timeout=240), run.returncode) for run in runs]
    refused = [err for (_, err), code in ended if code == 2]
    assert sorted(code for _, code in ended) in ([0, 2], [0, 0])
    assert all("is being written by process" in err and "wait for it, or stop it" in err for err in refused)
    made = bench.collection()
    assert wholeness.problems(made) == []
    assert wholeness.leftovers(made) == []
    assert len(made.documents()) == 7
    assert Path(made.path / "writer.lock").exists()
