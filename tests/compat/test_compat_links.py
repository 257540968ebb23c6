"""Links where importers of Isaac Sim 6 put them: expressions that name their scope find them."""

import importlib

import numpy as np
import pytest

from usdsim.compat import install, uninstall
from usdsim.usd.queries import find_prims
from usdsim.usd.stage import create_stage

_LINK = """<link name="{}"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>"""
_URDF = f"""<robot name="r">{_LINK.format("base")}{_LINK.format("arm")}
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 1"/></joint></robot>"""
_MJCF = """<mujoco><worldbody><body name="base"><freejoint/><geom size="0.1"/>
  <body name="arm" pos="0 0 1"><joint name="turn"/><geom size="0.1"/></body>
  </body></worldbody></mujoco>"""


@pytest.fixture(params=["robot.urdf", "robot.xml"])
def scene(request, tmp_path, installed):
    """Two environments with the robot, in a simulation that was not started."""
    sim = importlib.import_module("isaaclab.sim")
    assets = importlib.import_module("isaaclab.assets")
    scenes = importlib.import_module("isaaclab.scene")
    file = tmp_path / request.param
    file.write_text(_URDF if file.suffix == ".urdf" else _MJCF)
    options = dict(asset_path=str(file), usd_dir=str(tmp_path), activate_contact_sensors=True)
    if file.suffix == ".urdf":
        spawn = sim.UrdfFileCfg(fix_base=False, joint_drive=None, **options)
    else:
        spawn = sim.MjcfFileCfg(**options)
    sim.SimulationContext(sim.SimulationCfg(dt=0.01, device="cpu"))
    cfg = scenes.InteractiveSceneCfg(num_envs=2, env_spacing=4.0, replicate_physics=False)
    cfg.robot = assets.ArticulationCfg(prim_path="{ENV_REGEX_NS}/Robot", spawn=spawn, actuators={})
    return scenes.InteractiveScene(cfg)


def test_sensors_find_links_in_the_scope(scene):
    sensors, sim = (importlib.import_module(f"isaaclab.{name}") for name in ("sensors", "sim"))
    for number in range(2):
        eye = f"/World/envs/env_{number}/Robot/Geometry/base/arm/eye"
        made = sim.create_prim(eye, translation=(0.0, 0.5, 0.0))
        assert str(made.GetPath()) == eye.replace("/Geometry", "")
    robot = "{ENV_REGEX_NS}/Robot/Geometry"
    one = sensors.ContactSensor(sensors.ContactSensorCfg(prim_path=f"{robot}/base/arm"))
    both = sensors.ContactSensor(sensors.ContactSensorCfg(prim_path=f"{robot}/.*"))
    imu = sensors.Imu(sensors.ImuCfg(prim_path=f"{robot}/base/arm/eye"))
    frames = sensors.FrameTransformer(
        sensors.FrameTransformerCfg(
            prim_path=f"{robot}/base",
            target_frames=[
                sensors.FrameTransformerCfg.FrameCfg(prim_path=f"{robot}/base/arm/eye", name="eye")
            ],
        )
    )
    sim.SimulationContext.instance().reset()
    assert (one.body_names, sorted(both.body_names)) == (["arm"], ["arm", "base"])
    assert imu.num_instances == 2
    there = frames.data.target_pos_source.numpy()
    assert np.allclose(there, [0.0, 0.5, 1.0], atol=1e-5)


def test_the_scope_is_one_where_a_stage_has_it():
    stage = create_stage()
    for path in ("/World/A/Geometry/arm", "/World/A/arm", "/World/B/arm"):
        stage.DefinePrim(path, "Xform")

    def found(pattern):
        return [str(prim.GetPath()) for prim in find_prims(stage, pattern)]

    assert found("/World/B/Geometry/arm") == []
    install()
    try:
        assert found("/World/.*/Geometry/arm") == ["/World/A/Geometry/arm", "/World/B/arm"]
        assert found("/World/Geometry") == []
        assert found("/World/B/Shapes/arm") == []
    finally:
        uninstall()
    assert found("/World/B/Geometry/arm") == []
