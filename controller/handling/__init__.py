"""Turns a move into the transfers of discs that carry it out."""
