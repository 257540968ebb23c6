"""Everything an environment can hang on the world moves with it."""

import mujoco
import numpy as np
import pytest

from usdsim.converters import convert_file
from usdsim.math.rotations import quat_apply, quat_from_axis_angle, quat_from_wxyz, quat_multiply
from usdsim.math.transforms import Pose
from usdsim.sim.environments.worlds import build_worlds
from usdsim.spawners import UsdFileCfg, clone_environments
from usdsim.usd import create_stage, define_prim, set_local_pose

ENV = "/World/envs/env_0"
BODY = """
  <body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .1"/></body>
"""
SCENES = {
    "cameras, lights, sites": f"""
      <worldbody>
        <camera name="eye" pos="1 0 1" euler="40 20 0"/>
        <camera name="follow" pos="1 1 1" mode="targetbody" target="box"/>
        <light name="lamp" pos="0 1 2" dir="1 1 -1"/>
        <site name="mark" pos=".3 .1 .2" euler="10 20 30" type="box" size=".1 .1 .1"/>
        <geom name="slope" type="plane" size="2 2 .1" euler="10 0 0"/>
        <geom name="wall" type="box" size=".1 .5 .5" pos=".4 0 .5" euler="0 0 30"/>
        {BODY}
      </worldbody>""",
    "weld, world first": f"""
      <worldbody>{BODY}</worldbody>
      <equality><weld body1="world" body2="box" relpose=".1 .2 1.2 .9 .1 .2 .3"/></equality>""",
    "weld, world second": f"""
      <worldbody>{BODY}</worldbody>
      <equality><weld body1="box" anchor=".1 0 0"/></equality>""",
    "connect, world second": f"""
      <worldbody>{BODY}</worldbody>
      <equality><connect body1="box" anchor=".1 .2 .1"/></equality>""",
    "connect, world first": f"""
      <worldbody>{BODY}</worldbody>
      <equality><connect body1="world" body2="box" anchor=".1 .2 1.1"/></equality>""",
    "tendon": f"""
      <worldbody>
        <site name="hook" pos=".5 .3 2"/>
        <body name="ring" pos="0 0 1"><freejoint/><geom size=".1"/><site name="eye" pos=".05 0 0"/>
        </body>{BODY}
      </worldbody>
      <tendon><spatial stiffness="50" damping="2" springlength="-1">
        <site site="hook"/><site site="eye"/></spatial></tendon>""",
    "joints to the world": """
      <worldbody>
        <body name="cart" pos=".5 0 .5"><joint name="rail" type="slide" axis="1 .2 0"/>
          <geom type="box" size=".1 .1 .1"/>
          <body name="pole" pos="0 0 .2"><joint axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 .2 0 .5" size=".03"/></body></body>
        <body name="top" pos="-1 0 .5" euler="10 0 0"><joint type="ball"/>
          <geom type="box" size=".1 .2 .3" pos="0 .1 .3"/></body>
      </worldbody>""",
    "kinematic": f"""
      <worldbody><body name="hand" mocap="true" pos=".2 0 .8" euler="0 20 0">
        <geom type="box" size=".2 .2 .02"/></body>{BODY}</worldbody>""",
    "pinned cloth": """
      <worldbody>
        <flexcomp name="cloth" type="grid" count="4 4 1" spacing=".1 .1 .1" dim="2" radius=".01"
                  pos="0 0 1" mass=".1">
          <edge equality="true"/><pin id="0 1 2 3"/>
        </flexcomp>
      </worldbody>""",
}


def environments(folder, xml, turn, count=3):
    """Copies of a converted model on a turned grid; the first one is not at the origin."""
    source = folder / "model.xml"
    source.write_text(f"<mujoco><option timestep='.002'/>{xml}</mujoco>")
    usd = folder / "model.usdc"
    convert_file(source).stage.Export(str(usd))
    stage = create_stage()
    define_prim(stage, ENV, "Xform")
    cfg = UsdFileCfg(usd_path=str(usd))
    cfg.func(f"{ENV}/Model", cfg, stage=stage)
    origins, quats = places(turn, count)
    paths = clone_environments(ENV, count, origins=origins.tolist(), stage=stage)
    for path, origin, quat in zip(paths, origins, quats, strict=True):
        set_local_pose(stage.GetPrimAtPath(path), Pose(origin, quat))
    return stage


