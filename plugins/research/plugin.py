"""What the plugin `research` adds to Vouch."""

from vouch.hooks import Command, Plugin

PLUGIN = Plugin(
    name="research",
    summary="Fit models, and hold answers that models wrote against judges.",
    commands=(
        Command(
            "written",
            "check answers that models wrote, and compare the verdicts with judges",
            options="plugins.research.written_answers:add_options",
            run="plugins.research.written_answers:written",
            examples="example:\n  vouch eval written --data written.jsonl --gold MMDocIR --home HOME --collection eval "
            "--out runs/written\n",
            group="eval",
        ),
    ),
)
