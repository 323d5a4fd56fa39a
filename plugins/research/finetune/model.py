"""The model that is trained: a frozen Qwen-VL with LoRA matrices beside its language model's layers.

Prompts are tokenised as a server does, replies by themselves after them, as they come when a model writes; only the
replies are learnt. The result is saved as an adapter, or merged with the checkpoint into one model. torch and peft are
imported when a model is loaded.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexing.embed.visual import Checkpoint, loading
from plugins.research import qwen_vl
from plugins.research.errors import CannotTrain
from plugins.research.finetune.course import Adapter
from plugins.research.finetune.data import Conversation
from rag.llm import Message, ModelSettings

WHO = "fine-tuning"
IGNORED = -100
"""The label of a token that is not learnt."""
_UNFOUND = "there is no module {names} in the layers of its language model (there are: {there}): correct --targets"


@dataclass(slots=True)
class Student:
    """A model that is trained. `settings` are those with which method visa has to ask it; `end` ends its turn."""

    model: Any
    processor: Any
    settings: ModelSettings
    device: str
    end: str

    @property
    def weights(self) -> dict[str, Any]:
        """The weights that are trained, by name."""
        return {name: weight for name, weight in self.model.named_parameters() if weight.requires_grad}


def family_of(checkpoint: Checkpoint) -> qwen_vl.Family:
    """Return the family of a checkpoint. Raises CheckpointUnfit for an unknown one, or an adapter."""
    if checkpoint.is_adapter:
        raise checkpoint.unfit(
            WHO, "it is an adapter: merge it first (--out ADAPTER --merge FOLDER), and use the merged model"
        )
    return qwen_vl.family_of(checkpoint, WHO)


def load(checkpoint: Checkpoint, adapter: Adapter, max_pixels: int, device: str, seed: int = 0) -> Student:
    """Load the model, frozen, with new LoRA matrices: bf16 on a GPU, fp32 elsewhere. `device` may be auto.

    Raises CheckpointUnfit, ExtraMissing, CannotTrain for a device that is not there.
    """
    with loading.importing(WHO):
        import torch
        from peft import LoraConfig, get_peft_model

    device = loading.device_of(device)
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise CannotTrain(f"--device {device}: torch finds no GPU here: use --device cpu, or install torch for CUDA")
    own = _settings(checkpoint, processor := qwen_vl.processor_of(checkpoint, WHO), max_pixels)
    end = _end(checkpoint, processor)
    model = qwen_vl.load(checkpoint, WHO, device)
    torch.manual_seed(seed)
    config = LoraConfig(
        r=adapter.rank,
        lora_alpha=adapter.alpha,
        lora_dropout=adapter.dropout,
        target_modules=_targets(checkpoint, model, adapter.targets),
        exclude_modules=r".*\bvisual\b.*",  # the vision tower has projections of the same names
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft asks transformers by an older name
        tuned = get_peft_model(model, config)
    tuned.peft_config["default"].base_model_name_or_path = checkpoint.name
    return Student(tuned, processor, own, device, end)


def keep_less(student: Student) -> None:
    """Turn gradient checkpointing on: compute the language model twice, instead of keeping all layers' results."""
    model = student.model.get_base_model()
    getattr(model, "activation_checkpointing_enable", model.gradient_checkpointing_enable)({"use_reentrant": False})
    model.disable_input_require_grads()  # gradients would go through the frozen vision tower for nothing


def encoded(student: Student, examples: Sequence[Conversation]) -> dict[str, Any]:
    """Return examples as tensors on the device, ending together. Raises CannotTrain.

    They are `input_ids`, `attention_mask`, `mm_token_type_ids` and `labels` (b, n), `pixel_values` and `image_grid_thw`
    of all their images.
    """
    import torch

    prompts = [_prompt(student, example) for example in examples]
    replies = [reply_ids(student, example) for example in examples]
    longest = max(p["input_ids"].shape[1] + len(r) for p, r in zip(prompts, replies, strict=True))
    shape = (len(examples), longest)
    pad = student.processor.tokenizer.pad_token_id or 0
    ids, labels = torch.full(shape, pad), torch.full(shape, IGNORED)
    mask, kinds = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    for row, (prompt, reply) in enumerate(zip(prompts, replies, strict=True)):
        asked, start = prompt["input_ids"].shape[1], longest - prompt["input_ids"].shape[1] - len(reply)
        ids[row, start : start + asked] = prompt["input_ids"][0]
        kinds[row, start : start + asked] = prompt["mm_token_type_ids"][0]
        ids[row, start + asked :] = labels[row, start + asked :] = torch.tensor(reply)
        mask[row, start:] = 1
    made = {"input_ids": ids, "attention_mask": mask, "mm_token_type_ids": kinds, "labels": labels}
    made |= {name: torch.cat([p[name] for p in prompts]) for name in ("pixel_values", "image_grid_thw")}
    return {name: value.to(student.device) for name, value in made.items()}


def reply_ids(student: Student, example: Conversation) -> list[int]:
    """Return the tokens that are learnt of an example: its reply, and the end of the turn."""
    text = example.reply(student.settings) + student.end
    found: list[int] = student.processor.tokenizer(text, add_special_tokens=False).input_ids
    return found


def loss(student: Student, batch: dict[str, Any]) -> Any:
    """Return the sum of the cross entropies of all tokens that are learnt; logits are made of no others."""
    import torch

    inputs = {name: value for name, value in batch.items() if name != "labels"}
    learnt = int((batch["labels"] != IGNORED).sum(dim=1).max())
    logits = student.model(**inputs, use_cache=False, logits_to_keep=learnt + 1).logits[:, :-1].float()
    labels = batch["labels"][:, -learnt:]
    return torch.nn.functional.cross_entropy(
        logits.flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="sum"
    )


