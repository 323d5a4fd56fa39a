"""The JSON messages of the HTTP API: requests, responses, and the events of an answer.

`vouch.client` reads the responses, too. Boxes are left, top, right, bottom in fractions of the displayed page; pages
count from 1.
"""

from ui.web.messages.requests import (
    MOST_CHARS,
    MOST_SHOWN,
    ApiRequest,
    AskBody,
    AuditBody,
    CheckBody,
    DocumentsQuery,
    Form,
    ImageQuery,
    ListingQuery,
    NewCollection,
    PaperFile,
    SearchBody,
    UploadQuery,
)
from ui.web.messages.responses import (
    STREAMED,
    AnchorRecord,
    AnswerRecord,
    ApiRecord,
    AuditRecord,
    Box,
    CheckRecord,
    CollectionList,
    CollectionRecord,
    DocumentList,
    DocumentRecord,
    JobList,
    JobRecord,
    JobState,
    PageRecord,
    ProblemRecord,
    RankingRecord,
    StartRecord,
    record_of,
)
