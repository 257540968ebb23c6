"""A small scene with everything joints and contacts do, and engines of it."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import X, Y, body, dof, geom, ground, joint, pose, scene

from usdsim.engine import CompiledModel, CpuEngine, compile_scene
from usdsim.parser.description import DriveDescription, GenericDescription

WORLDS = 3


def workshop(**values):
    """A box, a ball, a driven arm of two links on a rail, and a kinematic paddle."""
    bodies = [
        body("/box", pose((0.0, 0.0, 0.13), X, 0.1), inertia=np.full(3, 0.01)),
        body("/ball", pose((1.0, 0.0, 0.2)), linear_velocity=np.array([0.5, 0.0, 0.0])),
        body("/cart", pose((0.0, 2.0, 0.5)), joints=(0,), mass=2.0),
        body("/arm", pose((0.0, 2.0, 0.5)), parent=2, joints=(1,), com=np.array([0.2, 0.0, 0.0])),
        body("/paddle", pose((3.0, 0.0, 0.2)), kinematic=True, mass=1.0),
    ]
    drive = DriveDescription(stiffness=40.0, damping=4.0, target_position=0.4, max_force=30.0)
    joints = [
        joint(
            dof("/rail", "slide", Y, lower=-0.3, upper=0.3),
            path="/rail",
            kind="prismatic",
            child=2,
            parent_frame=pose((0.0, 2.0, 0.5)),
        ),
        joint(dof("/elbow", axis=Y, drive=drive), path="/elbow", parent=2, child=3),
    ]
    geoms = [
        ground(),
        geom("/box/shape", 0, "box", (0.1, 0.1, 0.1)),
        geom("/ball/shape", 1, "sphere", (0.1, 0.0, 0.0)),
        geom("/paddle/shape", 4, "box", (0.1, 0.1, 0.1)),
    ]
    sensors = (
        sensor("touch", "mjSENS_JOINTACTFRC", "mjOBJ_JOINT", "/elbow"),
        sensor("speed", "mjSENS_JOINTVEL", "mjOBJ_JOINT", "/elbow"),
    )
    return scene(bodies, joints, geoms, elements=sensors, name="workshop", **values)


def sensor(name, kind, owner, target):
    import mujoco

    return GenericDescription(
        path=f"/{name}",
        kind="sensor",
        name=name,
        overrides={
            "type": int(getattr(mujoco.mjtSensor, kind)),
            "objtype": int(getattr(mujoco.mjtObj, owner)),
            "objname": target,
        },
    )


@cache
def compiled_workshop() -> CompiledModel:
    return compile_scene(workshop())


def engines(compiled: CompiledModel, num_envs: int = WORLDS, **options):
    """The CPU engine and the Warp engine with the same worlds."""
    warp_engine = pytest.importorskip("usdsim.engine.warp.engine")
    on_device = warp_engine.WarpEngine(compiled, num_envs, DEVICE, **options)
    return CpuEngine(compiled, num_envs), on_device
