"""Elements of deformable objects: gradients, rotations and stresses against closed forms."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
import pytest
from deformable_stages import POISSON, YOUNG, Start, cloth, deformed, lame, soft_cube

from usdsim.engine.cpu.engine import CpuEngine
from usdsim.math.rotations import quat_from_axis_angle, quat_to_matrix

TURN = quat_from_axis_angle([0.6, 0.0, 0.8], 0.9)


@pytest.fixture
def still(make_sim):
    """One environment without gravity."""
    return make_sim(1, gravity=(0.0, 0.0, 0.0))


def elements(asset, name) -> np.ndarray:
    """A quantity of the elements of the first instance, float64."""
    return np.array(getattr(asset.data, f"sim_element_{name}_w").numpy()[0], np.float64)


def cauchy(gradient, first, second):
    """Stress of a St. Venant-Kirchhoff material."""
    strain = 0.5 * (gradient.T @ gradient - np.eye(3))
    piola = first * np.trace(strain) * np.eye(3) + 2.0 * second * strain
    return gradient @ piola @ gradient.T / np.linalg.det(gradient)


def test_an_undeformed_body_has_the_rotation_of_its_prim_and_no_stress(still):
    asset = soft_cube(still, start=Start(pos=(50.0, 0.2, 1.0), rot=tuple(TURN)), cells=2)
    shape = (asset.max_sim_elements_per_body, 3, 3)
    expected = np.broadcast_to(quat_to_matrix(TURN), shape)
    np.testing.assert_allclose(elements(asset, "deform_gradient"), expected, atol=1e-4)
    np.testing.assert_allclose(np.abs(elements(asset, "quat") @ TURN), 1.0, atol=1e-6)
    assert np.abs(elements(asset, "stress")).max() < 1e-4 * YOUNG


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.25])
def test_growing_alike_in_all_directions(still, factor):
    asset = soft_cube(still, start=Start(pos=(0.0, 0.0, 1.0), rot=tuple(TURN)))
    asset.write_nodal_pos_to_sim(deformed(asset, factor * np.eye(3)))
    first, second = lame()
    pressure = (3.0 * first + 2.0 * second) * 0.5 * (factor**2 - 1.0) / factor
    found = elements(asset, "stress")
    np.testing.assert_allclose(
        found, np.broadcast_to(pressure * np.eye(3), found.shape), atol=3e-6 * YOUNG
    )
    gradient = elements(asset, "deform_gradient")
    np.testing.assert_allclose(
        gradient, np.broadcast_to(factor * quat_to_matrix(TURN), gradient.shape), atol=1e-5
    )
    np.testing.assert_allclose(np.abs(elements(asset, "quat") @ TURN), 1.0, atol=1e-6)


def test_pulling_with_free_sides_takes_the_modulus(still):
    """Sides that shrink by Poisson's ratio are free of stress to first order."""
    asset = soft_cube(still)
    pull = 1e-3
    sides = 1.0 - POISSON * pull
    asset.write_nodal_pos_to_sim(deformed(asset, np.diag([1.0 + pull, sides, sides])))
    found = elements(asset, "stress")
    np.testing.assert_allclose(found[:, 0, 0], YOUNG * pull, rtol=5e-3)
    np.testing.assert_allclose(found[:, 1, 1], 0.0, atol=5e-3 * YOUNG * pull)


