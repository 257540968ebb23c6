"""What assets report and write is the same on the CPU engine and on a Warp device."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import warp as wp

sys.path.insert(0, str(Path(__file__).parent.parent / "engine"))
from device_under_test import DEVICE, shares_memory
from warp_scenes import WORLDS, compiled_workshop, engines

from usdsim.core.errors import UnknownNameError
from usdsim.engine.arrays import WarpArrays, as_warp
from usdsim.engine.create import array_device
from usdsim.engine.precision import single_precision
from usdsim.views import kernels
from usdsim.views.copies.device import DeviceCopies
from usdsim.views.copies.device_columns import DeviceTable
from usdsim.views.copies.host import HostCopies
from usdsim.views.layout import AssetLayout, root_rows
from usdsim.views.quantity import Components, Computed, Launched, Quantity, Stored
from usdsim.views.view import AssetView
from usdsim.views.wrench.kernels import apply_wrenches

pytest.importorskip("mujoco_warp")

ORIGINS = ("engine:cvel", "engine:subtree_com", "engine:xpos", "layout:bodies", "model:body_trees")


class Data:
    joint_pos: Quantity[wp.array] = Stored("qpos", "joint_qpos", "joint")
    joint_vel: Quantity[wp.array] = Stored("qvel", "joint_dofs", "joint")
    joint_acc: Quantity[wp.array] = Stored("acceleration", "joint_dofs", "joint", "forces")
    pose: Quantity[wp.array] = Launched(
        kernels.link_poses, ("engine:xpos", "engine:xquat", "layout:bodies"), "body", wp.transformf
    )
    quat: Quantity[wp.array] = Components("pose", 3, wp.quatf)
    root_pose: Quantity[wp.array] = Launched(
        kernels.link_poses, ("engine:xpos", "engine:xquat", "layout:roots"), "root", wp.transformf
    )
    velocity: Quantity[wp.array] = Launched(
        kernels.origin_velocities, ORIGINS, "body", wp.spatial_vectorf
    )
    velocity_b: Quantity[wp.array] = Launched(
        kernels.body_velocities, ("pose", "velocity"), "body", wp.spatial_vectorf
    )
    acceleration: Quantity[wp.array] = Launched(
        kernels.accelerations,
        (
            *("engine:cdof", "engine:cdof_dot", "engine:qvel", "engine:acceleration"),
            *("engine:cvel", "engine:subtree_com", "engine:xpos"),
            *("model:last_dofs", "model:dof_parentid", "layout:bodies", "model:body_trees"),
        ),
        "body",
        wp.spatial_vectorf,
        version="forces",
    )
    mass: Quantity[wp.array] = Computed(
        lambda view: view.engine.param("body_mass")[:, view.layout.bodies], "body"
    )

    def __init__(self, view):
        self._view = view


NAMES = [name for name, value in vars(Data).items() if isinstance(value, Quantity)]
TOLERANCES = {"acceleration": 2e-2, "joint_acc": 2e-2}


def layout(compiled):
    """Two instances in each world: the box and the ball; and joints of the arm."""
    model, index = compiled.mj, compiled.names.index
    bodies = np.array([[index("body", "/box")], [index("body", "/ball")]], np.int32)
    joints = np.array([[index("joint", "/elbow")], [index("joint", "/rail")]], np.int32)
    return AssetLayout(
        title="asset",
        num_worlds=WORLDS,
        bodies=bodies,
        body_names=("body",),
        root_names=("body",),
        joints=joints,
        joint_names=("joint",),
        joint_qpos=model.jnt_qposadr[joints],
        joint_dofs=model.jnt_dofadr[joints],
        **root_rows(compiled, bodies.tolist()),
    )


COPIES = {"NumPy": HostCopies, "kernels": DeviceCopies}


@pytest.fixture(scope="module")
def module_pair():
    pair = engines(compiled_workshop())
    for engine in pair:
        engine.acceleration()  # From now on it is that over the last step.
    return pair


@pytest.fixture(params=[pytest.param("NumPy", marks=shares_memory), "kernels"])
def views(request, module_pair):
    """Views on both engines; copies on the device's run in NumPy, or in kernels as on a GPU."""
    made = []
    for engine in module_pair:
        engine.reset()
        made.append(AssetView(engine, layout(engine.compiled), Data))
    made[1].copies = COPIES[request.param](made[1])
    return made


def agree(views):
    cpu, device = (Data(view) for view in views)
    for name in NAMES:
        wanted, found = getattr(cpu, name), getattr(device, name)
        assert found.dtype is wanted.dtype
        assert found.shape == wanted.shape
        tolerance = TOLERANCES.get(name, 1e-4)
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), atol=tolerance, err_msg=name)


def both(views, method, *args, **kwargs):
    for view in views:
        getattr(view, method)(*args, **kwargs)


def test_every_kind_of_quantity_agrees_after_steps_and_writes(views):
    agree(views)
    for view in views:
        view.engine.step(10)
    agree(views)
    both(views, "write", "joint_position", 0.2, [1, 4], [0])
    both(views, "write", "joint_velocity", np.arange(6.0)[:, None])
    agree(views)
    pose = np.tile([0.1, 0.2, 0.9, 0.0, 0.0, 0.6, 0.8], (2, 1))
    both(views, "write", "root_link_pose", pose, [0, 3])
    both(views, "write", "root_com_velocity", np.arange(12.0).reshape(2, 6), [0, 5])
    both(views, "write", "masses", 1.5, [2])
    agree(views)
    assert Data(views[1]).root_pose.numpy()[3, 2] == pytest.approx(0.9)
    for view in views:
        view.engine.step(3)
    agree(views)


