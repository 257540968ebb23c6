"""Copies of point instancers are bodies and colliders like any others."""

import numpy as np
import pytest
from parser_builders import about, body, by_path, joint, new_stage, parse, place, quat, shape
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, Vt
from soft_stages import soft_cube

from usdsim.core.errors import ParseError
from usdsim.parser import parse_stage
from usdsim.sim.poses.soft_meshes import SoftMeshes


def instancer(stage, path, positions, prototypes, which=None, **arrays):
    """A point instancer; other arrays by attribute name, quaternions xyzw."""
    made = UsdGeom.PointInstancer.Define(stage, path)
    made.CreatePrototypesRel().SetTargets([Sdf.Path(p) for p in prototypes])
    made.CreateProtoIndicesAttr(Vt.IntArray(which or [0] * len(positions)))
    made.CreatePositionsAttr(Vt.Vec3fArray([Gf.Vec3f(*map(float, p)) for p in positions]))
    for name, values in arrays.items():
        attribute = made.GetPrim().GetAttribute(name)
        kind = {"orientations": Gf.Quath, "orientationsf": Gf.Quatf}.get(name)
        if kind:
            values = [quat(v, kind) for v in values]
        elif name != "ids":
            values = [Gf.Vec3f(*map(float, v)) for v in values]
        attribute.Set(values)
    return made


def rock(stage, path, pos=(0, 0, 0), **options):
    """A body with a ball in it."""
    prim = body(stage, path, pos, **options)
    shape(stage, f"{path}/ball", "Sphere", (0, 0, 0.5), radius=0.25)
    return prim


def test_each_copy_of_a_body_is_a_body_and_the_prototype_is_none():
    stage = new_stage()
    UsdGeom.Xform.Define(stage, "/World")
    instancer(stage, "/World/rocks", [(1, 0, 0), (2, 0, 0)], ["/World/rocks/Prototypes/rock"])
    rock(stage, "/World/rocks/Prototypes/rock", mass=2.0)
    before = stage.ExportToString()
    result = parse_stage(stage, strict=True)
    scene = result.scene
    paths = ["/World/rocks/instance_0", "/World/rocks/instance_1"]
    assert [b.path for b in scene.bodies] == paths
    assert [g.path for g in scene.geoms] == [f"{path}/ball" for path in paths]
    assert [b.mass for b in scene.bodies] == [2.0, 2.0]
    np.testing.assert_array_equal(scene.bodies[1].initial_pose_w.pos, [2, 0, 0])
    np.testing.assert_array_equal(scene.geoms[1].pose.pos, [0, 0, 0.5])
    assert stage.ExportToString() == before
    assert stage.GetSessionLayer().empty


def test_colliders_alone_are_static():
    stage = new_stage()
    instancer(stage, "/stones", [(1, 0, 0), (0, 2, 0)], ["/stones/a", "/stones/b"], which=[1, 0])
    shape(stage, "/stones/a", "Cube", (0, 0, 1), size=1.0)
    shape(stage, "/stones/b", "Sphere", radius=0.5)
    geoms = parse(stage).geoms
    assert [(g.path, g.body, g.kind) for g in geoms] == [
        ("/stones/instance_0", -1, "sphere"),
        ("/stones/instance_1", -1, "box"),
    ]
    np.testing.assert_allclose(geoms[1].pose.pos, [0, 2, 1])


