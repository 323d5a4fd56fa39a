"""A client of language models for tests: the real one, that writes its pauses down instead of making them."""

from __future__ import annotations

from rag.chat import Message
from rag.llm import ServedModel
from rag.model_settings import ModelSettings
from tests.scripted_server import ScriptedServer

ASK = [Message("user", ("Why?",))]


class Client(ServedModel):
    """Asks a scripted server, or an address; `keys` are those of ModelSettings."""

    def __init__(self, server: ScriptedServer | str, **keys: object) -> None:
        self.pauses: list[float] = []
        url = server if isinstance(server, str) else server.url
        settings = ModelSettings.model_validate({"base_url": url, "name": "scripted", **keys})
        super().__init__(settings, pause=self.pauses.append)
