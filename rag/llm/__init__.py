"""Call language models: the protocol of a chat model, the client of a server, prompts, images, replies."""

from rag.llm.chat import (
    Capacity,
    ChatModel,
    Form,
    Message,
    Reply,
    Schema,
    Served,
    ServerModel,
    complete_as,
    json_value,
    read_form,
)
from rag.llm.client import ServedModel, served_model
from rag.llm.connection import check_reachable
from rag.llm.discovery import (
    LOCAL,
    ServerAt,
    models_at,
    place_of_environment,
    probe_images,
    probe_name,
    probe_schema,
    probe_server,
    server_address,
)
from rag.llm.images import fit_image, sent_size
from rag.llm.local import engine_of, limit_context, read_header
from rag.llm.prompts import Prompt, context_line, fence, in_line, load_prompt, read_prompt, visible
from rag.llm.settings import Boxes, ModelSettings
