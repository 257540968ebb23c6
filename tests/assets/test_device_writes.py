"""What is on the device is written without the host, and is what the host would have written."""

from __future__ import annotations

import numpy as np
import pytest
import test_fresh_and_apart as scenes
import warp as wp
from articulation_stages import values
from device_under_test import DEVICE

from usdsim.core.errors import ShapeError
from usdsim.sim import SimulationContext
from usdsim.views import FIELDS

pytestmark = pytest.mark.usefixtures("simulation_ends")

pytest.importorskip("mujoco_warp")

robot = scenes.robot
COUNTS = {"robots": 6, "cube": 3, "lift": 3, "pair": 3}
VECTORS = {7: wp.transformf, 6: wp.spatial_vectorf}
ROOTS = [
    (name, row)
    for name, prefix in (("robots", "root"), ("cube", "root"), ("pair", "object"))
    for row in FIELDS
    if row.startswith(prefix) and FIELDS[row].tail in ((7,), (6,), (13,))
]


@pytest.fixture(scope="module")
def made(robot):
    """Makes the scene on a device, anew for every test as there is one simulation at a time."""
    return lambda device: scenes.running(robot, scenes.WORLDS, device=device)


def sample(row, shape):
    return scenes.sample(row, (*shape, *FIELDS[row].tail), np.random.default_rng(7))


def state(scene):
    engine = SimulationContext.instance().engine
    fields = ("qpos", "qvel", "mocap_pos", "mocap_quat", "xpos")
    found = {field: np.array(engine.read(field)) for field in fields}
    return found | {
        f"{name} {quantity}": values(getattr(scene[name].data, quantity))
        for name, quantity in (("robots", "joint_acc"), ("cube", "root_link_pose_w"))
    }


@pytest.fixture
def apart(request):
    """Keeps NumPy from the memory of Warp arrays from its call on."""
    return lambda: request.getfixturevalue("separate_memory")


@pytest.fixture
def unseen():
    """Refuses to let the host look at arrays while it is on."""

    class Unseen:
        def __enter__(self):
            def refuse(array, **options):
                raise RuntimeError("the host waits for the device")

            self.patch = pytest.MonkeyPatch()
            self.patch.setattr(wp.array, "numpy", refuse)

        def __exit__(self, *error):
            self.patch.undo()

    return Unseen()


def write(view, row, form, ids, on_device):
    """Writes one of the forms of values and selections, from the host or from the device."""
    count, elements = view.layout.num_instances, view.count_of(FIELDS[row].axis.shape)
    held = row.startswith("object") and FIELDS[row].tail != (7,)
    columns = np.array([0]) if held else np.arange(elements)  # the other object is kinematic
    chosen = None if FIELDS[row].axis.shape == "root" and not FIELDS[row].axis.ids else columns
    full = sample(row, (count, elements))
    some = sample(row, (len(ids), len(columns)))
    if chosen is None:
        full, some = full[:, 0], some[:, 0]
    flags = np.isin(np.arange(count), ids)
    element_flags = None if chosen is None else np.isin(np.arange(elements), columns)

    def there(array, dtype=None, kind=wp.float32):
        if array is None or not on_device:
            return array
        if dtype is not None:
            return wp.array(array, dtype=dtype)
        return wp.array(np.ascontiguousarray(array), dtype=kind)

    rows = there(np.asarray(ids, np.int32), kind=wp.int32)
    cols = there(None if chosen is None else chosen.astype(np.int32), kind=wp.int32)
    if form == "index":
        view.write(row, there(some), rows, cols)
    elif form == "host ids":
        view.write(row, there(some), list(ids), None if chosen is None else chosen.tolist())
    elif form == "full":
        view.write(row, there(full), rows, cols, full_data=True)
    elif form == "one":
        view.write(row, there(some[:1]), rows, cols)
    elif form == "vectors":
        view.write(row, there(some, VECTORS.get(some.shape[-1])), rows, cols)
    elif form == "mask":
        view.write_masked(
            row, there(full), there(flags, kind=wp.bool), there(element_flags, kind=wp.bool)
        )
    elif form == "half mask":
        view.write_masked(row, there(full), there(flags, kind=wp.bool), element_flags)


FORMS = ("index", "host ids", "full", "one", "vectors", "mask", "half mask")


def test_roots_are_written_where_they_are(made, apart, unseen):
    results = []
    for device in ("cpu", DEVICE):
        if device != "cpu":
            apart()
        scene = made(device)
        SimulationContext.instance().engine.step(2)
        found = {}
        for turn, (name, row) in enumerate(ROOTS):
            asset, form = scene[name], FORMS[turn % len(FORMS)]
            ids = [COUNTS[name] - 1, 0]
            _ = asset.data.root_link_pose_w if name == "cube" else asset.data.body_link_pose_w
            if device == "cpu":
                write(asset.root_view, row, form, ids, False)
            else:
                with unseen:
                    write(asset.root_view, row, form, ids, True)
            found |= {f"{name} {row} {form} {k}": v for k, v in state(scene).items()}
        results.append(found)
    wanted, got = results
    for key, expected in wanted.items():
        scale = 100.0 if "acc" in key else 1.0
        bound = 2e-4 * max(scale, np.abs(expected).max())
        np.testing.assert_allclose(got[key], expected, atol=bound, err_msg=key)


def test_every_form_of_a_state_is_taken(made, apart, unseen):
    scene, wanted = made("cpu"), {}
    for form in FORMS:
        write(scene["robots"].root_view, "root_link_state", form, [4, 1], False)
        wanted[form] = state(scene)
    apart()
    scene = made(DEVICE)
    for form in FORMS:
        with unseen:
            write(scene["robots"].root_view, "root_link_state", form, [4, 1], True)
        found = state(scene)
        for field in ("qpos", "qvel", "xpos"):
            np.testing.assert_allclose(
                found[field], wanted[form][field], atol=1e-4, err_msg=f"{form} {field}"
            )


