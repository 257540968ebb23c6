"""Deformable bodies over environments, in both doors, and on the stage."""

import numpy as np
import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

import usdsim
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.math.rotations import quat_apply, quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.parser import parse_stage
from usdsim.schemas import (
    DeformableBodyBaseCfg,
    PhysxDeformableBodyPropertiesCfg,
    define_deformable_body_properties,
)
from usdsim.sim import EngineReader, Recorder, SimulationCfg, SimulationContext, write_poses
from usdsim.sim.environments.worlds import build_worlds
from usdsim.sim.poses.soft_meshes import SoftMeshes
from usdsim.spawners import DeformableBodyMaterialCfg, MeshCuboidCfg, clone_environments
from usdsim.usd import create_stage, define_prim, set_local_pose

ENV = "/World/envs/env_0"
CUBE = f"{ENV}/cube"


def cube(stage, path=CUBE, at=(0.0, 0.0, 1.0), size=0.2, cells=2, **props):
    cfg = MeshCuboidCfg(
        size=(size, size, size),
        deformable_props=PhysxDeformableBodyPropertiesCfg(
            mass=4.0, simulation_hexahedral_resolution=cells, **props
        ),
        physics_material=DeformableBodyMaterialCfg(
            youngs_modulus=1e5, poissons_ratio=0.3, elasticity_damping=0.02
        ),
    )
    return cfg.func(path, cfg, translation=at, stage=stage)


def ground(stage, path="/World/ground"):
    plane = define_prim(stage, path, "Plane")
    UsdPhysics.CollisionAPI.Apply(plane)


def environments(origins, turn=0.0, **clone):
    stage = create_stage()
    define_prim(stage, "/World", "Xform")
    define_prim(stage, "/World/envs", "Scope")
    define_prim(stage, ENV, "Xform")
    cube(stage)
    paths = clone_environments(ENV, len(origins), origins=origins, stage=stage, **clone)
    for i, path in enumerate(paths):
        quat = quat_from_axis_angle(np.array([0.0, 0.0, 1.0]), turn * i)
        set_local_pose(stage.GetPrimAtPath(path), Pose(np.array(origins[i], float), quat))
    return stage


def authored(stage, path):
    """Points of a mesh in world [m] where it stands on the stage."""
    prim = stage.GetPrimAtPath(path)
    matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))
    return np.array(prim.GetAttribute("points").Get()) @ matrix[:3, :3] + matrix[3, :3]


def points_of(engine, path=CUBE):
    return np.array(engine.read("flexvert_xpos")[:, engine.compiled.deformable(path).vertices])


# -- environments ------------------------------------------------------------------------------

ORIGINS = [[0.0, 0.0, 0.0], [3.0, -2.0, 0.5], [-1.0, 4.0, 0.0]]


@pytest.mark.parametrize("turn", [0.0, 0.7])
def test_every_environment_falls_where_it_lies(turn):
    stage = environments(ORIGINS, turn)
    engine = build_worlds(stage).engine
    expected = np.stack([authored(stage, f"/World/envs/env_{i}/cube/sim_mesh") for i in range(3)])
    np.testing.assert_allclose(points_of(engine), expected, atol=1e-6)
    for field in ("body_pos", "body_quat"):
        assert (engine.param(field) == engine.param(field)[:1]).all()
    engine.step(20)
    step = engine.compiled.mj.opt.timestep
    fall = [0.0, 0.0, 9.81 * step**2 * 20 * 21 / 2]
    np.testing.assert_allclose(points_of(engine), expected - fall, atol=1e-6)
    engine.reset([1])
    np.testing.assert_allclose(points_of(engine)[1], expected[1], atol=1e-6)


def test_initial_velocities_turn_with_their_environment():
    stage = environments(ORIGINS[:2], 0.5 * np.pi)
    mesh = UsdGeom.PointBased(stage.GetPrimAtPath(f"{CUBE}/sim_mesh"))
    count = len(mesh.GetPointsAttr().Get())
    mesh.CreateVelocitiesAttr([Gf.Vec3f(1.0, 0.0, 0.0)] * count)
    engine = build_worlds(stage).engine
    found = engine.read("qvel").reshape(2, count, 3)
    np.testing.assert_allclose(found[0], np.tile([1.0, 0.0, 0.0], (count, 1)), atol=1e-9)
    np.testing.assert_allclose(found[1], np.tile([0.0, 1.0, 0.0], (count, 1)), atol=1e-9)


