"""Model parameters of worlds on a Warp device."""

from __future__ import annotations

import numpy as np
import pytest
from engine_scenes import X, Y, body, compile_scene, dof, geom, ground, joint, pose, scene
from warp_scenes import compiled_workshop, engines

from usdsim.core.errors import InvalidValueError, UnknownNameError, UnsupportedError

pytest.importorskip("mujoco_warp")


@pytest.fixture
def pair():
    return engines(compiled_workshop())


def both(pair, method, *args, **kwargs):
    return [getattr(engine, method)(*args, **kwargs) for engine in pair]


def agree(pair, *fields, atol=1e-4):
    cpu, device = pair
    for field in fields:
        np.testing.assert_allclose(device.read(field), cpu.read(field), atol=atol, err_msg=field)


def names(pair, kind, *paths):
    return [pair[0].compiled.names.index(kind, path) for path in paths]


def test_parameters_start_shared_and_are_read_only(pair):
    device = pair[1]
    assert device.param("body_mass") == pytest.approx(pair[0].param("body_mass"))
    assert device.param("opt.gravity")[2] == pytest.approx([0.0, 0.0, -9.81])
    with pytest.raises(ValueError, match="read-only"):
        device.param("body_mass")[0, 1] = 2.0
    with pytest.raises(UnknownNameError, match="body_mass"):
        device.param("body_mas")


def test_numbers_of_single_worlds_act_there(pair):
    box, arm = names(pair, "body", "/box", "/arm")
    both(pair, "set_param", "body_mass", [[0.5], [2.0], [5.0]], ids=[arm])
    shape = names(pair, "geom", "/box/shape")
    both(pair, "set_param", "geom_size", [0.2, 0.2, 0.2], env_ids=[1], ids=shape)
    both(pair, "set_param", "actuator_biasprm", 0.0, env_ids=[2])
    both(pair, "set_param", "opt.gravity", [0.0, 1.0, -3.0], env_ids=[0])
    both(pair, "set_param", "dof_damping", 3.0, env_ids=[1], ids=[12])
    both(pair, "set_param", "dof_armature", [[0.1], [0.2], [0.3]], ids=[13])
    for field in ("body_mass", "geom_size", "opt.gravity", "dof_invweight0", "body_subtreemass"):
        assert pair[1].param(field) == pytest.approx(pair[0].param(field)), field
    both(pair, "step", 80)
    agree(pair, "qpos", "xpos")
    agree(pair, "qvel", atol=1e-3)
    heights = pair[1].read("xpos")[:, box, 2]
    assert heights[1] > heights[2] + 0.05
    assert len(np.unique(pair[1].read("qpos")[:, 15])) == 3


def test_a_recording_follows_parameters(pair):
    device = pair[1]
    device.step(3)
    for mass in (2.0, 4.0):
        both(pair, "reset")
        both(pair, "set_param", "body_mass", mass, ids=names(pair, "body", "/arm"))
        both(pair, "set_param", "opt.timestep", 0.001 * mass)
        both(pair, "step", 10)
        agree(pair, "qpos")
        assert device.time == pytest.approx(0.01 * mass)


def test_limits_of_single_worlds_are_in_force_there_only(pair):
    rail = names(pair, "joint", "/rail")
    both(pair, "set_param", "jnt_limited", 0, env_ids=[0], ids=rail)
    both(pair, "set_param", "jnt_range", [-0.05, 0.05], env_ids=[1], ids=rail)
    both(pair, "set_param", "actuator_forcerange", [-1.0, 1.0], env_ids=[2])
    both(pair, "write", "qfrc_applied", 20.0, ids=[12])
    both(pair, "step", 200)
    agree(pair, "qpos", atol=1e-3)
    place = pair[1].read("qpos")[:, 14]
    assert place[0] > 0.4
    assert place[1] < 0.06
    assert 0.25 < place[2] < 0.35
    both(pair, "set_param", "jnt_limited", 1, env_ids=[0], ids=rail)
    both(pair, "reset")
    both(pair, "step", 50)
    agree(pair, "qpos", atol=1e-3)


def test_a_joint_without_limits_may_get_them_later():
    hinge = scene([body(joints=(0,))], [joint(dof())], gravity=np.zeros(3))
    pair = engines(compile_scene(hinge))
    both(pair, "set_param", "jnt_range", [-0.1, 0.1], ids=[0])
    both(pair, "set_param", "jnt_limited", 1, env_ids=[1], ids=[0])
    both(pair, "write", "qvel", 2.0)
    both(pair, "step", 100)
    agree(pair, "qpos", atol=1e-3)
    assert pair[1].read("qpos")[:, 0] == pytest.approx([0.4, 0.1, 0.4], abs=0.05)


