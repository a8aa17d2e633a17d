"""The measurement of the hand guard in real time: what `python -m tests.guard_latency` is made of."""
