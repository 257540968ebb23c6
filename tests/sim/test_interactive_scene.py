"""Scenes of many environments, with small assets in place of real ones."""

import copy
from dataclasses import MISSING, dataclass, field

import numpy as np
import pytest
import warp as wp
from pxr import UsdGeom, UsdPhysics

from usdsim.assets.common.cfg import AssetBaseCfg
from usdsim.assets.participation import current_simulation
from usdsim.core.errors import (
    InvalidValueError,
    ShapeError,
    StageError,
    UnknownNameError,
    UnsupportedError,
)
from usdsim.engine.device import init
from usdsim.parser.description import APART
from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.sim import (
    InteractiveScene,
    InteractiveSceneCfg,
    SimulationCfg,
    SimulationContext,
    build_simulation_context,
)
from usdsim.sim.environments.variants import renamed
from usdsim.spawners import (
    CuboidCfg,
    GroundPlaneCfg,
    MultiAssetSpawnerCfg,
    MultiUsdFileCfg,
    SphereCfg,
)
from usdsim.usd import create_stage
from usdsim.usd.queries import find_prims

RIGID = {
    "rigid_props": RigidBodyBaseCfg(),
    "mass_props": MassPropertiesCfg(mass=1.0),
    "collision_props": CollisionBaseCfg(),
}


@pytest.fixture(autouse=True)
def _simulation():
    with build_simulation_context(SimulationCfg(dt=0.01)):
        yield


class Part:
    """What the stand-ins have in common: one body in each world, and a log of calls."""

    def __init__(self, cfg):
        self.cfg = copy.deepcopy(cfg)
        self.calls = []
        simulation = current_simulation()
        if cfg.spawn is not None:
            cfg.spawn.func(
                cfg.prim_path, cfg.spawn, translation=cfg.init_state.pos, stage=simulation.stage
            )
        simulation.register(self)

    def prepare(self, scene):
        return scene

    def initialize(self, simulation):
        init()
        self.engine = simulation.engine
        self.num_instances = simulation.num_envs
        path = renamed(self.cfg.prim_path, "/World/envs/env_.*", simulation.env_paths[0])
        joint = self.engine.compiled.names.index("joint", path)
        self.q = int(self.engine.compiled.mj.jnt_qposadr[joint])
        self.v = int(self.engine.compiled.mj.jnt_dofadr[joint])

    def invalidate(self):
        self.engine = None

    def reset(self, env_ids=None):
        self.calls.append(("reset", None if env_ids is None else list(env_ids)))

    def update(self, dt):
        self.calls.append(("update", dt))


class Body(Part):
    """A free body: poses and velocities of its root."""

    @property
    def data(self):
        return self

    @property
    def root_link_pose_w(self):
        qpos = self.engine.state("qpos")[:, self.q : self.q + 7]
        pose = np.concatenate([qpos[:, :3], np.roll(qpos[:, 3:], -1, axis=1)], axis=1)
        return wp.array(pose.astype(np.float32), dtype=wp.transformf)

    @property
    def root_com_vel_w(self):
        qvel = self.engine.state("qvel")[:, self.v : self.v + 6]
        return wp.array(qvel.astype(np.float32), dtype=wp.spatial_vectorf)

    def write_root_link_pose_to_sim(self, root_pose, env_ids=None):
        values = np.asarray(root_pose)
        qpos = np.concatenate([values[:, :3], np.roll(values[:, 3:], 1, axis=1)], axis=1)
        self.engine.write("qpos", qpos, env_ids, range(self.q, self.q + 7))

    def write_root_com_velocity_to_sim(self, root_velocity, env_ids=None):
        self.engine.write("qvel", root_velocity, env_ids, range(self.v, self.v + 6))

    def write_data_to_sim(self):
        self.calls.append(("write", None))


class Robot(Body):
    """A free body with two joints that are remembered, not simulated."""

    is_fixed_base = False

    def initialize(self, simulation):
        super().initialize(simulation)
        self.joints = np.zeros((2, self.num_instances, 2), np.float32)
        self.targets = np.full((2, self.num_instances, 2), np.nan, np.float32)

    @property
    def joint_pos(self):
        return wp.array(self.joints[0], dtype=wp.float32)

    @property
    def joint_vel(self):
        return wp.array(self.joints[1], dtype=wp.float32)

    def write_joint_state_to_sim(self, position, velocity, joint_ids=None, env_ids=None):
        rows = slice(None) if env_ids is None else env_ids
        self.joints[:, rows] = position, velocity

    def set_joint_position_target(self, target, joint_ids=None, env_ids=None):
        self.targets[0, slice(None) if env_ids is None else env_ids] = target

    def set_joint_velocity_target(self, target, joint_ids=None, env_ids=None):
        self.targets[1, slice(None) if env_ids is None else env_ids] = target


