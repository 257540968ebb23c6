"""Terrain in a scene: what collides, what rays see, where environments are, how levels change."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import warp as wp
from terrain_kinds import KINDS

import usdsim.terrains as gen
from usdsim.assets import RigidObjectCfg
from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.parser import parse_stage
from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.sensors import RayCasterCfg
from usdsim.sensors.patterns import GridPatternCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import SphereCfg
from usdsim.terrains.levels import TerrainLevels
from usdsim.terrains.surfaces import box

RADIUS = 0.1
REST = 2e-3
"""How far a sphere of 1 kg sinks into a contact, at most [m]."""
SEEN = 1e-4
"""Rays are traced in single precision, from 5 m above [m]."""


def pieces(*names, **changes):
    values = {
        "size": (8.0, 8.0),
        "num_cols": len(names),
        "curriculum": True,
        "sub_terrains": {name: KINDS[name] for name in names},
    }
    return gen.TerrainGeneratorCfg(**{**values, **changes})


def scene(generator=None, num_envs=4, balls=True, rays=False, **changes):
    class Scene(InteractiveSceneCfg):
        terrain = gen.TerrainImporterCfg(
            prim_path="/World/ground",
            terrain_type="plane" if generator is None else "generator",
            terrain_generator=generator,
            **changes,
        )

    cfg = Scene(num_envs=num_envs, env_spacing=3.0)
    if balls:
        cfg.ball = RigidObjectCfg(
            prim_path="{ENV_REGEX_NS}/Ball",
            spawn=SphereCfg(
                radius=RADIUS,
                rigid_props=RigidBodyBaseCfg(),
                mass_props=MassPropertiesCfg(mass=1.0),
                collision_props=CollisionBaseCfg(),
            ),
            init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 5.0)),
        )
    if rays:
        cfg.rays = RayCasterCfg(
            prim_path="{ENV_REGEX_NS}/Ball",
            mesh_prim_paths=["/World/ground"],
            pattern_cfg=GridPatternCfg(size=(6.0, 6.0), resolution=0.5),
            ray_alignment="yaw",
        )
    return InteractiveScene(cfg)


@pytest.fixture
def sim():
    with SimulationContext(SimulationCfg(dt=0.005)) as made:
        yield made


def drop(sim, made, places, steps=300):
    """Let balls fall onto places [m], shape (num_envs, 3); where they lie then."""
    ball = made["ball"]
    pose = np.zeros((len(places), 7), np.float32)
    pose[:, :3], pose[:, 6] = places, 1.0
    ball.write_root_pose_to_sim(pose)
    ball.write_root_velocity_to_sim(np.zeros((len(places), 6), np.float32))
    made.write_data_to_sim()
    for _ in range(steps):
        sim.step(render=False)
    made.update(steps * 0.005)
    return ball.data.root_pos_w.numpy()


LEVEL = ["plane", "stairs", "stairs_down", "pit", "gap", "hf_stairs", "obstacles"]
"""Kinds with a level place where robots start."""


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("flat", [False, True], ids=["solids", "height_fields"])
def test_balls_rest_where_environments_start(sim, flat):
    made = scene(pieces(*LEVEL, convert_to_heightfield=flat), num_envs=len(LEVEL))
    sim.reset()
    origins = made.env_origins.numpy()
    lies = drop(sim, made, np.add(origins, [0.03, 0.02, RADIUS + 0.02]))
    np.testing.assert_allclose(lies[:, 2], origins[:, 2] + RADIUS, atol=REST)


@pytest.mark.usefixtures("device")
def test_balls_rest_on_each_step_of_stairs(sim):
    made = scene(pieces("stairs", difficulty_range=(0.5, 0.5)), num_envs=5)
    sim.reset()
    distance = np.array([3.5, 2.75, 2.25, 1.25, 0.2])
    heights = 0.15 * np.array([0, 1, 2, 4, 6])
    places = np.stack([distance, 0.3 + 0 * distance, heights + RADIUS + 0.02], axis=1)
    lies = drop(sim, made, places)
    np.testing.assert_allclose(lies[:, 2], heights + RADIUS, atol=REST)
    np.testing.assert_allclose(lies[:, :2], places[:, :2], atol=0.02)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", ["stairs_down", "grid", "rough", "hf_stairs"])
def test_scans_see_what_was_generated(sim, name):
    made = scene(pieces(name, difficulty_range=(0.5, 0.5)), num_envs=1, rays=True)
    sim.reset()
    made["ball"].write_root_pose_to_sim(np.array([[0.07, 0.04, 5.0, 0, 0, 0, 1]], np.float32))
    made.update(0.005)
    hits = made["rays"].data.ray_hits_w.numpy()[0]
    mesh = made.terrain.generator.terrain_mesh
    expected = gen.heights_at(mesh, hits[:, :2])
    assert len(hits) == 13 * 13 and np.isfinite(expected).all()
    np.testing.assert_allclose(hits[:, 2], expected, atol=SEEN + _half_bend(mesh, name))


def _half_bend(mesh, name):
    """What rays may be off: they cut cells of height fields along the other diagonal."""
    if not isinstance(KINDS[name], gen.HfTerrainBaseCfg):
        return 0.0
    z = mesh.vertices[:, 2].reshape(81, 81)
    return 0.5 * np.abs(z[1:, 1:] + z[:-1, :-1] - z[1:, :-1] - z[:-1, 1:]).max()


def test_a_scan_over_stairs_is_their_steps(sim):
    made = scene(pieces("stairs", difficulty_range=(0.5, 0.5)), num_envs=1, rays=True)
    sim.reset()
    made["ball"].write_root_pose_to_sim(np.array([[0.25, 0.25, 5.0, 0, 0, 0, 1]], np.float32))
    made.update(0.005)
    hits = made["rays"].data.ray_hits_w.numpy()[0]
    from_edge = 4.0 - np.abs(hits[:, :2]).max(axis=1)
    steps = np.clip(np.floor((from_edge - 1.0) / 0.5 + 1.0), 0, 6)
    np.testing.assert_allclose(hits[:, 2], 0.15 * steps, atol=SEEN)


def test_boxes_and_grids_collide_as_what_they_are(sim):
    scene(pieces("stairs", "rough", "boxes"), num_envs=1, balls=False)
    kinds = Counter(geom.kind for geom in parse_stage(sim.stage).scene.geoms)
    assert kinds == {"hfield": 1, "box": (4 + 6) + (8 + 1 + 1)}, (
        "stairs; boxes, platform and ground"
    )


def test_environments_are_on_their_pieces(sim):
    made = scene(pieces("plane", "box", num_rows=3), num_envs=10, max_init_terrain_level=1)
    terrain = made.terrain
    assert terrain.terrain_types.numpy().tolist() == [0] * 5 + [1] * 5
    levels = terrain.terrain_levels.numpy()
    assert set(levels.tolist()) <= {0, 1} and terrain.max_terrain_level == 3
    expected = terrain.terrain_origins.numpy()[levels, terrain.terrain_types.numpy()]
    np.testing.assert_array_equal(made.env_origins.numpy(), expected)
    assert terrain.size == (24.0, 16.0)
    assert terrain.terrain_names == ["terrain"]


def test_without_origins_environments_are_on_a_grid(sim):
    made = scene(pieces("plane"), num_envs=4, use_terrain_origins=False)
    assert made.terrain.terrain_origins is None
    np.testing.assert_allclose(made.env_origins.numpy()[0], [1.5, -1.5, 0.0])
    made.terrain.update_env_origins([0], [True], [False])
    with pytest.raises(StageError, match="on a grid, which has no levels"):
        _ = made.terrain.terrain_levels
    # As programs ask whether terrain has pieces.
    assert not hasattr(made.terrain, "terrain_types")


def test_a_plane_and_a_file(sim, tmp_path):
    made = scene(num_envs=2)
    sim.reset()
    lies = drop(sim, made, [[100.0, 0.0, 0.15], [0.0, -50.0, 0.15]])
    np.testing.assert_allclose(lies[:, 2], RADIUS, atol=REST)
    assert made.terrain.size == (np.inf, np.inf)
    made.terrain.import_mesh("block", box((1, 1, 1), (0, 0, 0)))
    sim.stage.Export(str(tmp_path / "ground.usda"))
    with pytest.raises(StageError, match="'block' already"):
        made.terrain.import_mesh("block", box((1, 1, 1), (0, 0, 0)))


def levels(**changes):
    values = {"num_envs": 6, "highest": 0, "seed": 3, "device": "cpu"}
    return TerrainLevels(np.random.default_rng(0).random((4, 2, 3)), **{**values, **changes})


def test_levels_rise_and_fall():
    made = levels()
    made.move([0, 1, 2], [True, True, False], [False, False, True])
    assert made.terrain_levels.numpy().tolist() == [1, 1, 0, 0, 0, 0]
    made.move(np.array([0, 2]), np.array([True, True]), np.array([False, False]))
    assert made.terrain_levels.numpy().tolist() == [2, 1, 1, 0, 0, 0]
    made.move(wp.array([0, 1], dtype=wp.int64, device="cpu"), [False] * 2, [True] * 2)
    assert made.terrain_levels.numpy().tolist() == [1, 0, 1, 0, 0, 0]
    expected = made.terrain_origins.numpy()[made.terrain_levels.numpy(), [0, 0, 0, 1, 1, 1]]
    np.testing.assert_array_equal(made.env_origins.numpy(), expected)


def test_past_the_last_level_comes_any():
    made = levels(num_envs=400)
    everyone = np.arange(400)
    for _ in range(4):
        made.move(everyone, np.ones(400, bool), np.zeros(400, bool))
    counts = np.bincount(made.terrain_levels.numpy(), minlength=4)
    assert counts.sum() == 400 and counts.min() > 60
    again = levels(num_envs=400)
    for _ in range(4):
        again.move(everyone, np.ones(400, bool), np.zeros(400, bool))
    assert np.array_equal(again.terrain_levels.numpy(), made.terrain_levels.numpy())


def test_levels_of_a_checkpoint():
    made = levels()
    made.move(range(6), [True] * 6, [False] * 6)
    state = made.state_dict()
    other = levels()
    other.load_state_dict(state)
    np.testing.assert_array_equal(other.terrain_levels.numpy(), made.terrain_levels.numpy())
    assert np.isfinite(other.env_origins.numpy()).all()
    with pytest.raises(ShapeError, match="terrain levels"):
        levels(num_envs=5).load_state_dict(state)


def test_torch_may_say_who_moves():
    torch = pytest.importorskip("torch")
    made = levels()
    made.move(torch.tensor([4, 5]), torch.tensor([True, False]), torch.tensor([False, True]))
    assert made.terrain_levels.numpy().tolist() == [0, 0, 0, 0, 1, 0]
    assert float(made.env_origins.torch.sum()) > 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"terrain_type": "sea"}, "terrain_type is 'sea'"),
        ({"terrain_type": "generator"}, "terrain_generator is None"),
        ({"terrain_type": "usd"}, "usd_path is None"),
        ({"terrain_type": "plane"}, "env_spacing is None"),
    ],
)
def test_wrong_values(sim, changes, message):
    with pytest.raises(InvalidValueError, match=message):
        gen.TerrainImporter(gen.TerrainImporterCfg(prim_path="/World/ground", **changes))


def test_wrong_shapes():
    with pytest.raises(ShapeError, match="terrain origins"):
        TerrainLevels(np.zeros((4, 3)), 2, None, 0, "cpu")
    with pytest.raises(ShapeError, match="move_down"):
        levels().move([0, 1], [True, True], [False])
