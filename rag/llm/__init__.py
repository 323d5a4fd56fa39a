"""Call language models: the protocol of a chat model, the client of a server, prompts, images, replies."""

from rag.llm.chat import Capacity, ChatModel, Message, Reply, Schema
from rag.llm.client import ServedModel, served_model
from rag.llm.connection import check_reachable
from rag.llm.fencing import around, fenced, in_line, visible
from rag.llm.images import fit_image, sent_size
from rag.llm.probes import probe_images, probe_name, probe_schema
from rag.llm.prompts import Prompt, load_prompt, read_prompt
from rag.llm.settings import Boxes, ModelSettings
from rag.llm.structured_reply import Form, complete_as, json_value, read_form

__all__ = [
    "Boxes",
    "Capacity",
    "ChatModel",
    "Form",
    "Message",
    "ModelSettings",
    "Prompt",
    "Reply",
    "Schema",
    "ServedModel",
    "around",
    "check_reachable",
    "complete_as",
    "fenced",
    "fit_image",
    "in_line",
    "json_value",
    "load_prompt",
    "probe_images",
    "probe_name",
    "probe_schema",
    "read_form",
    "read_prompt",
    "sent_size",
    "served_model",
    "visible",
]
