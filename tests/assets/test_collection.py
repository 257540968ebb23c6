"""Collections of rigid objects: arrays of instances and objects."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp
from asset_stages import cuboid

from usdsim.assets import RigidObject, RigidObjectCfg, RigidObjectCollection
from usdsim.assets import RigidObjectCollectionCfg as CollectionCfg
from usdsim.core.errors import InvalidValueError, ShapeError, StageError, UnknownNameError

NAMES = ("ball", "box", "brick", "hand")
Start = RigidObjectCfg.InitialStateCfg


def member(name: str, k: int, path="{ENV_REGEX_NS}") -> RigidObjectCfg:
    return RigidObjectCfg(
        prim_path=f"{path}/{name}",
        spawn=cuboid(mass=1.0 + k, com=(0.01 * k, 0.02, 0.0), kinematic=name == "hand"),
        init_state=Start(pos=(0.0, 0.5 * k, 1.0), lin_vel=(float(k), 0.0, 0.0)),
    )


def collection(sim, names=NAMES, reset=True) -> RigidObjectCollection:
    asset = RigidObjectCollection(
        CollectionCfg(rigid_objects={name: member(name, k) for k, name in enumerate(names)})
    )
    if reset:
        sim.reset()
    return asset


def random_states(shape, seed=0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(*shape, 13))
    rows[..., 3:7] /= np.linalg.norm(rows[..., 3:7], axis=-1, keepdims=True)
    return rows.astype(np.float32)


def test_objects_are_in_the_order_of_the_configuration(sim):
    names = ("hand", "ball", "brick")
    asset = collection(sim, names)
    assert asset.object_names == asset.body_names == list(names)
    assert asset.data.object_names == asset.data.body_names == list(names)
    assert (asset.num_instances, asset.num_objects, asset.num_bodies) == (3, 3, 3)
    expected = sim.env_origins[:, None] + [[0.0, 0.5 * k, 1.0] for k in range(3)]
    np.testing.assert_allclose(asset.data.object_link_pos_w.numpy(), expected, atol=1e-6)
    np.testing.assert_allclose(asset.data.object_mass.numpy(), [[1.0, 2.0, 3.0]] * 3)
    assert asset.find_objects("b.*") == ([1, 2], ["ball", "brick"])
    assert asset.find_bodies(["brick", "ball"], preserve_order=True)[0] == [2, 1]
    with pytest.raises(UnknownNameError, match="brick"):
        asset.find_objects("stone")


def test_one_object_keeps_its_axis(sim):
    asset = collection(sim, ("box",))
    assert asset.data.object_link_pose_w.shape == (3, 1)
    assert asset.data.heading_w.shape == (3, 1)


def test_default_states_are_those_of_the_configurations(sim):
    data = collection(sim).data
    assert data.default_object_state.shape == (3, 4, 13)
    expected = [[0.0, 0.5 * k, 1.0, 0, 0, 0, 1, k, 0, 0, 0, 0, 0] for k in range(4)]
    for name in ("object", "body"):
        state = getattr(data, f"default_{name}_state").numpy()
        np.testing.assert_allclose(state, [expected] * 3)
        np.testing.assert_allclose(getattr(data, f"default_{name}_pose").numpy(), state[..., :7])
        np.testing.assert_allclose(getattr(data, f"default_{name}_vel").numpy(), state[..., 7:])


@pytest.mark.parametrize("prefix", ["object", "body"])
@pytest.mark.parametrize("frame", ["link", "com"])
def test_states_are_read_as_written_without_a_step(sim, prefix, frame):
    asset = collection(sim, NAMES[:3])
    rows = random_states((3, 3))
    getattr(asset, f"write_{prefix}_{frame}_state_to_sim")(rows)
    got = getattr(asset.data, f"{prefix}_{frame}_state_w").numpy()
    np.testing.assert_allclose(got, rows, atol=1e-5)
    new = random_states((2, 1), 1)
    write = getattr(asset, f"write_{prefix}_{frame}_state_to_sim_index")
    plural = "body_states" if prefix == "body" else "object_state"
    write(**{plural: new, "env_ids": [2, 0], f"{prefix}_ids": [1]})
    rows[[2, 0], 1] = new[:, 0]
    got = getattr(asset.data, f"{prefix}_{frame}_state_w").numpy()
    np.testing.assert_allclose(got, rows, atol=1e-5)
    new = random_states((3, 3), 2)
    write = getattr(asset, f"write_{prefix}_{frame}_pose_to_sim_mask")
    plural = "body_poses" if prefix == "body" else "object_pose"
    write(
        **{
            plural: new[..., :7],
            "env_mask": [False, True, False],
            f"{prefix}_mask": np.array([True, False, True]),
        }
    )
    rows[1, [0, 2], :7] = new[1, [0, 2], :7]
    got = getattr(asset.data, f"{prefix}_{frame}_pose_w").numpy()
    np.testing.assert_allclose(got, rows[..., :7], atol=1e-5)


def test_objects_are_what_a_rigid_object_of_the_same_prim_says(sim, device):
    # Devices have kernels of their own for roots.
    bound = 0.0 if device == "cpu" else 1e-5
    asset = collection(sim, reset=False)
    alone = RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/box"))
    sim.reset()
    rows = random_states((3, 3))
    asset.write_object_state_to_sim(rows, object_ids=[0, 1, 2])
    for name in dir(type(alone.data)):
        if not name.startswith("root_") or "state" in name:
            continue
        own = getattr(alone.data, name).numpy()
        for prefix in ("object", "body"):
            shared = getattr(asset.data, name.replace("root", prefix)).numpy()[:, 1]
            np.testing.assert_allclose(shared, own, bound, bound, err_msg=name)
    for name in ("projected_gravity_b", "heading_w"):
        shared = getattr(asset.data, name).numpy()[:, 1]
        np.testing.assert_allclose(shared, getattr(alone.data, name).numpy(), bound, bound)
    for name in ("com_acc_w", "com_pose_b", "mass", "inertia", "state_w", "com_state_w"):
        shared = getattr(asset.data, f"object_{name}").numpy()[:, 1]
        own = getattr(alone.data, f"body_{name}").numpy()[:, 0]
        np.testing.assert_allclose(shared, own, bound, bound, err_msg=name)


def test_partial_writes_leave_the_rest_bit_identical(sim):
    asset = collection(sim)
    asset.write_object_state_to_sim(random_states((3, 3)), object_ids=slice(0, 3))
    sim.step_n(3)
    before = {f: sim.engine.read(f).copy() for f in ("qpos", "qvel", "mocap_pos", "xpos")}
    asset.write_object_state_to_sim(random_states((1, 1)), [1], [0])
    asset.reset([1], [0])
    for field, value in before.items():
        np.testing.assert_array_equal(sim.engine.read(field)[[0, 2]], value[[0, 2]], err_msg=field)
    np.testing.assert_array_equal(sim.engine.read("qpos")[1, 7:], before["qpos"][1, 7:])


def test_a_state_places_a_kinematic_object_and_sets_it_in_motion(sim):
    asset = collection(sim)
    states = random_states((3, 4))
    asset.write_object_state_to_sim(states)
    np.testing.assert_allclose(asset.data.object_link_pose_w.numpy(), states[..., :7], atol=1e-5)
    np.testing.assert_allclose(asset.data.object_com_vel_w.numpy(), states[..., 7:], atol=1e-4)


def test_forces_act_on_the_chosen_objects_until_reset(make_sim):
    asset = collection(make_sim(2, gravity=(0.0, 0.0, 0.0)), NAMES[:3])
    force = np.array([[[0.0, 6.0, 0.0]]])
    asset.set_external_force_and_torque(force, 0.0 * force, object_ids=[1], env_ids=[0])
    with pytest.raises(InvalidValueError, match="object_ids"):
        asset.set_external_force_and_torque(force, force, body_ids=[0], object_ids=[1])
    asset.permanent_wrench_composer.add_forces_and_torques(force, body_ids=[2], env_ids=[0])
    asset.write_data_to_sim()
    expected = np.zeros((2, 3))
    expected[0] = [0.0, 3.0, 2.0]
    found = asset.data.object_com_lin_acc_w.numpy()[..., 1]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    asset.reset(object_ids=[1])
    asset.write_data_to_sim()
    expected[0, 1] = 0.0
    found = asset.data.object_com_lin_acc_w.numpy()[..., 1]
    np.testing.assert_allclose(found, expected, atol=1e-4)
    asset.reset(object_mask=[False, False, True], env_mask=[True, False])
    asset.write_data_to_sim()
    np.testing.assert_allclose(asset.data.object_com_lin_acc_w.numpy(), 0.0, atol=1e-4)
    asset.reset()
    assert not asset.permanent_wrench_composer.active


def test_order_of_rows_by_object(sim):
    asset = collection(sim, NAMES[:2])
    data = np.arange(3 * 2 * 4.0).reshape(3, 2, 4)
    rows = asset.reshape_data_to_view(data)
    np.testing.assert_array_equal(rows, np.concatenate([data[:, 0], data[:, 1]]))
    np.testing.assert_array_equal(asset.reshape_view_to_data(rows), data)
    poses = asset.data.object_link_pose_w
    flat = asset.reshape_data_to_view(poses)
    assert isinstance(flat, wp.array) and flat.shape == (6,) and flat.dtype == wp.transformf
    np.testing.assert_array_equal(flat.numpy()[:3], poses.numpy()[:, 0])
    again = asset.reshape_view_to_data(flat)
    np.testing.assert_array_equal(again.numpy(), poses.numpy())
    with pytest.raises(ShapeError):
        asset.reshape_data_to_view(np.zeros((2, 3)))
    with pytest.raises(ShapeError):
        asset.reshape_view_to_data(np.zeros((5, 3)))


def test_the_root_view_has_a_row_per_object_and_instance(sim):
    asset = collection(sim, NAMES[:2])
    view = asset.root_view
    assert view.count == len(view.prim_paths) == 6
    np.testing.assert_allclose(view.get_masses().numpy().ravel(), [1.0] * 3 + [2.0] * 3)
    coms = view.get_coms().numpy()
    assert coms.shape == (6, 7)
    coms[:, 0] = np.arange(6.0)
    view.set_coms(coms, [0, 4])  # the first object of instance 0, the second of instance 1
    expected = [[0.0, 0.01], [0.0, 4.0], [0.0, 0.01]]
    np.testing.assert_allclose(asset.data.body_com_pos_b.numpy()[..., 0], expected, atol=1e-6)
    read = asset.reshape_view_to_data_2d(view.get_coms().view(wp.transformf))
    np.testing.assert_allclose(read.numpy()[1, 1, 0], 4.0)
    np.testing.assert_allclose(asset.data.GRAVITY_VEC_W.numpy()[2, 1], (0.0, 0.0, -1.0))
    np.testing.assert_allclose(asset.data.FORWARD_VEC_B.numpy()[2, 1], (1.0, 0.0, 0.0))


def test_the_root_view_places_and_moves_single_objects(sim):
    asset = collection(sim, NAMES[:2])
    view = asset.root_view
    poses = view.get_transforms().numpy()
    np.testing.assert_array_equal(poses, asset.reshape_data_to_view(_of(asset, "link_pose")))
    poses[4, 2] = 7.0
    view.set_transforms(poses, [4])
    view.set_velocities(np.ones((6, 6)), [4])
    assert _of(asset, "link_pose")[1, 1, 2] == 7.0
    moving = np.zeros((6, 6))
    moving[4] = 1.0
    np.testing.assert_allclose(view.get_velocities().numpy(), moving, atol=1e-6)


def _of(asset, quantity):
    return getattr(asset.data, f"body_{quantity}_w").numpy()


def test_visibility_is_of_whole_instances(sim):
    asset = collection(sim)
    asset.set_visibility(False, [1])
    for i in range(3):
        for name in NAMES:
            prim = sim.stage.GetPrimAtPath(f"/World/envs/env_{i}/{name}")
            hidden = prim.GetAttribute("visibility").Get() == "invisible"
            assert hidden == (i == 1)


def test_configurations_that_cannot_be_used(sim):
    with pytest.raises(InvalidValueError, match="a mapping of one RigidObjectCfg or more"):
        RigidObjectCollection(CollectionCfg())
    with pytest.raises(InvalidValueError, match="a RigidObjectCfg"):
        RigidObjectCollection(CollectionCfg(rigid_objects={"a": cuboid()}))
    with pytest.raises(StageError, match="prim_path is missing"):
        RigidObjectCollection(CollectionCfg(rigid_objects={"a": RigidObjectCfg()}))
    collection(sim, NAMES[:2])
    box = RigidObjectCfg(prim_path="{ENV_REGEX_NS}/box")
    RigidObjectCollection(CollectionCfg(rigid_objects={"one": box, "two": box}))
    with pytest.raises(StageError, match="are one prim"):
        sim.reset()


def test_its_configuration_is_copied(sim):
    cfg = CollectionCfg(rigid_objects={"box": member("box", 0)})
    asset = RigidObjectCollection(cfg)
    cfg.rigid_objects["ball"] = member("ball", 1)
    assert asset.num_objects == 1
    assert cfg.replace(rigid_objects={}).rigid_objects == {} and len(cfg.rigid_objects) == 2
    assert not cfg.debug_vis
    sim.reset()
    assert asset.data.object_pos_w.shape == (3, 1)


def test_objects_come_by_name():
    with pytest.raises(InvalidValueError, match=r"rigid_objects is \[\]; allowed: a mapping"):
        CollectionCfg(rigid_objects=[]).validate()
