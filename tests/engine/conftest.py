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
def no_endgame_tables() -> Iterator[None]:
    """No endgame tables are attached when the test begins, whatever ran before; nor are any left."""
    _core.endgame_detach()
    yield
    _core.endgame_detach()


@pytest.fixture
def endgame_tables(no_endgame_tables: None, endgame_folder: Path) -> None:
    """The endgame tables of up to four pieces, attached while the test runs."""
    attach_tables(endgame_folder)
