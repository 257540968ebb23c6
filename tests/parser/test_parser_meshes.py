import threading

import numpy as np
import pytest
from parser_builders import about, body, new_stage, parse, shape
from pxr import Gf, Sdf, UsdGeom, UsdPhysics

from usdsim.core import processors
from usdsim.engine import CpuEngine, compile_scene
from usdsim.math.inertia import mesh_mass
from usdsim.math.meshes.hull import convex_hull
from usdsim.parser import parse_stage
from usdsim.parser.shapes import meshes as module
from usdsim.parser.shapes.meshes import Mesh

CUBE = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T.astype(float)


def mesh(stage, path, points, faces, approximation=None, **at):
    prim = shape(stage, path, "Mesh", **at)
    prim.GetAttribute("points").Set([Gf.Vec3f(*map(float, p)) for p in points])
    prim.GetAttribute("faceVertexCounts").Set([len(f) for f in faces])
    prim.GetAttribute("faceVertexIndices").Set([int(i) for f in faces for i in f])
    if approximation:
        UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr(approximation)
    return prim


def cube(stage, path, approximation=None, **at):
    return mesh(stage, path, *convex_hull(CUBE), approximation, **at)


def channel():
    """Points and faces of a closed U: a 3 x 1 x 3 block with a 1 x 1 x 2 slot, volume 7."""
    outline = np.array([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)], float)
    n = len(outline)
    points = [(x, y, z) for y in (0.0, 1.0) for x, z in outline]
    caps = [(0, 1, 4, 5), (1, 2, 3, 4), (0, 5, 6, 7)]
    faces = [tuple(i + n for i in reversed(c)) for c in caps] + caps
    faces += [((i + 1) % n, i, i + n, (i + 1) % n + n) for i in range(n)]
    return np.array(points), faces


def only(stage):
    scene = parse(stage)
    return scene, scene.geoms[0]


@pytest.mark.parametrize("approximation", [None, "none", "convexHull", "meshSimplification"])
def test_convex_meshes(approximation):
    stage = new_stage(meters=0.5)
    cube(stage, "/m", approximation, scale=(2, 4, 6))
    scene, geom = only(stage)
    assert geom.kind == "mesh"
    points = scene.meshes[geom.mesh].points
    np.testing.assert_allclose(points.min(axis=0), [0, 0, 0])
    np.testing.assert_allclose(points.max(axis=0), [1, 2, 3])


def test_mirrored_meshes_stay_wound_outwards():
    stage = new_stage()
    prim = body(stage, "/b", mass=None)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(2.0)
    cube(stage, "/b/m", scale=(-1, 1, 1))
    scene, geom = only(stage)
    found = scene.meshes[geom.mesh]
    signed = np.einsum(
        "ij,ij->i", found.points[found.faces[:, 0]],
        np.cross(found.points[found.faces[:, 1]], found.points[found.faces[:, 2]]),
    ).sum() / 6  # fmt: skip
    assert signed == pytest.approx(1.0)
    points = geom.pose.apply(found.points)
    np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], [[-1, 0, 0], [0, 1, 1]])
    assert scene.bodies[0].mass == pytest.approx(2.0)
    np.testing.assert_allclose(scene.bodies[0].com, [-0.5, 0.5, 0.5])


def test_bounding_boxes_and_spheres():
    stage = new_stage()
    cube(stage, "/m", "boundingCube", pos=(1, 0, 0), turn=about((0, 0, 1), 90), scale=(2, 4, 6))
    cube(stage, "/n", "boundingSphere")
    box, ball = parse(stage).geoms
    assert (box.kind, ball.kind) == ("box", "sphere")
    np.testing.assert_allclose(box.size, [1, 2, 3])
    np.testing.assert_allclose(box.pose.pos, [1 - 2, 1, 3], atol=1e-9)
    np.testing.assert_allclose(ball.size[0], np.sqrt(3) / 2)
    np.testing.assert_allclose(ball.pose.pos, [0.5, 0.5, 0.5])