def test_environments_differ_in_place_material_and_size():
    stage = environments(ORIGINS, copy=True)
    second, third = (f"/World/envs/env_{i}/cube" for i in (1, 2))
    turn = quat_from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.6)
    set_local_pose(stage.GetPrimAtPath(second), Pose(np.array([0.3, 0.0, 2.0]), turn))
    material = stage.GetPrimAtPath(f"{third}/geometry/material")
    material.GetAttribute("omniphysics:youngsModulus").Set(2e5)
    engine = build_worlds(stage).engine
    expected = np.stack([authored(stage, f"/World/envs/env_{i}/cube/sim_mesh") for i in range(3)])
    np.testing.assert_allclose(points_of(engine), expected, atol=1e-6)
    stiffness = engine.param("flex_stiffness")
    np.testing.assert_allclose(stiffness[2], 2.0 * stiffness[0], rtol=1e-6)
    np.testing.assert_allclose(stiffness[1], stiffness[0], rtol=1e-5, atol=1e-4)
    # What is turned is not strained.
    engine.step(10)
    fall = [0.0, 0.0, 9.81 * 0.002**2 * 10 * 11 / 2]
    np.testing.assert_allclose(points_of(engine), expected - fall, atol=1e-5)


def test_vertices_held_by_the_world_stay_in_their_environment():
    stage = environments([[0.0, 0.0, 0.0]])
    mesh = np.array(stage.GetPrimAtPath(f"{CUBE}/sim_mesh").GetAttribute("points").Get())
    top = np.flatnonzero(mesh[:, 2] > 0.099)
    hold = stage.DefinePrim(f"{ENV}/hold", "OmniPhysicsVtxXformAttachment")
    hold.CreateRelationship("omniphysics:src0").SetTargets([Sdf.Path(f"{CUBE}/sim_mesh")])
    hold.CreateRelationship("omniphysics:src1").SetTargets([Sdf.Path(ENV)])
    kinds = Sdf.ValueTypeNames
    hold.CreateAttribute("omniphysics:vtxIndicesSrc0", kinds.IntArray).Set(top.tolist())
    held = [Gf.Vec3f(*map(float, point)) for point in mesh[top] + [0.0, 0.0, 1.0]]
    hold.CreateAttribute("omniphysics:localPositionsSrc1", kinds.Point3fArray).Set(held)
    clone_environments(ENV, 2, origins=[[0, 0, 0], [5.0, 1.0, 0.0]], stage=stage)
    engine = build_worlds(stage).engine
    start = points_of(engine)
    engine.step(100)
    now = points_of(engine)
    np.testing.assert_allclose(now[:, top], start[:, top], atol=1e-6)
    np.testing.assert_allclose(
        now[1] - now[0], np.broadcast_to([5.0, 1, 0], now[0].shape), atol=1e-5
    )
    assert (now[:, :, 2] < start[:, :, 2] - 1e-5).any()


# -- doors -------------------------------------------------------------------------------------


def test_vertices_are_no_links_bodies_or_joints(tmp_path):
    stage = create_stage()
    define_prim(stage, "/World", "Xform")
    box = define_prim(stage, "/World/box", "Cube")
    UsdGeom.Cube(box).CreateSizeAttr(0.2)
    set_local_pose(box, Pose(np.array([1.0, 0.0, 0.1])))
    UsdPhysics.RigidBodyAPI.Apply(box)
    UsdPhysics.CollisionAPI.Apply(box)
    cube(stage, "/World/cube", (0.0, 0.0, 0.1))
    cube(stage, "/World/moved", (3.0, 0.0, 0.1), kinematic_enabled=True)
    ground(stage)
    stage.GetRootLayer().Export(str(tmp_path / "scene.usda"))
    model = usdsim.load_model(str(tmp_path / "scene.usda"))
    assert model.link_names == ["box"]
    assert (len(model.bodies), model.num_joints, len(model.mocaps)) == (1, 0, 0)
    data = usdsim.SceneData(model)
    for _ in range(200):
        model.step(data)
    forces = model.get_link_net_contact_forces(data)
    assert forces.shape[-2] == 1
    assert model.get_link_poses(data).shape == (1, 7)
    assert model.dof_title(8) == "vertex '/World/cube/sim_mesh:0'"
    with pytest.raises(InvalidValueError, match=r"vertex '/World/cube/sim_mesh:0'"):
        positions = np.array(data.dof_pos)
        positions[7] = np.nan
        data.dof_pos = positions


# -- recording and writing back ----------------------------------------------------------------


