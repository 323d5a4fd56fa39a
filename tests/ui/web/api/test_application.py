"""The application of the API behind a proxy, which may strip the path at which it serves the page, or not."""

from types import SimpleNamespace
from typing import Any, cast

import anyio
import httpx
import pytest

from ui.settings import UiSettings
from ui.web.api import Api


@pytest.mark.parametrize(
    ("root", "path"), [("", ""), ("/vouch", ""), ("/vouch", "/vouch"), ("/of/docs", "/of/docs"), ("/of/docs", "")]
)
def test_a_proxy_may_strip_its_path(root: str, path: str) -> None:
    async def started() -> Any:
        parts = SimpleNamespace(uploads=SimpleNamespace(settings=UiSettings()), quick=anyio.CapacityLimiter(1))
        transport = httpx.ASGITransport(cast("Any", Api(cast("Any", None), cast("Any", parts))), root_path=root)
        async with httpx.AsyncClient(transport=transport, base_url="http://vouch") as client:
            assert (await client.head(f"{path}/api/v1/")).status_code == 200
            assert (await client.get(f"{path}/api/v1/nowhere")).status_code == 404
            return (await client.get(f"{path}/api/v1")).json()

    start = anyio.run(started)
    assert start["collections"] == f"{root}/api/v1/collections"
    assert start["version"] is None, "strangers are not told the version"