def save_adapter(student: Student, folder: Path) -> None:
    """Write the adapter, each file whole or not at all. Raises OSError."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".saving-") as made:
        student.model.save_pretrained(made, save_embedding_layers=False)
        weights, config = Path(made) / "adapter_model.safetensors", Path(made) / "adapter_config.json"
        shutil.copymode(config, weights)  # a server may be another user than the one who trained
        for file in (weights, config):
            file.replace(folder / file.name)


def merge(checkpoint: Checkpoint, adapter: Path, out: Path) -> None:
    """Write the checkpoint with the adapter's changes in its weights, in their own type, and its processor.

    Raises CheckpointUnfit when the adapter is not one to this checkpoint, ExtraMissing.
    """
    family_of(checkpoint)
    with loading.importing(WHO):
        from peft import PeftModel
    processor = qwen_vl.processor_of(checkpoint, WHO)
    model = qwen_vl.load(checkpoint, WHO, "cpu", dtype="auto")
    try:
        merged = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload(safe_merge=True)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        why = loading.first_line(error)
        raise checkpoint.unfit(WHO, f"the adapter in {adapter} does not fit it ({why})") from None
    out.mkdir(parents=True, exist_ok=True)
    with loading.quiet():
        merged.save_pretrained(out)
        processor.save_pretrained(out)
    for weights in out.glob("*.safetensors"):
        shutil.copymode(out / "config.json", weights)  # a server may be another user than the one who merged
    for file in checkpoint.base.glob("*.json"):  # such as the older forms of chat template and tokenizer
        if not (out / file.name).exists() and not file.name.endswith(".index.json"):
            shutil.copyfile(file, out / file.name)


def _prompt(student: Student, example: Conversation) -> dict[str, Any]:
    """Return the prompt of method visa as tokens and pixels, up to where the reply begins. Raises CannotTrain."""
    message = example.asked(student.settings)
    images = [part for part in message.parts if not isinstance(part, str)]
    text = student.processor.apply_chat_template([_turn(message)], tokenize=False, add_generation_prompt=True)
    made: dict[str, Any] = student.processor(text=[text], images=images, return_tensors="pt")
    side = student.processor.image_processor.patch_size
    seen = [(int(wide) * side, int(high) * side) for _, high, wide in made["image_grid_thw"]]
    if seen != [image.size for image in images]:
        raise CannotTrain(
            f"{example.name}: the checkpoint's processor sees images of {seen} pixels that were sent as "
            f"{[image.size for image in images]}, so boxes would be in the wrong places: try another "
            "--max-pixels"
        )
    return made


def _turn(message: Message) -> dict[str, Any]:
    """Return a message as chat templates take it."""
    content = [{"type": "text", "text": p} if isinstance(p, str) else {"type": "image"} for p in message.parts]
    return {"role": message.role, "content": content}


def _settings(checkpoint: Checkpoint, processor: Any, max_pixels: int) -> ModelSettings:
    """Return the settings for method visa: the boxes of the model's family, images that its processor leaves alone."""
    images = processor.image_processor
    least, most = images.size["shortest_edge"], images.size["longest_edge"]
    if max_pixels < least:
        raise CannotTrain(
            f"--max-pixels {max_pixels}: {checkpoint.name} enlarges images to {least}: give a larger value"
        )
    defaults = ModelSettings.model_fields
    return ModelSettings(
        base_url="http://127.0.0.1:8000/v1",
        name="tuned",
        boxes=family_of(checkpoint).boxes,
        patch=images.patch_size * images.merge_size,
        max_pixels=min(max_pixels, most),
        min_pixels=max(min(defaults["min_pixels"].default, max_pixels), least),
    )


def _end(checkpoint: Checkpoint, processor: Any) -> str:
    """Return the text that the chat template writes after a reply, which ends a turn. Raises CheckpointUnfit."""
    user = {"role": "user", "content": [{"type": "text", "text": "?"}]}
    said = {"role": "assistant", "content": [{"type": "text", "text": "{}"}]}
    try:
        asked = processor.apply_chat_template([user], tokenize=False, add_generation_prompt=True)
        whole = processor.apply_chat_template([user, said], tokenize=False)
    except (ValueError, TypeError) as error:
        raise checkpoint.unfit(WHO, f"its chat template cannot be used ({loading.first_line(error)})") from None
    end: str = whole.removeprefix(f"{asked}{{}}").rstrip("\n")
    if not whole.startswith(f"{asked}{{}}") or not end:
        raise checkpoint.unfit(
            WHO,
            "its chat template makes it think before it replies, or has no end of a turn: use an Instruct checkpoint",
        )
    return end


def _targets(checkpoint: Checkpoint, model: Any, wanted: Sequence[str]) -> list[str]:
    """Return the names, all of which are modules of the language model's layers. Raises CheckpointUnfit."""
    import torch

    there = {
        name.rpartition(".")[2]
        for name, module in model.named_modules()
        if ".layers." in name and "visual" not in name and isinstance(module, torch.nn.Linear)
    }
    unknown = sorted(set(wanted) - there)
    if unknown:
        raise checkpoint.unfit(WHO, _UNFOUND.format(names=", ".join(unknown), there=", ".join(sorted(there))))
    return list(wanted)
