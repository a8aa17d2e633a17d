"""The learnt evaluation's school: games of the engine against itself, and the fitting of a small network to them.

Run `python -m controller.engine.tuning --help`. Nothing here is needed to play: the weights lie beside the engine.
"""
