"""Late-interaction checkpoints in PyLate's form, held against a plain reading of what they say, by transformers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexing import IndexingSettings
from indexing.embed.text import ColBERT

torch = pytest.importorskip("torch", reason="torch is not installed: make visual-env")
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*MARKS, "how", "fast", "can", "a", "cheetah", "run", "the", "light", "##house", "is", "tall", *".,!?"]
QUESTION, PASSAGE = "How fast can a cheetah run?", "the lighthouse is tall, a cheetah run fast. " * 4
FORMS = [
    (48, "[Q] ", "[D] ", True, False),
    (96, "[Q] ", "[D] ", True, True),
    (128, "", "", False, False),
    (20, "[Q] ", "", True, False),
]


def made(folder: Path, dim: int, query: str, document: str, expands: bool, attends: bool) -> tuple[Any, Any, Any]:
    """Write a tiny random checkpoint, and return its tokenizer, model and Dense layer."""
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    own = Tokenizer(models.WordPiece({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    own.normalizer, own.pre_tokenizer = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    own.add_special_tokens(MARKS)
    own.add_tokens([prefix for prefix in (query, document) if prefix])
    around = [("[CLS]", 2), ("[SEP]", 3)]
    own.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=around)
    own.save(str(folder / "tokenizer.json"))
    config = BertConfig(vocab_size=own.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=128)  # fmt: skip
    model, dense = BertModel(config).eval(), torch.nn.Linear(32, dim, bias=False)
    model.save_pretrained(folder)
    (folder / "1_Dense").mkdir()
    save_file({"linear.weight": dense.weight.detach()}, folder / "1_Dense" / "model.safetensors")
    modules = [("", "sentence_transformers.models.Transformer"), ("1_Dense", "pylate.models.Dense.Dense")]
    files: dict[str, object] = {
        "tokenizer_config.json": {"mask_token": "[MASK]", "unk_token": "[UNK]", "pad_token": "[PAD]"},
        "1_Dense/config.json": {"in_features": 32, "out_features": dim},
        "modules.json": [{"idx": n, "path": path, "type": kind} for n, (path, kind) in enumerate(modules)],
        "config_sentence_transformers.json": {
            "query_prefix": query, "document_prefix": document, "query_length": 16, "document_length": 24,
            "do_query_expansion": expands, "attend_to_expansion_tokens": attends, "skiplist_words": list(".,!?"),
        },
    }  # fmt: skip
    for name, told in files.items():
        (folder / name).write_text(json.dumps(told))
    return own, model, dense


def plain(model: Any, dense: Any, ids: list[int], mask: list[int]) -> np.ndarray:
    with torch.inference_mode():
        states = model(input_ids=torch.tensor([ids]), attention_mask=torch.tensor([mask])).last_hidden_state[0]
        return torch.nn.functional.normalize(dense(states), dim=-1).numpy()


def embedder(folder: Path) -> ColBERT:
    return ColBERT(IndexingSettings(text_checkpoint=str(folder), device="cpu"))


@pytest.mark.parametrize(("dim", "query", "document", "expands", "attends"), FORMS)
def test_questions(tmp_path: Path, dim: int, query: str, document: str, expands: bool, attends: bool) -> None:
    own, model, dense = made(tmp_path, dim, query, document, expands, attends)
    ids = own.encode(QUESTION).ids
    missing = 16 - bool(query) - len(ids) if expands else 0
    ids, mask = ids + [4] * missing, [1] * len(ids) + [0] * missing
    if query:
        ids, mask = [ids[0], own.token_to_id(query), *ids[1:]], [1, *mask]
    found = embedder(tmp_path).embed_query(QUESTION)
    np.testing.assert_allclose(
        found.vectors[:, :dim], plain(model, dense, ids, [1] * len(ids) if attends else mask), atol=1e-5
    )
    assert float(found.weights.sum()) == pytest.approx(1)


@pytest.mark.parametrize(("dim", "query", "document", "expands", "attends"), FORMS)
def test_passages_are_windowed(
    tmp_path: Path, dim: int, query: str, document: str, expands: bool, attends: bool
) -> None:
    own, model, dense = made(tmp_path, dim, query, document, expands, attends)
    text = own.encode(PASSAGE.strip(), add_special_tokens=False).ids
    room, skipped, rows = 24 - 2 - bool(document), {own.token_to_id(sign) for sign in ".,!?"}, []
    for at in range(0, len(text), room):
        ids = [2, *([own.token_to_id(document)] if document else []), *text[at : at + room], 3]
        rows.append(plain(model, dense, ids, [1] * len(ids))[[n not in skipped for n in ids]])
    asked = embedder(tmp_path)
    nothing, found = asked.embed_passages([" ", PASSAGE])
    np.testing.assert_allclose(found.vectors[:, :dim] / 127, np.concatenate(rows), atol=0.51 / 127)
    assert len(nothing.vectors) == 0
    assert np.array_equal(found.offsets, asked.offsets(PASSAGE))
    assert {PASSAGE[a:b] for a, b in found.offsets.tolist()} >= {"light", "house", "cheetah", ""}
