"""Frames to readings; knows nothing of rules or motors."""