def places(turn, count=3):
    """Origins and rotations of the environments, the first one's included."""
    steps = np.arange(count)[:, None]
    turns = [quat_from_axis_angle([0.0, 0.0, 1.0], turn * (i + 1)) for i in range(count)]
    return [3.0, 0.0, 0.0] + steps * [-4.0, 2.0, 0.25], np.array(turns)


def assert_alike(worlds, tolerance):
    """Every world looks like the first one, moved with its environment."""
    engine = worlds.engine
    shift, turn = worlds.environments.from_first()
    for field in ("xpos", "geom_xpos", "site_xpos", "cam_xpos", "light_xpos", "flexvert_xpos"):
        values = engine.read(field)
        start = 1 if field == "xpos" else 0
        for i in range(engine.num_envs):
            expected = shift[i] + quat_apply(turn[i], values[0])
            np.testing.assert_allclose(
                values[i, start:], expected[start:], atol=tolerance, err_msg=field
            )
    for field in ("xmat", "geom_xmat", "site_xmat", "cam_xmat", "light_xdir"):
        values = engine.read(field)
        if not values.size:
            continue
        values = values.reshape(*values.shape[:2], 3, -1)
        start = 1 if field == "xmat" else 0
        for i in range(engine.num_envs):
            expected = quat_apply(turn[i], np.swapaxes(values[0], 1, 2))
            got = np.swapaxes(values[i], 1, 2)
            np.testing.assert_allclose(got[start:], expected[start:], atol=tolerance, err_msg=field)


@pytest.mark.parametrize("turn", [0.0, 0.6], ids=["shifted", "turned"])
@pytest.mark.parametrize("scene", SCENES)
def test_worlds_look_and_behave_alike(tmp_path, scene, turn):
    worlds = build_worlds(environments(tmp_path, SCENES[scene], turn))
    assert_alike(worlds, 1e-9)
    before = worlds.engine.read("xpos").copy()
    worlds.engine.step(100)
    assert_alike(worlds, 1e-6)
    moved = np.abs(worlds.engine.read("xpos") - before).max()
    assert moved > 1e-4 or "weld" in scene or "connect" in scene
    # Each as a model on its own, for a solver that knows nothing of batches.
    for i in range(worlds.engine.num_envs):
        model = worlds.engine.world_model(i)
        data = mujoco.MjData(model)
        for field in ("qpos", "qvel", "mocap_pos", "mocap_quat"):
            getattr(data, field)[:] = worlds.engine.initial.read(field)[i]
        data.ctrl[:] = worlds.engine.initial.read("ctrl")[i]
        mujoco.mj_step(model, data, 100)
        np.testing.assert_allclose(worlds.engine.read("qpos")[i], data.qpos, atol=1e-9)


@pytest.mark.parametrize("turn", [0.0, 0.6], ids=["shifted", "turned"])
def test_keyframes_move_with_their_worlds(tmp_path, turn):
    xml = """<worldbody>
        <body name="hand" mocap="true" pos="0 0 2"><geom size=".01"/></body>
        <body name="box" pos="0 0 1"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
      </worldbody>
      <keyframe><key name="up" qpos=".5 0 3 1 0 0 0" qvel="1 0 0 0 0 2" mpos=".1 .2 .3"
        mquat="0 1 0 0"/></keyframe>"""
    worlds = build_worlds(environments(tmp_path, xml, turn))
    engine = worlds.engine
    engine.reset(keyframe=0)
    shift, quat = places(turn)
    expected = {
        "qpos": shift + quat_apply(quat, [0.5, 0.0, 3.0]),
        "qvel": quat_apply(quat, [[1.0, 0.0, 0.0]] * 3),
        "mocap_pos": shift + quat_apply(quat, [0.1, 0.2, 0.3]),
    }
    for field, value in expected.items():
        state = engine.state(field)
        state = state[:, 0] if state.ndim == 3 else state
        np.testing.assert_allclose(state[:, :3], value, atol=1e-9, err_msg=field)
    turned = quat_multiply(quat, [1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(quat_from_wxyz(engine.state("mocap_quat")[:, 0]), turned, atol=1e-9)
    np.testing.assert_allclose(engine.state("qvel")[:, 5], 2.0)
