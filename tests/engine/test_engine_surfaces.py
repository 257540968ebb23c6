"""Triangle meshes that stand still, from the stage to the contact."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser import parse_stage

G, RADIUS = 9.81, 0.1


def new_stage(up="Z"):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    return stage


def add_mesh(stage, points, faces, path="/terrain"):
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr([Gf.Vec3f(*map(float, p)) for p in points])
    mesh.CreateFaceVertexCountsAttr([3] * len(faces))
    mesh.CreateFaceVertexIndicesAttr([int(i) for face in faces for i in face])
    UsdPhysics.CollisionAPI.Apply(mesh.GetPrim())
    UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr("none")
    return mesh.GetPrim()


def add_thing(stage, kind, at, turn=0.0, path="/thing"):
    """A ball or a cube of 1 kg, turned about y [degrees]."""
    xform = UsdGeom.Xform.Define(stage, path)
    xform.AddTranslateOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Vec3d(*map(float, at)))
    xform.AddRotateYOp(UsdGeom.XformOp.PrecisionDouble).Set(turn)
    UsdPhysics.RigidBodyAPI.Apply(xform.GetPrim())
    UsdPhysics.MassAPI.Apply(xform.GetPrim()).CreateMassAttr(1.0)
    shape = (UsdGeom.Sphere if kind == "Sphere" else UsdGeom.Cube).Define(stage, f"{path}/shape")
    attribute = shape.CreateRadiusAttr if kind == "Sphere" else shape.CreateSizeAttr
    attribute(RADIUS if kind == "Sphere" else 2 * RADIUS)
    UsdPhysics.CollisionAPI.Apply(shape.GetPrim())
    return xform.GetPrim()


def strips(profile, ys=(-2.0, 0.0, 2.0)):
    """A surface with a profile of points (x, z), along y; faces up, a grid if x is even."""
    points = [(x, y, z) for y in ys for x, z in profile]
    n = len(profile)
    faces = []
    for row in range(len(ys) - 1):
        for i in range(n - 1):
            a, b, c, d = (row * n + i, row * n + i + 1, row * n + n + i + 1, row * n + n + i)
            faces += [(a, b, d), (b, c, d)]
    return points, faces


def simulate(stage):
    return CpuEngine(compile_scene(parse_stage(stage).scene))


def kinds(sim):
    return {geom.kind for geom in sim.compiled.scene.geoms if geom.path.startswith("/terrain")}


def position(sim, path="/thing"):
    return sim.read("xpos")[0, sim.compiled.names.index("body", path)]


def valley(*xs):
    return [(x, abs(x) * np.tan(np.radians(30))) for x in xs]


COARSE = strips(valley(-2.0, -1.0, 0.0, 1.0, 2.0))
UNEVEN = strips(valley(-2.0, -1.3, 0.0, 0.2, 2.0))
FINE = strips(valley(*np.linspace(-2.0, 2.0, 41)), np.linspace(-2.0, 2.0, 31))


@pytest.mark.parametrize(
    ("surface", "kind"), [(COARSE, "mesh"), (UNEVEN, "mesh"), (FINE, "hfield")]
)
@pytest.mark.parametrize("up", ["Z", "Y"])
def test_a_ball_rolls_into_a_valley_and_rests_between_its_sides(surface, kind, up):
    stage = new_stage(up)
    points, faces = surface
    at = (0.5, 0.3, (0.5 * 0.5 + RADIUS) / np.cos(np.radians(30)) + 1e-3)
    if up == "Y":
        points, at = [(x, z, -y) for x, y, z in points], (at[0], at[2], -at[1])
    add_mesh(stage, points, faces)
    add_thing(stage, "Sphere", at)
    sim = simulate(stage)
    assert kinds(sim) == {kind}
    sim.step(6000)
    # Between two planes of 30 degrees a ball's centre is r / cos(30) above the line they meet in.
    x, y, z = position(sim)
    assert (x, z) == pytest.approx((0.0, RADIUS / np.cos(np.radians(30))), abs=1e-3)
    # Edges within the plane nudge the ball where triangles are not joined; nothing brakes it in y.
    assert y == pytest.approx(0.3, abs=1e-3 if kind == "mesh" else 1.0)


@pytest.mark.parametrize(("count", "kind"), [(17, "mesh"), (101, "hfield")])
@pytest.mark.parametrize("degrees", [26.0, 30.0])
def test_a_box_on_a_slope_obeys_coulomb(count, kind, degrees):
    slope = np.radians(degrees)
    # The slope runs down to a step, so the mesh is not flat.
    xs = np.linspace(-5.0, 0.0, count)
    profile = [*((x, -x * np.tan(slope)) for x in xs), (xs[1] - xs[0], 0.2)]
    surface = strips(profile, np.linspace(-0.5, 0.5, 21))
    stage = new_stage()
    add_mesh(stage, *surface)
    normal = np.array([np.sin(slope), 0.0, np.cos(slope)])
    start = np.array([-4.0, 0.02, 4.0 * np.tan(slope)]) + (RADIUS + 1e-4) * normal
    add_thing(stage, "Cube", start, degrees)
    sim = simulate(stage)
    assert kinds(sim) == {kind}
    sim.step(500)
    moved = position(sim) - start
    downhill = np.array([np.cos(slope), 0.0, -np.sin(slope)])
    gain = max(0.0, np.sin(slope) - 0.5 * np.cos(slope))
    # Where a height field's triangles meet, contacts come and go: 12 starts differ by 5 %.
    tolerance = 0.05 if kind == "mesh" else 0.15
    assert moved @ downhill == pytest.approx(0.5 * G * gain, rel=tolerance, abs=2e-3)
    # Contacts give way by millimetres while a box slides from triangle to triangle.
    assert abs(moved @ normal) < 3e-3


def floor_with_a_hole():
    """5 x 5 cells of 1 m without the one in the middle, and a kerb, so that it is not flat."""
    points = [(x, y, 0.0) for y in np.arange(-2.5, 3) for x in np.arange(-2.5, 3)]
    faces = []
    for row in range(5):
        for column in range(5):
            a = row * 6 + column
            if (row, column) != (2, 2):
                faces += [(a, a + 1, a + 7), (a, a + 7, a + 6)]
    points += [(-2.5, -2.5, 0.5), (2.5, -2.5, 0.5)]
    return points, [*faces, (5, 0, 36), (5, 36, 37)]


@pytest.mark.parametrize("kind", ["Sphere", "Cube"])
@pytest.mark.parametrize(("at", "falls"), [((0.1, -0.1), True), ((1.3, 0.2), False)])
def test_a_hole_lets_through_what_is_over_it(kind, at, falls):
    stage = new_stage()
    add_mesh(stage, *floor_with_a_hole())
    add_thing(stage, kind, (*at, 1.5))
    sim = simulate(stage)
    sim.step(1000)
    height = position(sim)[2]
    assert height < -5.0 if falls else height == pytest.approx(RADIUS, abs=1e-3)


@pytest.mark.parametrize("surface", [UNEVEN, FINE])
def test_contacts_are_the_prims(surface):
    stage = new_stage()
    terrain = add_mesh(stage, *surface)
    ball = add_thing(stage, "Sphere", (0.0, 0.3, 0.11))
    for prim, friction in ((terrain, 0.8), (ball, 0.2)):
        material = UsdShade.Material.Define(stage, f"/material{friction * 10:.0f}")
        surface = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
        surface.CreateDynamicFrictionAttr(friction)
        surface.CreateStaticFrictionAttr(friction)
        UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, materialPurpose="physics")
    compiled = compile_scene(parse_stage(stage).scene)
    data = mujoco.MjData(compiled.mj)
    data.qpos[:] = compiled.initial.qpos
    mujoco.mj_forward(compiled.mj, data)
    assert data.ncon
    paths = compiled.names.paths("geom")
    for contact in data.contact:
        touching = sorted(paths[g] for g in contact.geom)
        assert touching[0].partition(":")[0] == "/terrain" and touching[1] == "/thing/shape"
        assert contact.friction[0] == pytest.approx(0.5)
    assert paths[compiled.names.index("geom", "/terrain")] == "/terrain"


@pytest.mark.parametrize("surface", [UNEVEN, FINE])
def test_filtered_pairs_pass(surface):
    stage = new_stage()
    terrain = add_mesh(stage, *surface)
    add_thing(stage, "Sphere", (0.0, 0.3, 0.5))
    other = add_thing(stage, "Sphere", (0.0, -0.3, 0.5), path="/other")
    filtered = UsdPhysics.FilteredPairsAPI.Apply(other).CreateFilteredPairsRel()
    filtered.AddTarget(Sdf.Path(terrain.GetPath()))
    sim = simulate(stage)
    sim.step(1000)
    assert position(sim)[2] > 0.0 and position(sim, "/other")[2] < -5.0
