"""What the plugin `research` adds to Vouch."""

from vouch.hooks import Command, Plugin

_CONSTRUCT = "plugins.research.construct.cli"

PLUGIN = Plugin(
    name="research",
    summary="Fit and examine models, and make benchmark data of your own documents.",
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
        Command(
            "visa",
            "a page, a box and a short answer for each question",
            options=f"{_CONSTRUCT}:add_visa_options",
            run=f"{_CONSTRUCT}:visa_data",
            examples="example:\n  vouch eval construct visa --collection mine --profile mine.yaml --out data/mine "
            "--sft data/mine/sft.jsonl\n",
            group="construct",
        ),
        Command(
            "citevqa",
            "elements of one or several documents for each question",
            options=f"{_CONSTRUCT}:add_citevqa_options",
            run=f"{_CONSTRUCT}:citevqa_data",
            group="construct",
        ),
        Command(
            "mavis",
            "posts of a community, with answers that documents prove",
            options=f"{_CONSTRUCT}:add_mavis_options",
            run=f"{_CONSTRUCT}:mavis_data",
            group="construct",
        ),
        Command(
            "mcitebench",
            "papers with their reviews: a question and items of the same paper",
            options=f"{_CONSTRUCT}:add_mcitebench_options",
            run=f"{_CONSTRUCT}:mcitebench_data",
            examples="example:\n  vouch eval construct mcitebench --collection papers --profile mine.yaml "
            "--reviews reviews --out data/papers\n",
            group="construct",
        ),
    ),
)