@pytest.mark.parametrize(
    "up, meters, orientations, digits",
    [
        ("Z", 1.0, "orientationsf", 1e-6),
        ("Y", 0.01, "orientationsf", 1e-6),
        # OpenUSD takes what halves leave of the length of a quaternion for scale.
        ("Z", 1.0, "orientations", 1e-3),
    ],
)
def test_copies_lie_where_openusd_computes_them(up, meters, orientations, digits):
    stage = new_stage(up=up, meters=meters)
    rng = np.random.default_rng(3)
    quats = rng.normal(size=(4, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    made = instancer(
        stage, "/w/rocks", rng.normal(size=(4, 3)), ["/w/rocks/p"],
        scales=np.repeat(rng.uniform(0.5, 2, size=(4, 1)), 3, axis=1), **{orientations: quats},
    )  # fmt: skip
    place(UsdGeom.Xform.Define(stage, "/w").GetPrim(), (1, 2, 3), about((1, 2, 3), 50))
    place(made.GetPrim(), (0.5, 0, 0), about((0, 1, 0), 20), scale=(2, 2, 2))
    rock(stage, "/w/rocks/p", (0.1, 0.2, 0.3), turn=about((1, 0, 0), 30))
    scene = parse(stage)
    time = Usd.TimeCode.EarliestTime()
    outer = UsdGeom.XformCache(time).GetLocalToWorldTransform(made.GetPrim())
    turn = scene.world_from_stage
    for found, local in zip(
        scene.bodies, made.ComputeInstanceTransformsAtTime(time, time), strict=True
    ):
        matrix = Gf.Matrix4d(local) * outer
        pos = turn.apply(np.array(matrix.ExtractTranslation()) * meters)
        np.testing.assert_allclose(found.initial_pose_w.pos, pos, atol=digits)
        axis = np.array(matrix.TransformDir(Gf.Vec3d(1, 0, 0)).GetNormalized())
        np.testing.assert_allclose(
            found.initial_pose_w.apply(np.array([1.0, 0, 0])) - found.initial_pose_w.pos,
            turn.apply(axis), atol=digits,
        )  # fmt: skip
    sizes = np.array([g.size[0] for g in scene.geoms])
    np.testing.assert_allclose(
        sizes, 0.25 * 2.0 * meters * np.array(made.GetScalesAttr().Get())[:, 0], rtol=1e-6
    )


def test_finer_orientations_go_first():
    stage = new_stage()
    fine = about((0, 0, 1), 30.01)
    instancer(
        stage, "/rocks", [(0, 0, 0)], ["/rocks/p"],
        orientations=[about((1, 0, 0), 90)], orientationsf=[fine],
    )  # fmt: skip
    rock(stage, "/rocks/p")
    np.testing.assert_allclose(parse(stage).bodies[0].initial_pose_w.quat, fine, atol=1e-7)


def test_ids_name_copies_and_inactive_ones_are_left_out():
    stage = new_stage()
    made = instancer(stage, "/rocks", [(i, 0, 0) for i in range(4)], ["/rocks/p"], ids=[7, 3, 5, 9])
    rock(stage, "/rocks/p")
    made.DeactivateId(3)
    made.CreateInvisibleIdsAttr([5])
    bodies = by_path(parse(stage).bodies)
    assert list(bodies) == ["/rocks/instance_7", "/rocks/instance_5", "/rocks/instance_9"]
    np.testing.assert_allclose(bodies["/rocks/instance_5"].initial_pose_w.pos, [2, 0, 0])


def test_names_that_are_taken_get_another_underscore():
    stage = new_stage()
    instancer(stage, "/rocks", [(1, 0, 0)], ["/rocks/instance_0"])
    rock(stage, "/rocks/instance_0")
    bodies = parse(stage).bodies
    assert [b.path for b in bodies] == ["/rocks/instance__0"]
    np.testing.assert_allclose(bodies[0].initial_pose_w.pos, [1, 0, 0])


def test_velocities_are_in_the_instancers_frame():
    stage = new_stage(meters=0.1)
    made = instancer(
        stage, "/rocks", [(1, 0, 0), (0, 1, 0)], ["/rocks/p"],
        orientations=[about((1, 0, 0), 90)] * 2,
        velocities=[(1, 2, 3), (0, 0, 0)], angularVelocities=[(0, 0, 0), (0, 0, 180)],
    )  # fmt: skip
    place(made.GetPrim(), turn=about((0, 0, 1), 90))
    rock(stage, "/rocks/p", (0, 0, 2))
    first, second = parse(stage).bodies
    np.testing.assert_allclose(first.linear_velocity, [-0.2, 0.1, 0.3], atol=1e-6)
    np.testing.assert_allclose(first.angular_velocity, 0, atol=1e-12)
    np.testing.assert_allclose(second.angular_velocity, [0, 0, np.pi], atol=1e-6)
    # The prototype's offset of (0, 0, 2) is (0, -2, 0) in the instancer, (2, 0, 0) in the world.
    np.testing.assert_allclose(second.linear_velocity, [0, 0.2 * np.pi, 0], atol=1e-4)


def test_prototypes_elsewhere_are_simulated_too_unless_they_are_abstract():
    stage = new_stage()
    rock(stage, "/rock")
    rock(stage, "/class")
    stage.GetPrimAtPath("/class").SetSpecifier(Sdf.SpecifierClass)
    instancer(stage, "/rocks", [(1, 0, 0), (2, 0, 0)], ["/rock", "/class"], which=[0, 1])
    assert [b.path for b in parse(stage).bodies] == [
        "/rock",
        "/rocks/instance_0",
        "/rocks/instance_1",
    ]


def test_instancers_nest():
    stage = new_stage()
    instancer(stage, "/piles", [(10, 0, 0), (20, 0, 0)], ["/piles/pile"])
    UsdGeom.Xform.Define(stage, "/piles/pile")
    instancer(stage, "/piles/pile/rocks", [(1, 0, 0), (2, 0, 0)], ["/piles/pile/rocks/p"],
              velocities=[(0, 0, 1)] * 2)  # fmt: skip
    rock(stage, "/piles/pile/rocks/p")
    bodies = parse(stage).bodies
    assert [b.path for b in bodies] == [
        f"/piles/instance_{i}/rocks/instance_{k}" for i in (0, 1) for k in (0, 1)
    ]
    assert [b.initial_pose_w.pos[0] for b in bodies] == [11, 12, 21, 22]
    assert [b.linear_velocity[2] for b in bodies] == [1, 1, 1, 1]


def test_instancers_copy_instancers():
    stage = new_stage()
    instancer(stage, "/rocks", [(1, 0, 0), (2, 0, 0)], ["/rocks/p"])
    rock(stage, "/rocks/p")
    instancer(stage, "/many", [(0, 5, 0)], ["/rocks"])
    assert [b.path for b in parse(stage).bodies] == [
        "/rocks/instance_0", "/rocks/instance_1",
        "/many/instance_0/instance_0", "/many/instance_0/instance_1",
    ]  # fmt: skip


def test_instancers_inside_instances_and_referenced_files(tmp_path):
    source = new_stage()
    UsdGeom.Xform.Define(source, "/pile")
    instancer(source, "/pile/rocks", [(1, 0, 0), (2, 0, 0)], ["/pile/rocks/p"])
    rock(source, "/pile/rocks/p")
    file = str(tmp_path / "pile.usda")
    source.Export(file)
    stage = new_stage()
    for i in range(2):
        prim = UsdGeom.Xform.Define(stage, f"/pile_{i}").GetPrim()
        prim.GetReferences().AddReference(file, "/pile")
        prim.SetInstanceable(True)
        place(prim, (10 * i, 0, 0))
    bodies = parse(stage).bodies
    assert [b.path for b in bodies] == [
        f"/pile_{i}/rocks/instance_{k}" for i in (0, 1) for k in (0, 1)
    ]
    assert [b.initial_pose_w.pos[0] for b in bodies] == [1, 2, 11, 12]
    assert stage.GetPrimAtPath("/pile_0").IsInstance()


def test_copies_belong_to_the_body_around_their_instancer():
    stage = new_stage()
    body(stage, "/cart", (0, 0, 3))
    instancer(stage, "/cart/load", [(1, 0, 0)], ["/cart/load/p"])
    shape(stage, "/cart/load/p", "Sphere", radius=0.1)
    scene = parse(stage)
    assert [(g.path, g.body) for g in scene.geoms] == [("/cart/load/instance_0", 0)]
    np.testing.assert_allclose(scene.geoms[0].pose.pos, [1, 0, 0])


def test_mechanisms_are_copied_with_their_joints():
    stage = new_stage()
    instancer(stage, "/arms", [(0, 0, 0), (0, 3, 0)], ["/arms/arm"])
    UsdGeom.Xform.Define(stage, "/arms/arm")
    rock(stage, "/arms/arm/base")
    rock(stage, "/arms/arm/link", (1, 0, 0))
    joint(stage, "/arms/arm/hinge", "Revolute", "/arms/arm/base", "/arms/arm/link",
          localPos0=(1, 0, 0))  # fmt: skip
    result = parse_stage(stage)
    assert [j.path for j in result.scene.joints] == [
        "/arms/instance_0/hinge",
        "/arms/instance_1/hinge",
    ]
    assert [b.parent for b in result.scene.bodies] == [-1, 0, -1, 2]
    assert not result.report.warnings


def test_groups_and_filters_of_a_prototype_hold_for_its_copies():
    stage = new_stage()
    places = [(1, 0, 0), (2, 0, 0)]
    instancer(stage, "/rocks", places, ["/rocks/rock"])
    rock(stage, "/rocks/rock")
    body(stage, "/box")
    shape(stage, "/box/shape", "Cube")
    shape(stage, "/ground", "Cube")
    group = UsdPhysics.CollisionGroup.Define(stage, "/group")
    group.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets(["/rocks/rock", "/box"])
    group.CreateFilteredGroupsRel().SetTargets(["/group"])
    pairs = UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath("/ground"))
    pairs.CreateFilteredPairsRel().SetTargets(["/rocks/rock/ball"])
    scene = parse_stage(stage, strict=True).scene
    paths = [g.path for g in scene.geoms]
    balls = {f"/rocks/instance_{i}/ball" for i in range(2)}
    assert {paths[i] for i in scene.groups[0].geoms} == {*balls, "/box/shape"}
    named = {frozenset(paths[i] for i in pair) for pair in scene.geom_filters}
    assert named == {frozenset({"/ground", ball}) for ball in balls}


def test_groups_of_a_prototype_hold_for_copies_of_copies():
    stage = new_stage()
    instancer(stage, "/fields", [(0, 0, 0), (9, 0, 0)], ["/fields/field"])
    UsdGeom.Xform.Define(stage, "/fields/field")
    instancer(stage, "/fields/field/rocks", [(1, 0, 0)], ["/fields/field/rocks/rock"])
    rock(stage, "/fields/field/rocks/rock")
    group = UsdPhysics.CollisionGroup.Define(stage, "/group")
    group.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets(["/fields/field/rocks/rock"])
    scene = parse_stage(stage, strict=True).scene
    assert len(scene.geoms) == 2 and scene.groups[0].geoms == (0, 1)


def test_joints_that_tie_all_copies_to_one_place_are_noted():
    stage = new_stage()
    instancer(stage, "/arms", [(0, 0, 0), (0, 3, 0)], ["/arms/arm"])
    rock(stage, "/arms/arm")
    joint(stage, "/arms/arm/hinge", "Revolute", None, "/arms/arm")
    found = parse_stage(stage).report.by_code("joint-in-prototype")
    assert [f.path for f in found] == ["/arms/arm/hinge"]


def test_what_is_only_visible_is_not_copied_unless_asked_for():
    stage = new_stage()
    body(stage, "/b")
    instancer(stage, "/grass", [(1, 0, 0), (2, 0, 0)], ["/grass/blade"])
    shape(stage, "/grass/blade", "Cube", collides=False)
    result = parse_stage(stage, strict=True)
    assert not result.scene.geoms
    exact = parse_stage(stage, exact=True).scene
    assert [g.path for g in exact.geoms] == ["/grass/instance_0", "/grass/instance_1"]


def test_excluded_instancers_and_subtrees_stay_away():
    stage = new_stage()
    for name in ("/a", "/b"):
        instancer(stage, f"{name}/rocks", [(1, 0, 0)], [f"{name}/rocks/p"])
        rock(stage, f"{name}/rocks/p")
    assert [b.path for b in parse_stage(stage, exclude=["/a"]).scene.bodies] == [
        "/b/rocks/instance_0"
    ]
    assert [b.path for b in parse_stage(stage, root="/a").scene.bodies] == ["/a/rocks/instance_0"]


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda p: p.GetPositionsAttr().Set([Gf.Vec3f(0)]), r"positions is 1; allowed: 2"),
        (lambda p: p.GetPositionsAttr().Clear(), r"positions is 0; allowed: 2"),
        (lambda p: p.GetPositionsAttr().Set([Gf.Vec3f(0), Gf.Vec3f(np.nan)]), r"positions\[1\]"),
        (lambda p: p.CreateOrientationsAttr([Gf.Quath(0)] * 2), "zero for copy 0"),
        (lambda p: p.GetProtoIndicesAttr().Set([0, 1]), "protoIndices is 1; allowed: 0 to 0"),
        (lambda p: p.CreateIdsAttr([4, 4]), "one number per copy"),
        (lambda p: p.CreateIdsAttr([4]), "ids is 1; allowed: 2"),
        (lambda p: p.GetPrototypesRel().SetTargets(["/rocks/p", "/rocks"]), "the same again"),
    ],
)  # fmt: skip
def test_unusable_instancers_are_errors(change, message):
    stage = new_stage()
    body(stage, "/b")
    made = instancer(stage, "/rocks", [(1, 0, 0), (2, 0, 0)], ["/rocks/p"])
    rock(stage, "/rocks/p")
    change(made)
    with pytest.raises(ParseError, match=message) as caught:
        parse_stage(stage)
    assert {f.path for f in caught.value.findings} == {"/rocks"}


