"""The connection of this process to a Ray cluster, as its driver."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import signal
import threading
from collections.abc import Iterator
from types import ModuleType
from urllib.parse import urlsplit

from indexing.errors import BadSetting, ClusterMissing, ClusterOpen, ExtraMissing

SCHEME = "ray"


@contextlib.contextmanager
def connected(on: str) -> Iterator[ModuleType]:
    """Yield the package ray, connected to the cluster that `on` names until the end of the block.

    It is `ray` for the cluster that a node on this machine belongs to, or `ray://HOST:PORT` for that with its head
    there. Raises BadSetting, ExtraMissing, ClusterOpen without a token, ClusterMissing where no cluster answers.
    """
    options = _options(on)
    if os.environ.get("RAY_AUTH_MODE", "").lower() != "token":
        raise ClusterOpen(
            "Ray listens on all networks of a machine and runs whatever anybody sends to it: create a token "
            "with `ray get-auth-token --generate`, copy it to all nodes, and set RAY_AUTH_MODE=token there "
            "and here (docs/ray.md)"
        )
    # A call of Ray's after it was left would start a cluster of its own, open to the network: it shall fail instead.
    os.environ.setdefault("RAY_ENABLE_AUTO_CONNECT", "0")
    try:
        import ray
    except ImportError as error:
        raise ExtraMissing(f"--on {on} needs Ray ({error}): pip install 'vouch[ray]', on all nodes") from None
    mine = not ray.is_initialized()
    if mine:
        _connect(ray, on, options)
    try:
        yield ray
    finally:
        if mine:
            ray.shutdown()


def _connect(ray: ModuleType, on: str, options: dict[str, str]) -> None:
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**options, namespace="vouch", log_to_driver=False, configure_logging=False)
    except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ClusterMissing(
            f"no Ray cluster answers --on {on} ({said:.200}): this machine must be a node of it, with the same token: "
            "ray start --head, or ray start --address=HOST:6379 (docs/ray.md)"
        ) from None
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)  # Ray puts its own in its place, which ends the process at once


def _options(on: str) -> dict[str, str]:
    """Return the arguments of `ray.init` for what `--on` names. Raises BadSetting."""
    if on == SCHEME:
        return {"address": "auto"}
    try:
        parts = urlsplit(on)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme != SCHEME or not parts.hostname or port is None or f"{SCHEME}://{parts.netloc}" != on.rstrip("/"):
        raise BadSetting(
            f"--on {on} is not a cluster: give ray for the cluster of this machine, or ray://HOST:PORT for "
            "the one whose head node runs there (PORT is usually 6379)"
        )
    address = {"address": parts.netloc}
    with contextlib.suppress(ValueError):
        if ipaddress.ip_address(parts.hostname).is_loopback:
            if parts.hostname == "127.0.0.1":
                raise _rewritten(on)
            # All nodes are on this machine, and Ray would look for ours at the address of its network card.
            return address | {"_node_ip_address": parts.hostname}
    if parts.hostname == "localhost":
        raise _rewritten(on)
    return address


def _rewritten(on: str) -> BadSetting:
    return BadSetting(
        f"--on {on}: Ray takes this host name for the address of a network card: give the address that `ray "
        "start --head` printed, or use --on ray"
    )
