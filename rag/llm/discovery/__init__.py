"""Find model servers on this machine or at an address, and probe what their models can take."""

from rag.llm.client import Served
from rag.llm.discovery.inquiry import Inquiry, probe_server
from rag.llm.discovery.places import LOCAL, ServerAt, models_at, place_of_environment

__all__ = ["LOCAL", "Inquiry", "Served", "ServerAt", "models_at", "place_of_environment", "probe_server"]
