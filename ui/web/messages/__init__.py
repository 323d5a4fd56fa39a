"""The JSON messages of the HTTP API: requests, responses, and the events of an answer.

`vouch.client` reads the responses, too. Boxes are left, top, right, bottom in fractions of the displayed page; pages
count from 1.
"""

from ui.web.messages.answers import AnchorRecord, AnswerRecord, AuditRecord, CheckRecord, RankingRecord
from ui.web.messages.collections import CollectionList, CollectionRecord, DocumentList, DocumentRecord, PageRecord
from ui.web.messages.events import STREAMED
from ui.web.messages.jobs import JobList, JobRecord, JobState
from ui.web.messages.records import ApiRecord, Box, ProblemRecord, StartRecord, record_of
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
