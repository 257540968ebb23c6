"""Rays against planes, boxes, height fields and meshes in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, UsdGeom, UsdPhysics
from sensor_stages import ANY, ENV, SPACING, box, floor, frame, turned, vectors

from usdsim.assets import RigidObject, RigidObjectCfg
from usdsim.converters import convert
from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.math.rotations import quat_apply, quat_from_axis_angle, quat_multiply
from usdsim.sensors import (
    MultiMeshRayCasterCfg,
    OffsetCfg,
    RayCaster,
    RayCasterCfg,
    RaycastTargetCfg,
)
from usdsim.sensors.patterns import GridPatternCfg, LidarPatternCfg, PatternBaseCfg
from usdsim.sim.context import SimulationContext
from usdsim.usd import define_prim, open_stage

pytestmark = pytest.mark.usefixtures("device")

TILT = quat_multiply(
    quat_from_axis_angle(np.array([0, 0, 1.0]), 0.7),
    quat_from_axis_angle(np.array([0, 1.0, 0]), 0.3),
)
YAW = quat_from_axis_angle(np.array([0, 0, 1.0]), 0.7)
GRID = GridPatternCfg(size=(1.0, 0.5), resolution=0.25)


def robot(stage):
    """A tilted box above a floor and above a table, which it collides with."""
    floor(stage)
    box(stage, f"{ENV}/table", (0.2, 0.0, 0.4), half=0.1, body=False)
    pose = turned((0.2, 0.1, 2.0), (0, 0, 1), 0.7) @ turned((0, 0, 0), (0, 1, 0), 0.3)
    box(stage, f"{ENV}/base", pose=pose)


def caster(**values) -> RayCaster:
    values.setdefault("prim_path", f"{ANY}/base")
    values.setdefault("mesh_prim_paths", ["/World/floor"])
    values.setdefault("pattern_cfg", GRID)
    return RayCaster(RayCasterCfg(**values))


def on_plane(start, direction, height=0.0):
    length = (height - start[..., 2]) / direction[..., 2]
    return start + length[..., None] * direction, length


@pytest.mark.parametrize(
    ("alignment", "quat"), [("base", TILT), ("yaw", YAW), ("world", np.array([0, 0, 0, 1.0]))]
)
def test_rays_follow_the_prim_as_aligned(make_sim, alignment, quat):
    sim = make_sim(robot)
    offset = OffsetCfg(pos=(0.1, -0.2, 0.3), rot=(0.0, np.sin(0.05), 0.0, np.cos(0.05)))
    sensor = caster(ray_alignment=alignment, offset=offset)
    sim.reset()
    starts, directions = GRID.rays()
    starts = np.array(offset.pos) + quat_apply(offset.rot, starts)
    start = quat_apply(quat, starts)[None] + np.array([[[0.2, 0.1, 2.0]], [[3.2, 0.1, 2.0]]])
    direction = np.broadcast_to(quat_apply(quat, quat_apply(offset.rot, directions)), start.shape)
    hits, length = on_plane(start, direction)
    assert sensor.num_rays == 15 and sensor.num_instances == 2
    data = sensor.data
    assert vectors(data.ray_hits_w) == pytest.approx(hits, abs=2e-6)
    assert vectors(data.distances) == pytest.approx(length, abs=2e-6)
    assert vectors(data.normals) == pytest.approx(
        np.broadcast_to([0, 0, 1.0], hits.shape), abs=1e-6
    )
    assert vectors(data.pos_w)[1] == pytest.approx([3.2, 0.1, 2.0], abs=1e-6)
    assert vectors(data.quat_w)[1] == pytest.approx(TILT, abs=1e-6)


def test_the_older_name_of_an_alignment_means_the_same():
    cfg = RayCasterCfg(ray_alignment="world", attach_yaw_only=True)
    assert cfg.alignment == "yaw" and cfg.replace(attach_yaw_only=False).alignment == "base"
    assert cfg.replace(attach_yaw_only=None).alignment == "world"


def test_only_listed_prims_are_hit_and_not_the_robot(make_sim):
    sim = make_sim(robot)
    grid = GridPatternCfg(size=(0.0, 0.0))
    over = {"pattern_cfg": grid, "ray_alignment": "world", "offset": OffsetCfg(pos=(0, -0.1, 3.0))}
    blind = caster(**over)
    tables = caster(mesh_prim_paths=["/World/floor", f"{ANY}/table"], **over)
    itself = caster(mesh_prim_paths=[f"{ANY}/base", "/World/floor"], **over)
    sim.reset()
    assert vectors(blind.data.distances) == pytest.approx(5.0, abs=1e-5)
    assert vectors(tables.data.distances) == pytest.approx(4.5, abs=1e-5)
    assert (vectors(itself.data.distances) < 3.3).all()


def test_rays_end_where_they_reach_nothing(make_sim):
    sim = make_sim(robot)
    pattern = LidarPatternCfg(
        channels=2, vertical_fov_range=(-45, 45), horizontal_fov_range=(0, 270), horizontal_res=90
    )
    sensor = caster(pattern_cfg=pattern, ray_alignment="world")
    short = caster(pattern_cfg=pattern, ray_alignment="world", max_distance=2.8)
    sim.reset()
    distance = vectors(sensor.data.distances)
    assert distance[:, :4] == pytest.approx(2.0 * np.sqrt(2.0), abs=1e-5)
    assert np.isinf(distance[:, 4:]).all()
    assert np.isinf(vectors(sensor.data.ray_hits_w)[:, 4:]).all()
    assert not vectors(sensor.data.normals)[:, 4:].any()
    assert np.isinf(vectors(short.data.distances)).all()


def test_each_world_sees_its_own_moved_bodies(make_sim):
    def build(stage):
        floor(stage)
        frame(stage, f"{ENV}/mast", turned((0.0, 0.0, 5.0)))
        box(stage, f"{ENV}/cart", (0.0, 0.0, 1.0))

    sim = make_sim(build, envs=3)
    sensor = caster(
        prim_path=f"{ANY}/mast",
        mesh_prim_paths=["/World/floor", f"{ANY}/cart"],
        pattern_cfg=GridPatternCfg(size=(0.0, 0.0)),
    )
    sim.reset()
    assert vectors(sensor.data.pos_w)[:, 0] == pytest.approx([0, SPACING, 2 * SPACING], abs=1e-6)
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx(3.9, abs=1e-5)
    qpos = sim.engine.read("qpos").copy()
    qpos[1, 0] += 1.0
    qpos[2, 2] = 2.0
    sim.engine.write("qpos", qpos)
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx([3.9, 5.0, 2.9], abs=1e-5)
    geom = sim.engine.compiled.names.index("geom", f"{ENV}/cart")
    sim.engine.set_param("geom_size", [[0.1, 0.1, 0.3]], env_ids=[0], ids=[geom])
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx([3.7, 5.0, 2.9], abs=1e-5)
    sim.engine.set_param("geom_pos", [[0.0, 0.0, 0.4]], env_ids=[0], ids=[geom])
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx([3.3, 5.0, 2.9], abs=1e-5)
    body = sim.engine.compiled.names.index("body", f"{ENV}/cart")
    sim.engine.set_param("body_ipos", [[0.0, 0.0, 0.2]], env_ids=[2], ids=[body])
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx([3.3, 5.0, 2.9], abs=1e-5)


def two_drones(stage):
    floor(stage)
    for i in range(2):
        box(stage, f"{ENV}/drone_{i}", (0.0, float(i), 1.0 + i))


def test_several_prims_of_a_world_are_instances_that_sample_by_themselves(make_sim):
    sim = make_sim(two_drones, envs=2)
    sensor = caster(
        prim_path=f"{ANY}/drone_.*", pattern_cfg=GridPatternCfg(size=(0.0, 0.0)), update_period=1.0
    )
    sim.reset()
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx([1, 2, 1, 2], abs=1e-6)
    qpos = sim.engine.read("qpos").copy()
    qpos[:, 2::7] += 3.0
    sim.engine.write("qpos", qpos)
    sensor.reset([1, 2])
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx([1, 5, 4, 2], abs=1e-6)


def test_the_first_sample_may_be_of_some_instances_only(make_sim):
    """The other instance of the world has no rays yet, and none that could be cast."""
    sim = make_sim(two_drones, envs=1, dt=0.01, gravity=(0, 0, 0))
    sensor = caster(
        prim_path=f"{ANY}/drone_.*", pattern_cfg=GridPatternCfg(size=(0.0, 0.0)), update_period=0.02
    )
    sim.reset()
    sensor.update(0.01)
    sensor.reset([1])
    sensor.update(0.01)
    assert vectors(sensor.data.distances)[:, 0] == pytest.approx([1.0, 2.0], abs=1e-6)


def test_height_field_in_closed_form(tmp_path):
    """A ramp of slope 0.5 along x on a grid that a plane interpolates exactly."""
    rows = " ".join(" ".join(f"{x / 8:.6f}" for x in range(9)) for _ in range(5))
    source = tmp_path / "ramp.xml"
    source.write_text(
        f"""<mujoco><asset><hfield name="h" nrow="5" ncol="9" size="2 1 2 0.1"
        elevation="{rows}"/></asset><worldbody><geom name="ground" type="hfield" hfield="h"/>
        <body name="eye" pos="0 0 4"><freejoint/><geom size=".1" mass="1"/></body>
        </worldbody></mujoco>"""
    )
    target = tmp_path / "ramp.usda"
    convert(source, target)
    stage = open_stage(target)
    ground, eye = (
        next(str(p.GetPath()) for p in stage.Traverse() if p.GetName() == name)
        for name in ("ground", "eye")
    )
    with SimulationContext(stage=stage) as sim:
        sensor = caster(
            prim_path=eye, mesh_prim_paths=[ground], pattern_cfg=GridPatternCfg(size=(3.0, 1.0))
        )
        sim.reset()
        starts, _ = GridPatternCfg(size=(3.0, 1.0)).rays()
        hits = vectors(sensor.data.ray_hits_w)[0]
        assert hits[:, :2] == pytest.approx(starts[:, :2], abs=1e-6)
        assert hits[:, 2] == pytest.approx(0.5 * (starts[:, 0] + 2.0), abs=1e-5)
        normal = np.array([-0.5, 0.0, 1.0]) / np.sqrt(1.25)
        assert vectors(sensor.data.normals)[0] == pytest.approx(
            np.broadcast_to(normal, hits.shape), abs=1e-5
        )


def test_what_is_hit_does_not_depend_on_looks_or_groups(tmp_path):
    """A transparent slab is hit; one above it, in the group the sensor uses itself, is not."""
    source, target = tmp_path / "slabs.xml", tmp_path / "slabs.usda"
    source.write_text(
        """<mujoco><worldbody>
        <geom name="glass" type="box" size="1 1 .1" pos="0 0 1" rgba="1 1 1 0"/>
        <geom name="cover" type="box" size="1 1 .1" pos="0 0 2" group="5"/>
        <body name="eye" pos="0 0 4"><freejoint/><geom size=".1" mass="1"/></body>
        </worldbody></mujoco>"""
    )
    convert(source, target)
    stage = open_stage(target)
    paths = {p.GetName(): str(p.GetPath()) for p in stage.Traverse()}
    with SimulationContext(stage=stage) as sim:
        sensor = caster(
            prim_path=paths["eye"],
            mesh_prim_paths=[paths["glass"]],
            pattern_cfg=GridPatternCfg(size=(0.0, 0.0)),
        )
        sim.reset()
        model, index = sim.engine.compiled.mj, sim.engine.compiled.names.index
        assert model.geom_rgba[index("geom", paths["glass"]), 3] == 0.0
        assert model.geom_group[index("geom", paths["cover"])] == 5
        assert vectors(sensor.data.distances)[0, 0] == pytest.approx(2.9, abs=1e-5)


def test_visible_meshes_without_colliders_are_hit(make_sim):
    def build(stage):
        box(stage, f"{ENV}/base", (0, 0, 2.0))
        mesh = UsdGeom.Mesh(define_prim(stage, "/World/terrain/mesh", "Mesh"))
        mesh.CreatePointsAttr([Gf.Vec3f(x, y, 0.25 * x) for x in (-9, 9) for y in (-9, 9)])
        mesh.CreateFaceVertexCountsAttr([3, 3])
        mesh.CreateFaceVertexIndicesAttr([0, 2, 1, 1, 2, 3])

    sim = make_sim(build)
    first = caster(mesh_prim_paths=["/World/terrain"])
    second = caster(mesh_prim_paths=["/World/terrain"])
    sim.reset()
    hits = vectors(first.data.ray_hits_w)
    assert hits[..., 2] == pytest.approx(0.25 * hits[..., 0], abs=1e-5)
    assert np.array_equal(hits, vectors(second.data.ray_hits_w))
    sim.step_n(10)
    assert vectors(first.data.pos_w)[0, 2] < 2.0


def test_drift_is_drawn_at_resets_within_its_bounds(make_sim):
    sim = make_sim(robot, envs=20, gravity=(0, 0, 0))
    drifting = caster(drift_range=(-0.1, 0.2), seed=3)
    again = caster(drift_range=(-0.1, 0.2), seed=3)
    plain = caster()
    sim.reset()
    error = vectors(drifting.data.pos_w) - vectors(plain.data.pos_w)
    assert (error > -0.1).all() and (error < 0.2).all() and error.std() > 0.05
    assert np.array_equal(vectors(drifting.data.pos_w), vectors(again.data.pos_w))
    before = vectors(drifting.data.ray_hits_w)
    drifting.reset([4])
    now = vectors(drifting.data.ray_hits_w)
    others = np.arange(20) != 4
    assert np.array_equal(now[others], before[others]) and (now[4] != before[4]).any()
    moved = vectors(drifting.data.pos_w)[4] - vectors(plain.data.pos_w)[4]
    assert now[4, 0, :2] - vectors(plain.data.ray_hits_w)[4, 0, :2] != pytest.approx(0.0, abs=1e-4)
    assert np.abs(moved - error[4]).max() > 1e-4


def test_rays_drift_along_the_axes_they_follow(make_sim):
    sim = make_sim(robot, envs=6, gravity=(0, 0, 0))
    ranges = {"x": (0.5, 0.5), "z": (0.2, 0.3)}
    drifting = caster(ray_alignment="yaw", ray_cast_drift_range=ranges, seed=1)
    plain = caster(ray_alignment="yaw")
    sim.reset()
    apart = vectors(drifting.data.ray_hits_w) - vectors(plain.data.ray_hits_w)
    along = np.broadcast_to(quat_apply(YAW, np.array([0.5, 0.0, 0.0])), apart.shape)
    assert apart[..., :2] == pytest.approx(along[..., :2], abs=1e-5)
    raised = apart[..., 2]
    assert (raised >= 0.2 - 1e-6).all() and (raised <= 0.3 + 1e-6).all() and np.ptp(raised) > 0.01
    assert vectors(drifting.data.pos_w) == pytest.approx(vectors(plain.data.pos_w))
    assert vectors(drifting.data.distances) == pytest.approx(vectors(plain.data.distances))
    drifting.reset([2])
    now = vectors(drifting.data.ray_hits_w) - vectors(plain.data.ray_hits_w)
    assert np.flatnonzero((now != apart).any(axis=(1, 2))).tolist() == [2]


def test_where_starts_alone_follow_directions_and_the_grid_stay(make_sim, monkeypatch):
    monkeypatch.setattr(RayCaster, "yaw_turns_directions", False)
    monkeypatch.setattr(RayCaster, "offset_turns_starts", False)
    sim = make_sim(robot)
    offset = OffsetCfg(pos=(0.1, -0.2, 0.3), rot=(0.0, np.sin(0.05), 0.0, np.cos(0.05)))
    sensor = caster(ray_alignment="yaw", offset=offset)
    sim.reset()
    starts, directions = GRID.rays()
    start = quat_apply(YAW, starts + np.array(offset.pos))[None] + np.array([[[0.2, 0.1, 2.0]]])
    direction = np.broadcast_to(quat_apply(offset.rot, directions), start.shape)
    hits = on_plane(start, direction)[0]
    assert vectors(sensor.data.ray_hits_w)[:1] == pytest.approx(hits, abs=2e-6)


def test_period_holds_rays_between_samples(make_sim):
    sim = make_sim(robot, dt=0.01)
    sensor = caster(update_period=0.03)
    sim.reset()
    heights = []
    for _ in range(7):
        heights.append(float(vectors(sensor.data.pos_w)[0, 2]))
        sim.step()
        sensor.update(0.01)
    assert heights[0] == heights[1] == heights[2] != heights[3]
    assert heights[3] == heights[4] == heights[5] != heights[6]


def test_a_pattern_of_ones_own(make_sim):
    sim = make_sim(robot)
    down = PatternBaseCfg(func=lambda cfg: ([[0, 0, 0], [1, 0, 0]], [[0, 0, -2], [0, 0, -5]]))
    sensor = caster(pattern_cfg=down, ray_alignment="world")
    sim.reset()
    assert vectors(sensor.data.distances) == pytest.approx(2.0, abs=1e-5)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"mesh_prim_paths": []}, InvalidValueError, "mesh_prim_paths"),
        ({"mesh_prim_paths": "/World/floor"}, InvalidValueError, "mesh_prim_paths"),
        ({"mesh_prim_paths": ["floor"]}, StageError, r"mesh_prim_paths\[0\]"),
        ({"ray_alignment": "pitch"}, InvalidValueError, "ray_alignment"),
        ({"pattern_cfg": None}, InvalidValueError, "pattern_cfg"),
        ({"max_distance": 0.0}, InvalidValueError, "max_distance"),
        ({"max_distance": float("nan")}, InvalidValueError, "max_distance"),
        ({"drift_range": (0.2, 0.1)}, InvalidValueError, "drift_range"),
        ({"drift_range": (0.2,)}, ShapeError, "drift_range"),
        ({"ray_cast_drift_range": {"w": (0.0, 1.0)}}, InvalidValueError, "ray_cast_drift_range"),
        ({"ray_cast_drift_range": {"x": (1.0, 0.0)}}, InvalidValueError, "ray_cast_drift_range"),
        ({"offset": OffsetCfg(rot=(0, 0, 0, 2.0))}, InvalidValueError, "offset.rot"),
        ({"offset": OffsetCfg(pos=(0, 0, np.nan))}, InvalidValueError, "offset.pos"),
    ],
)
def test_configurations_that_make_no_sense_are_refused(make_sim, values, error, message):
    make_sim(robot)
    with pytest.raises(error, match=message):
        caster(**values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"prim_path": f"{ANY}/head"}, "matches no prim"),
        ({"mesh_prim_paths": ["/World/hill"]}, "matches no prim"),
        ({"mesh_prim_paths": [f"{ANY}/hull"]}, "rays would hit nothing"),
    ],
)
def test_what_is_not_there_is_refused_at_the_start(make_sim, values, message):
    def build(stage):
        robot(stage)
        hull = define_prim(stage, f"{ENV}/hull", "Xform")
        UsdPhysics.RigidBodyAPI.Apply(hull)
        mass = UsdPhysics.MassAPI.Apply(hull)
        mass.CreateMassAttr(1.0)
        mass.CreateDiagonalInertiaAttr(Gf.Vec3f(1.0))

    sim = make_sim(build)
    caster(**values)
    with pytest.raises(StageError, match=message):
        sim.reset()


def test_targets_with_settings_of_their_own_are_followed(make_sim):
    def above(stage):
        floor(stage)
        box(stage, f"{ENV}/base", pose=turned((0.0, 0.0, 2.0), (0, 0, 1), 0.0))
        box(stage, f"{ENV}/lift", (0.0, 0.0, 0.5), half=0.1)

    sim = make_sim(above)
    cfg = MultiMeshRayCasterCfg(
        prim_path=f"{ANY}/base",
        mesh_prim_paths=["/World/floor", RaycastTargetCfg(prim_expr=f"{ANY}/lift")],
        pattern_cfg=GridPatternCfg(size=(0.0, 0.0)),
        update_mesh_ids=True,
    )
    sensor = cfg.class_type(cfg)
    lift = RigidObject(RigidObjectCfg(prim_path=f"{ANY}/lift", spawn=None))
    sim.reset()
    np.testing.assert_allclose(vectors(sensor.data.ray_hits_w)[..., 2], 0.6, atol=1e-5)
    pose = lift.data.root_pose_w.numpy().copy().reshape(2, 7)
    pose[0, 2], pose[1, 0] = 1.0, pose[1, 0] + 1.0
    lift.write_root_pose_to_sim(pose)
    heights = vectors(sensor.data.ray_hits_w)[..., 2].ravel()
    np.testing.assert_allclose(heights, [1.1, 0.0], atol=1e-5)
    assert sensor.data.ray_mesh_ids.numpy().ravel().tolist() == [1, 0]
