"""Cross-encoders of the families in the catalogue, held against a plain reading of them by transformers."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plugins.models.cross_encoder import CrossEncoder

torch = pytest.importorskip("torch", reason="torch is not installed: make visual-env")
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
SPOKEN = "how fast can a cheetah run the light house is tall runs . ?"
WORDS = [*MARKS, *SPOKEN.split()]
PAIRS = [
    ("how fast can a cheetah run ?", "a cheetah runs fast ."),
    ("how tall is a house ?", "the light house is tall ."),
]
SMALL = {"vocab_size": len(WORDS), "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
         "intermediate_size": 64, "max_position_embeddings": 128}  # fmt: skip


def tokenizer(folder: Path) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    own = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))
    own.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    own.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder.mkdir(exist_ok=True)
    own.save(str(folder / "tokenizer.json"))
    return own


def plain(model: Any, own: Any, *texts: str, types: bool) -> Any:
    encoding = own.encode(*texts)
    feed = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask}
    feed |= {"token_type_ids": encoding.type_ids} if types else {}
    with torch.inference_mode():
        return model(**{name: torch.tensor([values]) for name, values in feed.items()})


@pytest.mark.parametrize("family", ["Bert", "DebertaV2", "ModernBert"])
def test_a_model_that_classifies_gives_what_transformers_does(tmp_path: Path, family: str) -> None:
    import transformers

    torch.manual_seed(0)
    own = tokenizer(tmp_path)
    labels = {0: "contradiction", 1: "entailment", 2: "neutral"}
    more: dict[str, Any] = {"pad_token_id": 0, "id2label": labels, "label2id": {v: k for k, v in labels.items()}}
    if family == "DebertaV2":
        more |= {"type_vocab_size": 0, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]}
    if family == "ModernBert":
        more |= {"cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}
    config = getattr(transformers, f"{family}Config")(**SMALL, **more)
    model = getattr(transformers, f"{family}ForSequenceClassification")(config).eval()
    model.save_pretrained(tmp_path)
    wanted = [plain(model, own, *pair, types=family == "Bert").logits[0].softmax(-1)[1].item() for pair in PAIRS]
    assert CrossEncoder(str(tmp_path), "cpu").entailment(PAIRS) == pytest.approx(wanted, abs=1e-5)


def qwen_tokenizer(folder: Path) -> Any:
    """Write a tokenizer of Qwen's kind: bytes, with the marks of a chat as special tokens, and yes and no as words."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    alphabet = {char: n for n, char in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    words = [("n", "o"), ("e", "s"), ("y", "es")]
    vocabulary = alphabet | {"".join(pair): len(alphabet) + n for n, pair in enumerate(words)}
    own = Tokenizer(models.BPE(vocabulary, words))
    own.pre_tokenizer, own.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    own.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    own.add_tokens([AddedToken("<think>"), AddedToken("</think>")])
    own.save(str(folder / "tokenizer.json"))
    return own


def test_qwen3_reranker_gives_what_its_card_does(tmp_path: Path) -> None:
    """Write the prompt out as the card of Qwen3-Reranker does, and take yes over no from all logits."""
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    own = qwen_tokenizer(tmp_path)
    sizes = SMALL | {"vocab_size": own.get_vocab_size(), "max_position_embeddings": 4096}
    config = Qwen3Config(**sizes, num_key_value_heads=1, head_dim=16, tie_word_embeddings=True, initializer_range=0.3)
    model = Qwen3ForCausalLM(config).eval()
    model.save_pretrained(tmp_path)
    (tmp_path / "modules.json").write_text(
        json.dumps([{"path": "", "type": "a.Transformer"}, {"path": "1_LogitScore", "type": "b.LogitScore"}])
    )
    wanted = []
    for question, text in PAIRS:
        prompt = (
            "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct "
            'provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
            "<Instruct>: Given a web search query, retrieve relevant passages that answer the query\n"
            f"<Query>: {question}\n<Document>: {text}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
        )
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([own.encode(prompt).ids])).logits[0, -1]
        wanted.append((logits[own.token_to_id("yes")] - logits[own.token_to_id("no")]).item())
    read = CrossEncoder(str(tmp_path), "cpu")
    for (question, text), score in zip(PAIRS, wanted, strict=True):
        assert read.relevance(question, [text]) == pytest.approx([score], abs=1e-4)
    together = read.relevance(PAIRS[0][0], [text * 3 for _, text in PAIRS] + [PAIRS[0][1]])
    assert together[2] == pytest.approx(wanted[0], abs=1e-4), "padding is not attended to"


