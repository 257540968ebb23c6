"""Small articulations on stages, running."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.assets.common.base import AssetBase
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.spawners import clone_environments
from usdsim.usd.stage import create_stage

ROBOT = "/World/envs/env_0/Robot"
ANYWHERE = "/World/envs/env_.*/Robot"
MASS, ARM, INERTIA = 2.0, 0.5, 0.05
"""Mass of a link [kg], distance of its centre of mass from its joint [m], inertia [kg m^2]."""


def add_body(stage: Usd.Stage, path: str, pos=(0, 0, 0), com=(0, 0, -ARM), mass=MASS) -> Usd.Prim:
    xform = UsdGeom.Xform.Define(stage, path)
    xform.AddTranslateOp().Set(Gf.Vec3d(*map(float, pos)))
    prim = xform.GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    api = UsdPhysics.MassAPI.Apply(prim)
    api.CreateMassAttr(mass)
    api.CreateCenterOfMassAttr(Gf.Vec3f(*map(float, com)))
    api.CreateDiagonalInertiaAttr(Gf.Vec3f(INERTIA))
    return prim


def add_joint(
    stage: Usd.Stage,
    path: str,
    kind: str,
    parent: str | None,
    child: str,
    pos0=(0, 0, 0),
    limits: tuple[float, float] | None = None,
    drive: dict[str, float] | None = None,
    axis: str = "Y",
) -> Usd.Prim:
    """Limits [degrees or m]; drive gains per degree or metre."""
    joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, path)
    if parent:
        joint.CreateBody0Rel().SetTargets([parent])
    joint.CreateBody1Rel().SetTargets([child])
    joint.CreateLocalPos0Attr(Gf.Vec3f(*map(float, pos0)))
    if kind in ("Revolute", "Prismatic"):
        joint.CreateAxisAttr(axis)
        if limits is not None:
            joint.CreateLowerLimitAttr(limits[0])
            joint.CreateUpperLimitAttr(limits[1])
    if drive is not None:
        token = "angular" if kind == "Revolute" else "linear"
        api = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), token)
        for name, value in drive.items():
            getattr(api, f"Create{name}Attr")(value)
    return joint.GetPrim()


def new_stage() -> Usd.Stage:
    stage = create_stage()
    for path in ("/World", "/World/envs", "/World/envs/env_0", ROBOT):
        UsdGeom.Xform.Define(stage, path)
    return stage


def chain(
    links: int = 1,
    *,
    fixed: bool = True,
    kind: str = "Revolute",
    limits: tuple[float, float] | None = None,
    drive: dict[str, float] | None = None,
    axis: str = "Y",
    height: float = 0.0,
) -> Usd.Stage:
    """A base and links below one another: `base`, `link_1`, ...; joints `joint_1`, ..."""
    stage = new_stage()
    robot = stage.GetPrimAtPath(ROBOT)
    UsdPhysics.ArticulationRootAPI.Apply(robot)
    add_body(stage, f"{ROBOT}/base", pos=(0, 0, height), com=(0, 0, 0))
    if fixed:
        add_joint(stage, f"{ROBOT}/anchor", "Fixed", None, f"{ROBOT}/base", pos0=(0, 0, height))
    for i in range(1, links + 1):
        parent = f"{ROBOT}/base" if i == 1 else f"{ROBOT}/link_{i - 1}"
        child = f"{ROBOT}/link_{i}"
        hang = (0, 0, 0) if i == 1 else (0, 0, -1)
        add_body(stage, child, pos=(0, 0, height - (i - 1)))
        add_joint(stage, f"{ROBOT}/joint_{i}", kind, parent, child, hang, limits, drive, axis)
    return stage


def environments(stage: Usd.Stage, num_envs: int, spacing: float = 5.0) -> Usd.Stage:
    if num_envs > 1:
        clone_environments("/World/envs/env_0", num_envs, spacing, stage=stage)
    return stage


@contextmanager
def running(
    stage: Usd.Stage,
    num_envs: int = 1,
    *,
    dt: float = 0.005,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    cfg: ArticulationCfg | None = None,
    **options: Any,
) -> Iterator[tuple[SimulationContext, Articulation]]:
    """A simulation and the articulation in it, initialized."""
    environments(stage, num_envs)
    with SimulationContext(SimulationCfg(dt=dt, gravity=gravity, threads=1), stage) as sim:
        robot = Articulation(cfg or ArticulationCfg(prim_path=ANYWHERE, **options))
        sim.reset()
        yield sim, robot


def advance(sim: SimulationContext, asset: AssetBase, steps: int = 1) -> None:
    for _ in range(steps):
        asset.write_data_to_sim()
        sim.step()
        asset.update(sim.physics_dt)


def values(array: Any) -> np.ndarray[Any, Any]:
    """A copy as NumPy."""
    return np.array(array.numpy())
