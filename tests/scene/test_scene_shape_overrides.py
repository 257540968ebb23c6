"""Shapes and meshes per world move, collide and are bounded as models compiled with them."""

from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from device_under_test import DEVICE

import usdsim
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.scene import Shape
from usdsim.scene.load import load_mjcf_str

SCENE = """<mujoco>
  <asset>
    <mesh name="cube" vertex="-.1 -.1 -.1 .1 -.1 -.1 .1 .1 -.1 -.1 .1 -.1
                              -.1 -.1 .1 .1 -.1 .1 .1 .1 .1 -.1 .1 .1"/>
    <mesh name="wedge" vertex="0 0 0 .3 0 0 0 .3 0 0 0 .4"/>
  </asset>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 1"/>
    <body name="b" pos="0 0 .5"><freejoint/>
      <inertial pos="0 0 0" mass="1" diaginertia=".01 .02 .015"/>
      <geom name="g" pos=".02 0 0" euler="10 20 0" {}/>
    </body>
  </worldbody>
  <custom><tuple name="toys">
    <element objtype="mesh" objname="wedge"/><element objtype="mesh" objname="cube"/>
    <element objtype="geom" objname="g"/>
  </tuple></custom>
</mujoco>"""
CUBE = 'type="mesh" mesh="cube"'
# What is chosen, and the same shape in a file of its own.
CHOICES = (
    (Shape.Sphere, (0.1, 0.7, 0.7), -1, 'type="sphere" size=".1"'),
    (Shape.Cuboid, (0.1, 0.2, 0.05), -1, 'type="box" size=".1 .2 .05"'),
    (Shape.Capsule, (0.05, 0.1, 0.0), -1, 'type="capsule" size=".05 .1"'),
    (Shape.Cylinder, (0.12, 0.05, 0.0), -1, 'type="cylinder" size=".12 .05"'),
    (Shape.Ellipsoid, (0.1, 0.2, 0.15), -1, 'type="ellipsoid" size=".1 .2 .15"'),
    (Shape.Mesh, (0.0, 0.0, 0.0), 0, 'type="mesh" mesh="wedge"'),
    (Shape.Mesh, (0.0, 0.0, 0.0), 1, CUBE),
)
NUMBERS = np.array([int(shape) for shape, *_ in CHOICES])
SIZES = np.array([size for _, size, *_ in CHOICES])
VARIANTS = np.array([variant for *_, variant, _ in CHOICES])


@cache
def model(source=CUBE):
    return load_mjcf_str(SCENE.format(source))


def chosen():
    """Worlds of all choices, chosen in another order than that of the worlds."""
    data = usdsim.SceneData(model(), batch=(len(CHOICES),))
    order = np.array([3, 0, 6, 2, 5, 1, 4])
    geom = model().get_geom("g")
    geom.set_shape_override(
        data[usdsim.DisjointIndices(order.tolist())], NUMBERS[order], SIZES[order], VARIANTS[order]
    )
    return data, geom


@pytest.fixture(scope="module")
def sources():
    return [load_mjcf_str(SCENE.format(geom)) for *_, geom in CHOICES]


def test_worlds_go_as_models_of_these_shapes(sources):
    data, geom = chosen()
    assert model().mesh_variant_sets == {"toys": ["wedge", "cube"]}
    assert geom.mesh_variant_set == "toys"
    np.testing.assert_array_equal(geom.get_shape_override(data), NUMBERS)
    np.testing.assert_array_equal(geom.get_mesh_variant_override(data), VARIANTS)
    assert [Shape.types()[n] for n in geom.get_shape_override(data)] == [c[0] for c in CHOICES]
    for steps in (0, 400):
        model().step_n(data, steps)
        for world, source in enumerate(sources):
            alone = usdsim.SceneData(source)
            source.step_n(alone, steps)
            other = source.get_geom("g")
            one = data[world]
            for name in ("get_pose", "get_rotation_mat", "get_linear_velocity"):
                found, expected = getattr(geom, name)(one), getattr(other, name)(alone)
                np.testing.assert_allclose(found, expected, atol=2e-6, err_msg=f"{world} {name}")
            for name in ("get_local_aabb", "get_world_aabb"):
                found, expected = getattr(geom, name)(one), getattr(other, name)(alone)
                np.testing.assert_allclose(found, expected, atol=2e-6, err_msg=f"{world} {name}")
            down = ([[0.0, 0.0, 2.0]], [[0.0, 0.0, -1.0]])
            found = model().cast_rays(one, *down).distance
            np.testing.assert_allclose(found, source.cast_rays(alone, *down).distance, atol=1e-6)
            if steps:
                force = model().get_contact_query(one).get_force(geom)
                expected = source.get_contact_query(alone).get_force(other)
                np.testing.assert_allclose(force, expected, atol=1e-4)


