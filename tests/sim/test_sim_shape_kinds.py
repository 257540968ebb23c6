"""Environments whose bodies have shapes of other kinds are worlds of one model."""

import numpy as np
import pytest
from device_under_test import DEVICE
from environments_stage import author
from pxr import Sdf, UsdPhysics, UsdShade

from usdsim.sim.environments.worlds import build_worlds
from usdsim.usd import create_stage, define_prim

TYPES = Sdf.ValueTypeNames
HALF = 0.2
"""Half size of all shapes along z [m]."""


def _solid(stage, path, kind):
    """A shape of a kind that is 0.4 m high where it stands upright."""
    prim = define_prim(stage, path, "Mesh" if kind in ("wedge", "roof") else kind)
    if kind == "Sphere":
        author(stage, path, "radius", TYPES.Double, HALF)
    elif kind == "Cube":
        author(stage, path, "size", TYPES.Double, 2.0 * HALF)
    elif kind in ("Cylinder", "Cone"):
        author(stage, path, "radius", TYPES.Double, HALF)
        author(stage, path, "height", TYPES.Double, 2.0 * HALF)
    else:
        top = 0.0 if kind == "roof" else 0.1
        base = [(x, y, -HALF) for x in (-HALF, HALF) for y in (-HALF, HALF)]
        points = [*base, (-top - 0.05, 0.0, HALF), (top + 0.05, 0.0, HALF)]
        author(stage, path, "points", TYPES.Point3fArray, points)
        author(stage, path, "faceVertexCounts", TYPES.IntArray, [4, 3, 3, 4, 4])
        corners = [0, 1, 3, 2, 0, 4, 1, 2, 3, 5, 0, 2, 5, 4, 1, 4, 5, 3]
        author(stage, path, "faceVertexIndices", TYPES.IntArray, corners)
        UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr("convexHull")
    UsdPhysics.CollisionAPI.Apply(prim)
    return prim


def scene_of(kinds, frictions=None, masses=None):
    """A stage with an environment for each kind: a body of that shape above common ground."""
    stage = create_stage()
    UsdPhysics.CollisionAPI.Apply(define_prim(stage, "/World/ground", "Plane"))
    for i, kind in enumerate(kinds):
        env = f"/World/envs/env_{i}"
        define_prim(stage, env, "Xform")
        author(stage, env, "xformOp:translate", TYPES.Double3, (3.0 * i, 0.0, 0.0))
        author(stage, env, "xformOpOrder", TYPES.TokenArray, ["xformOp:translate"])
        body = define_prim(stage, f"{env}/thing", "Xform")
        author(stage, f"{env}/thing", "xformOp:translate", TYPES.Double3, (0.0, 0.0, HALF + 0.05))
        author(stage, f"{env}/thing", "xformOpOrder", TYPES.TokenArray, ["xformOp:translate"])
        UsdPhysics.RigidBodyAPI.Apply(body)
        UsdPhysics.MassAPI.Apply(body).CreateMassAttr(masses[i] if masses else 1.0)
        solid = _solid(stage, f"{env}/thing/shape", kind)
        if frictions is not None:
            material = UsdShade.Material.Define(stage, f"{env}/thing/material")
            own = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
            own.CreateDynamicFrictionAttr(frictions[i])
            own.CreateStaticFrictionAttr(frictions[i])
            UsdShade.MaterialBindingAPI.Apply(solid).Bind(material, materialPurpose="physics")
    return stage


def heights(engine, steps=400):
    """Heights of the bodies in all worlds when they have come to rest [m]."""
    for _ in range(steps):
        engine.step()
    return np.asarray(engine.read("qpos"))[:, 2]


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_bodies_stand_on_the_shapes_of_their_environments(device):
    kinds = ("Cube", "Sphere", "roof", "Cylinder", "wedge", "Sphere")
    engine = build_worlds(scene_of(kinds, masses=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), device=device)
    engine = engine.engine
    np.testing.assert_allclose(heights(engine), HALF, atol=1e-3)
    body = engine.compiled.names.index("body", "/World/envs/env_0/thing")
    np.testing.assert_allclose(engine.param("body_mass")[:, body], [1, 2, 3, 4, 5, 6])
    own = engine.compiled.mj.geom_bodyid == body
    assert own.sum() == 5  # The two spheres are one shape.


