"""Scene data on a Warp device."""

from __future__ import annotations

import numpy as np
import pytest
from device_under_test import DEVICE

from usdsim.core.errors import InvalidValueError
from usdsim.engine import CpuEngine
from usdsim.scene import SceneData, load_mjcf_str

pytest.importorskip("mujoco_warp")

SCENE = """
<mujoco>
  <option timestep="0.005" integrator="implicitfast"/>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="box" pos="0 0 0.12">
      <freejoint/>
      <geom name="box_geom" type="box" size="0.1 0.1 0.1" mass="1"/>
    </body>
    <body name="arm" pos="1 0 0.6">
      <joint name="hinge" axis="0 1 0" range="-90 90" damping="0.1"/>
      <geom name="rod" type="capsule" size="0.03 0.2" mass="0.5"/>
    </body>
  </worldbody>
  <actuator><position joint="hinge" kp="5" ctrlrange="-1 1" timeconst="0.1"/></actuator>
  <keyframe>
    <key name="up" time="0.5" qpos="0.1 0 0.4 1 0 0 0 0.7" act="0.2" ctrl="-0.3"/>
  </keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return load_mjcf_str(SCENE)


@pytest.fixture(scope="module")
def device_data(model):
    return SceneData(model, batch=(2,), device=DEVICE)


@pytest.fixture(params=["one memory", "memories apart"])
def pair(model, device_data, request):
    if request.param == "memories apart":
        request.getfixturevalue("separate_memory")
        device_data = SceneData(model, batch=(2,), device=DEVICE)
    device_data.reset()
    return SceneData(model, batch=(2,)), device_data


def test_steps_controls_and_writes_agree(model, pair):
    hinge = model.get_joint("hinge")
    for data in pair:
        data.actuator_ctrls = [[0.4], [-0.4]]
        model.step_n(data, 40)
        hinge.set_dof_pos(data[1], [0.2])
        data.actuator_ctrls[0, 0] = 0.9
        model.step_n(data, 40)
    cpu, device = pair
    assert not isinstance(device.engine, CpuEngine)
    assert device.dof_pos == pytest.approx(cpu.dof_pos, abs=1e-4)
    assert model.get_link_poses(device) == pytest.approx(model.get_link_poses(cpu), abs=1e-4)
    assert device.time == pytest.approx(0.4)


def test_keyframes_give_state_activations_and_time(model, pair):
    for data in pair:
        model.step_n(data, 10)
        model.keyframes[0].apply(data[1])
    assert pair[1].time == pytest.approx([0.05, 0.5])
    assert pair[1].activations[1] == pytest.approx([0.2])
    for data in pair:
        model.step_n(data, 20)
    assert pair[1].dof_pos == pytest.approx(pair[0].dof_pos, abs=1e-4)
    assert pair[1].activations == pytest.approx(pair[0].activations, abs=1e-5)


def test_pushes_act_for_one_step(model, pair):
    box = model.get_link("box")
    for data in pair:
        box.add_external_force(data, [3.0, 0.0, 0.0])
        model.step_n(data, 5)
    assert pair[1].dof_vel == pytest.approx(pair[0].dof_vel, abs=1e-3)


def test_data_move_between_devices(model, pair):
    cpu = pair[0]
    cpu.actuator_ctrls = [[0.3], [0.6]]
    model.step_n(cpu, 30)
    moved = cpu.to(DEVICE, nconmax=24)
    assert moved.low.capacity[0] == 24
    assert moved.dof_pos == pytest.approx(cpu.dof_pos, abs=1e-6)
    for data in (cpu, moved):
        model.step_n(data, 30)
    assert moved.dof_pos == pytest.approx(cpu.dof_pos, abs=1e-4)
    back = moved.copy().to("cpu")
    assert isinstance(back.engine, CpuEngine)
    assert np.array_equal(back.dof_pos, moved.dof_pos)
    assert back.time == pytest.approx(moved.time)


def test_contacts_and_rays_come_from_a_copy_on_the_host(model, pair):
    for data in pair:
        model.step_n(data, 120)
        data.dof_pos = np.array([data.dof_pos[0], [3, 0, 1, 0, 0, 0, 1, 0]])
    cpu, device = (model.get_contact_query(data) for data in pair)
    assert device.num_contacts.tolist() == cpu.num_contacts.tolist()
    assert cpu.num_contacts[0] > 0 == cpu.num_contacts[1]
    box, floor = model.get_link("box"), model.get_geom("floor")
    assert device.is_touching(box, floor).tolist() == [True, False]
    assert device.get_force(box, floor) == pytest.approx(cpu.get_force(box, floor), abs=0.05)
    starts, down = [[0.0, 0.0, 2.0], [3.0, 0.0, 2.0]], [0.0, 0.0, -1.0]
    found = [model.cast_rays(data, starts, down).distance for data in pair]
    assert found[1] == pytest.approx(found[0], abs=1e-3)
    assert found[1][0, 0] == pytest.approx(1.8, abs=0.01)
    assert found[1][1, 1] == pytest.approx(0.9, abs=0.01)


def test_unknown_devices_are_refused(model, pair):
    with pytest.raises(InvalidValueError, match="device"):
        SceneData(model, device="gpu")
    with pytest.raises(InvalidValueError, match="device"):
        pair[0].to("warp:tpu")


def test_orientations_contacts_rays_and_heights_agree(model, pair):
    """The device keeps other forms of some, and leaves others to the host."""
    geoms = [model.get_geom(name) for name in ("box_geom", "rod", "floor")]
    wall = np.array([[-3.0, 0.0, 0.1], [1.0, 0.0, 5.0], [0.05, 0.05, 5.0]])
    aim = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, -1.0]])
    found = []
    for data in pair:
        data.actuator_ctrls = [[0.4], [-0.4]]
        model.step_n(data, 60)
        poses = [geom.get_pose(data) for geom in geoms]
        rays = model.cast_rays(data, wall, aim)
        contacts = model.get_contacts(data)
        found.append((np.array(poses), rays.distance, contacts.force_w, contacts.geom2))
    (poses, distances, forces, touching), (others, *rest) = found
    signs = np.sign((poses[..., 3:] * others[..., 3:]).sum(axis=-1, keepdims=True))
    others = np.concatenate([others[..., :3], signs * others[..., 3:]], axis=-1)
    np.testing.assert_allclose(others, poses, atol=1e-4)
    np.testing.assert_allclose(rest[0], distances, atol=1e-4)
    np.testing.assert_allclose(rest[1], forces, atol=2e-2)
    assert np.array_equal(rest[2], touching) and len(touching) == 8