def test_what_stands_still_moves_with_its_parameters():
    ramp = body("/ramp", pose((0.0, 0.0, 0.5)), fixed=True)
    ball = body("/ball", pose((0.0, 0.0, 1.2)))
    shapes = [geom("/ramp/s", 0, "box", (0.3, 0.3, 0.1)), geom("/ball/s", 1), ground()]
    pair = engines(compile_scene(scene([ramp, ball], (), shapes)))
    index = names(pair, "body", "/ramp")
    places = np.array([[0.0, 0.0, 0.5], [0.0, 0.0, 0.8], [2.0, 0.0, 0.5]])
    both(pair, "set_param", "body_pos", places[:, None], ids=index)
    shape = names(pair, "geom", "/ramp/s")
    both(pair, "set_param", "geom_pos", [0.0, 0.0, 0.1], env_ids=[1], ids=shape)
    agree(pair, "xpos", "geom_xpos", "geom_xmat")
    both(pair, "step", 500)
    agree(pair, "xpos", "geom_xpos", "geom_xmat", atol=2e-4)
    heights = pair[1].read("xpos")[:, 2, 2]
    assert heights == pytest.approx([0.7, 1.1, 0.1], abs=0.02)


def test_friction_of_mixed_materials_follows(pair):
    both(pair, "set_param", "geom_friction", [[[0.05, 0.0, 0.0]], [[1.0, 0.0, 0.0]], [[0.4, 0, 0]]])
    both(pair, "reset")
    both(pair, "write", "qvel", 1.0, ids=[0])
    both(pair, "step", 150)
    agree(pair, "qpos", atol=5e-4)
    moved = pair[1].read("qpos")[:, 0]
    assert moved[0] > moved[2] > moved[1]


def test_moving_what_the_shortcut_takes_for_fixed(pair):
    both(pair, "step", 5)
    box = names(pair, "body", "/box")
    arrays = pair[1].versions.arrays
    both(pair, "set_param", "body_ipos", [0.03, 0.0, 0.02], env_ids=[1], ids=box)
    assert pair[1].versions.arrays > arrays
    assert pair[1].read("qpos") == pytest.approx(pair[0].read("qpos"), abs=1e-5)
    both(pair, "step", 60)
    agree(pair, "qpos", "xipos", atol=2e-4)


def test_what_devices_have_once_may_change_for_all_worlds_only(pair):
    device = pair[1]
    wheel = names(pair, "geom", "/ball/shape")
    with pytest.raises(UnsupportedError, match=r"'geom_contype'.*once for all worlds"):
        device.set_param("geom_contype", 0, env_ids=[1], ids=wheel)
    assert device.param("geom_contype")[:, wheel[0]].tolist() == [1, 1, 1]
    both(pair, "set_param", "geom_contype", 0, ids=wheel)
    both(pair, "set_param", "geom_conaffinity", 0, ids=wheel)
    both(pair, "set_param", "opt.iterations", 30)
    both(pair, "step", 150)
    agree(pair, "qpos", atol=2e-4)
    assert device.read("xpos")[0, 2, 2] < 0.0
    with pytest.raises(UnsupportedError, match=r"'opt.iterations'"):
        device.set_param("opt.iterations", 10, env_ids=[0])
    both(pair, "set_param", "opt.disableflags", 1 << 7)
    both(pair, "step", 20)
    agree(pair, "qpos", "qvel", atol=2e-3)


def test_a_refused_value_changes_nothing(pair):
    device = pair[1]
    device.set_param("body_mass", 2.0, ids=[1])
    for value in (-1.0, np.nan):
        with pytest.raises(InvalidValueError, match="body_mass"):
            device.set_param("body_mass", value, env_ids=[1], ids=[1])
    assert device.param("body_mass")[:, 1].tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(UnsupportedError, match="structure"):
        device.set_param("jnt_type", 2, ids=[0])
    with pytest.raises(UnknownNameError):
        device.set_param("body_weight", 1.0)
    device.step(2)


def test_a_medium_may_appear_later(pair):
    both(pair, "set_param", "opt.density", 50.0, env_ids=[2])
    both(pair, "set_param", "opt.viscosity", 0.5, env_ids=[2])
    both(pair, "step", 100)
    agree(pair, "qpos", atol=2e-4)
    speed = pair[1].read("qvel")[:, 6]
    assert speed[2] < speed[0] - 0.05


def test_worlds_keep_their_parameters_when_room_grows():
    column = scene(
        [body("/slab", joints=(0,), mass=1.0)],
        [joint(dof(kind="slide", axis=np.array([0.0, 0.0, 1.0])), kind="prismatic")],
        [ground(), geom("/slab/s", 0, "box", (0.1, 0.1, 0.1), pose=pose((0.0, 0.0, 0.2)))],
    )
    pair = engines(compile_scene(column), on_overflow="grow", nconmax=1, njmax=1)
    both(pair, "set_param", "body_mass", [[1.0], [2.0], [3.0]], ids=[1])
    both(pair, "set_param", "dof_damping", [[0.0], [1.0], [9.0]], ids=[0])
    both(pair, "step", 150)
    assert pair[1].capacity > (1, 1)
    agree(pair, "qpos", atol=1e-3)
    assert pair[1].param("body_mass")[:, 1].tolist() == [1.0, 2.0, 3.0]


def test_axes_are_as_expected_by_these_tests(pair):
    joints = pair[0].compiled.mj
    assert joints.jnt_axis[2] == pytest.approx(Y)
    assert X.tolist() == [1.0, 0.0, 0.0]
