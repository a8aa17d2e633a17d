"""The rules of English draughts: pure functions and values, no input or output."""
