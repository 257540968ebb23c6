"""Spawners: shapes, files, materials, lights, cameras and environments put on a stage.

A configuration says what; ``cfg.func(prim_path, cfg, translation, orientation)`` puts it there,
once or below every parent that matches a pattern.
"""

from __future__ import annotations

from usdsim.core.errors import MissingFileError

from . import bind, curves, ground, lights, materials, meshes, sensors, shapes, wrappers
from .bind import *
from .cfg import DeformableObjectSpawnerCfg, RigidObjectSpawnerCfg, SpawnerCfg
from .clone import clone_environments, filter_collisions, grid_origins
from .curves import *
from .files import (
    FileCfg,
    UsdFileCfg,
    UsdFileWithCompliantContactCfg,
    select_usd_variants,
    spawn_from_usd,
    spawn_from_usd_with_compliant_contact_material,
)
from .ground import *
from .lights import *
from .materials import *
from .meshes import *
from .place import ENV_REGEX_NS, NoParentError, place
from .sensors import *
from .shapes import *
from .wrappers import *

__all__ = [
    *bind.__all__,
    *curves.__all__,
    *ground.__all__,
    *lights.__all__,
    *materials.__all__,
    *meshes.__all__,
    *sensors.__all__,
    *shapes.__all__,
    *wrappers.__all__,
    "ENV_REGEX_NS",
    "DeformableObjectSpawnerCfg",
    "FileCfg",
    "MissingFileError",
    "NoParentError",
    "RigidObjectSpawnerCfg",
    "SpawnerCfg",
    "UsdFileCfg",
    "UsdFileWithCompliantContactCfg",
    "clone_environments",
    "filter_collisions",
    "grid_origins",
    "place",
    "select_usd_variants",
    "spawn_from_usd",
    "spawn_from_usd_with_compliant_contact_material",
]
