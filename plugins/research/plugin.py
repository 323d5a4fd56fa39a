"""What the plugin `research` adds to Vouch."""

from vouch.hooks import BenchmarkTask, Command, Plugin

PLUGIN = Plugin(
    name="research",
    summary="Run benchmarks of papers, and make a test set of your own documents.",
    tasks=tuple(
        BenchmarkTask(name, f"plugins.research.tasks.{name.replace('-', '_')}")
        for name in ("citevqa", "visa", "mcitebench", "mavis", "vidore", "vidore-boxes", "bbox-docvqa")
    ),
    commands=(
        Command(
            "calibrate",
            "choose how sure Vouch must be to answer, for the share of wrong answers that you accept",
            options="plugins.research.arguments:add_calibrate_options",
            run="plugins.research.calibration:run",
            examples="examples:\n"
            "  vouch calibrate test-set --collection papers --at-most 1/20\n"
            "  vouch calibrate test-set --collection papers --at-most 1/10 --write\n"
            "  vouch calibrate runs/papers --collection papers     a run of vouch eval questions\n\n"
            "exit code: 0 a threshold keeps to it, 1 none does, 2 nothing could be asked, 130 stopped\n",
        ),
        Command(
            "board",
            "run the region benchmarks whose data is in a folder, ours beside published figures",
            options="plugins.research.board:add_options",
            run="plugins.research.board:run",
            examples="example:\n  vouch eval board data --out runs/board\n",
            group="eval",
        ),
        Command(
            "questions",
            "questions about your own documents, to find out how good Vouch is on them",
            options="plugins.research.own_questions:add_options",
            run="plugins.research.own_questions:run",
            examples="example, from documents to figures:\n"
            "  vouch connect\n"
            "  vouch eval construct questions --collection papers --profile mine.yaml --count 50 --out test-set\n"
            "  vouch eval questions --data test-set --collection papers --out runs/papers\n"
            "  vouch eval report runs/papers --out report\n\n"
            "exit code: 0 there are questions, 1 there are none, 2 nothing could be run, 130 stopped\n",
            group="construct",
        ),
    ),
)
