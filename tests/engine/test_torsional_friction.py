"""Torsional friction by the radius of a patch: rates of a spinning ball, and what has none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine_scenes import G, Z, body, geom, ground, pose, scene
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim.engine import compile_scene, create_engine
from usdsim.parser import parse_stage
from usdsim.parser.description import MaterialDescription

RADIUS, MASS, INERTIA, SPIN = 0.1, 1.0, 0.01, 20.0
PATCH = "physxCollision:minTorsionalPatchRadius"


def material(friction, mode=None):
    return MaterialDescription(
        path="/m", static_friction=friction, dynamic_friction=friction, friction_combine=mode
    )


def spinning(ball=0.02, plane=0.0, frictions=(0.5, 0.5), mode=None, kind="sphere", **values):
    """A shape of friction and patch radius that spins on a plane of others about the vertical."""
    size = (RADIUS, 0.0, 0.0) if kind == "sphere" else (RADIUS,) * 3
    shapes = [
        ground(material=1, torsional_radius=plane),
        geom("/body/shape", 0, kind, size, material=0, torsional_radius=ball),
    ]
    at = pose((0.0, 0.0, RADIUS))
    top = body(at=at, mass=MASS, inertia=np.full(3, INERTIA), angular_velocity=SPIN * Z)
    materials = material(frictions[0], mode), material(frictions[1])
    return scene([top], (), shapes, materials=materials, **values)


def slowing(sim, seconds: float = 0.8) -> float:
    """Deceleration of the spin [rad/s^2]."""
    sim.step(round(seconds / 0.002))
    return float(SPIN - sim.read("qvel")[0, 5]) / seconds


@pytest.mark.parametrize(
    ("ball", "plane", "frictions", "mode", "product"),
    [
        (0.02, 0.0, (0.5, 0.5), None, 0.5 * 0.02),
        (0.0, 0.02, (0.5, 0.5), None, 0.5 * 0.02),
        (0.02, 0.01, (0.5, 1.0), None, 0.75 * 0.02),
        (0.02, 0.01, (0.5, 1.0), "max", 1.0 * 0.02),
        (0.02, 0.01, (0.5, 0.8), "multiply", 0.4 * 0.02),
        (0.0, 0.0, (0.5, 0.5), None, 0.0),
    ],
)
def test_a_ball_spins_down_by_friction_times_the_larger_radius(
    ball, plane, frictions, mode, product, device
):
    """Torque = radius of the patch x combined friction x weight, as measured in PhysX."""
    found = spinning(ball, plane, frictions, mode, timestep=0.002)
    sim = create_engine(compile_scene(found), 2, device=device)
    assert slowing(sim) == pytest.approx(product * MASS * G / INERTIA, rel=0.02, abs=1e-4)


def test_shapes_that_rest_on_several_points_have_no_torsional_friction_besides():
    with_patch, without = (compile_scene(spinning(r, kind="box")).mj for r in (0.02, 0.0))
    for model in (with_patch, without):
        assert not model.npair or model.pair_dim.max() == 3
    np.testing.assert_array_equal(with_patch.geom_condim, without.geom_condim)


@pytest.mark.parametrize("mode", [None, "max"])
def test_torsional_friction_follows_what_friction_becomes(mode):
    """Also where the engine mixes by itself, as it does by the larger friction."""
    found = spinning(0.02, mode=mode, timestep=0.002, varied_surfaces=frozenset({"/body/shape"}))
    sim = create_engine(compile_scene(found), 1)
    shape = sim.compiled.names.find("geom", "/body/shape")
    sim.set_surfaces([[[1.0, 1.0, 0.0]]], geoms=[shape])
    friction = 0.75 if mode is None else 1.0
    assert slowing(sim) == pytest.approx(friction * 0.02 * MASS * G / INERTIA, rel=0.02)


def stage(kind: str) -> Usd.Stage:
    made = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageMetersPerUnit(made, 0.01)
    prim = made.DefinePrim("/it", kind)
    for api in (UsdPhysics.RigidBodyAPI, UsdPhysics.CollisionAPI):
        api.Apply(prim)
    prim.CreateAttribute(PATCH, Sdf.ValueTypeNames.Float, False).Set(2.0)
    return made


@pytest.mark.parametrize(("kind", "notes"), [("Sphere", 0), ("Cube", 1)])
def test_the_attribute_is_read_in_metres_and_its_reach_is_told(kind, notes):
    result = parse_stage(stage(kind), strict=True)
    assert result.scene.geoms[0].torsional_radius == pytest.approx(0.02)
    assert [f.attribute for f in result.report.by_code("approximated")] == [PATCH] * notes


def test_torsional_friction_of_the_material_acts_alone():
    made = stage("Sphere")
    rubber = UsdShade.Material.Define(made, "/rubber")
    UsdPhysics.MaterialAPI.Apply(rubber.GetPrim())
    name = "newton:torsionalFriction"
    rubber.GetPrim().CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(0.3)
    prim = made.GetPrimAtPath("/it")
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(rubber, materialPurpose="physics")
    result = parse_stage(made)
    assert result.scene.geoms[0].torsional_radius == 0.0
    assert [f.attribute for f in result.report.warnings] == [PATCH]


def test_a_radius_that_depends_on_overlap_is_a_warning_with_a_remedy():
    made = stage("Sphere")
    name = "physxCollision:torsionalPatchRadius"
    made.GetPrimAtPath("/it").CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(1.0)
    (found,) = parse_stage(made).report.by_code("unsupported")
    assert found.attribute == name and PATCH in found.message


def test_pairs_of_shapes_that_differ_in_their_radius_alone_are_told_apart():
    two = spinning(0.02, 0.0, mode="max")
    other = geom("/other/shape", 1, "sphere", (RADIUS, 0.0, 0.0), material=0)
    apart = body("/other", at=pose((1.0, 0.0, RADIUS)))
    both = replace(two, bodies=(*two.bodies, apart), geoms=(*two.geoms, other))
    sim = create_engine(compile_scene(both), 1)
    contacts = sim.world_data(0).contact
    assert sorted(int(contact.dim) for contact in contacts) == [3, 4]
