"""Deformable bodies: both dialects, the draft, units, and what is refused."""

import re

import numpy as np
import pytest
from parser_builders import body, new_stage, place, shape
from pxr import Gf, Sdf, UsdGeom, UsdPhysics, UsdShade
from soft_stages import (
    CUBE,
    KINDS,
    SHEET,
    SIDES,
    TETS,
    TRIANGLES,
    apply,
    attachment,
    author,
    bind,
    drawn,
    floats,
    material,
    old_cube,
    soft_cube,
    soft_sheet,
    vectors,
)

from usdsim.core.errors import ParseError
from usdsim.engine import compile_scene
from usdsim.math.deformable.elements import embedded_positions, measures
from usdsim.parser import parse_stage

VALUES = {"youngsModulus": 2e5, "poissonsRatio": 0.3, "dynamicFriction": 0.6, "density": 500.0}


def only(stage, **options):
    (found,) = parse_stage(stage, **options).scene.deformables
    return found


def problems(stage):
    with pytest.raises(ParseError) as caught:
        parse_stage(stage)
    return [(finding.path, finding.message) for finding in caught.value.findings]


def same_models(a, b):
    first, second = (compile_scene(scene).mj for scene in (a, b))
    for field in first._all_fields:
        x, y = getattr(first, field), getattr(second, field)
        if isinstance(x, np.ndarray) and x.dtype.kind == "f" and not field.startswith("bvh"):
            assert x.shape == y.shape, field
            # What is authored has single precision.
            np.testing.assert_allclose(x, y, rtol=2e-6, atol=2e-7, err_msg=field)


# -- reading -----------------------------------------------------------------------------------


NEWER = ("OmniPhysicsDeformableMaterialAPI", "OmniPhysicsSurfaceDeformableMaterialAPI")
_SOLID = [("density", "density", 300.0), ("dynamicFriction", "dynamicFriction", 0.4)]
DRAFTED = {
    "Volume": [
        *_SOLID,
        ("youngsModulus", "youngsModulus", 1e5),
        ("poissonsRatio", "poissonsRatio", 0.4),
    ],
    "Surface": [
        *_SOLID,
        ("thickness", "surfaceThickness", 0.002),
        ("stretchStiffness", "surfaceStretchStiffness", 1e5),
        ("bendStiffness", "surfaceBendStiffness", 2e4),
    ],
}
"""Attributes of materials in the draft, what the newer dialect calls them, and values."""


def test_newer_dialect():
    stage = new_stage()
    root, mesh = soft_cube(
        stage,
        omniphysics__mass=3.0,
        omniphysics__kinematicEnabled=True,
        physxDeformableBody__linearDamping=0.2,
        physxDeformableBody__selfCollision=True,
        physxDeformableBody__disableGravity=True,
    )
    place(root, (0, 0, 2))
    floats(mesh, physxCollision__restOffset=0.01, physxCollision__contactOffset=0.03)
    soft = material(stage, **VALUES, physxDeformableMaterial__elasticityDamping=0.02)
    bind(root, soft)
    result = parse_stage(stage, strict=True)
    (found,) = result.scene.deformables
    assert (found.path, found.mesh, found.kind) == ("/World/Soft", "/World/Soft/sim", "volume")
    np.testing.assert_allclose(found.points, CUBE + np.array([0, 0, 2]))
    np.testing.assert_allclose(found.rest_points, found.points)
    np.testing.assert_array_equal(found.elements, TETS)
    assert not found.velocities.any()
    assert (found.mass, found.kinematic, found.self_collision) == (3.0, True, True)
    assert found.gravity_scale == 0.0
    assert found.linear_damping == pytest.approx(0.2)
    assert found.youngs_modulus == pytest.approx(2e5)
    assert found.poissons_ratio == pytest.approx(0.3)
    assert found.friction == pytest.approx(0.6)
    assert found.elasticity_damping == pytest.approx(0.02)
    assert (found.rest_offset, found.contact_offset) == pytest.approx((0.01, 0.03))
    assert found.collides
    assert not result.scene.geoms
    assert result.report.read["/World/Soft"] >= {"omniphysics:mass"}


