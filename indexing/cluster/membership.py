"""The report of a node of a cluster, and the reasons for which it is given no work."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from indexing.errors import ClusterMissing


@dataclass(frozen=True, slots=True)
class NodeReport:
    """The state of a node: the version of Vouch there, and the mode in which Ray asks who sends it commands."""

    version: str
    authentication: str


def installed_version() -> str:
    """Return the version of Vouch that is installed on this machine, empty where it runs from its source."""
    try:
        return version("vouch")
    except PackageNotFoundError:
        return ""


def node_report() -> NodeReport:
    """Return what a driver wants to know of this machine before it sends work."""
    return NodeReport(installed_version(), os.environ.get("RAY_AUTH_MODE", ""))


def refusal(address: str, told: NodeReport) -> ClusterMissing | None:
    """Return why the node at an address gets no work, None where it does."""
    if told.version != installed_version():
        return ClusterMissing(
            f"the node {address} has Vouch {told.version or '(from its source)'}, this machine "
            f"{installed_version() or '(from its source)'}: install the same version on both"
        )
    if told.authentication.lower() != "token":
        return ClusterMissing(
            f"the node {address} was started without RAY_AUTH_MODE=token, so it accepts commands from anybody "
            "who can reach it: restart the cluster with that variable set (docs/ray.md)"
        )
    return None
