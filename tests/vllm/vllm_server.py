"""A real `vllm serve` on loopback, of a tiny checkpoint, with one of the configurations that ship."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = Path(os.environ.get("VOUCH_VLLM_PYTHON") or ROOT / "build" / "vllm-env" / "bin" / "python")
CONTEXT = 8192
IMAGES = 8
START = 280.0
"""Seconds that it may take to start: 25 when nothing else runs, several times as long beside other work."""


class VllmServer:
    """`vllm serve --config CONFIG` of a folder; a context manager. `url` is its base URL, `name` the model's name."""

    def __init__(self, checkpoint: Path, config: str, log: Path) -> None:
        self.name = config
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self._port}/v1"
        self._log = log
        small = {
            "port": self._port, "max-model-len": CONTEXT, "max-num-seqs": 8, "dtype": "bfloat16",
            "kv-cache-memory-bytes": 134_217_728,
        }  # fmt: skip
        options = [part for key, value in small.items() for part in (f"--{key}", str(value))]
        self._command = [
            str(PYTHON.with_name("vllm")), "serve", str(checkpoint), "--enforce-eager",
            "--config", str(ROOT / "configs" / "vllm" / f"{config}.yaml"), *options,
        ]  # fmt: skip

    def __enter__(self) -> VllmServer:
        """Start it, and wait until it answers."""
        quiet = {"VLLM_NO_USAGE_STATS": "1", "VLLM_LOGGING_LEVEL": "INFO", "HF_HUB_OFFLINE": "1", "DO_NOT_TRACK": "1"}
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | quiet, start_new_session=True
            )
        deadline = time.monotonic() + START
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"vllm serve did not start:\n{self._log.read_text(errors='replace')[-4000:]}")
            self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        """End it and all its processes."""
        self.kill()

    def kill(self) -> None:
        """As a machine that is switched off would: no farewell."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

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

    def _wait(self) -> None:
        """Half a second, or less if it ends."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
