"""Console of the engine, kept quiet: warnings are counted per world instead."""

from __future__ import annotations

import mujoco

__all__ = ["Quiet"]


class Quiet:
    """Keeps the engine from writing warnings to the console and to a file beside the program."""

    __slots__ = ("_before", "_silent")

    def __init__(self) -> None:
        self._before = self._silent = mujoco.MjLogConfig.get()
        self._silent.logto_console = self._silent.logto_file = False

    def __enter__(self) -> None:
        self._before = mujoco.MjLogConfig.get()
        self._silent.set()

    def __exit__(self, *error: object) -> None:
        self._before.set()
