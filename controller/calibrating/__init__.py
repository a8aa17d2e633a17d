"""Calibrates camera and arm, step by step, with a person's help and without a ruler."""