def test_instancers_that_copy_one_another_are_an_error():
    stage = new_stage()
    for name, other in (("a", "b"), ("b", "a")):
        UsdGeom.Xform.Define(stage, f"/{name}")
        instancer(stage, f"/{name}/rocks", [(1, 0, 0)], [f"/{other}"])
        rock(stage, f"/{name}/rock")
    with pytest.raises(ParseError, match="copies the same again"):
        parse_stage(stage)


def test_missing_prototypes_are_noted():
    stage = new_stage()
    body(stage, "/b")
    instancer(stage, "/rocks", [(1, 0, 0), (2, 0, 0)], ["/none", "/rocks/p"], which=[0, 1])
    rock(stage, "/rocks/p")
    result = parse_stage(stage)
    assert [b.path for b in result.scene.bodies] == ["/b", "/rocks/instance_1"]
    assert [f.value for f in result.report.by_code("dangling-target")] == ["/none"]


def test_deformable_bodies_are_copied_and_stay_out_of_write_back(caplog):
    stage = new_stage()
    instancer(stage, "/jellies", [(0, 0, 0), (3, 0, 0)], ["/jellies/jelly"])
    soft_cube(stage, "/jellies/jelly")
    scene = parse_stage(stage).scene
    assert [b.path for b in scene.deformables] == ["/jellies/instance_0", "/jellies/instance_1"]
    assert SoftMeshes(stage, scene).paths == []
    assert "an instancer cannot move" in caplog.text