def test_masks_choose_what_is_written(views):
    rows = np.array([True, False, False, True, True, False])
    both(views, "write_masked", "joint_position", np.full((6, 1), 0.1), rows)
    both(views, "write_masked", "joint_velocity", np.full((6, 1), 0.3), None, np.array([False]))
    agree(views)
    expected = np.where(rows, 0.1, views[0].engine.initial.read("qpos")[0, 14])
    assert Data(views[1]).joint_pos.numpy()[:, 0] == pytest.approx(expected, abs=0.5)
    assert not Data(views[1]).joint_vel.numpy().any()


def test_device_arrays_are_written_without_a_look_at_them(views):
    view, data = views[1], Data(views[1])
    view.copies = DeviceCopies(view)
    values = np.linspace(0.1, 0.6, 6, dtype=np.float32)[:, None]
    view.write("joint_position", wp.array(values, dtype=wp.float32))
    assert np.array_equal(data.joint_pos.numpy(), values)
    rows = wp.array([4, 1, 99, -1], dtype=wp.int32)  # What is out of range is passed over.
    view.write("joint_position", wp.array(np.float32([[9], [8], [7], [6]])), rows)
    assert data.joint_pos.numpy()[:, 0].tolist() == pytest.approx([0.1, 8.0, 0.3, 0.4, 9.0, 0.6])
    mask = wp.array([False, True, False, False, False, True], dtype=wp.bool)
    view.write_masked("joint_velocity", wp.array(values * 10, dtype=wp.float32), mask)
    expected = np.where(mask.numpy(), values[:, 0] * 10, 0.0)
    assert data.joint_vel.numpy()[:, 0] == pytest.approx(expected)
    # Anything else goes the way that checks it.
    view.write("joint_velocity", 2.0, wp.array([3], dtype=wp.int32))
    assert data.joint_vel.numpy()[3, 0] == 2.0


def test_kernels_get_twins_only_where_they_have_double_types():
    twin = single_precision(kernels.link_poses)
    assert twin is single_precision(kernels.link_poses)
    assert twin is not kernels.link_poses
    assert twin.module is not kernels.link_poses.module
    assert single_precision(kernels.headings) is kernels.headings
    types = [argument.type.dtype for argument in twin.adj.args[:2]]
    assert types == [wp.vec3f, wp.vec4f]
    assert single_precision(apply_wrenches).adj.args[-1].type.dtype._wp_scalar_type_ is wp.float32


def test_arrays_are_those_of_the_device(module_pair):
    cpu, device = (WarpArrays(engine) for engine in module_pair)
    assert cpu.kernel(kernels.link_poses) is kernels.link_poses
    assert device.kernel(kernels.link_poses) is single_precision(kernels.link_poses)
    for field in ("xquat", "xpos", "cvel", "xmat", "qpos"):
        double, single = cpu.read(field), device.read(field)
        assert single.shape == double.shape, field
        assert single.ptr == module_pair[1].device_array(field).ptr
    wrenches = module_pair[1].device_array("xfrc_applied")
    assert device.state("xfrc_applied").ptr == wrenches.ptr
    device.fresh("acceleration")
    flat = as_warp(np.zeros((2, 3), np.float32))
    assert flat.dtype is wp.float32
    assert as_warp(np.zeros((2, 3, 4), np.float32)).dtype is wp.vec4f


def test_arrays_are_replaced_when_the_device_is_set_up_anew(views):
    view = views[1]
    data = Data(view)
    before = view.engine.versions.arrays, data.joint_pos.shape
    for each in views:
        each.engine.step(2)
    view.engine._rebuild(view.engine._worlds.model)
    assert view.engine.versions.arrays > before[0]
    for each in views:
        each.engine.step(2)
    agree(views)
    both(views, "write", "joint_position", 0.25)
    agree(views)


@pytest.mark.parametrize(
    ("table", "even"),
    [([[4, 5, 6]], True), ([[1, 4, 7]], True), ([[2]], True), ([[4, 6, 7]], False),
     ([[6, 5, 4]], False), ([[1, 2], [3, 4]], False)],
)  # fmt: skip
def test_columns_that_follow_evenly_need_no_copy(table, even):
    columns = DeviceTable(np.array(table), 3, array_device(DEVICE))
    array = wp.array(np.arange(30.0).reshape(3, 10), dtype=wp.float32, device=columns._device)
    window = columns.window(array)
    assert (window is not None) == even
    if window is not None:
        np.testing.assert_array_equal(window.numpy(), array.numpy()[:, table[0]])
        window.fill_(-1.0)
        assert (array.numpy()[:, table[0]] == -1.0).all()
        assert (array.numpy() == -1.0).sum() == 3 * len(table[0])


def test_the_device_offers_no_factors_of_the_mass_matrix(module_pair):
    with pytest.raises(UnknownNameError, match="qLD"):
        module_pair[1].read("qLD")