def test_spheres_fill_a_mesh_and_the_mesh_weighs():
    stage = new_stage(meters=0.5)
    prim = body(stage, "/b", mass=None)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(2.0)
    solid = mesh(stage, "/b/m", *channel(), "sphereFill", scale=(-2, 2, 2))
    solid.AddAppliedSchema("PhysxSphereFillCollisionAPI")
    solid.CreateAttribute("physxSphereFillCollision:maxSpheres", Sdf.ValueTypeNames.Int).Set(40)
    solid.CreateAttribute("physxSphereFillCollision:seedCount", Sdf.ValueTypeNames.Int).Set(9)
    result = parse_stage(stage)
    geoms = result.scene.geoms
    assert {g.kind for g in geoms} == {"sphere"} and len(geoms) == 40
    assert len({g.path for g in geoms}) == 40 and geoms[0].path == "/b/m"
    for geom in geoms:  # A block from -3 to 0 in x, with a slot above z = 1.
        (x, _, z), radius = geom.pose.pos, geom.size[0] - 1e-9
        assert x - radius > -3.0 and x + radius < 0.0 and radius < z < 3.0 - radius
        assert not (-2.0 < x < -1.0 and z > 1.0)
    assert [f.code for f in result.report.findings] == ["foreign-setting"]
    assert result.scene.bodies[0].mass == pytest.approx(2.0 / 0.5**3 * 7.0)


def test_settings_of_spheres_say_nothing_about_hulls():
    stage = new_stage()
    prim = cube(stage, "/m", "convexHull")
    prim.AddAppliedSchema("PhysxSphereFillCollisionAPI")
    prim.CreateAttribute("physxSphereFillCollision:maxSpheres", Sdf.ValueTypeNames.Int).Set(40)
    report = parse_stage(stage).report
    assert [f.code for f in report.findings] == ["foreign-setting"]
    assert "physxSphereFillCollision:maxSpheres" not in report.read.get("/m", ())


def test_distance_fields():
    stage = new_stage()
    mesh(stage, "/m", *channel(), "sdf")
    assert only(stage)[1].kind == "sdf"


@pytest.mark.parametrize("scale", [(1, 1, 1), (-2, 1, 1)])
@pytest.mark.parametrize("approximation", ["none", "meshSimplification"])
def test_hollow_meshes_that_stand_still_keep_their_surface(approximation, scale):
    stage = new_stage()
    mesh(stage, "/m", *channel(), approximation, scale=scale)
    scene = parse(stage)
    # The ends are a U of three convex parts each; the outline has eight sides.
    assert len(scene.geoms) <= 6 + 8 and {g.kind for g in scene.geoms} == {"mesh"}
    assert scene.geoms[0].path == "/m" and len({g.path for g in scene.geoms}) == len(scene.geoms)
    for geom in scene.geoms:
        hull = convex_hull(geom.pose.apply(scene.meshes[geom.mesh].points) / scale)[0]
        assert hull.min() > -1e-6 and hull.max() < 3.0 + 1e-6
        # Nothing is in the slot.
        assert hull[:, 0].min() > 2.0 - 1e-6 or hull[:, 0].max() < 1.0 + 1e-6 or (
            hull[:, 2].max() < 1.0 + 1e-6
        )  # fmt: skip


def lattice(count, *, origin=(0.0, 0.0), height=0.0):
    """Rolling ground of `count` x `count` cells of 0.5 m, up along z."""
    x, y = np.meshgrid(*(0.5 * np.arange(count + 1) + o for o in origin))
    points = np.stack([x, y, np.sin(x) * np.cos(y) + height], axis=-1).reshape(-1, 3)
    n = np.arange((count + 1) ** 2).reshape(count + 1, -1)
    a, b, c, d = (q.ravel() for q in (n[:-1, :-1], n[:-1, 1:], n[1:, 1:], n[1:, :-1]))
    return points, [*zip(a, b, c, strict=True), *zip(a, c, d, strict=True)]


def joined(*parts):
    starts = np.cumsum([0, *(len(points) for points, _ in parts)])
    faces = [tuple(i + s for i in f) for (_, fs), s in zip(parts, starts, strict=False) for f in fs]
    return np.vstack([points for points, _ in parts]), faces


