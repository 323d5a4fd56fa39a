"""A client of language models for tests: the real one, except that it writes its pauses down instead of making them."""

from rag.llm.chat import Message
from rag.llm.client import ServedModel
from rag.llm.settings import ModelSettings
from tests.support.scripted_server import ScriptedServer
from tests.support.scripts import says

ASK = [Message("user", ("Why?",))]


class Client(ServedModel):
    """A client that asks a scripted server, or an address; `keys` are those of ModelSettings."""

    def __init__(self, server: ScriptedServer | str, **keys: object) -> None:
        self.pauses: list[float] = []
        url = server if isinstance(server, str) else server.url
        settings = ModelSettings.model_validate({"base_url": url, "name": "scripted", **keys})
        super().__init__(settings, pause=self.pauses.append)


def first_call() -> None:
    """Make a call: the first of a process imports for seconds that are not those of a server."""
    with ScriptedServer(says("It rains.")) as server:
        made = Client(server)
        assert made.complete(ASK).text == "It rains."
        made.close()
