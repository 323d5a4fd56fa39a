"""What tests of embedders with a model need: a torch that can be used, and checkpoints made on the spot."""

import importlib.util
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from indexing import IndexingSettings, Page, ParsedPage

if importlib.util.find_spec("torch") is not None:
    from tests.visual import cure  # noqa: F401  makes torchvision importable

OF_OTHERS = [  # warnings of the libraries about themselves
    "ignore:__array__ implementation doesn't accept a copy keyword:DeprecationWarning",
    "ignore:`is_gradient_checkpointing` is deprecated:FutureWarning",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder carry the marker."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("visual")
            for warning in OF_OTHERS:
                item.add_marker(pytest.mark.filterwarnings(warning))


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """`checkpoint(name)`: the folder of a tiny checkpoint, made when it is first asked for."""
    from tests.visual import tiny_patches, tiny_space

    makers = tiny_patches.MAKERS | tiny_space.MAKERS
    made: dict[str, Path] = {}

    def find(name: str) -> Path:
        if name not in made:
            made[name] = tmp_path_factory.mktemp(name)
            makers[name](made[name])
        return made[name]

    return find


def settings(visual: str, folder: Path, **more: object) -> IndexingSettings:
    """Settings of an embedder with a model; a page may take long where many tests run at once."""
    told = {"visual": visual, "checkpoint": str(folder), "workers": 1, "page_seconds": 600.0, **more}
    return IndexingSettings.model_validate(told)


def drawn(width: int, height: int, *squares: tuple[float, float, float, float]) -> ParsedPage:
    """A white page with black squares, given in fractions of it."""
    image = Image.new("RGB", (width, height), "white")
    for x0, y0, x1, y1 in squares:
        ImageDraw.Draw(image).rectangle((x0 * width, y0 * height, x1 * width, y1 * height), fill="black")
    png = BytesIO()
    image.save(png, "PNG")
    return ParsedPage(Page("d", 1, width, height), (), (), png.getvalue())