def test_large_grids_are_height_fields():
    stage = new_stage(up="Y", meters=0.5)
    points, faces = lattice(40)
    mesh(stage, "/m", points[:, [0, 2, 1]] * [1, 1, -1], faces, "none")
    scene, geom = only(stage)
    assert geom.kind == "hfield" and len(scene.geoms) == 1
    field = scene.height_fields[geom.mesh]
    assert field.elevation.shape == (41, 41)
    assert (field.elevation.min(), field.elevation.max()) == (0.0, 1.0)
    np.testing.assert_allclose(field.size[:3], [5.0, 5.0, 0.5 * np.ptp(points[:, 2])], rtol=1e-6)
    low = 0.5 * points[:, 2].min()
    np.testing.assert_allclose(geom.pose.pos, [5.0, 5.0, low], atol=1e-5)


def test_tiles_and_blocks_are_taken_apart():
    stage = new_stage()
    block = convex_hull(CUBE)[0] - [2.0, 0.0, 0.0], convex_hull(CUBE)[1]
    mesh(stage, "/m", *joined(lattice(40), lattice(40, origin=(20.0, 0.0)), block), "none")
    assert [g.kind for g in parse(stage).geoms] == ["hfield", "hfield", "box"]


def test_solids_within_each_other_are_not_their_hull():
    stage = new_stage()
    base, step = (convex_hull(CUBE * size)[0] for size in ((3.0, 3.0, 1.0), (1.0, 1.0, 1.5)))
    faces = convex_hull(CUBE)[1]
    mesh(stage, "/m", *joined((base, faces), (step, faces)), "none")
    assert [g.kind for g in parse(stage).geoms] == ["box", "box"]


def test_a_grid_with_something_below_it_is_not_filled():
    stage = new_stage()
    mesh(stage, "/m", *joined(lattice(40, height=2.0), cellar := lattice(2)), "none")
    scene = parse(stage)
    assert {g.kind for g in scene.geoms} == {"mesh"} and len(scene.geoms) > 3200
    assert len(cellar[1]) == 8


def test_equal_surfaces_are_shared():
    stage = new_stage()
    for i in range(2):
        mesh(stage, f"/m{i}", *channel(), "none", pos=(9 * i, 0, 0))
    scene = parse(stage)
    assert len(scene.geoms) == 2 * len(scene.meshes)


def test_surfaces_of_too_many_solids_are_distance_fields(monkeypatch):
    from usdsim.parser.shapes import approximations

    monkeypatch.setattr(approximations, "MOST_SOLIDS", 3)
    stage = new_stage()
    points, faces = channel()
    mesh(stage, "/closed", points, faces, "none")
    mesh(stage, "/open", points, faces[1:], "none", pos=(9, 0, 0))
    result = parse_stage(stage)
    assert result.scene.geoms[0].kind == "sdf" and len(result.scene.geoms) > 4
    found = result.report.by_code("approximated")
    assert [(f.path, f.severity) for f in found] == [("/open", "warning")]


def test_hollow_meshes_that_move_collide_as_hulls():
    stage = new_stage()
    body(stage, "/b")
    mesh(stage, "/b/m", *channel(), "none")
    result = parse_stage(stage)
    assert result.scene.geoms[0].kind == "mesh"
    assert [f.path for f in result.report.by_code("approximated")] == ["/b/m"]


SOLID = (7.0, [1.5, 0.5, (9 * 1.5 - 2 * 2.0) / 7.0])
HULL = (9.0, [1.5, 0.5, 1.5])
VOLUMES = {
    "none": SOLID, "meshSimplification": SOLID, "sdf": SOLID, "convexDecomposition": SOLID,
    "convexHull": HULL, "boundingCube": HULL, "boundingSphere": HULL,
}  # fmt: skip


