"""The client against a real vLLM: what is taken, what is counted, what is refused, and in which words."""

import json
import re
import subprocess
import time

import pytest
import yaml
from PIL import Image

from rag import errors
from rag.llm.chat import Message, Reply
from rag.llm.client import ServedModel
from rag.llm.discovery import probe_images, probe_name, probe_schema
from rag.llm.images import image_tokens
from rag.llm.settings import ModelSettings
from tests.vllm.vllm_server import CONTEXT, IMAGES, PYTHON, ROOT, VllmServer

Family = tuple[VllmServer, ModelSettings]
SCHEMA = {
    "type": "object",
    "properties": {
        "answerable": {"type": "boolean"},
        "sentences": {
            "type": "array",
            "maxItems": 3,
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string", "maxLength": 40},
                    "labels": {"type": "array", "maxItems": 2, "items": {"type": "string", "enum": ["E1", "E7"]}},
                },
                "required": ["text", "labels"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["answerable", "sentences"],
    "additionalProperties": False,
}
ENDLESS = {"extra_body": {"ignore_eos": True}}
"""What keeps it talking until its limit."""
ASK = [Message("user", ("What fell in March?",))]


def with_images(n: int, size: tuple[int, int] = (300, 260)) -> list[Message]:
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    return [Message("user", (*(part for i in range(n) for part in (f"E{i + 1}:", image)), "What fell in March?"))]


def obeys(text: str) -> bool:
    found = json.loads(text)
    assert set(found) == {"answerable", "sentences"}
    assert isinstance(found["answerable"], bool)
    assert len(found["sentences"]) <= 3
    return all(
        set(s) == {"text", "labels"} and len(s["text"].replace("\ufffd", "")) <= 40 and set(s["labels"]) <= {"E1", "E7"}
        for s in found["sentences"]
    )


def said(model: ServedModel, messages: list[Message], max_tokens: int = 16) -> Reply | errors.ReplyCutOff:
    """Whatever it says, cut off or not."""
    try:
        return model.complete(messages, max_tokens=max_tokens)
    except errors.ReplyCutOff as error:
        return error


def test_the_doctor_finds_nothing_wrong(asked: ServedModel) -> None:
    assert f"{asked.name} is served" in probe_name(asked)
    assert probe_schema(asked) == "the server restricts replies to a JSON schema"
    assert re.fullmatch(r"an image of 256 x 256 pixels is \d+ tokens", probe_images(asked))


@pytest.mark.parametrize(
    "size", [(1024, 1024), (1654, 2339), (900, 24), (40, 700), (256, 256), (12, 9), (6000, 30), (333, 517)]
)
def test_an_image_is_left_as_it_was_sent(asked: ServedModel, size: tuple[int, int]) -> None:
    """The server counts the patches that we sent: had it resized the image, there would be more or fewer."""
    alone = said(asked, ASK).usage.prompt_tokens
    seen = said(asked, [Message("user", (Image.new("RGB", size, "white"), *ASK[0].parts))]).usage.prompt_tokens
    assert seen - alone == image_tokens(*size, asked.settings)


def test_whatever_random_weights_say_obeys_the_schema(family: Family) -> None:
    for seed in range(12):
        model = ServedModel(family[1].model_copy(update={"seed": seed}))
        reply = model.complete(with_images(seed % 3), schema=SCHEMA, max_tokens=900)
        assert obeys(reply.text)
        model.close()


def test_a_prompt_that_is_too_long(family: Family) -> None:
    model = ServedModel(family[1].model_copy(update={"context_tokens": 10 * CONTEXT}))
    with pytest.raises(errors.PromptTooLong, match="context_tokens"):
        model.complete([Message("user", ("fog " * 2 * CONTEXT,))])
    with pytest.raises(errors.PromptTooLong, match="context_tokens"):
        model.complete([*with_images(IMAGES, (1024, 1024)), Message("user", ("fog " * (CONTEXT // 4),))])
    model.close()


def test_closing_a_stream_frees_the_server(family: Family) -> None:
    server, settings = family
    model = ServedModel(settings.model_copy(update=ENDLESS))
    stream = model.stream(ASK, max_tokens=6000)
    assert next(stream)
    before = server.metric("vllm:generation_tokens_total")
    stream.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 60
    while server.metric("vllm:num_requests_running") and time.monotonic() < deadline:
        said(model, ASK, max_tokens=1)  # an engine that is idle does not count anew
    assert server.metric("vllm:num_requests_running") == 0
    assert server.metric("vllm:generation_tokens_total") - before < 5000
    model.close()


def test_vllm_knows_every_key_of_the_configurations() -> None:
    code = (
        "import sys\n"
        "from vllm.entrypoints.cli.serve import ServeSubcommand\n"
        "from vllm.utils.argparse_utils import FlexibleArgumentParser\n"
        "parser, serve = FlexibleArgumentParser(), ServeSubcommand()\n"
        "serve.subparser_init(parser.add_subparsers())\n"
        "for path in sys.argv[1:]:\n"
        "    args = parser.parse_args(['serve', '--config', path])\n"
        "    serve.validate(args)\n"
        "    print(args.model, args.max_model_len, args.limit_mm_per_prompt['image'])\n"
    )
    paths = sorted((ROOT / "configs" / "vllm").glob("*.yaml"))
    run = subprocess.run([str(PYTHON), "-c", code, *map(str, paths)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    chosen = [yaml.safe_load(path.read_text()) for path in paths]
    wanted = [f"{c['model']} {c['max-model-len']} {c['limit-mm-per-prompt']['image']}" for c in chosen]
    assert run.stdout.splitlines()[-len(paths) :] == wanted