def pushed(engine, speed, steps):
    """Distances along x that bodies at rest go in some steps after a push [m]."""
    heights(engine, 100)
    velocity = np.zeros((engine.num_envs, engine.compiled.mj.nv))
    velocity[:, 0] = speed
    engine.write("qvel", velocity)
    start = np.array(engine.read("qpos"))[:, 0]
    heights(engine, steps)
    return np.asarray(engine.read("qpos"))[:, 0] - start


def test_bodies_turn_over_as_their_shapes_do():
    """Pushed sideways at the ground, spheres roll on and cubes come to rest."""
    engine = build_worlds(scene_of(("Cube", "Sphere"))).engine
    moved = pushed(engine, 1.0, 1000)
    # A cube slides v^2 / (2 mu g); a sphere rolls at 5/7 of its speed after it has slid.
    np.testing.assert_allclose(moved[0], 1.0 / (2.0 * 0.5 * 9.81), rtol=0.1)
    np.testing.assert_allclose(np.asarray(engine.read("qvel"))[1, 0], 5.0 / 7.0, rtol=0.02)


def test_shapes_keep_the_materials_of_their_environments():
    """Pushed boxes stop after v^2 / (2 mu g), with the mean of their friction and the ground's."""
    frictions = [0.2, 0.9]
    engine = build_worlds(scene_of(("Cube", "Cylinder"), frictions)).engine
    moved = pushed(engine, 0.5, 400)
    mean = (np.array(frictions) + 0.5) / 2.0
    np.testing.assert_allclose(moved, 0.25 / (2.0 * mean * 9.81), rtol=0.1)


def test_masks_do_not_bring_shapes_of_others_back():
    """Contact pairs of materials stay parted where the shape is of another environment."""
    engine = build_worlds(scene_of(("Cube", "roof"), [0.2, 0.9])).engine
    heights(engine, 200)
    for field in ("geom_contype", "geom_conaffinity"):
        engine.set_param(field, engine.compiled.mj.geom_contype)
    np.testing.assert_allclose(heights(engine, 200), HALF, atol=1e-3)
    poses = np.array(engine.read("qpos"))
    np.testing.assert_allclose(np.abs(poses[:, 3]), 1.0, atol=1e-3)


def test_meshes_of_one_name_differ_between_environments():
    engine = build_worlds(scene_of(("roof", "wedge", "roof"))).engine
    kinds, meshes = engine.compiled.mj.geom_type, engine.compiled.mj.nmesh
    assert meshes == 2 and (kinds[1:] == kinds[1]).all()
    absent = engine.param("geom_margin")[:, 1:] < -1.0
    np.testing.assert_array_equal(absent, [[0, 1], [1, 0], [0, 1]])


def test_shapes_that_environments_have_besides_are_theirs_alone():
    """A ball below one body keeps it from standing on its own shape, as the other one does."""
    stage = scene_of(("Cube", "Cube"))
    leg = "/World/envs/env_1/thing/leg"
    _solid(stage, leg, "Sphere")
    author(stage, leg, "xformOp:translate", TYPES.Double3, (0.0, 0.0, -2.0 * HALF))
    author(stage, leg, "xformOpOrder", TYPES.TokenArray, ["xformOp:translate"])
    engine = build_worlds(stage).engine
    np.testing.assert_allclose(heights(engine)[0], HALF, atol=1e-3)
    assert heights(engine, 0)[1] > 1.2 * HALF
    assert "/World/envs/env_0/thing/leg" in engine.compiled.names.paths("geom")