def test_both_dialects_and_the_draft_mean_the_same():
    stages = []
    for dialect in ("newer", "older", "draft"):
        stage = new_stage()
        if dialect == "older":
            prim = old_cube(
                stage, physxDeformable__vertexVelocityDamping=0.1,
                physxDeformable__selfCollision=True,
            )  # fmt: skip
            apply(prim, "PhysicsMassAPI")
            floats(prim, physics__mass=2.0)
            soft = material(stage, old="PhysxDeformableBodyMaterialAPI", **VALUES)
            floats(soft, physxDeformableBodyMaterial__elasticityDamping=0.01)
        else:
            prefix = "omniphysics" if dialect == "newer" else "physics"
            prim, _ = soft_cube(
                stage, prefix="omni" if dialect == "newer" else "",
                physxDeformableBody__linearDamping=0.1, physxDeformableBody__selfCollision=True,
                **{f"{prefix}__mass": 2.0},
            )  # fmt: skip
            drawn(stage, "/World/Soft/seen")
            values = {f"{prefix}__{name}": value for name, value in VALUES.items()}
            soft = material(stage, **values, physxDeformableMaterial__elasticityDamping=0.01)
        place(prim, (0, 0, 1))
        bind(prim, soft)
        stages.append(parse_stage(stage, strict=True).scene)
    for other in stages[1:]:
        same_models(stages[0], other)
    assert stages[0].deformables[0].mass == stages[1].deformables[0].mass == 2.0


def test_later_names_of_the_draft_are_those_of_the_newer_dialect():
    scenes = []
    for family in (None, "Physics"):
        stage = new_stage()
        for make, kind, path in ((soft_cube, "Volume", "/Soft"), (soft_sheet, "Surface", "/Cloth")):
            own = DRAFTED[kind]
            soft = UsdShade.Material.Define(stage, f"{path}Material").GetPrim()
            apis = [f"Physics{kind}DeformableMaterialAPI"] if family else NEWER
            values = {f"physics__{n}" if family else f"omniphysics__{old}": v for n, old, v in own}
            floats(apply(soft, *apis), **values)
            bind(make(stage, path)[0], soft)
        result = parse_stage(stage, strict=True)
        scenes.append(result.scene)
    same_models(*scenes)
    sheet = scenes[1].deformables[1]
    assert (sheet.thickness, sheet.youngs_modulus) == pytest.approx((0.002, 1e5))


def test_older_dialect_fills_what_was_never_cooked():
    stage = new_stage()
    prim = old_cube(stage, cooked=False)
    author(prim, "physxDeformable:simulationHexahedralResolution", KINDS.UInt, 2)
    found = only(stage)
    # Corners and middles of eight cells; four around each of 12 inner faces, two on 24 outer ones.
    assert len(found.points) == 27 + 8 and len(found.elements) == 4 * 12 + 2 * 24
    assert measures(found.rest_points, found.elements).sum() == pytest.approx(1.0)
    (visual,) = found.visuals
    assert visual.path == found.mesh == "/World/Soft"


def test_older_surface():
    stage = new_stage()
    prim = apply(drawn(stage, "/Cloth", SHEET, TRIANGLES), "PhysxDeformableSurfaceAPI")
    soft = material(stage, old="PhysxDeformableSurfaceMaterialAPI", thickness=0.02, density=100.0)
    bind(prim, soft)
    found = only(stage)
    assert found.kind == "surface"
    assert found.thickness == pytest.approx(0.02)
    assert found.mass == pytest.approx(100.0 * 0.02)
    assert found.youngs_modulus == pytest.approx(1e7)
    np.testing.assert_array_equal(found.elements, TRIANGLES)


def test_surface_moduli():
    stage = new_stage()
    root, _ = soft_sheet(stage)
    soft = material(
        stage, youngsModulus=1e6, surfaceThickness=0.01, surfaceStretchStiffness=2e6,
        surfaceBendStiffness=3e6,
    )  # fmt: skip
    bind(root, soft)
    found = only(stage)
    assert found.youngs_modulus == pytest.approx(2e6)
    assert found.bend_modulus == pytest.approx(3e6)
    soft.GetAttribute("omniphysics:surfaceBendStiffness").Set(0.0)
    assert only(stage).bend_modulus == pytest.approx(1e6)
    soft.GetAttribute("omniphysics:surfaceStretchStiffness").Set(0.0)
    assert only(stage).bend_modulus is None


