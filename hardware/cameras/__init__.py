"""Cameras, each giving frames as `hardware.frame.Camera` says."""
