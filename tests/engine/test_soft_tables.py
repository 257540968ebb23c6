"""Soft bodies against theory: beams of the lattice, cloth that bends, what the integrator takes."""

from __future__ import annotations

import numpy as np
import pytest
from soft_scenes import linear_equilibrium, soft
from test_engine_deformables import STILL, G, engine_of, held_at, pin, vertices

from usdsim.math.deformable.elements import lumped_masses, measures
from usdsim.math.deformable.tetrahedra import fill_with_tetrahedra
from usdsim.spawners.tessellate import cuboid, square


def block(size, cells):
    corners, faces = cuboid(np.ones(3))
    return fill_with_tetrahedra((corners + 0.5) * size, faces, cells)


@pytest.mark.parametrize(("ratio", "least"), [(0.0, 0.9), (0.3, 0.9), (0.45, 0.85)])
def test_a_beam_of_four_cells_bends_as_timoshenko_has_it(ratio, least):
    """By textbook elements, which the engine's small deflections are."""
    length, side, modulus, density = 0.8, 0.2, 5e6, 1000.0
    points, elements = block((length, side, side), 16)
    mass = density * length * side**2
    forces = lumped_masses(elements, measures(points, elements), len(points), mass)
    held = points[:, 0] < 1e-9
    load = forces[:, None] * [0.0, 0.0, -G]
    moved = linear_equilibrium(points, elements, modulus, ratio, load, held)
    weight, inertia = density * G * side**2, side**4 / 12.0
    shear = modulus / (2 * (1 + ratio)) * 10 * (1 + ratio) / (12 + 11 * ratio)
    theory = weight * length**4 / (8 * modulus * inertia) + weight * length**2 / (
        2 * shear * side**2
    )
    sag = -moved[points[:, 0] > length - 1e-9, 2].mean()
    assert least < sag / theory < 1.0


@pytest.mark.parametrize(("cells", "ratio"), [((10, 2), 0.0), ((10, 2), 0.3), ((12, 12), 0.0)])
def test_cloth_that_is_clamped_sags_as_a_plate(cells, ratio):
    length, thickness, modulus, mass = 0.5, 0.01, 1e7, 0.005
    width = length * cells[1] / cells[0]
    points, elements = square(np.array([length, width]), cells)
    points = points + np.array([0.5 * length, 0.0, 0.0])
    held = np.flatnonzero(points[:, 0] < 1.01 * length / cells[0])
    free = length - points[held, 0].max()
    engine, found = engine_of(
        soft(
            points, elements, mass=mass, thickness=thickness, youngs_modulus=modulus,
            poissons_ratio=ratio, elasticity_damping=0.2, pins=(pin(held, points[held]),),
        ),
        timestep=0.01,
        steps=250,
    )  # fmt: skip
    sag = (points - vertices(engine, found))[points[:, 0] > length - 1e-9, 2].mean()
    theory = mass * G / (length * width) * free**4 / (8 * modulus * thickness**3 / 12)
    assert sag == pytest.approx(theory, rel=0.05)


@pytest.mark.parametrize("timestep", [0.002, 0.004])
def test_a_vibration_loses_what_implicit_euler_takes(timestep):
    length, side, modulus, density = 1.0, 0.2, 2.56e5, 1000.0
    points, elements = block((length, side, side), 5)
    start = points.copy()
    start[:, 0] += 0.01 * np.sin(0.5 * np.pi * points[:, 0] / length)
    held = held_at(points)
    body = soft(
        points, elements, start=start, mass=density * length * side**2, poissons_ratio=0.0,
        youngs_modulus=modulus, pins=(pin(held, points[held]),),
    )  # fmt: skip
    engine, found = engine_of(body, timestep=timestep, gravity=STILL)
    tip, away = points[:, 0] > length - 1e-9, []
    for _ in range(round(0.4 / timestep)):
        engine.step()
        away.append((vertices(engine, found) - points)[tip, 0].mean())
    period = 4.0 * length / np.sqrt(modulus / density)
    left = np.exp(-2.0 * np.pi**2 * timestep / period)
    assert max(away[round(0.2 / timestep) :]) / 0.01 == pytest.approx(left, abs=0.02)