def test_units_axes_and_scales_change_nothing():
    def scene(up, meters, kilograms, scale):
        stage = new_stage(up, meters, kilograms)
        root, mesh = soft_cube(stage, omniphysics__mass=3.0 / kilograms)
        size = scale * meters
        turn = None if up == "Z" else [-(0.5**0.5), 0, 0, 0.5**0.5]
        at = np.array([0.0, 0.0, 2.0] if up == "Z" else [0.0, 2.0, 0.0]) / meters
        place(root, at, turn, np.full(3, scale))
        points = vectors(CUBE / size)
        mesh.GetAttribute("points").Set(points)
        speed = vectors(np.tile([0.0, 0.0, 1.0 / size], (8, 1)))
        mesh.GetAttribute("velocities").Set(speed)
        floats(mesh, physxCollision__restOffset=0.01 / meters)
        pascal = kilograms / meters
        soft = material(stage, youngsModulus=1e5 / pascal, poissonsRatio=0.3)
        bind(root, soft)
        return parse_stage(stage).scene

    base = scene("Z", 1.0, 1.0, 1.0)
    (found,) = base.deformables
    np.testing.assert_allclose(found.velocities, np.tile([0.0, 0.0, 1.0], (8, 1)))
    assert found.youngs_modulus == pytest.approx(1e5)
    for other in [("Y", 1.0, 1.0, 1.0), ("Z", 0.01, 0.001, 1.0), ("Y", 0.01, 1.0, 2.0)]:
        same_models(base, scene(*other))


def test_mirrored_meshes_are_turned_over():
    stage = new_stage()
    root, _ = soft_cube(stage)
    place(root, scale=(-1, 1, 1))
    found = only(stage)
    assert (measures(found.rest_points, found.elements) > 0).all()
    left = new_stage()
    soft_cube(left, tets=TETS[:, [0, 1, 3, 2]])
    np.testing.assert_array_equal(only(left).elements, TETS)


def test_rest_shape_is_kept_apart_from_where_it_starts():
    stage = new_stage()
    _, mesh = soft_cube(stage, points=CUBE * 1.2)
    author(mesh, "omniphysics:restShapePoints", KINDS.Point3fArray, vectors(CUBE))
    author(
        mesh,
        "omniphysics:restTetVtxIndices",
        KINDS.Int4Array,
        [Gf.Vec4i(*map(int, t)) for t in TETS],
    )
    found = only(stage, strict=True)
    np.testing.assert_allclose(found.rest_points, CUBE)
    np.testing.assert_allclose(found.points, CUBE * 1.2, rtol=1e-6)
    assert found.mass == pytest.approx(1000.0)


@pytest.mark.parametrize(
    "mass, density, own, expected",
    [
        (2.0, 500.0, 0.0, 2.0),
        (0.0, 500.0, 300.0, 500.0),
        (0.0, 0.0, 300.0, 300.0),
        (0, 0, 0, 1000.0),
    ],
)
def test_mass_comes_from_the_first_that_says(mass, density, own, expected):
    stage = new_stage()
    root, _ = soft_cube(stage, omniphysics__mass=float(mass))
    bind(root, material(stage, density=float(density)))
    if own:
        apply(root, "PhysicsMassAPI")
        floats(root, physics__density=float(own))
    result = parse_stage(stage)
    assert result.scene.deformables[0].mass == pytest.approx(expected)
    assert ("omniphysics:density" in result.report.defaulted["/World/Soft"]) == (expected == 1000.0)


def test_a_density_of_a_body_of_the_draft_goes_before_that_of_its_material():
    stage = new_stage()
    root, _ = soft_cube(stage, prefix="")
    bind(root, material(stage, physics__density=500.0))
    assert only(stage).mass == pytest.approx(500.0)
    floats(root, physics__density=300.0)
    assert only(stage, strict=True).mass == pytest.approx(300.0)


def test_simulation_meshes_without_a_body_are_bodies():
    stage = new_stage()
    _, mesh = soft_cube(stage, "/Soft", prefix="")
    _, sheet = soft_sheet(stage, "/Cloth")
    expected = parse_stage(stage).scene.deformables
    for path, api in (("/Soft", "Physics"), ("/Cloth", "OmniPhysics")):
        stage.GetPrimAtPath(path).RemoveAppliedSchema(f"{api}DeformableBodyAPI")
    scene = parse_stage(stage, strict=True).scene
    assert not scene.geoms
    assert [body.path for body in scene.deformables] == [str(p.GetPath()) for p in (mesh, sheet)]
    for found, other in zip(scene.deformables, expected, strict=True):
        assert (found.kind, found.mass, found.mesh) == (other.kind, other.mass, other.mesh)


@pytest.mark.parametrize("name", ["omniphysics:restTriVtxIndices", "physics:restTriVertexIndices"])
def test_elements_may_have_corners_of_their_own_at_rest(name):
    """As at the seams of a garment, whose pieces rest where it has none."""
    stage = new_stage()
    _, mesh = soft_sheet(stage, points=SHEET * (2, 2, 1))
    pieces = np.concatenate([SHEET[corners] for corners in TRIANGLES])
    author(mesh, "omniphysics:restShapePoints", KINDS.Point3fArray, vectors(pieces))
    author(mesh, name, KINDS.Int3Array, [Gf.Vec3i(0, 1, 2), Gf.Vec3i(3, 4, 5)])
    found = only(stage, strict=True)
    np.testing.assert_allclose(found.rest_points, SHEET)
    np.testing.assert_allclose(found.points, SHEET * (2, 2, 1))
    pieces[3:] += (0, 0, 1)
    mesh.GetAttribute("omniphysics:restShapePoints").Set(vectors(pieces))
    ((_, message),) = [p for p in problems(stage) if p[0] != "/"]
    assert "more than one place at rest" in message