@pytest.mark.parametrize("kind", ["none", "sdf", "convexHull"])
@pytest.mark.parametrize("every", [3, 5])
def test_triangles_that_face_inwards_among_others_change_nothing(kind, every):
    points, faces = channel()
    mixed = [face[::-1] if i % every == 0 else face for i, face in enumerate(faces)]
    found = []
    for which in (faces, mixed):
        stage = new_stage()
        UsdPhysics.MassAPI.Apply(body(stage, "/b", mass=None)).CreateDensityAttr(2.0)
        mesh(stage, "/b/m", points, which, kind)
        mesh(stage, "/still", points, which, kind, pos=(9, 0, 0))
        found.append(parse(stage))
    told, mixed_up = found
    np.testing.assert_allclose(mixed_up.bodies[0].mass, told.bodies[0].mass)
    np.testing.assert_allclose(mixed_up.bodies[0].com, told.bodies[0].com)
    np.testing.assert_allclose(mixed_up.bodies[0].inertia, told.bodies[0].inertia)
    assert [g.kind for g in mixed_up.geoms] == [g.kind for g in told.geoms]
    for a, b in zip(mixed_up.geoms, told.geoms, strict=True):
        assert np.sort(mixed_up.meshes[a.mesh].points, 0) == pytest.approx(
            np.sort(told.meshes[b.mesh].points, 0), abs=1e-6
        )


SCALES = (1, 1, 1), (-1, 1, 1), (1, 2, 0.5)
SCALED = [(kind, scale) for kind in VOLUMES for scale in SCALES if kind != "convexDecomposition"]
SCALED += [("convexDecomposition", (-1, 2, 0.5))]  # It takes a second.


@pytest.mark.parametrize(("approximation", "scale"), SCALED)
def test_meshes_weigh_and_rest_as_what_they_collide_as(approximation, scale):
    """Hulls weigh like hulls and solids like solids, whichever way they are turned or mirrored."""
    stage = new_stage()
    UsdPhysics.Scene.Define(stage, "/scene")
    shape(stage, "/ground", "Plane")
    prim = body(stage, "/b", mass=None)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(1.0)
    mesh(stage, "/b/m", *channel(), approximation, scale=scale)
    description = parse(stage)
    (found,), (volume, com) = description.bodies, VOLUMES[approximation]
    a, b, c = np.multiply((3.0, 1.0, 3.0), scale) ** 2
    ball = approximation == "boundingSphere"
    mass = 4 / 3 * np.pi * (0.25 * (a + b + c)) ** 1.5 if ball else volume * abs(np.prod(scale))
    assert found.mass == pytest.approx(mass, rel=1e-6)
    np.testing.assert_allclose(found.com, np.multiply(com, scale), atol=1e-6)
    if volume == 9.0:
        moments = np.full(3, 1.2 * (a + b + c)) if ball else np.array([b + c, a + c, a + b])
        moments = found.mass / 12 * moments
        np.testing.assert_allclose(np.sort(found.inertia), np.sort(moments), rtol=1e-6)
    if approximation in ("none", "convexHull", "boundingCube"):
        sim = CpuEngine(compile_scene(description))
        sim.step(300)
        assert sim.read("qpos")[0, 2] == pytest.approx(0.0, abs=1e-4)


def test_decomposed_meshes_leave_the_slot_open():
    pytest.importorskip("coacd")
    stage = new_stage()
    mesh(stage, "/m", *channel(), "convexDecomposition")
    scene = parse(stage)
    assert len(scene.geoms) >= 3 and len({g.path for g in scene.geoms}) == len(scene.geoms)
    assert scene.geoms[0].path == "/m"
    volume = sum(
        mesh_mass(1.0, *convex_hull(scene.meshes[g.mesh].points)).mass for g in scene.geoms
    )
    assert volume < 8.0


@pytest.mark.parametrize("shared", [True, False])
def test_a_mesh_of_convex_pieces_collides_as_these(shared, monkeypatch):
    """Two boxes that touch make an L; a decomposition of it would bulge."""
    from usdsim.parser.shapes import meshes

    monkeypatch.delattr(meshes.meshes, "decompose")
    faces = convex_hull(CUBE)[1]
    points = np.vstack([CUBE * (2.0, 1.0, 1.0), np.add(CUBE, (-0.5, 0.0, 1.0))])
    both = np.vstack([faces, faces + len(CUBE)])
    if not shared:
        points, both = points[both].reshape(-1, 3), np.arange(both.size).reshape(-1, 3)
    stage = new_stage()
    UsdPhysics.RigidBodyAPI.Apply(mesh(stage, "/m", points, both, "convexDecomposition"))
    scene = parse(stage)
    extents = [np.ptp(scene.meshes[geom.mesh].points, axis=0).tolist() for geom in scene.geoms]
    assert sorted(extents) == [[1.0, 1.0, 1.0], [2.0, 1.0, 1.0]]
    assert scene.bodies[0].mass == pytest.approx(3000.0)


