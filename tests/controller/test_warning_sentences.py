"""Warnings as sentences."""

from __future__ import annotations

import warnings

import pytest

from controller.engine.choosing import WeakerEngineWarning
from controller.warning_sentences import say_warnings_as


@pytest.fixture
def warn(monkeypatch, capsys):
    """Warn of something; what is on stderr then."""
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    say_warnings_as("tool")

    def run(category: type[Warning]) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            show = warnings.showwarning
            say_warnings_as("tool")
            warnings.warn("it is weaker", category, stacklevel=1)
            warnings.showwarning = show
        return capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("category", "said"),
    [(UserWarning, "tool: it is weaker\n"), (WeakerEngineWarning, "tool: it is weaker\n"), (DeprecationWarning, "")],
)
def test_people_get_a_sentence_without_a_place_and_nothing_meant_for_programmers(warn, category, said) -> None:
    assert warn(category) == said
