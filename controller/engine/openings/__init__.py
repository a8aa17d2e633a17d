"""How games begin: the three-move ballots, and a small book of openings."""

from controller.engine.openings.ballots import Ballot, BallotError, all_ballots, ballot, ballots
from controller.engine.openings.book import Book, BookError, WithBook, standard_book

__all__ = [
    "Ballot",
    "BallotError",
    "Book",
    "BookError",
    "WithBook",
    "all_ballots",
    "ballot",
    "ballots",
    "standard_book",
]