def test_a_hollow_between_convex_walls_is_decomposed(monkeypatch):
    from usdsim.parser.shapes import meshes

    taken = []
    monkeypatch.setattr(
        meshes.meshes, "decompose", lambda *mesh, max_hulls: taken.append(mesh) or [mesh]
    )
    faces = convex_hull(CUBE)[1]
    stage = new_stage()
    walls = np.vstack([faces, faces[:, ::-1] + len(CUBE)])
    mesh(stage, "/m", np.vstack([CUBE, 0.5 * CUBE]), walls, "convexDecomposition")
    parse(stage)
    assert len(taken) == 1


def test_prims_of_one_mesh_have_the_shape_that_each_asks_for(monkeypatch):
    from usdsim.parser.shapes import meshes

    halves = [(CUBE * (1.5, 1.0, 3.0), convex_hull(CUBE)[1])] * 2
    monkeypatch.setattr(meshes.meshes, "decompose", lambda *_, max_hulls: halves[:max_hulls])
    stage = new_stage()
    mesh(stage, "/parts", *channel(), "convexDecomposition")
    mesh(stage, "/hull", *channel(), "convexHull")
    one = mesh(stage, "/one", *channel(), "convexDecomposition")
    one.AddAppliedSchema("PhysxConvexDecompositionCollisionAPI")
    one.CreateAttribute(
        "physxConvexDecompositionCollision:maxConvexHulls", Sdf.ValueTypeNames.Int
    ).Set(1)
    scene = parse(stage)
    extents = {g.path: np.ptp(scene.meshes[g.mesh].points, axis=0).tolist() for g in scene.geoms}
    half = [1.5, 1.0, 3.0]
    assert extents == {"/parts": half, "/parts:1": half, "/hull": [3.0, 1.0, 3.0], "/one": half}


def test_meshes_are_decomposed_side_by_side_and_equal_ones_once(monkeypatch):
    from usdsim.parser.shapes import meshes

    both, seen = threading.Barrier(2, timeout=20.0), []

    def decompose(points, faces, max_hulls):
        both.wait()  # Alone, nobody gets past here.
        seen.append(float(points.max()))
        return [(points, faces)]

    monkeypatch.setattr(meshes.meshes, "decompose", decompose)
    monkeypatch.setattr(processors, "_threads", 2)
    stage = new_stage()
    points, faces = channel()
    for name, size in [("a", 1.0), ("b", 2.0), ("c", 1.0)]:
        mesh(stage, f"/{name}", size * points, faces, "convexDecomposition")
    # Neither of these is taken apart.
    cube(stage, "/cube", "convexDecomposition")
    mesh(stage, "/hull", 3.0 * points, faces, "convexHull")
    scene = parse(stage)
    assert len(scene.geoms) == 5 and sorted(seen) == [3.0, 6.0]


def test_without_a_decomposer_hollow_meshes_are_distance_fields(monkeypatch):
    from usdsim.core.errors import UnsupportedError
    from usdsim.parser.shapes import meshes

    def missing(*_, **__):
        raise UnsupportedError("no decomposer here")

    monkeypatch.setattr(meshes.meshes, "decompose", missing)
    stage = new_stage()
    mesh(stage, "/m", *channel(), "convexDecomposition")
    points, faces = channel()
    twice = [*faces[1:], *(tuple(i + len(points) for i in face) for face in faces[1:])]
    mesh(stage, "/open", np.vstack([points, points + 9.0]), twice, "convexDecomposition")
    result = parse_stage(stage)
    assert [g.kind for g in result.scene.geoms] == ["sdf", "mesh", "mesh"]
    assert [f.path for f in result.report.by_code("approximated")] == ["/m", "/open"]
    low, high = (result.scene.meshes[g.mesh].points for g in result.scene.geoms[1:])
    assert low.max() == 3.0 and high.min() == 9.0


