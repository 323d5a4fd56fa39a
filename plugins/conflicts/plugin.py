"""What the plugin `conflicts` adds to Vouch."""

from vouch.hooks import AnswerRemarks, Command, Plugin

_EXAMPLES = """\
examples:
  vouch conflicts                                       list where the documents of the collection disagree
  vouch conflicts --documents report.pdf slides.pdf     compare these documents only
  vouch conflicts --format html --out conflicts.html    write a page with pictures of both places, side by side
  vouch conflicts --format json | jq length             count them, for a program
"""

PLUGIN = Plugin(
    name="conflicts",
    summary="Show where documents disagree: beside answers, and in a list of a collection.",
    commands=(
        Command(
            "conflicts",
            "list where documents state different values of the same thing",
            options="plugins.conflicts.command:add_options",
            run="plugins.conflicts.command:run",
            examples=_EXAMPLES,
        ),
    ),
    remarks=(AnswerRemarks("plugins.conflicts.compare:remarks_on"),),
)