def test_defaults_without_material():
    stage = new_stage()
    soft_cube(stage)
    result = parse_stage(stage)
    (found,) = result.scene.deformables
    assert (found.youngs_modulus, found.poissons_ratio, found.friction) == (5e7, 0.45, 0.5)
    assert result.report.defaulted["/World/Soft"]["omniphysics:youngsModulus"] == 5e7


def test_drawn_meshes_follow():
    stage = new_stage()
    soft_cube(stage)
    seen = drawn(stage, "/World/Soft/seen", CUBE * 0.5)
    place(seen, (0.25, 0.25, 0.25))
    floats(drawn(stage, "/World/Soft/deep/coloured"))
    UsdGeom.Mesh(seen).CreateDisplayColorAttr([Gf.Vec3f(0.1, 0.2, 0.3)])
    found = only(stage)
    first, second = found.visuals
    assert {first.path, second.path} == {"/World/Soft/seen", "/World/Soft/deep/coloured"}
    visual = first if first.path.endswith("seen") else second
    moved = embedded_positions(
        found.points + np.array([1, 2, 3]), visual.vertices, visual.weights, visual.heights
    )
    np.testing.assert_allclose(moved, CUBE * 0.5 + 0.25 + [1, 2, 3], atol=1e-6)
    np.testing.assert_allclose(found.rgba[:3], [0.1, 0.2, 0.3], rtol=1e-6)


def test_drawn_meshes_are_bound_in_their_bind_pose():
    stage = new_stage()
    soft_cube(stage)
    seen = apply(drawn(stage, "/World/Soft/seen", CUBE * 7.0), "OmniPhysicsDeformablePoseAPI:rest")
    base = "deformablePose:rest:omniphysics:"
    author(seen, base + "purposes", KINDS.TokenArray, ["bindPose"])
    author(seen, base + "points", KINDS.Point3fArray, vectors(CUBE))
    found = only(stage)
    (visual,) = found.visuals
    back = embedded_positions(found.points, visual.vertices, visual.weights, visual.heights)
    np.testing.assert_allclose(back, CUBE, atol=1e-6)


def test_disabled_bodies_and_colliders():
    stage = new_stage()
    body(stage, "/box")
    soft_cube(stage, omniphysics__deformableBodyEnabled=False)
    result = parse_stage(stage, strict=True)
    assert not result.scene.deformables and not result.scene.geoms
    assert [f.code for f in result.report.findings] == ["disabled-body"]
    stage = new_stage()
    _, mesh = soft_cube(stage)
    floats(mesh, physics__collisionEnabled=False)
    assert not only(stage).collides
    mesh.RemoveAppliedSchema("PhysicsCollisionAPI")
    assert not only(stage).collides


def test_a_deformable_body_is_physics_enough():
    stage = new_stage()
    soft_cube(stage)
    assert not parse_stage(stage).scene.bodies


def test_only_what_is_left_over_is_reported():
    stage = new_stage()
    soft_cube(
        stage,
        physxDeformableBody__solverPositionIterationCount=20.0,
        physxDeformableBody__settlingDamping=1.0,
        physxDeformableBody__maxLinearVelocity=3.0,
    )
    report = parse_stage(stage).report
    foreign = {f.attribute for f in report.by_code("foreign-setting")}
    assert foreign == {
        "physxDeformableBody:solverPositionIterationCount",
        "physxDeformableBody:settlingDamping",
    }
    (finding,) = report.by_code("unsupported")
    assert finding.attribute == "physxDeformableBody:maxLinearVelocity"
    with pytest.raises(ParseError, match="maxLinearVelocity"):
        parse_stage(stage, strict=True)


def test_what_changes_nothing_is_not_reported():
    stage = new_stage()
    root, _ = soft_cube(
        stage,
        physxDeformableBody__selfCollisionFilterDistance=0.1,
        physxDeformableBody__maxLinearVelocity=float("inf"),
    )
    assert not parse_stage(stage, strict=True).report.findings
    floats(root, physxDeformableBody__selfCollision=True)
    (finding,) = parse_stage(stage).report.by_code("unsupported")
    assert finding.attribute == "physxDeformableBody:selfCollisionFilterDistance"


