"""Simulation configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from usdsim.core.arguments import choice, number, table, whole
from usdsim.core.configuration import Configuration
from usdsim.engine import FailurePolicy
from usdsim.engine.create import check_device
from usdsim.parser.quantities import DIALECTS
from usdsim.spawners import PhysicsMaterialCfg

from .unused_settings import UnusedSettings

__all__ = ["SimulationCfg"]


@dataclass(kw_only=True)
class SimulationCfg(UnusedSettings, Configuration):
    """Settings of a simulation.

    What is stated here wins over what the stage authors, and is authored where the stage has no
    physics scene yet. None leaves the stage's own values in force.
    """

    device: str = "cpu"
    """Device to simulate on: ``cpu``, ``cuda``, ``cuda:1`` and so on, or ``warp:cpu``, which runs
    the path of ``cuda`` without a GPU."""
    device_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `usdsim.engine.create.create_engine` for devices other than the CPU, such as
    ``nconmax``, ``njmax``, ``on_overflow`` and ``fallback``."""
    dt: float | None = 1.0 / 60.0
    """Time step [s]; None: as authored, else the engine's default."""
    render_interval: int = 1
    """Steps from one rendering to the next, where `SimulationContext.step` is asked to render."""
    gravity: Sequence[float] | None = (0.0, 0.0, -9.81)
    """Gravity in world, Z up [m/s^2], shape (3,); None: as authored, else 9.81 down."""
    physics_prim_path: str = "/physicsScene"
    """Path of the physics scene authored on a stage that has none."""
    physics_material: PhysicsMaterialCfg | None = None
    """Material of colliders that have none; None: as authored, else the parser's default."""
    threads: int = 0
    """Number of threads on the CPU; 0: one per CPU this process may use."""
    on_failure: FailurePolicy = "raise"
    """Policy when a world diverges: ``raise``, ``reset`` or ``report``."""
    strict: bool = False
    """Whether to refuse stages on which anything authored has no effect."""
    precedence: Sequence[str] = DIALECTS
    """Precedence of dialects where several state one quantity."""

    def validate(self) -> None:
        """Check the values.

        Raises:
            InvalidValueError: one is outside what is allowed.
        """
        check_device(self.device)
        if self.dt is not None:
            number("SimulationCfg.dt", self.dt, unit="s")
        whole("SimulationCfg.render_interval", self.render_interval, 1)
        if self.gravity is not None:
            table("SimulationCfg.gravity", self.gravity, (3,))
        choice("SimulationCfg.on_failure", self.on_failure, get_args(FailurePolicy))
