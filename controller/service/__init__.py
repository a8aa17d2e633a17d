"""The service: waits for people, plays with them, sets up the next game, and says how it is."""
