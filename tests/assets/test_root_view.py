"""Root views: what PhysX's tensor views offer, against the data and writers of the assets."""

from __future__ import annotations

import numpy as np
import pytest
from articulation_stages import ROBOT, chain, running, values
from asset_stages import cuboid
from pxr import UsdGeom, UsdPhysics

from usdsim.assets import RigidObject, RigidObjectCfg
from usdsim.assets.common.root_view import GETTERS, SETTERS, RootView

pytestmark = pytest.mark.usefixtures("device")


APART = {"material_properties", "root_velocities", "velocities"}
"""What an arm fixed to the world cannot show."""


@pytest.fixture
def robot():
    with running(chain(3, fixed=True), 2) as (_, robot):
        yield robot


def test_names_and_counts(robot):
    view = robot.root_physx_view
    assert isinstance(view, RootView) and view is robot.root_view
    assert (view.count, view.max_links, view.max_dofs) == (2, 4, 3)
    assert view.shared_metatype.dof_names == robot.joint_names
    assert view.shared_metatype.link_indices[robot.body_names[1]] == 1
    assert view.shared_metatype.fixed_base
    assert len(view.prim_paths) == 2
    for prim, links in zip(view.prim_paths, view.link_paths, strict=True):
        assert len(links) == 4 and all(path.startswith(prim) for path in links)
    assert view.link_paths[0] != view.link_paths[1]


def test_every_getter_is_a_copy_of_its_quantity(robot):
    view = robot.root_view
    unknown = {"transforms": 0, "material_properties": 0}
    for name, quantity in GETTERS.items():
        found, expected = getattr(view, f"get_{name}")(), values(getattr(robot.data, quantity))
        assert found.shape == expected.shape or name in unknown
        np.testing.assert_allclose(found.numpy(), expected)
        found.fill_(-7.0)
        np.testing.assert_array_equal(values(getattr(robot.data, quantity)), expected)


@pytest.mark.parametrize("name", sorted({*SETTERS} - APART))
def test_setters_write_the_given_rows(robot, name):
    view = robot.root_view
    before = getattr(view, f"get_{name}")().numpy().copy()
    changed = before * 1.25 + (0.1 if "positions" in name or "velocities" in name else 0.0)
    if "transforms" in name or name == "coms":
        changed = before + np.array([0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 0.0], np.float32)
    getattr(view, f"set_{name}")(changed, np.array([1]))
    after = getattr(view, f"get_{name}")().numpy()
    np.testing.assert_allclose(after[1], changed[1], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(after[0], before[0])


def test_friction_has_three_kinds(robot):
    view = robot.root_view
    friction = np.zeros((2, 3, 3), np.float32)
    friction[..., 0], friction[..., 1], friction[..., 2] = 0.3, 0.2, 0.1
    view.set_dof_friction_properties(friction)
    np.testing.assert_allclose(view.get_dof_friction_properties().numpy(), friction, rtol=1e-5)


def test_materials_are_those_of_the_shapes_of_each_link():
    stage = chain(2)
    for link, count in (("base", 1), ("link_2", 2)):
        for i in range(count):
            ball = UsdGeom.Sphere.Define(stage, f"{ROBOT}/{link}/ball_{i}")
            ball.CreateRadiusAttr(0.1)
            UsdPhysics.CollisionAPI.Apply(ball.GetPrim())
    with running(stage, 2, randomize_materials=True) as (sim, robot):
        view = robot.root_view
        assert view.max_shapes == 3
        assert dict(zip(robot.body_names, view.shapes_per_link, strict=True)) == {
            "base": 1, "link_1": 0, "link_2": 2
        }  # fmt: skip
        first = sum(view.shapes_per_link[: robot.body_names.index("link_2")])
        materials = view.get_material_properties().numpy().copy()
        materials[:, first + 1] = [0.9, 0.8, 0.3]
        view.set_material_properties(materials, [1])
        same = np.isclose(sim.engine.surfaces, [0.9, 0.8, 0.3]).all(axis=-1)
        shape = sim.engine.compiled.names.index("geom", f"{ROBOT}/link_2/ball_1")
        assert np.argwhere(same).tolist() == [[1, shape]]


def test_gravity_and_forward(robot):
    np.testing.assert_allclose(values(robot.data.GRAVITY_VEC_W), [[0, 0, -1]] * 2)
    np.testing.assert_allclose(values(robot.data.FORWARD_VEC_B), [[1, 0, 0]] * 2)


def test_rigid_objects_have_no_axis_of_bodies(sim):
    box = RigidObject(RigidObjectCfg(prim_path="{ENV_REGEX_NS}/Box", spawn=cuboid()))
    sim.reset()
    view = box.root_view
    moving = np.arange(18.0, dtype=np.float32).reshape(3, 6)
    view.set_velocities(moving, [0, 2])
    np.testing.assert_allclose(view.get_velocities().numpy()[::2], moving[::2], rtol=1e-5)
    assert not view.get_velocities()[1].any()
    assert view.get_masses().shape == (3, 1)
    assert view.get_transforms().shape == view.get_coms().shape == (3, 7)
    inertias = view.get_inertias()
    assert inertias.shape == (3, 9)
    view.set_inertias(2.0 * inertias.numpy(), np.array([2]))
    np.testing.assert_allclose(view.get_inertias().numpy()[2], 2.0 * inertias.numpy()[2], atol=1e-7)
    np.testing.assert_allclose(view.get_inertias().numpy()[0], inertias.numpy()[0], atol=1e-9)