def test_dialects_that_disagree():
    stage = new_stage()
    soft_cube(stage, omniphysics__mass=2.0, physics__mass=3.0)
    report = parse_stage(stage).report
    assert "mass is already 2" in report.by_code("conflict")[0].message
    assert only(stage).mass == 2.0
    assert only(stage, precedence=("physics", "physx")).mass == 3.0


def test_curved_rest_shape_of_a_surface():
    stage = new_stage()
    points = SHEET + np.array([[0, 0, 0], [0, 0, 0.3], [0, 0, 0.3], [0, 0, 0]])
    _, mesh = soft_sheet(stage, points=points)
    name = "omniphysics:restBendAnglesDefault"
    author(mesh, name, KINDS.Token, "restShapeDefault")
    (finding,) = parse_stage(stage).report.by_code("unsupported")
    assert (finding.path, finding.attribute) == ("/World/Cloth/sim", name)
    mesh.GetAttribute(name).Set("flatDefault")
    assert not parse_stage(stage).report.findings


def test_other_deformable_bodies_are_named():
    stage = new_stage()
    body(stage, "/box")
    points = stage.DefinePrim("/sand", "Points")
    apply(points, "PhysicsDeformableBodyAPI", "NewtonPointsDeformableSimAPI")
    (finding,) = parse_stage(stage).report.by_code("unsupported")
    assert finding.path == "/sand" and "NewtonPointsDeformableSimAPI" in finding.message
    points.RemoveAppliedSchema("PhysicsDeformableBodyAPI")
    assert [f.path for f in parse_stage(stage).report.by_code("unsupported")] == ["/sand"]
    stage.RemovePrim("/box")
    ((_, message),) = problems(stage)
    assert "not simulated: /sand: has NewtonPointsDeformableSimAPI" in message


# -- groups and filters ------------------------------------------------------------------------


def test_collision_groups():
    stage = new_stage()
    _, mesh = soft_cube(stage)
    ball = shape(stage, "/ball", "Sphere")
    group = UsdPhysics.CollisionGroup.Define(stage, "/soft_things")
    group.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets([mesh.GetPath()])
    other = UsdPhysics.CollisionGroup.Define(stage, "/balls")
    other.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets([ball.GetPath()])
    other.CreateFilteredGroupsRel().SetTargets([group.GetPath()])
    groups = {found.path: found for found in parse_stage(stage, strict=True).scene.groups}
    assert groups["/soft_things"].deformables == (0,)
    assert groups["/balls"].deformables == () and groups["/balls"].geoms == (0,)


@pytest.mark.parametrize("turned", [False, True])
def test_filtered_pairs(turned):
    stage = new_stage()
    root, _ = soft_cube(stage)
    soft_cube(stage, "/World/Other")
    shape(stage, "/ball", "Sphere")
    carrier = body(stage, "/carrier")
    shape(stage, "/carrier/shape")
    others = ["/ball", "/carrier", "/World/Other"]
    if turned:
        for path in others:
            prim = stage.GetPrimAtPath(path)
            UsdPhysics.FilteredPairsAPI.Apply(prim).CreateFilteredPairsRel().SetTargets(
                [root.GetPath()]
            )
    else:
        UsdPhysics.FilteredPairsAPI.Apply(root).CreateFilteredPairsRel().SetTargets(
            [Sdf.Path(path) for path in others]
        )
    scene = parse_stage(stage, strict=True).scene
    paths = [geom.path for geom in scene.geoms]
    expected = {(0, paths.index("/ball")), (0, paths.index("/carrier/shape")), (0, -2)}
    assert scene.deformable_filters == expected
    assert carrier


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "points, tets, message",
    [
        (CUBE, np.vstack([TETS[:4], TETS[4:, [0, 1, 3, 2]]]), "1 of 5 .* inverted.*element 4"),
        (CUBE, np.vstack([TETS, [[0, 1, 2, 3]]]), "degenerate elements, such as element 5"),
        (CUBE, np.vstack([TETS, [[0, 0, 2, 3]]]), "degenerate"),
        (np.vstack([CUBE, [[5, 5, 5]]]), TETS, "1 points that belong to no element.*point 8"),
        (CUBE, np.vstack([TETS, TETS[:1], TETS[:1]]), "not manifold.*face"),
        (CUBE, np.vstack([TETS, [[0, 1, 2, 9]]]), "uses point 9, but has points 0 to 7"),
        (CUBE[:0], TETS, "no points or no tetVertexIndices"),
        (CUBE, TETS[:0], "no points or no tetVertexIndices"),
        (CUBE * np.nan, TETS, "not-a-number|numbers|no points"),
    ],
)  # fmt: skip
def test_bad_tetrahedra_are_refused(points, tets, message):
    stage = new_stage()
    soft_cube(stage, points=points, tets=tets)
    found = problems(stage)
    assert all(path == "/World/Soft/sim" for path, _ in found if path != "/")
    assert any(re.search(message, text) for _, text in found), found


