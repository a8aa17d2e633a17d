"""What several tests of the engine share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.engine import _core
from controller.engine.endgame import attach_tables
from controller.engine.endgame.building import build_tables


@pytest.fixture(scope="session")
def endgame_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the endgame tables of up to four pieces, which are not attached. Not to be changed."""
    folder = tmp_path_factory.mktemp("endgame") / "tables"
    build_tables(folder, 4, lambda progress: None)
    _core.endgame_detach()
    return folder


@pytest.fixture
def endgame_tables(endgame_folder: Path) -> Iterator[None]:
    """The endgame tables of up to four pieces, attached while the test runs."""
    attach_tables(endgame_folder)
    yield
    _core.endgame_detach()
