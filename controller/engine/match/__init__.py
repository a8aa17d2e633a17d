"""Matches between engines, and what their results say about the difference in strength."""

from controller.engine.match.elo import Estimate, elo_of_score, estimate, expected_score, superiority
from controller.engine.match.one_game import MatchGame, Pace
from controller.engine.match.order import MatchOrder, all_ballots_order, drawn_ballots
from controller.engine.match.players import Player, PlayerError, player_named
from controller.engine.match.playing import MatchResult, match_games, play_match

__all__ = [
    "Estimate",
    "MatchGame",
    "MatchOrder",
    "MatchResult",
    "Pace",
    "Player",
    "PlayerError",
    "all_ballots_order",
    "drawn_ballots",
    "elo_of_score",
    "estimate",
    "expected_score",
    "match_games",
    "play_match",
    "player_named",
    "superiority",
]