@pytest.mark.parametrize("up, unit", [("Z", 1.0), ("Y", 0.01)])
def test_recording_moves_simulation_mesh_and_what_is_drawn(tmp_path, up, unit):
    stage = create_stage(up_axis=up, meters_per_unit=unit)
    define_prim(stage, "/World", "Xform")
    height = np.array([0.0, 0.0, 0.3] if up == "Z" else [0.0, 0.3, 0.0]) / unit
    cube(stage, "/World/cube", height, 0.2 / unit)
    plane = define_prim(stage, "/World/ground", "Plane")
    plane.GetAttribute("axis").Set(up)
    UsdPhysics.CollisionAPI.Apply(plane)
    drawn = stage.GetPrimAtPath("/World/cube/geometry/mesh")
    drawn.CreateAttribute("normals", Sdf.ValueTypeNames.Normal3fArray).Set([Gf.Vec3f(0, 0, 1)] * 8)
    scene = parse_stage(stage).scene
    engine = CpuEngine(compile_scene(scene))
    reader = EngineReader(engine)
    with Recorder(stage, scene, tmp_path / "take.usdc", reader=reader, fps=50) as recorder:
        recorder.record()
        for _ in range(100):
            engine.step()
            recorder.record()
    take = Usd.Stage.Open(str(tmp_path / "take.usdc"))
    mesh = take.GetPrimAtPath("/World/cube/sim_mesh")
    assert mesh.GetAttribute("points").GetNumTimeSamples() == recorder.num_frames == 11
    last = take.GetEndTimeCode()

    def in_world(path):
        prim = take.GetPrimAtPath(path)
        local = np.array(prim.GetAttribute("points").Get(last))
        matrix = np.array(UsdGeom.XformCache(last).GetLocalToWorldTransform(prim))
        world = (local @ matrix[:3, :3] + matrix[3, :3]) * unit
        return world if up == "Z" else world @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])

    now = points_of(engine, "/World/cube")[0]
    np.testing.assert_allclose(in_world("/World/cube/sim_mesh"), now, atol=1e-6)
    seen = in_world("/World/cube/geometry/mesh")
    corners = np.abs(now[:, None] - seen[None]).sum(axis=2).min(axis=0)
    np.testing.assert_allclose(corners, 0.0, atol=1e-5)
    drawn = take.GetPrimAtPath("/World/cube/geometry/mesh")
    extent = np.array(drawn.GetAttribute("extent").Get(last))
    local = np.array(drawn.GetAttribute("points").Get(last))
    np.testing.assert_allclose(extent, [local.min(axis=0), local.max(axis=0)])
    assert not drawn.GetAttribute("normals").HasAuthoredValue()


def test_meshes_below_a_moving_body_are_written_in_its_frame():
    stage = create_stage()
    carrier = define_prim(stage, "/carrier", "Xform")
    UsdPhysics.RigidBodyAPI.Apply(carrier)
    UsdPhysics.MassAPI.Apply(carrier).CreateMassAttr(1.0)
    turn = quat_from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.4)
    set_local_pose(carrier, Pose(np.array([1.0, 2.0, 3.0]), turn))
    cube(stage, "/carrier/cube", (0.0, 0.0, 0.5))
    scene = parse_stage(stage).scene
    (body,) = scene.deformables
    moved = Pose(np.array([4.0, 0.0, 1.0]), quat_from_axis_angle(np.array([1.0, 0, 0]), 1.1))
    points = quat_apply(np.array([0.6, 0.0, 0.0, 0.8]), body.points) + np.array([0.0, 1.0, 0.0])
    write_poses(stage, scene, [[*moved.pos, *moved.quat]], [points])
    np.testing.assert_allclose(authored(stage, "/carrier/cube/sim_mesh"), points, atol=1e-6)


def test_points_must_fit():
    stage = create_stage()
    cube(stage, "/cube")
    scene = parse_stage(stage).scene
    meshes, (body,) = SoftMeshes(stage, scene), scene.deformables
    assert len(meshes.paths) == 2
    with pytest.raises(ShapeError, match=r"\(0,\).*\(1,\)"):
        meshes.checked(())
    with pytest.raises(ShapeError, match="points of /cube"):
        meshes.checked([body.points[:-1]])
    with pytest.raises(InvalidValueError, match="points of /cube"):
        meshes.checked([body.points * np.nan])
    before = stage.ExportToString()
    with pytest.raises(InvalidValueError, match="points of /cube"):
        write_poses(stage, scene, np.zeros((0, 7)), [body.points * np.nan])
    assert stage.ExportToString() == before