def test_kinematic_bodies_are_moved_and_have_velocities(made, separate_memory, unseen):
    lift = made(DEVICE)["lift"]
    pose = sample("root_link_pose", (3, 1))[:, 0]
    with unseen:
        lift.write_root_link_pose_to_sim(wp.array(pose, dtype=wp.transformf))
    found = values(lift.data.root_link_pose_w)
    np.testing.assert_allclose(found[:, :3], pose[:, :3], atol=1e-6)
    # The host moves them, so it looks at their velocities.
    lift.write_root_link_velocity_to_sim(wp.full((3, 6), 1.0, dtype=wp.float32))
    np.testing.assert_allclose(values(lift.data.root_link_vel_w), 1.0, atol=1e-6)


def test_what_is_out_of_range_is_passed_over_and_lengths_are_made_one(made, separate_memory):
    cube = made(DEVICE)["cube"]
    before = values(cube.data.root_link_pose_w)
    pose = np.tile(np.float32([0.1, 0.2, 0.7, 0.0, 0.0, 3.0, 4.0]), (3, 1))
    ids = wp.array([-1, 1, 3], dtype=wp.int32)
    cube.write_root_link_pose_to_sim(wp.array(pose, dtype=wp.float32), ids)
    found = values(cube.data.root_link_pose_w)
    np.testing.assert_array_equal(found[[0, 2]], before[[0, 2]])
    np.testing.assert_allclose(found[1], [0.1, 0.2, 0.7, 0.0, 0.0, 0.6, 0.8], atol=1e-6)


def test_shapes_that_do_not_fit_are_refused_from_the_device_too(made, separate_memory):
    scene = made(DEVICE)
    before = state(scene)
    for bad in ((2, 7), (3, 6), (3, 2, 7)):
        with pytest.raises(ShapeError):
            scene["cube"].write_root_link_pose_to_sim(wp.ones(bad, dtype=wp.float32))
    with pytest.raises(ShapeError):
        scene["robots"].write_joint_position_to_sim(wp.ones((6,), dtype=wp.float32))
    with pytest.raises(ShapeError):
        scene["cube"].permanent_wrench_composer.set_forces_and_torques(
            wp.ones((2, 1, 3), dtype=wp.float32)
        )
    for field, expected in before.items():
        np.testing.assert_array_equal(state(scene)[field], expected, err_msg=field)


def test_torch_gives_what_warp_gives(made, separate_memory):
    torch = pytest.importorskip("torch")
    cube = made(DEVICE)["cube"]
    pose = torch.tensor(sample("root_link_pose", (2, 1))[:, 0])
    cube.write_root_link_pose_to_sim(pose, torch.tensor([2, 0]))
    np.testing.assert_allclose(values(cube.data.root_link_pose_w)[[2, 0]], pose, atol=1e-6)
    full = torch.tensor(sample("root_link_state", (3, 1))[:, 0])
    cube.write_root_link_state_to_sim_mask(
        root_state=full, env_mask=torch.tensor([False, True, False])
    )
    np.testing.assert_allclose(values(cube.data.root_link_pose_w)[1], full[1, :7], atol=1e-6)
    np.testing.assert_allclose(values(cube.data.root_link_vel_w)[1], full[1, 7:], atol=1e-5)


def wrenched(robots, there):
    """Gives wrenches in several ways, from the host or from the device."""
    rng = np.random.default_rng(3)
    force, torque, point = (rng.normal(size=(6, 4, 3)).astype(np.float32) for _ in range(3))

    def here(array, kind=wp.float32):
        array = np.ascontiguousarray(array)
        return wp.array(array, dtype=kind) if there else array

    composer = robots.permanent_wrench_composer
    composer.add_forces_and_torques_mask(
        here(force),
        here(torque),
        here(point),
        env_mask=here(np.array([True, False] * 3), wp.bool),
        is_global=True,
    )
    composer.add_forces_and_torques_index(
        here(force[:2, :2]),
        None,
        here(point[:2, :2]),
        here(np.int32([1, 0]), wp.int32),
        here(np.int32([5, 0]), wp.int32),
    )
    robots.set_external_force_and_torque(
        here(force[:1, :1]),
        here(torque[:1, :1]),
        body_ids=here(np.int32([2]), wp.int32),
        env_ids=here(np.int32([3]), wp.int32),
    )
    composer.reset(env_mask=here(np.arange(6) == 2, wp.bool))
    return composer, here


def test_wrenches_by_index_and_mask_from_the_device(made, apart, unseen):
    robots = made("cpu")["robots"]
    assert robots.num_bodies == 4
    composer, _ = wrenched(robots, False)
    wanted = [values(composer.force_w), values(composer.torque_w)]
    apart()
    robots = made(DEVICE)["robots"]
    with unseen:
        composer, here = wrenched(robots, True)
    for expected, array in zip(wanted, (composer.force_w, composer.torque_w), strict=True):
        np.testing.assert_allclose(values(array), expected, atol=1e-4)
        assert np.abs(expected).max() > 0.5 and not expected[2].any()
    with unseen:
        composer.reset(here(np.int32([0, 1, 3, 4, 5]), wp.int32))
    assert composer.active and not values(composer.force_w).any()
    empty = here(np.zeros((0, 0, 3), np.float32))
    robots.set_external_force_and_torque(empty, empty)
    assert not composer.active
