"""The compiled part of the engine; everything else about the package is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

CORE = Path("controller/engine/core")

setup(
    ext_modules=[
        Extension(
            "controller.engine._core",
            sources=sorted(str(file) for file in CORE.glob("*.c")),
            depends=sorted(str(file) for file in CORE.glob("*.h")),
            extra_compile_args=["-std=c11", "-O3", "-fvisibility=hidden", "-pthread"],
            extra_link_args=["-pthread", "-lm"],
            # One build serves every Python from 3.11 on.
            py_limited_api=True,
            # Without a compiler the installation goes on, and a weaker engine in plain Python plays.
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