class Crowd(Part):
    """Two bodies in each world, read and written together."""

    def __init__(self, cfg):
        self.cfg = copy.deepcopy(cfg)
        self.calls = []
        self.num_instances = 0
        current_simulation().register(self)

    def initialize(self, simulation):
        self.num_instances = simulation.num_envs
        self.poses = np.zeros((self.num_instances, 2, 7), np.float32)
        self.poses[..., 6] = 1.0
        self.poses[..., :3] = simulation.env_origins[:, None] + [[[0, 0, 1], [0, 0, 2]]]
        self.speeds = np.zeros((self.num_instances, 2, 6), np.float32)

    @property
    def data(self):
        return self

    @property
    def body_link_pose_w(self):
        return wp.array(self.poses, dtype=wp.transformf)

    @property
    def body_com_vel_w(self):
        return wp.array(self.speeds, dtype=wp.spatial_vectorf)

    def write_body_link_pose_to_sim(self, poses, env_ids=None):
        self.poses[slice(None) if env_ids is None else env_ids] = poses

    def write_body_com_velocity_to_sim(self, speeds, env_ids=None):
        self.speeds[slice(None) if env_ids is None else env_ids] = speeds

    def write_data_to_sim(self):
        self.calls.append(("write", None))


class Sensor(Part):
    """Something that looks at prims."""

    def __init__(self, cfg):
        self.cfg, self.calls = copy.deepcopy(cfg), []


@dataclass(kw_only=True)
class SensorCfg:
    class_type: type = Sensor
    prim_path: str = ""
    targets: list = field(default_factory=list)


def body_cfg(name, pos=(0.0, 0.0, 1.0), kind=Body, spawn=None):
    return AssetBaseCfg(
        class_type=kind,
        prim_path=f"{{ENV_REGEX_NS}}/{name}",
        spawn=spawn or CuboidCfg(size=(0.2, 0.2, 0.2), **RIGID),
        init_state=AssetBaseCfg.InitialStateCfg(pos=pos),
    )


