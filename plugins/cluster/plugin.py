"""What the plugin `cluster` adds to Vouch."""

from vouch.hooks import ExecutorSpec, Plugin

PLUGIN = Plugin(
    name="cluster",
    summary="Index on the nodes of a Ray cluster.",
    executors=(
        ExecutorSpec(
            "ray",
            "the Ray cluster that this machine is a node of, or ray://HOST:PORT for the one with its head there",
            index="plugins.cluster.executor:RayExecutor",
        ),
    ),
)
