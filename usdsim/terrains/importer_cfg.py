"""Terrain configuration of a scene."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, Literal

from usdsim.core.declared import DeclaredConfiguration
from usdsim.core.errors import InvalidValueError
from usdsim.spawners import PhysicsMaterialCfg, RigidBodyMaterialCfg, VisualMaterialCfg

from .cfg import TerrainGeneratorCfg
from .importer import TerrainImporter

__all__ = ["TerrainImporterCfg"]


class TerrainImporterCfg(DeclaredConfiguration):
    """Ground of a scene, and where its environments are on it."""

    class_type: Any = TerrainImporter
    """Class that brings it to the stage."""
    collision_group: int = -1
    """-1: it collides with all environments."""
    prim_path: str = MISSING  # type: ignore[assignment]
    """Prim that terrains are put below."""
    num_envs: int = 1
    """Number of environments; a scene sets its own."""
    terrain_type: Literal["generator", "plane", "usd"] = "generator"
    """Kind of terrain: generated pieces, an infinite plane, or a file."""
    terrain_generator: TerrainGeneratorCfg | None = None
    """The pieces, for ``generator``."""
    usd_path: str | None = None
    """The file, for ``usd``."""
    env_spacing: float | None = None
    """Distance of environments where they are on a grid [m]; a scene sets its own."""
    use_terrain_origins: bool = True
    """Whether environments are on the pieces' origins; otherwise on a grid."""
    visual_material: VisualMaterialCfg | None = None
    """Look of the terrain; None: grey, or the generator's colours."""
    physics_material: PhysicsMaterialCfg | None = RigidBodyMaterialCfg()
    """Physics material of the terrain; None: the engine's default."""
    max_init_terrain_level: int | None = None
    """Highest level at the start; None: all levels."""
    debug_vis: bool = False
    """Has no effect."""
    seed: int = 0
    """Seed of levels that are random: those at the start, and the next one after the last."""

    def validate(self) -> None:
        """Check the values.

        Raises:
            InvalidValueError: one is missing, or outside what is allowed.
        """
        super().validate()
        needed = {"generator": "terrain_generator", "usd": "usd_path", "plane": None}
        if self.terrain_type not in needed:
            raise InvalidValueError(
                "TerrainImporterCfg.terrain_type", self.terrain_type, "generator, plane or usd"
            )
        name = needed[self.terrain_type]
        if name is not None and getattr(self, name) is None:
            raise InvalidValueError(
                f"TerrainImporterCfg.{name}", None, f"a value, for terrain {self.terrain_type!r}"
            )