def test_simulation_shows_and_records_any_environment(tmp_path):
    stage = environments(ORIGINS[:2])
    with SimulationContext(SimulationCfg(), stage=stage) as simulation:
        simulation.reset()
        for _ in range(25):
            simulation.step(render=False)
        now = points_of(simulation.engine)
        before = authored(stage, "/World/envs/env_1/cube/sim_mesh")
        simulation.write_back(1)
        shown = authored(stage, "/World/envs/env_1/cube/sim_mesh")
        np.testing.assert_allclose(shown, now[1], atol=1e-6)
        with simulation.recorder(tmp_path / "take.usda", env_id=1) as recorder:
            recorder.record()
        simulation.stop()
        np.testing.assert_allclose(authored(stage, "/World/envs/env_1/cube/sim_mesh"), before)
    take = Usd.Stage.Open(str(tmp_path / "take.usda"))
    np.testing.assert_allclose(authored(take, "/World/envs/env_1/cube/sim_mesh"), now[1], atol=1e-6)


# -- flexible bodies and skins of the MuJoCo dialect -------------------------------------------

FLEXES = """<mujoco><option timestep=".001"/><worldbody>
  <flexcomp name="cloth" type="grid" count="3 4 1" spacing=".1 .1 .1" dim="2" radius=".01"
    mass=".3"><edge equality="true"/></flexcomp>
  <flexcomp name="rope" type="grid" count="4 1 1" spacing=".1 .1 .1" dim="1" radius=".01"
    mass=".1" pos="0 0 1"><edge equality="true"/></flexcomp>
  <body name="arm" pos="0 0 2"><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body>
  </worldbody><deformable><skin name="hide" vertex="0 0 0 1 0 0 0 1 0" face="0 1 2">
  <bone body="arm" bindpos="0 0 0" bindquat="1 0 0 0" vertid="0 1 2" vertweight="1 1 1"/>
  </skin></deformable></mujoco>"""


def test_what_shows_flexes_and_skins_follows_them(tmp_path):
    (tmp_path / "soft.xml").write_text(FLEXES)
    model = usdsim.load_model(str(tmp_path / "soft.xml"))
    data = usdsim.SceneData(model)
    engine = data.low
    reader = EngineReader(engine)
    with Recorder(
        model.stage, model.description, tmp_path / "t.usda", reader=reader, fps=None
    ) as recorder:
        for _ in range(40):
            model.step(data)
        recorder.record()
    take = Usd.Stage.Open(str(tmp_path / "t.usda"))
    root = str(take.GetDefaultPrim().GetPath())
    cloth, rope = reader.deformable_points()
    np.testing.assert_allclose(authored(take, f"{root}/Deformables/cloth"), cloth, atol=1e-6)
    edges = authored(take, f"{root}/Deformables/rope").reshape(-1, 2, 3)
    np.testing.assert_allclose(edges[:, 0], rope[:-1], atol=1e-6)
    np.testing.assert_allclose(edges[:, 1], rope[1:], atol=1e-6)
    (pose,) = (p for p in reader.body_poses() if p[2] > 1.5)
    skin = quat_apply(pose[3:], np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])) + pose[:3]
    np.testing.assert_allclose(authored(take, f"{root}/Deformables/hide"), skin, atol=1e-6)
    assert len(authored(model.stage, f"{root}/Deformables/hide")) == 3


def test_drawings_of_flexes_are_no_shapes(tmp_path):
    (tmp_path / "soft.xml").write_text(FLEXES)
    stage = usdsim.load_model(str(tmp_path / "soft.xml")).stage
    for exact in (False, True):
        scene = parse_stage(stage, exact=exact, strict=True).scene
        assert [geom.path for geom in scene.geoms if "Deformables" in geom.path] == []
        assert not scene.deformables


def test_a_body_of_the_schemas_is_simulated():
    stage = create_stage()
    define_prim(stage, "/soft", "Xform")
    mesh = UsdGeom.Mesh(define_prim(stage, "/soft/mesh", "Mesh"))
    corners = [Gf.Vec3f(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    mesh.GetPointsAttr().Set(corners)
    sides = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    mesh.GetFaceVertexCountsAttr().Set([4] * 6)
    mesh.GetFaceVertexIndicesAttr().Set(sides)
    define_deformable_body_properties(
        "/soft", DeformableBodyBaseCfg(mass=2.0, simulation_hexahedral_resolution=1), stage
    )
    result = parse_stage(stage, strict=True)
    (body,) = result.scene.deformables
    assert body.mass == 2.0
    assert len(body.points) == len(corners) + 1, "the corners of the one cell and its middle"
    assert compile_scene(result.scene).mj.nv == 3 * len(body.points)