def test_bad_triangles_are_refused():
    stage = new_stage()
    fan = np.vstack([SHEET, [[0.5, 0.5, 1.0]]])
    soft_sheet(stage, points=fan, faces=[[0, 3, 1], [0, 3, 2], [0, 3, 4]])
    ((path, message),) = problems(stage)
    assert path == "/World/Cloth/sim" and "edge of element" in message


@pytest.mark.parametrize("which", ["restShapePoints", "velocities", "indices"])
def test_counts_must_match(which):
    stage = new_stage()
    _, mesh = soft_cube(stage)
    if which == "velocities":
        mesh.GetAttribute("velocities").Set(vectors(CUBE[:3]))
    elif which == "indices":
        other = [Gf.Vec4i(*map(int, tet)) for tet in TETS[:2]]
        author(mesh, "omniphysics:restTetVtxIndices", KINDS.Int4Array, other)
    else:
        author(mesh, "omniphysics:restShapePoints", KINDS.Point3fArray, vectors(CUBE[:3]))
    ((path, message),) = [p for p in problems(stage) if p[0] != "/"]
    assert path == "/World/Soft/sim"
    assert "8 points" in message or "2 elements" in message


def test_exactly_one_simulation_mesh():
    stage = new_stage()
    soft_cube(stage)
    second = stage.DefinePrim("/World/Soft/second", "TetMesh")
    apply(second, "OmniPhysicsVolumeDeformableSimAPI")
    ((path, message), *_) = problems(stage)
    assert path == "/World/Soft" and "/World/Soft/sim, /World/Soft/second" in message
    stage = new_stage()
    apply(stage.DefinePrim("/Soft", "Xform"), "OmniPhysicsDeformableBodyAPI")
    ((path, message), *_) = problems(stage)
    assert path == "/Soft" and "has none" in message and "TetMesh" in message


def test_meshes_of_the_wrong_type():
    stage = new_stage()
    _, mesh = soft_cube(stage)
    mesh.SetTypeName("Mesh")
    assert "a Mesh, not a TetMesh" in problems(stage)[0][1]
    stage = new_stage()
    apply(stage.DefinePrim("/Soft", "Xform"), "PhysxDeformableBodyAPI")
    assert "is a Xform, not a Mesh" in problems(stage)[0][1]


def test_rigid_and_deformable_at_once():
    stage = new_stage()
    root, _ = soft_cube(stage)
    UsdPhysics.RigidBodyAPI.Apply(root)
    assert ("/World/Soft", "is a rigid body too; remove PhysicsRigidBodyAPI from it") in problems(
        stage
    )


def test_rigid_bodies_below_keep_their_meshes():
    stage = new_stage()
    soft_cube(stage)
    body(stage, "/World/Soft/box")
    apply(drawn(stage, "/World/Soft/box/mesh"), "PhysicsCollisionAPI")
    drawn(stage, "/World/Soft/seen")
    scene = parse_stage(stage).scene
    assert [geom.path for geom in scene.geoms] == ["/World/Soft/box/mesh"]
    assert [visual.path for visual in scene.deformables[0].visuals] == ["/World/Soft/seen"]


def test_open_meshes_cannot_be_filled():
    stage = new_stage()
    apply(drawn(stage, "/Soft", CUBE, SIDES[:1]), "PhysxDeformableBodyAPI")
    assert "cannot be filled with tetrahedra" in problems(stage)[0][1]


@pytest.mark.parametrize(
    "where, values, message",
    [
        ("material", {"poissonsRatio": 0.5}, "allowed: a number from 0 below 0.5"),
        ("material", {"youngsModulus": -1.0}, "allowed: a number from 0"),
        ("body", {"omniphysics__mass": -1.0}, "allowed: a number >= 0"),
        ("body", {"physxDeformableBody__linearDamping": -1.0}, "allowed: a number >= 0"),
    ],
)
def test_bad_numbers_are_refused(where, values, message):
    stage = new_stage()
    root, _ = soft_cube(stage, **(values if where == "body" else {}))
    bind(root, material(stage, **(values if where == "material" else {})))
    assert any(message in text for _, text in problems(stage))


def test_flat_transforms_are_refused():
    stage = new_stage()
    root, _ = soft_cube(stage)
    place(root, scale=(1, 1, 0))
    assert any("flat" in text for _, text in problems(stage))