class PlainCfg(InteractiveSceneCfg):
    """Annotated and plain attributes, no decorator."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg(), collision_group=-1)
    robot: AssetBaseCfg = body_cfg("Robot", kind=Robot)
    box = body_cfg("Box", (0.5, 0.0, 1.0))
    marker: AssetBaseCfg = AssetBaseCfg(
        prim_path="{ENV_REGEX_NS}/Marker", spawn=SphereCfg(radius=0.05)
    )
    scanner = SensorCfg(
        prim_path="{ENV_REGEX_NS}/Robot",
        targets=["{ENV_REGEX_NS}/Box", {"path": ("{ENV_REGEX_NS}/Marker",)}],
    )
    nothing: AssetBaseCfg = None


@dataclass
class DataclassCfg(InteractiveSceneCfg):
    """The same as a dataclass."""

    robot: AssetBaseCfg = field(default_factory=lambda: body_cfg("Robot", kind=Robot))
    box: AssetBaseCfg = field(default_factory=lambda: body_cfg("Box", (0.5, 0.0, 1.0)))
    scanner = SensorCfg(prim_path="{ENV_REGEX_NS}/Robot")


def running(cfg):
    scene = InteractiveScene(cfg)
    SimulationContext.instance().reset()
    return scene


# -- configurations -----------------------------------------------------------------------------


def test_attributes_become_entities_in_order():
    cfg = PlainCfg(num_envs=3, env_spacing=2.0)
    assert list(cfg.entities()) == ["ground", "robot", "box", "marker", "scanner"]
    assert (cfg.num_envs, cfg.env_spacing, cfg.replicate_physics) == (3, 2.0, True)
    made = DataclassCfg(num_envs=3, env_spacing=2.0)
    # A dataclass keeps no place for fields that are made by functions.
    assert list(made.entities()) == ["scanner", "robot", "box"]


@pytest.mark.parametrize("cls", [PlainCfg, DataclassCfg])
def test_instances_have_configurations_of_their_own(cls):
    first, second = cls(num_envs=1, env_spacing=0.0), cls(num_envs=1, env_spacing=0.0)
    first.scanner.targets.append("{ENV_REGEX_NS}/Box")
    assert first.scanner.targets[-1:] == ["{ENV_REGEX_NS}/Box"] != second.scanner.targets[-1:]
    assert cls(num_envs=1, env_spacing=0.0).scanner.targets == second.scanner.targets
    first.robot.init_state.pos = (9.0, 9.0, 9.0)
    first.box = None
    first.crate = body_cfg("Crate")
    assert second.robot.init_state.pos == (0.0, 0.0, 1.0)
    own = [name for name in second.entities() if name != "box"]
    assert list(first.entities()) == [*own, "crate"]
    assert "box" in second.entities() and "crate" not in second.entities()


def test_derived_configurations_override_and_add():
    class Derived(PlainCfg):
        table = body_cfg("Table")
        box = None

        def __post_init__(self):
            self.env_spacing = 7.0

        @property
        def size(self):
            return 1.0

    cfg = Derived(num_envs=2, env_spacing=1.0, replicate_physics=False)
    assert list(cfg.entities()) == ["ground", "robot", "marker", "scanner", "table"]
    assert cfg.env_spacing == 7.0 and not cfg.replicate_physics


def test_missing_and_unknown_values_are_refused():
    with pytest.raises(InvalidValueError, match=r"PlainCfg.num_envs is missing"):
        InteractiveScene(PlainCfg(env_spacing=1.0))
    with pytest.raises(UnknownNameError, match=r"num_env.*Did you mean 'num_envs'"):
        PlainCfg(num_env=1, env_spacing=1.0)

    class Needs(InteractiveSceneCfg):
        robot: AssetBaseCfg = MISSING
        table: AssetBaseCfg
        box: AssetBaseCfg = body_cfg("Box")

    cfg = copy.deepcopy(Needs(num_envs=1, env_spacing=1.0, table=body_cfg("Table")))
    with pytest.raises(InvalidValueError, match=r"Needs.robot is missing"):
        InteractiveScene(cfg)
    cfg.robot = body_cfg("Robot")
    cfg.validate()
    assert list(cfg.entities()) == ["robot", "table", "box"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"num_envs": 0}, InvalidValueError),
        ({"num_envs": 2.0}, InvalidValueError),
        ({"env_spacing": -1.0}, InvalidValueError),
        ({"env_spacing": "far"}, InvalidValueError),
        ({"filter_collisions": False}, UnsupportedError),
    ],
)
def test_scene_values_are_checked(change, error):
    with pytest.raises(error, match=next(iter(change))):
        InteractiveScene(DataclassCfg(**{"num_envs": 2, "env_spacing": 1.0, **change}))


def test_one_environment_need_not_filter():
    running(DataclassCfg(num_envs=1, env_spacing=1.0, filter_collisions=False))


# -- scenes -------------------------------------------------------------------------------------


@pytest.mark.parametrize("replicate", [True, False])
def test_a_scene_is_spawned_cloned_and_grouped(replicate):
    cfg = PlainCfg(num_envs=4, env_spacing=3.0, replicate_physics=replicate)
    before = copy.deepcopy(cfg)
    scene = InteractiveScene(cfg)
    assert cfg == before and cfg.robot.prim_path == "{ENV_REGEX_NS}/Robot"
    assert scene.keys() == ["ground", "robot", "box", "marker", "scanner"]
    assert list(scene.articulations) == ["robot"] and list(scene.rigid_objects) == ["box"]
    assert list(scene.sensors) == ["scanner"] and list(scene.extras) == ["ground", "marker"]
    assert scene["robot"] is scene.articulations["robot"] and "box" in scene
    assert "crate" not in scene
    with pytest.raises(UnknownNameError, match=r"No scene entity 'robt'.*'robot'"):
        scene["robt"]
    with pytest.raises(AttributeError, match=r"has no 'robot'.*scene\['robot'\]"):
        _ = scene.robot
    with pytest.raises(AttributeError, match=r"has no 'robt'\.$"):
        _ = scene.robt
    for name in ("Robot", "Box", "Marker"):
        assert len(find_prims(scene.stage, f"{scene.env_regex_ns}/{name}")) == 4
    assert len(scene["marker"].prims) == 4 and len(scene["ground"].prims) == 1
    assert scene["scanner"].cfg.prim_path == "/World/envs/env_.*/Robot"
    assert scene["scanner"].cfg.targets == [
        "/World/envs/env_.*/Box",
        {"path": ("/World/envs/env_.*/Marker",)},
    ]
    SimulationContext.instance().reset()
    assert scene["robot"].engine.num_envs == scene.num_envs == 4
    np.testing.assert_allclose(
        scene["robot"].data.root_link_pose_w.numpy()[:, :3],
        np.add(scene.env_origins.numpy(), [0.0, 0.0, 1.0]),
        atol=1e-6,
    )


def test_what_a_scene_says_about_itself():
    scene = running(DataclassCfg(num_envs=3, env_spacing=2.0))
    assert scene.env_ns == "/World/envs" and scene.env_regex_ns == "/World/envs/env_.*"
    assert scene.env_prim_paths == [f"/World/envs/env_{i}" for i in range(3)]
    assert scene.env_origins.dtype is wp.float32 and scene.env_origins.shape == (3, 3)
    assert scene.physics_dt == 0.01 and scene.device == "cpu"
    simulation = SimulationContext.instance()
    np.testing.assert_allclose(scene.env_origins.numpy(), simulation.env_origins)
    assert str(scene).startswith("InteractiveScene: 3 environments, 2 m apart\n  scanner: ")


def test_spacing_is_in_metres_on_the_ground_plane_of_any_stage():
    SimulationContext.clear_instance()
    stage = create_stage(up_axis="Y", meters_per_unit=0.01)
    with SimulationContext(SimulationCfg(), stage):
        scene = InteractiveScene(DataclassCfg(num_envs=4, env_spacing=3.0))
        origins = scene.env_origins.numpy()
        np.testing.assert_allclose(origins[:, 2], 0.0, atol=1e-6)
        apart = np.linalg.norm(origins[:, None] - origins[None], axis=-1) + 99.0 * np.eye(4)
        np.testing.assert_allclose(apart.min(axis=1), 3.0, rtol=1e-6)


@pytest.mark.parametrize("replicate", [True, False])
def test_environments_differ_where_there_are_several_assets_of_a_kind(replicate):
    spawn = MultiAssetSpawnerCfg(
        assets_cfg=[SphereCfg(radius=r, **RIGID) for r in (0.1, 0.2)], random_choice=False
    )
    scene = running(
        DataclassCfg(
            num_envs=4,
            env_spacing=2.0,
            replicate_physics=replicate,
            box=body_cfg("Box", (0.5, 0.0, 1.0), spawn=spawn),
        )
    )
    engine = scene["box"].engine
    geoms = [i for i, p in enumerate(engine.compiled.names.paths("geom")) if "/Box" in p]
    np.testing.assert_allclose(engine.param("geom_size")[:, geoms[0], 0], [0.1, 0.2, 0.1, 0.2])


def test_environments_have_assets_of_several_kinds_each_its_own():
    several = [SphereCfg(radius=0.1, **RIGID), CuboidCfg(size=(0.1, 0.1, 0.1), **RIGID)]
    spawn = MultiAssetSpawnerCfg(assets_cfg=several, random_choice=False)
    box = body_cfg("Box", (0.5, 0.0, 1.0), spawn=spawn)
    scene = running(DataclassCfg(num_envs=3, env_spacing=2.0, box=box))
    engine = scene["box"].engine
    geoms = [i for i, p in enumerate(engine.compiled.names.paths("geom")) if "/Box" in p]
    absent = engine.param("geom_margin")[:, geoms] <= APART
    np.testing.assert_array_equal(absent, [[0, 1], [1, 0], [0, 1]])
    layer = scene.stage.GetRootLayer()  # they are prims of their own, which can be edited
    specs = [layer.GetPrimAtPath(f"{path}/Box/geometry/mesh") for path in scene.env_prim_paths]
    assert [spec.typeName for spec in specs] == ["Sphere", "Cube", "Sphere"]


def test_assets_with_other_bodies_are_the_same_everywhere_and_told_of(caplog, tmp_path):
    files = []
    for name in ("lone", "pair"):
        stage = create_stage(tmp_path / f"{name}.usda")
        stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, f"/{name}").GetPrim())
        for part in ("one", "two") if name == "pair" else ("one",):
            cfg = SphereCfg(radius=0.1, **RIGID)
            cfg.func(f"/{name}/{part}", cfg, stage=stage)
        stage.Save()
        files.append(str(tmp_path / f"{name}.usda"))
    spawn = MultiUsdFileCfg(usd_path=files, random_choice=False)
    box = body_cfg("Box", (0.5, 0.0, 1.0), spawn=spawn)
    scene = InteractiveScene(DataclassCfg(num_envs=3, env_spacing=2.0, box=box))
    assert "Box: all environments get the same one of its assets" in caplog.text
    for path in scene.env_prim_paths:
        found = [p.GetName() for p in scene.stage.GetPrimAtPath(f"{path}/Box").GetChildren()]
        assert found == ["one"]


def test_scenes_need_room_and_a_simulation():
    cfg = DataclassCfg(num_envs=2, env_spacing=1.0)
    InteractiveScene(cfg)
    with pytest.raises(StageError, match="environments below /World/envs already"):
        InteractiveScene(cfg)
    SimulationContext.clear_instance()
    with pytest.raises(StageError, match="no simulation"):
        InteractiveScene(cfg)


def test_what_is_in_the_first_environment_already_is_cloned_with_it():
    """Programs fill the first environment by spawn functions before they make the scene."""
    wall, stage = CuboidCfg(size=(0.1, 0.1, 0.1), **RIGID), current_simulation().stage
    wall.func("/World/envs/env_0/Walls/wall", wall, translation=(1.0, 0.0, 1.0))
    scene = InteractiveScene(DataclassCfg(num_envs=3, env_spacing=2.0, box=body_cfg("Box")))
    for path in scene.env_prim_paths:
        assert stage.GetPrimAtPath(f"{path}/Walls/wall").HasAPI(UsdPhysics.RigidBodyAPI)
    current_simulation().reset()
    engine = scene["box"].engine
    joint = engine.compiled.names.index("joint", "/World/envs/env_0/Walls/wall")
    start = int(engine.compiled.mj.jnt_qposadr[joint])
    places = engine.state("qpos")[:, start : start + 3]
    np.testing.assert_allclose(places, scene.env_origins.numpy() + np.array((1, 0, 1)), atol=1e-6)


def test_what_is_no_configuration_is_refused():
    cfg = DataclassCfg(num_envs=1, env_spacing=1.0)
    cfg.speed = 3.0
    with pytest.raises(InvalidValueError, match=r"DataclassCfg.speed is 3.0"):
        InteractiveScene(cfg)


def test_extras_without_prims_are_refused():
    cfg = DataclassCfg(num_envs=1, env_spacing=1.0)
    cfg.lamp = AssetBaseCfg(prim_path="/World/lamp")
    with pytest.raises(StageError, match=r"No prim matches '/World/lamp'.*'lamp'"):
        InteractiveScene(cfg)


def test_entities_are_reset_written_and_updated():
    scene = running(PlainCfg(num_envs=3, env_spacing=2.0))
    scene.reset()
    scene.reset([2, 0])
    scene.reset(np.array([False, True, False]))
    scene.write_data_to_sim()
    scene.update(0.5)
    resets = [("reset", None), ("reset", [2, 0]), ("reset", [1])]
    for name in ("robot", "box"):
        assert scene[name].calls == [*resets, ("write", None), ("update", 0.5)]
    assert scene["scanner"].calls == [*resets, ("update", 0.5)]
    with pytest.raises(InvalidValueError, match="env_ids is 3"):
        scene.reset([3])


def test_collision_groups_are_authored_on_demand():
    scene = running(PlainCfg(num_envs=2, env_spacing=2.0))
    groups = scene.filter_collisions(["/World/extra"])
    top = UsdPhysics.CollisionGroup(scene.stage.GetPrimAtPath(groups[-1]))
    members = top.GetCollidersCollectionAPI().GetIncludesRel().GetTargets()
    assert [str(path) for path in members] == ["/World/ground", "/World/extra"]
    SimulationContext.instance().reset()


# -- state --------------------------------------------------------------------------------------


def _with_crowd(count):
    cfg = PlainCfg(num_envs=count, env_spacing=2.0)
    cfg.crowd = SensorCfg(class_type=Crowd)
    return running(cfg)


def numbers(state):
    return {
        (kind, name, quantity): values.numpy()
        for kind, assets in state.items()
        for name, entries in assets.items()
        for quantity, values in entries.items()
    }


@pytest.mark.parametrize("relative", [False, True])
def test_a_state_can_be_taken_and_put_back(relative):
    scene = _with_crowd(3)
    simulation = SimulationContext.instance()
    scene["robot"].joints[:] = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    saved = scene.get_state(is_relative=relative)
    kept = {key: values.copy() for key, values in numbers(saved).items()}
    assert sorted({key[:2] for key in kept}) == [
        ("articulation", "robot"),
        ("rigid_object", "box"),
        ("rigid_object_collection", "crowd"),
    ]
    if relative:
        poses = kept["rigid_object", "box", "root_pose"]
        np.testing.assert_allclose(poses[:, :3], [[0.5, 0.0, 1.0]] * 3, atol=1e-6)
        bodies = kept["rigid_object_collection", "crowd", "body_pose"]
        np.testing.assert_allclose(bodies[:, :, :3], [[[0, 0, 1], [0, 0, 2]]] * 3, atol=1e-6)
    simulation.step_n(20)
    scene["robot"].joints[:] = 0.0
    scene["crowd"].poses[..., :3] += 5.0
    for key, values in numbers(saved).items():
        np.testing.assert_array_equal(values, kept[key])
    scene.reset_to(saved, is_relative=relative)
    for key, values in numbers(scene.get_state(is_relative=relative)).items():
        np.testing.assert_allclose(values, kept[key], atol=1e-6, err_msg=str(key))
    np.testing.assert_array_equal(scene["robot"].targets, scene["robot"].joints)
    assert scene["box"].calls[-1] == ("write", None)


def test_some_environments_can_be_put_back():
    scene = _with_crowd(3)
    start = numbers(scene.state)
    part = {
        kind: {
            name: {quantity: values.numpy()[[2, 0]] for quantity, values in entries.items()}
            for name, entries in assets.items()
        }
        for kind, assets in scene.get_state(is_relative=True).items()
    }
    SimulationContext.instance().step_n(20)
    scene["crowd"].poses[..., 2] -= 1.0
    moved = numbers(scene.state)
    scene.reset_to(part, [2, 0], is_relative=True)
    for key, values in numbers(scene.state).items():
        np.testing.assert_allclose(values[[0, 2]], start[key][[0, 2]], atol=1e-6)
        np.testing.assert_array_equal(values[1], moved[key][1])


def test_states_that_do_not_fit_change_nothing():
    scene = _with_crowd(2)
    state = scene.get_state()
    SimulationContext.instance().step_n(5)
    before = numbers(scene.state)
    short = {"root_pose": np.zeros((1, 7)), "root_velocity": np.zeros((1, 6))}
    good = state["rigid_object"]["box"]
    for wrong, error in (
        ({"rigid_objects": {}}, UnknownNameError),
        ({"rigid_object": {"box": good, "bix": {}}}, UnknownNameError),
        ({"rigid_object": {"box": {"root_pose": good["root_pose"]}}}, UnknownNameError),
        ({"articulation": state["articulation"], "rigid_object": {"box": short}}, ShapeError),
    ):
        with pytest.raises(error):
            scene.reset_to(wrong)
    for key, values in numbers(scene.state).items():
        np.testing.assert_array_equal(values, before[key])
    scene.reset_to({"rigid_object": {"box": good}})
    assert np.abs(numbers(scene.state)["articulation", "robot", "root_pose"] - before[
        "articulation", "robot", "root_pose"
    ]).max() == 0.0  # fmt: skip


def test_poses_are_visible_on_the_stage():
    scene = running(PlainCfg(num_envs=2, env_spacing=2.0))
    simulation = SimulationContext.instance()
    simulation.step_n(10)
    simulation.write_back(1)
    prim = scene.stage.GetPrimAtPath("/World/envs/env_1/Box")
    shown = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))[3, :3]
    np.testing.assert_allclose(shown, scene["box"].data.root_link_pose_w.numpy()[1, :3], atol=1e-5)
