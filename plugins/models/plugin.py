"""What the plugin `models` adds to Vouch."""

from vouch.hooks import Command, DoctorCheck, IndexNotes, PairReader, Plugin, Tab

PLUGIN = Plugin(
    name="models",
    summary="List, fetch and use models by name.",
    commands=(
        Command(
            "models",
            "list, fetch, use and compare the models that answer, embed and see",
            options="plugins.models.options:add_options",
            run="plugins.models.command:run",
            examples="""\
examples:
  vouch models                                    what is here, what can be had, and what this machine has memory for
  vouch models get qwen3-vl-4b                    fetch a model; its licence and size are shown first
  vouch models use qwen3-vl-4b                    let it write the answers from now on
  vouch models get hf:owner/name:Q4_K_M           a GGUF that is not in the list
  vouch models import ~/Downloads/model.gguf --mmproj ~/Downloads/mmproj.gguf
  vouch models pack qwen3-vl-4b --to model.tar    for a machine without network; there: vouch models import model.tar
  vouch models compare --collection papers        your own questions, answered with it and without
  vouch models use --quotes                       back to quotes

Nothing is contacted before `get`. HF_ENDPOINT names a mirror, HF_HUB_OFFLINE forbids fetching.
""",
        ),
    ),
    tabs=(Tab("models", "Models", "plugins.models.web.tab:models_tab", without_model="Choose a model that writes"),),
    pair_readers=(
        PairReader("cross-encoder", "plugins.models.reranking:Reranking", "plugins.models.verifier:Verifier"),
    ),
    checks=(
        DoctorCheck("models", "plugins.models.advice:findings"),
        DoctorCheck("languages", "plugins.models.languages:findings"),
    ),
    index_notes=(IndexNotes("plugins.models.languages:notes_on"),),
)
