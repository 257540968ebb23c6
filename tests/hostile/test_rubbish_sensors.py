"""Every setter of cameras and other sensors against rubbish: errors of usdsim, or images."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pxr import UsdGeom, UsdPhysics
from rubbish import values
from test_rubbish import accepted, changing, given_to

from usdsim.core.errors import InvalidValueError, ShapeError, UsdsimError
from usdsim.sensors import (
    CameraCfg,
    ContactSensorCfg,
    FrameTransformerCfg,
    RayCasterCameraCfg,
    patterns,
)
from usdsim.sim.cfg import SimulationCfg
from usdsim.sim.context import SimulationContext
from usdsim.spawners import PinholeCameraCfg, clone_environments
from usdsim.usd.stage import create_stage

BALL = "/World/envs/env_.*/Ball"


@pytest.fixture(scope="module")
def seeing():
    stage = create_stage()
    for path in ("/World", "/World/envs", "/World/envs/env_0"):
        UsdGeom.Xform.Define(stage, path)
    ball = UsdGeom.Sphere.Define(stage, "/World/envs/env_0/Ball").GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(ball)
    UsdPhysics.CollisionAPI.Apply(ball)
    UsdGeom.Plane.Define(stage, "/World/ground")
    clone_environments("/World/envs/env_0", 2, 5.0, stage=stage)
    lens = PinholeCameraCfg()
    cfgs = [
        CameraCfg(
            prim_path="/World/envs/env_.*/camera", spawn=lens, width=8, height=4, data_types=["rgb"]
        ),
        RayCasterCameraCfg(
            prim_path=BALL, mesh_prim_paths=["/World/ground"], data_types=["distance_to_camera"],
            pattern_cfg=patterns.PinholeCameraPatternCfg(width=4, height=2),
        ),
        ContactSensorCfg(prim_path=BALL, track_air_time=True),
        FrameTransformerCfg(
            prim_path=BALL, target_frames=[FrameTransformerCfg.FrameCfg(prim_path=BALL)]
        ),
    ]  # fmt: skip
    with SimulationContext(SimulationCfg(threads=1), stage) as sim:
        sensors = [cfg.class_type(cfg) for cfg in cfgs]
        sim.reset()
        yield sim, sensors


@pytest.fixture(scope="module")
def calls(seeing):
    asking = ("find_bodies", "find_sensors", "compute_first_air", "compute_first_contact")
    sensors = seeing[1]
    asked = [getattr(s, name) for s in sensors for name in asking if hasattr(s, name)]
    found = [call for sensor in sensors for call in (*changing(sensor), sensor.update)]
    return [call for call in found + asked if call.__name__ != "set_debug_vis"]


@settings(
    max_examples=200, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(st.data())
def test_setters_of_sensors(seeing, calls, draw):
    sim, sensors = seeing
    call = draw.draw(st.sampled_from(calls))
    if not accepted(lambda: call(**given_to(call, draw.draw))):
        return
    try:
        sim.step(render=False)
        for sensor in sensors:
            sensor.update(0.01, force_recompute=True)
    except UsdsimError:
        sim.reset()


def test_all_setters_are_tried(calls):
    assert {"set_world_poses", "set_intrinsic_matrices", "set_offsets", "set_light"} <= {
        call.__name__ for call in calls
    }


@pytest.mark.parametrize("which", [0, 1])
def test_what_is_wrong_is_named(seeing, which):
    camera = seeing[1][which]
    place = np.zeros((1, 3))
    with pytest.raises(InvalidValueError, match="env_ids is 2; allowed: 0 to 1"):
        camera.set_world_poses(place, env_ids=[2])
    with pytest.raises(InvalidValueError, match="env_ids is -1"):
        camera.set_world_poses(place, env_ids=[-1])
    with pytest.raises(InvalidValueError, match=r"positions is .*allowed: finite"):
        camera.set_world_poses(np.full((2, 3), np.nan))
    with pytest.raises(InvalidValueError, match="matrices is 'x'; allowed: real numbers"):
        camera.set_intrinsic_matrices("x")
    with pytest.raises(ShapeError, match="eyes"):
        camera.set_world_poses_from_view(np.zeros((3, 3)), np.ones((3, 3)))


@given(values())
@settings(max_examples=30, derandomize=True)
def test_patterns_of_names_are_texts(seeing, value):
    contact = seeing[1][2]
    assert accepted(lambda: contact.find_bodies("Ball"))
    accepted(lambda: contact.find_bodies(value))