def test_lettucedetect_supports_a_claim_as_far_as_its_worst_token(tmp_path: Path) -> None:
    from transformers import ModernBertConfig, ModernBertForTokenClassification

    torch.manual_seed(0)
    own = tokenizer(tmp_path)
    more: dict[str, Any] = {"pad_token_id": 0, "cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2}
    model = ModernBertForTokenClassification(ModernBertConfig(**SMALL, **more, eos_token_id=3, num_labels=2)).eval()
    torch.nn.init.normal_(model.classifier.weight)
    model.save_pretrained(tmp_path)
    wanted = []
    for text, claim in PAIRS:
        shares = plain(model, own, text, claim, types=False).logits[0].softmax(-1)[:, 1]
        wanted.append(1 - shares[-1 - len(claim.split()) : -1].max().item())
    assert CrossEncoder(str(tmp_path), "cpu").entailment(PAIRS) == pytest.approx(wanted, abs=1e-5)


def test_an_ettin_reranker_gives_what_its_modules_do(tmp_path: Path) -> None:
    from safetensors.torch import save_file
    from transformers import ModernBertConfig, ModernBertModel

    torch.manual_seed(0)
    own = tokenizer(tmp_path)
    config = ModernBertConfig(**SMALL, pad_token_id=0, cls_token_id=2, sep_token_id=3, bos_token_id=2, eos_token_id=3)
    model = ModernBertModel(config).eval()
    model.save_pretrained(tmp_path)
    first, norm, last = torch.nn.Linear(32, 32, bias=False), torch.nn.LayerNorm(32), torch.nn.Linear(32, 1)
    torch.nn.init.normal_(norm.weight)
    base = "sentence_transformers.base.modules"
    modules = [
        ("", f"{base}.transformer.Transformer", {}, {}),
        ("1_Pooling", "sentence_transformers.sentence_transformer.modules.pooling.Pooling",
         {"embedding_dimension": 32, "pooling_mode": "cls", "include_prompt": True}, {}),
        ("2_Dense", f"{base}.dense.Dense",
         {"in_features": 32, "out_features": 32, "bias": False, "module_input_name": "sentence_embedding",
          "module_output_name": "sentence_embedding", "activation_function": "torch.nn.modules.activation.GELU"},
         {"linear.weight": first.weight}),
        ("3_LayerNorm", "sentence_transformers.sentence_transformer.modules.layer_norm.LayerNorm", {"dimension": 32},
         {"norm.weight": norm.weight, "norm.bias": norm.bias}),
        ("4_Dense", f"{base}.dense.Dense",
         {"in_features": 32, "out_features": 1, "bias": True, "module_input_name": "sentence_embedding",
          "module_output_name": "scores", "activation_function": "torch.nn.modules.linear.Identity"},
         {"linear.weight": last.weight, "linear.bias": last.bias}),
    ]  # fmt: skip
    for path, _, told, tensors in modules[1:]:
        (tmp_path / path).mkdir()
        (tmp_path / path / "config.json").write_text(json.dumps(told))
        if tensors:
            save_file(
                {name: t.detach().contiguous() for name, t in tensors.items()}, tmp_path / path / "model.safetensors"
            )
    listed = [{"idx": n, "name": str(n), "path": path, "type": kind} for n, (path, kind, *_) in enumerate(modules)]
    (tmp_path / "modules.json").write_text(json.dumps(listed))
    (tmp_path / "config_sentence_transformers.json").write_text(json.dumps({"model_type": "CrossEncoder"}))
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "[PAD]", "cls_token": "[CLS]",
                    "sep_token": "[SEP]", "unk_token": "[UNK]", "model_max_length": 128})
    )  # fmt: skip
    wanted = []
    for question, text in PAIRS:
        with torch.inference_mode():
            states = plain(model, own, question, text, types=False).last_hidden_state[:, 0]
            wanted.append(last(norm(torch.nn.functional.gelu(first(states)))).item())
    found = [CrossEncoder(str(tmp_path), "cpu").relevance(question, [text])[0] for question, text in PAIRS]
    assert np.array(found) == pytest.approx(wanted, abs=1e-5)
    together = CrossEncoder(str(tmp_path), "cpu").relevance(PAIRS[0][0], [text for _, text in PAIRS])
    assert together[0] == pytest.approx(wanted[0], abs=1e-5), "padding is not attended to"
