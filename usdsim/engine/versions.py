"""Version counters of the engine's arrays, for what is derived from them."""

from __future__ import annotations

__all__ = ["Versions"]


class Versions:
    """Version counters: changes of each part of an engine.

    Attributes:
        motion: steps and writes of positions, velocities or parameters.
        forces: those, and writes of inputs such as controls.
        parameters: writes of model parameters.
        arrays: times that arrays handed out earlier were replaced by others.
    """

    __slots__ = ("arrays", "forces", "motion", "parameters")

    def __init__(self) -> None:
        self.motion = self.forces = self.parameters = self.arrays = 0