# -- attachments -------------------------------------------------------------------------------


def held(stage, target, vertices, local, kind="OmniPhysicsVtxXformAttachment"):
    ends = {"omniphysics__src0": "/World/Soft/sim", "omniphysics__src1": target}
    prim = attachment(stage, "/World/hold", kind, **ends)
    author(prim, "omniphysics:vtxIndicesSrc0", KINDS.IntArray, vertices)
    author(prim, "omniphysics:localPositionsSrc1", KINDS.Point3fArray, vectors(local))
    return prim


def test_vertices_held_by_the_world_and_by_bodies():
    stage = new_stage()
    root, _ = soft_cube(stage)
    place(root, (0, 0, 1))
    hold = held(stage, "", [0, 2], CUBE[[0, 2]] + [0, 0, 1])
    result = parse_stage(stage, strict=True)
    (pin,) = result.scene.deformables[0].pins
    assert (pin.path, pin.body, pin.vertices.tolist()) == ("/World/hold", -1, [0, 2])
    np.testing.assert_allclose(pin.points, CUBE[[0, 2]] + [0, 0, 1])
    body(stage, "/box", pos=(0, 0, 3), turn=[0, 0, 0.5**0.5, 0.5**0.5])
    frame = place(stage.DefinePrim("/box/frame", "Xform"), pos=(1, 0, 0), scale=(2, 2, 2))
    hold.GetRelationship("omniphysics:src1").SetTargets([frame.GetPath()])
    hold.GetAttribute("omniphysics:localPositionsSrc1").Set(vectors([[0.5, 0, 0], [0, 0.5, 0]]))
    (pin,) = only(stage, strict=True).pins
    assert pin.body == 0
    np.testing.assert_allclose(pin.points, [[2, 0, 0], [1, 1, 0]], atol=1e-6)
    author(hold, "omniphysics:attachmentEnabled", KINDS.Bool, False)
    assert only(stage, strict=True).pins == ()


def test_attachments_that_make_no_sense():
    stage = new_stage()
    soft_cube(stage)
    hold = held(stage, "", [0, 9], CUBE[[0, 1]])
    assert "indices from 0 to 7" in problems(stage)[0][1]
    hold.GetAttribute("omniphysics:vtxIndicesSrc0").Set([0])
    assert "1, one per vertex" in problems(stage)[0][1]
    hold.GetAttribute("omniphysics:vtxIndicesSrc0").Set([0, 0])
    assert [f.code for f in parse_stage(stage).report.findings] == ["conflict"]
    hold.GetAttribute("omniphysics:vtxIndicesSrc0").Set([0, 1])
    floats(hold, omniphysics__stiffness=100.0)
    (finding,) = parse_stage(stage).report.by_code("unsupported")
    assert finding.attribute == "omniphysics:stiffness"
    hold.GetRelationship("omniphysics:src0").SetTargets([Sdf.Path("/nowhere")])
    (finding,) = parse_stage(stage).report.by_code("dangling-element")
    assert "/nowhere, which does not exist" in finding.message


@pytest.mark.parametrize(
    "name, kind, value, message",
    [
        ("localPositionsSrc1", KINDS.Point3fArray, [Gf.Vec3f(0, 0, np.inf)], "finite"),
        ("localPositionsSrc1", KINDS.Point3fArray, [Gf.Vec3f(0, 0, np.nan)], "numbers"),
        ("localPositionsSrc1", KINDS.Float2Array, [Gf.Vec2f(0, 0)], "3 numbers per entry"),
        ("localPositionsSrc1", KINDS.String, "here", "numbers"),
        ("vtxIndicesSrc0", KINDS.FloatArray, [0.5], "not of whole numbers"),
        ("vtxIndicesSrc0", KINDS.Int64Array, [2**40], "not of whole numbers"),
        ("vtxIndicesSrc0", KINDS.String, "all", "numbers"),
        ("stiffness", KINDS.String, "stiff", "a number"),
    ],
)
def test_attachments_of_wrong_values_are_refused(name, kind, value, message):
    stage = new_stage()
    soft_cube(stage)
    hold = held(stage, "", [0], CUBE[:1])
    hold.RemoveProperty(f"omniphysics:{name}")
    # Written into the layer: OpenUSD keeps what knows the schema from authoring another type.
    spec = stage.GetRootLayer().GetPrimAtPath(hold.GetPath())
    Sdf.AttributeSpec(spec, f"omniphysics:{name}", kind).default = value
    assert any(message in text for _, text in problems(stage))


