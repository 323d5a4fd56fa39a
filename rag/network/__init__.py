"""Limit the seconds and bytes that a call may take from a server."""

from rag.network.held_network import Allowance, HeldNetwork, seconds_of

__all__ = ["Allowance", "HeldNetwork", "seconds_of"]
