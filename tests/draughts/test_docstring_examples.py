"""The examples in the docstrings of the rules are run."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from controller.draughts import game, position


@pytest.mark.parametrize("module", [game, position])
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