def test_attachments_that_are_not_simulated_are_named():
    stage = new_stage()
    soft_cube(stage)
    soft_cube(stage, "/World/Other")
    held(stage, "/World/Other", [0], CUBE[:1])
    attachment(stage, "/World/tets", "OmniPhysicsVtxTetAttachment", omniphysics__src0="/World/Soft")
    attachment(stage, "/World/loose", "PhysxPhysicsAttachment", actor0="", actor1="")
    found = {f.path: f.message for f in parse_stage(stage).report.by_code("unsupported")}
    assert "two deformable bodies" in found["/World/hold"]
    assert "OmniPhysicsVtxTetAttachment" in found["/World/tets"]
    assert "no deformable body" in found["/World/loose"]


def test_older_attachments_by_points():
    stage = new_stage()
    soft_cube(stage)
    body(stage, "/box", pos=(0, 0, 3))
    hold = attachment(
        stage, "/World/hold", "PhysxPhysicsAttachment", actor0="/box", actor1="/World/Soft"
    )
    own = vectors([CUBE[3], CUBE[5], [0.5, 0.5, 0.5]])
    author(hold, "points1", KINDS.Point3fArray, own)
    author(hold, "points0", KINDS.Point3fArray, vectors(np.array(CUBE[[3, 5, 0]]) - [0, 0, 3]))
    result = parse_stage(stage)
    (pin,) = result.scene.deformables[0].pins
    assert sorted(pin.vertices.tolist()) == [3, 5] and pin.body == 0
    np.testing.assert_allclose(pin.points, CUBE[pin.vertices] - [0, 0, 3])
    assert "1 points that are no vertices" in result.report.by_code("unsupported")[0].message


def test_overlap_counts_only_what_moves_with_the_actor():
    stage = new_stage()
    soft_cube(stage)
    for path, z in (("/base", -3.0), ("/base/arm", 3.0)):
        body(stage, path, pos=(0, 0, z))
        shape(stage, f"{path}/box", "Cube", pos=(0, 0, -z), size=2.1)
    hold = attachment(
        stage, "/World/hold", "PhysxPhysicsAttachment", actor0="/World/Soft", actor1="/base"
    )
    apply(hold, "PhysxAutoAttachmentAPI")
    scene = parse_stage(stage).scene
    (pin,) = scene.deformables[0].pins
    assert scene.bodies[pin.body].path == "/base" and len(pin.vertices) == 8
    assert {scene.geoms[geom].path for _, geom in scene.deformable_filters} == {"/base/box"}
    # What is left overlaps one corner; the box of the arm would still reach all of them.
    stage.GetPrimAtPath("/base/box").GetAttribute("size").Set(0.1)
    assert only(stage).pins[0].vertices.tolist() == [0]


@pytest.mark.parametrize(
    "kind, where, sizes, expected",
    [
        ("Cube", {"pos": (0, 0, -0.9)}, {"size": 2.0}, {0, 2, 4, 6}),
        ("Sphere", {"pos": (0, 0, 0)}, {"radius": 0.3}, {0}),
        ("Capsule", {"pos": (0, 0, 0.5)}, {"radius": 0.1, "height": 1.0}, {0, 1}),
        ("Cylinder", {"pos": (0, 0, 0)}, {"radius": 1.1, "height": 1.0}, {0, 2, 4}),
        ("Sphere", {"pos": (0, 0, 0), "scale": (1.1, 0.1, 0.1)}, {"radius": 1.0}, {0, 4}),
        ("Cone", {"pos": (0, 0, -0.1)}, {"radius": 0.5, "height": 1.0}, {0}),
        ("Plane", {"pos": (0, 0, 0.5)}, {}, {0, 2, 4, 6}),
        ("Sphere", {"pos": (5, 5, 5)}, {"radius": 0.3}, set()),
    ],
)
def test_older_attachments_by_overlap(kind, where, sizes, expected):
    stage = new_stage()
    soft_cube(stage)
    shape(stage, "/holder", kind, **where, **sizes)
    hold = attachment(
        stage, "/World/hold", "PhysxPhysicsAttachment", actor0="/World/Soft", actor1="/holder"
    )
    apply(hold, "PhysxAutoAttachmentAPI")
    result = parse_stage(stage)
    pins = result.scene.deformables[0].pins
    assert {v for pin in pins for v in pin.vertices.tolist()} == expected
    assert bool(result.report.by_code("unsupported")) == (not expected)
    # What holds a body does not push it away at the same time.
    assert result.scene.deformable_filters == (frozenset({(0, 0)}) if expected else frozenset())
    floats(hold, physxAutoAttachment__deformableVertexOverlapOffset=10.0)
    (pin,) = only(stage).pins
    assert len(pin.vertices) == 8
