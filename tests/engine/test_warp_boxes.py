"""Boxes that lie on each other keep all their contacts on a device."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from device_under_test import DEVICE
from engine_scenes import G, Z, body, compile_scene, geom, pose, scene

from usdsim.engine import CpuEngine
from usdsim.parser.description import GenericDescription

warp_engine = pytest.importorskip("usdsim.engine.warp.engine")

WORLDS = 60
HALF = 0.1


def stack(**values):
    """A box centred on a box that does not move."""
    bodies = [body("/box", pose((0, 0, 3 * HALF)), inertia=np.full(3, 0.01))]
    geoms = [
        geom("/base", -1, "box", (HALF, HALF, HALF), pose=pose((0, 0, HALF))),
        geom("/box/shape", 0, "box", (HALF, HALF, HALF)),
    ]
    return compile_scene(scene(bodies, (), geoms, gravity=-G * Z, **values))


@pytest.mark.parametrize("turned", [0.0, 1e-11, 1e-7])
def test_contacts_are_found_at_every_depth_however_boxes_are_turned(turned):
    """Rotations that are next to none come from rounding, and are the hard ones."""
    compiled = stack()
    rng = np.random.default_rng(3)
    state = np.tile(np.array(CpuEngine(compiled).read("qpos")), (WORLDS, 1))
    state[:, 2] -= np.geomspace(1e-5, 3e-2, WORLDS)
    state[:, 4:] += turned * rng.normal(size=(WORLDS, 3))
    forces = []
    for engine in (
        CpuEngine(compiled, WORLDS),
        warp_engine.WarpEngine(compiled, WORLDS, DEVICE),
    ):
        engine.write("qpos", state)
        forces.append(np.array(engine.read("qfrc_constraint"))[:, 2])
    assert forces[0].min() > 0.0
    # Engines may keep other points of the same area.
    assert forces[1] == pytest.approx(forces[0], rel=1e-2)


def test_a_stack_stays_at_rest():
    engine = warp_engine.WarpEngine(stack(), 3, DEVICE)
    engine.write("qpos", [[0.0], [1e-11], [1e-4]], ids=[4])
    engine.step(300)
    assert engine.read("qpos")[:, 2] == pytest.approx(3 * HALF, abs=1e-3)
    assert engine.read("qfrc_constraint")[:, 2] == pytest.approx(G, abs=1e-3)


def test_sensors_of_distance_see_boxes_that_are_apart():
    """They need the method for convex shapes."""
    values = {
        "type": int(mujoco.mjtSensor.mjSENS_GEOMDIST),
        "objtype": int(mujoco.mjtObj.mjOBJ_GEOM),
        "objname": "/base",
        "reftype": int(mujoco.mjtObj.mjOBJ_GEOM),
        "refname": "/box/shape",
        "cutoff": 5.0,
    }
    sensor = GenericDescription(path="/gap", kind="sensor", name="gap", overrides=values)
    engine = warp_engine.WarpEngine(stack(elements=(sensor,)), 1, DEVICE)
    engine.write("qpos", 1.0, ids=[2])
    assert engine.read("sensordata")[0, 0] == pytest.approx(1.0 - 3 * HALF, abs=1e-5)
