"""Simulation configuration with a material, and the places where programs read it."""

from __future__ import annotations

from dataclasses import dataclass, field

from pxr import UsdPhysics

from usdsim.sim import SimulationCfg as _SimulationCfg
from usdsim.sim import SimulationContext
from usdsim.spawners import PhysicsMaterialCfg, RigidBodyMaterialCfg
from usdsim.usd.attributes import author
from usdsim.usd.schemas import apply_api

__all__ = ["SimulationCfg", "tell_settings"]

_SOLVERS = ("PGS", "TGS")
"""Solvers of PhysX by the number that its settings have."""


@dataclass(kw_only=True)
class SimulationCfg(_SimulationCfg):
    """Simulation configuration with a material; see `usdsim.sim.SimulationCfg`."""

    physics_material: PhysicsMaterialCfg | None = field(default_factory=RigidBodyMaterialCfg)
    """Material of colliders that have none: friction 0.5, no bounce."""


def tell_settings(simulation: SimulationContext) -> None:
    """Write the configuration where programs read it: PhysX's attributes, and settings by name.

    Args:
        simulation: the simulation, whose physics scene gets the attributes.
    """
    cfg = simulation.cfg
    fabric = getattr(cfg, "use_fabric", None) is not False
    simulation.set_setting("/isaaclab/fabric_enabled", fabric)
    prim = simulation.stage.GetPrimAtPath(cfg.physics_prim_path)
    if not prim or not prim.IsA(UsdPhysics.Scene):
        return
    apply_api(prim, "PhysxSceneAPI")
    if cfg.dt is not None and cfg.dt <= 1.0:
        author(prim, "physxScene:timeStepsPerSecond", "uint", round(1.0 / cfg.dt))
    solver = int(getattr(getattr(cfg, "physics", None), "solver_type", 1))
    author(prim, "physxScene:solverType", "token", _SOLVERS[solver], uniform=True)
