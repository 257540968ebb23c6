"""Soft bodies that tests of deformable objects put on their stages."""

from __future__ import annotations

import numpy as np

from usdsim.assets import DeformableObject, DeformableObjectCfg
from usdsim.schemas import PhysxDeformableBodyPropertiesCfg
from usdsim.spawners import (
    DeformableBodyMaterialCfg,
    MeshCuboidCfg,
    MeshSquareCfg,
    SurfaceDeformableBodyMaterialCfg,
)

__all__ = [
    "ELEMENTS",
    "NODES",
    "POISSON",
    "SOFT",
    "YOUNG",
    "Start",
    "cloth",
    "deformed",
    "lame",
    "soft_cube",
    "soft_spawner",
    "states",
    "values",
]

SOFT = "{ENV_REGEX_NS}/Soft"
YOUNG, POISSON = 1e5, 0.3
NODES, ELEMENTS = 9, 12
"""Vertices of a cube of one cell, its corners and its middle, and tetrahedra: two on each side."""
Start = DeformableObjectCfg.InitialStateCfg


def lame(young=YOUNG, poisson=POISSON):
    """Lame's parameters [Pa]."""
    shear = young / (2.0 * (1.0 + poisson))
    return young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), shear


def soft_spawner(size=0.2, cells=1, mass=2.0, kinematic=None, young=YOUNG, **properties):
    """A soft cube of a few tetrahedra."""
    return MeshCuboidCfg(
        size=(size, size, size),
        deformable_props=PhysxDeformableBodyPropertiesCfg(
            simulation_hexahedral_resolution=cells,
            mass=mass,
            kinematic_enabled=kinematic,
            **properties,
        ),
        physics_material=DeformableBodyMaterialCfg(
            youngs_modulus=young, poissons_ratio=POISSON, elasticity_damping=0.01
        ),
    )


def soft_cube(sim, path=SOFT, start=None, reset=True, **values) -> DeformableObject:
    """An asset of a soft cube, one metre up."""
    cfg = DeformableObjectCfg(
        prim_path=path, spawn=soft_spawner(**values), init_state=start or Start(pos=(0, 0, 1))
    )
    asset = DeformableObject(cfg)
    if reset:
        sim.reset()
    return asset


def cloth(sim, start=None, cells=2, thickness=0.01, **values) -> DeformableObject:
    """An asset of a square cloth, half a metre wide."""
    spawn = MeshSquareCfg(
        size=(0.5, 0.5),
        resolution=(cells, cells),
        deformable_props=PhysxDeformableBodyPropertiesCfg(mass=0.5, **values),
        physics_material=SurfaceDeformableBodyMaterialCfg(
            youngs_modulus=YOUNG, poissons_ratio=POISSON, surface_thickness=thickness
        ),
    )
    asset = DeformableObject(
        DeformableObjectCfg(prim_path=SOFT, spawn=spawn, init_state=start or Start(pos=(0, 0, 1)))
    )
    sim.reset()
    return asset


def deformed(asset, matrix, shift=(0.0, 0.0, 0.0)):
    """Positions of the vertices, taken by a matrix about the mean of each body, and moved."""
    points = np.array(asset.data.nodal_pos_w.numpy(), np.float64)
    centre = points.mean(axis=1, keepdims=True)
    return centre + (points - centre) @ np.asarray(matrix, float).T + np.asarray(shift)


def values(array) -> np.ndarray:
    """A copy of an array of an asset."""
    return np.array(array.numpy())


def states(asset, seed=0) -> np.ndarray:
    """Random states, shape (num_instances, vertices, 6)."""
    shape = (asset.num_instances, asset.max_sim_vertices_per_body, 6)
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)
