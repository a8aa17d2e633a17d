"""Engines that pick replies, behind one interface."""

from controller.engine.alpha_beta import AlphaBeta
from controller.engine.choosing import make_engine
from controller.engine.interface import SURE_WIN, WIN, Engine, Limits, Reply
from controller.engine.levels import BEST, LEVEL_NAMES, STRONGEST, WEAKEST, Level, level_limits, level_named

__all__ = [
    "BEST",
    "LEVEL_NAMES",
    "STRONGEST",
    "SURE_WIN",
    "WEAKEST",
    "WIN",
    "AlphaBeta",
    "Engine",
    "Level",
    "Limits",
    "Reply",
    "level_limits",
    "level_named",
    "make_engine",
]
