"""Picks a reply: search, evaluation and the interface that every engine keeps."""
