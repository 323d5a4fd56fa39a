"""A real `vllm serve` on loopback, of a tiny checkpoint, with one of the configurations that ship."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("VOUCH_VLLM_PYTHON") or ROOT / "build" / "vllm-env" / "bin" / "python")
CONTEXT = 8192
IMAGES = 8
START = 280.0
"""Seconds that it may take to start: 25 when nothing else runs, several times as long beside other work."""


class VllmServer:
    """`vllm serve --config CONFIG` of a folder, without `--config` where that is empty. `url` is its base URL, `name`
    the model's name.

    As a context manager it answers inside the block; with `start` and `wait` apart it loads while other work is done.
    """

    def __init__(self, checkpoint: Path, config: str, log: Path) -> None:
        self.name = config or checkpoint.name
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}/v1"
        self._log = log
        small = {
            "port": self._port, "max-model-len": CONTEXT, "max-num-seqs": 8, "dtype": "bfloat16",
            "kv-cache-memory-bytes": 268_435_456,
            # vLLM 0.32 on a CPU dies of a seeded request whose prompt it reads in pieces; here it reads none in pieces.
            "max-num-batched-tokens": CONTEXT,
            "distributed-executor-backend": "uni",
        }  # fmt: skip
        options = [part for key, value in small.items() for part in (f"--{key}", str(value))]
        self._command = [
            str(PYTHON.with_name("vllm")), "serve", str(checkpoint), "--enforce-eager",
            *(("--config", str(ROOT / "configs" / "vllm" / f"{config}.yaml")) if config else ()),
            "--served-model-name", self.name, *options,
        ]  # fmt: skip

    def __enter__(self) -> VllmServer:
        """Start it, and wait until it answers."""
        self.start()
        self.wait()
        return self

    def __exit__(self, *_: object) -> None:
        """End it and all its processes."""
        self.kill()

    def start(self) -> None:
        """Start it, and come back at once."""
        self._scratch = tempfile.TemporaryDirectory(prefix="vllm-", ignore_cleanup_errors=True)
        quiet = {
            "VLLM_NO_USAGE_STATS": "1", "VLLM_LOGGING_LEVEL": "INFO", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1",
            "TMPDIR": self._scratch.name, "VLLM_CACHE_ROOT": str(PYTHON.parents[1] / "cache"),
            # One process fewer: it would take seconds to start, and wait for work by turning round and round.
            "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "OMP_NUM_THREADS": "1",
            "PYTHONDONTWRITEBYTECODE": "",  # thousands of files are imported, by each process: compiled once
        }  # fmt: skip
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | quiet, start_new_session=True
            )

    def wait(self) -> None:
        """Until it answers. `RuntimeError` with the end of its log if it does not."""
        deadline = time.monotonic() + START
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"vllm serve did not start:\n{self._log.read_text(errors='replace')[-4000:]}")
            self._pause()

    def kill(self) -> None:
        """As a machine that is switched off would: no farewell. What no one sees of it may clear its shared memory."""
        unseen = []
        with contextlib.suppress(psutil.NoSuchProcess):
            unseen = psutil.Process(self._process.pid).children(recursive=True)
        self._process.kill()
        self._process.wait()
        for process in unseen:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in psutil.wait_procs(unseen, timeout=20)[1]:
            process.kill()
        self._scratch.cleanup()

    def metric(self, name: str) -> float:
        """A gauge of the server's own, summed over engines."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/metrics", timeout=30) as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name}{{"))

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url.removesuffix("/v1") + "/health", timeout=5) as page:
                return bool(page.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _pause(self) -> None:
        """Half a second, or less if it ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
