"""Grbl 1.1, grblHAL and FluidNC: the line, its replies, and the motion driver."""