@pytest.mark.parametrize(
    "change",
    [
        [[1.0, 0.3, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[1.1, 0.2, -0.1], [0.05, 0.9, 0.1], [0.0, -0.2, 1.2]],
    ],
    ids=["shear", "anything"],
)
def test_gradients_rotations_and_stresses_of_a_linear_change(still, change):
    asset = soft_cube(still, start=Start(pos=(0.0, 0.0, 1.0), rot=tuple(TURN)))
    asset.write_nodal_pos_to_sim(deformed(asset, change))
    gradient = np.array(change) @ quat_to_matrix(TURN)
    found = elements(asset, "deform_gradient")
    np.testing.assert_allclose(found, np.broadcast_to(gradient, found.shape), atol=2e-6)
    u, _, v = np.linalg.svd(gradient)
    for quat in elements(asset, "quat"):
        np.testing.assert_allclose(quat_to_matrix(quat), u @ v, atol=2e-6)
    expected = cauchy(gradient, *lame())
    stress = elements(asset, "stress")
    np.testing.assert_allclose(
        stress, np.broadcast_to(expected, stress.shape), atol=1e-5 * np.abs(expected).max()
    )


def test_rotations_of_elements_that_are_inside_out_are_rotations(still):
    asset = soft_cube(still)
    asset.write_nodal_pos_to_sim(deformed(asset, np.diag([1.0, 1.0, -0.5])))
    assert np.linalg.det(elements(asset, "deform_gradient")).max() < 0.0
    quat = elements(asset, "quat")
    np.testing.assert_allclose(np.linalg.norm(quat, axis=1), 1.0, atol=1e-6)


def forces(asset, thickness=0.0) -> np.ndarray:
    """What stresses pull vertices with, from the work they do: -V P of each element at rest [N]."""
    layout = asset.root_view.layout
    found = np.zeros((layout.num_vertices, 3))
    gradients, stresses = elements(asset, "deform_gradient"), elements(asset, "stress")
    for corners, rest, f, stress in zip(
        layout.corners, layout.rest_shapes[0], gradients, stresses, strict=True
    ):
        size = abs(np.linalg.det(rest)) * (0.5 * thickness if thickness else 1.0 / 6.0)
        piola = np.linalg.det(f) * stress @ np.linalg.inv(f).T
        pulled = -size * (piola @ np.linalg.inv(rest).T).T
        used = corners[1:][corners[1:] >= 0]
        found[used] += pulled[: len(used)]
        found[corners[0]] -= pulled[: len(used)].sum(axis=0)
    return found


def engine_forces(sim, asset) -> np.ndarray:
    """The engine's own elastic forces in the same state, which explicit integration shows [N]."""
    model = copy.copy(sim.engine.compiled.mj)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.flex_damping[:] = 0.0
    model.flex_bending[:] = 0.0
    data = mujoco.MjData(model)
    data.qpos[:] = sim.engine.read("qpos")[0]
    mujoco.mj_forward(model, data)
    return data.qfrc_passive[asset.root_view.layout.free_dofs[0]].reshape(-1, 3)


def test_stresses_are_those_the_engine_pulls_with(still):
    asset = soft_cube(still, start=Start(pos=(0.0, 0.0, 1.0), rot=tuple(TURN)), cells=2)
    count = asset.max_sim_vertices_per_body
    noise = np.random.default_rng(0).normal(size=(1, count, 3)) * 0.01
    asset.write_nodal_pos_to_sim(asset.data.nodal_pos_w.numpy() + noise)
    expected = engine_forces(still, asset)
    assert np.abs(expected).max() > 100.0
    np.testing.assert_allclose(forces(asset), expected, atol=1e-5 * np.abs(expected).max())


def test_stiffer_worlds_have_more_stress(make_sim):
    sim = make_sim(2, gravity=(0.0, 0.0, 0.0))
    asset = soft_cube(sim)
    asset.write_nodal_pos_to_sim(deformed(asset, 1.1 * np.eye(3)))
    before = np.array(asset.data.sim_element_stress_w.numpy())
    # Devices have the stiffness once for all worlds.
    worlds = [1] if isinstance(sim.engine, CpuEngine) else [0, 1]
    stiffer = 3.0 * sim.engine.param("flex_stiffness")[worlds]
    sim.engine.set_param("flex_stiffness", stiffer, worlds)
    after = asset.data.sim_element_stress_w.numpy()
    for world in range(2):
        factor = 3.0 if world in worlds else 1.0
        np.testing.assert_allclose(after[world], factor * before[world], rtol=1e-5, atol=1.0)


@pytest.mark.parametrize("num_envs", [1, 2])
def test_stress_follows_stiffness_however_often_it_changes(make_sim, num_envs):
    sim = make_sim(num_envs, gravity=(0.0, 0.0, 0.0))
    asset = soft_cube(sim)
    asset.write_nodal_pos_to_sim(deformed(asset, 1.1 * np.eye(3)))
    before = np.array(asset.data.sim_element_stress_w.numpy())
    stiffness = np.array(sim.engine.param("flex_stiffness"))
    for factor in (2.0, 3.0, 0.5):
        sim.engine.set_param("flex_stiffness", factor * stiffness)
        after = asset.data.sim_element_stress_w.numpy()
        np.testing.assert_allclose(after, factor * before, rtol=1e-5, atol=1.0)


# -- cloth -----------------------------------------------------------------------------------------


def test_a_flat_cloth_has_its_prims_rotation(still):
    asset = cloth(still, Start(pos=(0.0, 0.0, 1.0), rot=tuple(TURN)))
    found = elements(asset, "deform_gradient")
    expected = np.broadcast_to(quat_to_matrix(TURN), found.shape)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(elements(asset, "stress")).max() < 1e-4 * YOUNG


def test_a_cloth_is_stretched_in_plane_stress(still):
    """Stretched along one side with the other held, E / (1 - nu^2) resists."""
    asset = cloth(still)
    pull = 1e-3
    asset.write_nodal_pos_to_sim(deformed(asset, np.diag([1.0 + pull, 1.0, 1.0])))
    found = elements(asset, "stress")
    along = YOUNG / (1.0 - POISSON**2) * pull
    np.testing.assert_allclose(found[:, 0, 0], along, rtol=5e-3)
    np.testing.assert_allclose(found[:, 1, 1], POISSON * along, rtol=5e-3)
    np.testing.assert_allclose(found[:, 2], 0.0, atol=1e-3 * along)


def test_stresses_of_a_cloth_are_those_the_engine_pulls_with(still):
    asset = cloth(still, Start(pos=(0.0, 0.0, 1.0), rot=tuple(TURN)), thickness=0.02)
    count = asset.max_sim_vertices_per_body
    noise = np.random.default_rng(1).normal(size=(1, count, 3)) * 0.01
    asset.write_nodal_pos_to_sim(asset.data.nodal_pos_w.numpy() + noise)
    expected = engine_forces(still, asset)
    assert np.abs(expected).max() > 1.0
    found = forces(asset, thickness=0.02)
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max())
