"""Simulation configuration whose material is there to be changed, as programs expect."""

from __future__ import annotations

from dataclasses import dataclass, field

from usdsim.sim import SimulationCfg as _SimulationCfg
from usdsim.spawners import PhysicsMaterialCfg, RigidBodyMaterialCfg

__all__ = ["SimulationCfg"]


@dataclass(kw_only=True)
class SimulationCfg(_SimulationCfg):
    """Simulation configuration with a material; see `usdsim.sim.SimulationCfg`."""

    physics_material: PhysicsMaterialCfg | None = field(default_factory=RigidBodyMaterialCfg)
    """Material of colliders that have none: friction 0.5, no bounce."""
