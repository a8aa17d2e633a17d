"""Engines that pick replies, behind one interface."""

from controller.engine.alpha_beta import AlphaBeta
from controller.engine.interface import SURE_WIN, WIN, Engine, Limits, Reply
from controller.engine.levels import STRONGEST, WEAKEST, Level, level_limits

__all__ = [
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
]
