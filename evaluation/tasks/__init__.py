"""The benchmark tasks, one module each, with the protocol, questions and rubrics that they share."""

from evaluation.tasks import mcitebench, mmdocir, visa
from evaluation.tasks.items import pixel_size
from evaluation.tasks.prediction import boxes_of, draft_rows, nothing, page_box, prediction
from evaluation.tasks.protocol import (
    DocumentBase,
    Foreign,
    Given,
    GivenItems,
    InlineBoxes,
    Judged,
    SearchTask,
    Task,
)
from evaluation.tasks.questions import (
    Figures,
    Gold,
    GoldQuestion,
    GoldReader,
    box,
    file_id,
    found_in,
    of,
    page_number,
    reason,
    rows_of,
    text_of,
)
from evaluation.tasks.registry import TASKS
from evaluation.tasks.rubric import HIGHEST, PageRegion, Picture, Rubric

__all__ = [
    "HIGHEST",
    "TASKS",
    "DocumentBase",
    "Figures",
    "Foreign",
    "Given",
    "GivenItems",
    "Gold",
    "GoldQuestion",
    "GoldReader",
    "InlineBoxes",
    "Judged",
    "PageRegion",
    "Picture",
    "Rubric",
    "SearchTask",
    "Task",
    "box",
    "boxes_of",
    "draft_rows",
    "file_id",
    "found_in",
    "mcitebench",
    "mmdocir",
    "nothing",
    "of",
    "page_box",
    "page_number",
    "pixel_size",
    "prediction",
    "reason",
    "rows_of",
    "text_of",
    "visa",
]