def test_flat_meshes_get_a_back():
    stage = new_stage()
    points = [(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)]
    mesh(stage, "/ground", points, [(0, 1, 2, 3)])
    result = parse_stage(stage)
    geom = result.scene.geoms[0]
    found = result.scene.meshes[geom.mesh].points
    assert found[:, 2].max() == pytest.approx(0.0) and found[:, 2].min() < -0.01
    assert result.report.by_code("approximated")


def test_equal_meshes_are_shared():
    stage = new_stage()
    for i in range(3):
        cube(stage, f"/m{i}", pos=(i, 0, 0), scale=(1, 1, 2 if i == 2 else 1))
    scene = parse(stage)
    assert len(scene.meshes) == 2
    assert scene.geoms[0].mesh == scene.geoms[1].mesh != scene.geoms[2].mesh


def test_left_handed_faces_and_polygons():
    stage = new_stage()
    prim = body(stage, "/b", mass=None)
    UsdPhysics.MassAPI.Apply(prim).CreateDensityAttr(1.0)
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    found = mesh(stage, "/b/m", CUBE, quads)
    UsdGeom.Mesh(found).CreateOrientationAttr("leftHanded")
    assert parse(stage).bodies[0].mass == pytest.approx(1.0)


def test_hull_vertex_limits_reach_the_mesh():
    stage = new_stage()
    prim = cube(stage, "/m", "convexHull")
    prim.CreateAttribute("physxConvexHullCollision:hullVertexLimit", Sdf.ValueTypeNames.Int).Set(16)
    scene, geom = only(stage)
    assert scene.meshes[geom.mesh].overrides == {"maxhullvert": 16}


def _turned(side: int, pole: float):
    """A star turned about z; points of a row at a pole are `pole` apart from each other."""
    u = np.linspace(0.0, np.pi, side)
    v = np.linspace(0.0, 2.0 * np.pi, side, endpoint=False)
    along, around = np.meshgrid(u, v, indexing="ij")
    out = np.sin(along) * (1.0 + 0.3 * np.sin(5.0 * around))
    out[[0, -1]] = pole
    points = np.stack([out * np.cos(around), out * np.sin(around), np.cos(along)], axis=-1)
    first = np.arange(side - 1)[:, None] * side + np.arange(side)
    second = np.arange(side - 1)[:, None] * side + (np.arange(side) + 1) % side
    a, b, c, d = first, first + side, second + side, second
    faces = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
    return points.reshape(-1, 3), faces.astype(np.int32)


@pytest.mark.parametrize(("pole", "closed"), [(0.0, True), (1e-9, True), (1e-3, False)])
def test_points_that_single_precision_does_not_tell_apart_are_one(pole, closed):
    points, faces = _turned(20, pole)
    mesh = Mesh(points, faces, 0)
    assert mesh.is_closed() is closed
    assert len(mesh.components()) == 1
    enclosed = mesh_mass(1.0, *_turned(20, 0.0)).mass
    assert mesh.solid().mass == pytest.approx(enclosed, rel=1e-6) or not closed
    assert mesh.hull_solid().mass > 1.1 * enclosed


def test_area_of_triangles_is_that_of_the_sides_of_a_block():
    mesh = Mesh(*convex_hull(CUBE), 0)
    for sides, area in (((1, 1, 1), 6.0), ((2, 3, 4), 52.0), ((-2, 3, 4), 52.0), ((2, 3, 0), 12.0)):
        assert mesh.area(np.diag(sides).astype(float)) == pytest.approx(area)


def test_equal_meshes_that_are_only_seen_are_measured_once(monkeypatch):
    measured = []
    monkeypatch.setattr(module, "cross", lambda a, b: measured.append(len(a)) or np.cross(a, b))
    stage = new_stage()
    for i in range(3):
        seen = UsdGeom.Mesh.Define(stage, f"/seen_{i}")
        points, faces = convex_hull(CUBE)
        seen.CreatePointsAttr([Gf.Vec3f(*map(float, point)) for point in points])
        seen.CreateFaceVertexCountsAttr([3] * len(faces))
        seen.CreateFaceVertexIndicesAttr(faces.ravel().tolist())
    assert len(parse_stage(stage, exact=True, strict=False).scene.geoms) == 3
    assert measured == [12]
