"""The API does as its description says: schemathesis asks whatever the description allows, and what it does not."""

from typing import Any

import pytest
import schemathesis
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, seed, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from tests.ui.web.api.api_server import ApiServer
from ui.web.api.application import routers

pytestmark = pytest.mark.slow
# Text over its length may make a body over the length of bodies, which is refused before it is read: 413.
REFUSED = ["400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx"]
CONFIG = schemathesis.Config.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": REFUSED}}})
EXAMPLES = 6
"""The requests of each kind that are made of each operation."""
MEANING = {"list_collections", "list_documents", "list_jobs", "add_documents", "ask", "search", "check", "audit"}
"""The operations whose filter, cursor or file has rules that no schema can tell: what fits it may be refused still."""


@pytest.fixture(scope="module")
def described(server: ApiServer) -> Any:
    """The description of a running server, read from it."""
    return schemathesis.openapi.from_url(f"{server.address}/openapi.json", config=CONFIG)


NAMES = [str(one.operation_id) for router in routers() for one in router.routes if isinstance(one, APIRoute)]
ASKED = [("start", GenerationMode.POSITIVE)]  # which takes nothing that could be unfit; the description is read anyhow
ASKED += [(name, mode) for name in NAMES if name not in ("start", "describe") for mode in GenerationMode]


@pytest.mark.parametrize(("name", "mode"), ASKED)
def test_whatever_is_asked_is_answered_as_described(described: Any, name: str, mode: GenerationMode) -> None:
    (operation,) = [
        one.ok() for one in described.get_all_operations() if one.ok().definition.raw["operationId"] == name
    ]

    @seed(20)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def ask(case: Any) -> None:
        case.call_and_validate(excluded_checks=[positive_data_acceptance] if name in MEANING else [])

    ask()
