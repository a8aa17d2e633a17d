"""Teaching the square network: pictures the project draws itself, and the training on them.

Nothing here is needed to play: it wants the extra `train` (PyTorch, numba, onnx). `python -m vision.training --help`.
"""