def test_shapes_last_through_copies_files_and_further_parameters(tmp_path: Path):
    data, geom = chosen()
    data.save(tmp_path / "worlds.npz")
    again = usdsim.SceneData(model(), batch=(len(CHOICES),))
    again.load(tmp_path / "worlds.npz")
    model().get_link("b").set_mass_override(data, 2.0)
    model().get_link("b").set_mass_override(again, 2.0)
    twin = data.copy()
    for one in (data, again, twin):
        model().step_n(one, 200)
    np.testing.assert_array_equal(data.dof_pos, twin.dof_pos)
    np.testing.assert_array_equal(data.dof_pos, again.dof_pos)
    np.testing.assert_array_equal(geom.get_shape_override(again), NUMBERS)


def test_dropped_overrides_give_the_model_its_shape_back():
    data, geom = chosen()
    data.reset(reset_overrides=True)
    fresh = usdsim.SceneData(model(), batch=(len(CHOICES),))
    assert geom.get_mesh_variant_override(data).tolist() == [1] * len(CHOICES)
    for name in ("geom_type", "geom_size", "geom_pos", "geom_quat", "geom_aabb", "geom_rbound"):
        np.testing.assert_array_equal(data.param(name), fresh.param(name), err_msg=name)
    for one in (data, fresh):
        model().step_n(one, 200)
    np.testing.assert_array_equal(data.dof_pos, fresh.dof_pos)


def test_sizes_stay_where_none_is_given():
    source = model('type="box" size=".1 .2 .3"')
    data, geom = usdsim.SceneData(source, batch=(2,)), source.get_geom("g")
    geom.set_shape_override(data, [Shape.Ellipsoid, Shape.Cuboid])
    assert data.param("geom_size")[:, geom.engine_id].tolist() == [[0.1, 0.2, 0.3]] * 2
    assert (geom.get_shape_override(data) == Shape.Ellipsoid).tolist() == [True, False]


def test_what_cannot_be_chosen_changes_nothing():
    data = usdsim.SceneData(model(), batch=(2,))
    geom = model().get_geom("g")
    before = data.param("geom_type").copy()
    with pytest.raises(InvalidValueError, match="variant"):
        geom.set_shape_override(data, [Shape.Mesh, Shape.Mesh])
    with pytest.raises(InvalidValueError, match="0 to 1"):
        geom.set_shape_override(data, [Shape.Mesh, Shape.Sphere], (1, 1, 1), [2, -1])
    with pytest.raises(InvalidValueError, match="first 3 above 0"):
        geom.set_shape_override(data, Shape.Cuboid, (0.1, 0.1, 0.0))
    with pytest.raises(InvalidValueError, match="Sphere"):
        geom.set_shape_override(data, Shape.Plane)
    with pytest.raises(UnsupportedError, match="is a Plane"):
        model().get_geom("ground").set_shape_override(data, Shape.Sphere, (1, 1, 1))
    np.testing.assert_array_equal(data.param("geom_type"), before)
    device = usdsim.SceneData(model(), batch=(2,), device=DEVICE)
    with pytest.raises(UnsupportedError, match="device='cpu'"):
        geom.set_shape_override(device, Shape.Sphere, (0.1, 0, 0))


def test_compiled_shapes_are_the_oracle_of_mujoco(sources):
    low = mujoco.MjModel.from_xml_string(SCENE.format(CHOICES[5][3]))
    data, geom = chosen()
    for name in ("geom_type", "geom_size", "geom_pos", "geom_quat", "geom_aabb", "geom_rbound"):
        found = data.param(name)[5, geom.engine_id]
        np.testing.assert_allclose(found, getattr(low, name)[1], atol=1e-7, err_msg=name)
