"""MMDocIR and one's own questions, with the protocol, questions and rubrics of all benchmarks."""

from evaluation.tasks import mmdocir
from evaluation.tasks.prediction import boxes_of, draft_rows, nothing, page_box, prediction
from evaluation.tasks.protocol import (
    TASKS,
    DocumentBase,
    Foreign,
    Given,
    GivenItems,
    InlineBoxes,
    ItemPicture,
    Judged,
    PageRegion,
    Picture,
    Rubric,
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
    page_count,
    page_number,
    page_size,
    reason,
    rows_of,
    text_of,
)
