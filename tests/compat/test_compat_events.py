"""Events, older names and arrays of the layer for programs written for Isaac Lab."""

from __future__ import annotations

import importlib
import warnings
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp

from usdsim.assets import Articulation, RigidObject, RigidObjectCfg
from usdsim.compat import uninstall
from usdsim.core.errors import StageError, UnsupportedError
from usdsim.schemas import CollisionBaseCfg, ConvexHullPropertiesCfg, RigidBodyBaseCfg
from usdsim.sensors import FrameTransformer, FrameTransformerCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import CuboidCfg
from usdsim.usd.prims import define_prim
from usdsim.usd.stage import create_stage, use_stage

torch = pytest.importorskip("torch")


pytestmark = pytest.mark.usefixtures("installed")


CUBE = RigidObjectCfg(
    prim_path="{ENV_REGEX_NS}/cube",
    spawn=CuboidCfg(
        size=(0.2, 0.2, 0.2), rigid_props=RigidBodyBaseCfg(), collision_props=CollisionBaseCfg()
    ),
)


@pytest.fixture
def sim():
    with use_stage(create_stage()), SimulationContext(SimulationCfg(dt=0.01)) as made:
        yield made


def scene_of_cubes(count: int) -> InteractiveScene:
    cfg = InteractiveSceneCfg(num_envs=count, env_spacing=1.0)
    cfg.cube = CUBE.copy()
    return InteractiveScene(cfg)


def test_events_of_the_simulation_call_back_in_order(sim):
    physics = importlib.import_module("isaaclab_physx.physics")
    manager, events = physics.PhysxManager, physics.IsaacEvents
    seen = []
    scene_of_cubes(1)
    ready = manager.register_callback(
        lambda e: seen.append(e.type), event=events.PHYSICS_READY, order=1
    )
    manager.register_callback(lambda e: seen.append("first"), event=events.PHYSICS_READY)
    manager.register_callback(lambda e: seen.append("step"), event=events.PRE_PHYSICS_STEP)
    sim.reset()
    assert seen == ["first", "isaac.physics_ready"]
    sim.pause()
    sim.play()
    sim.step()
    assert seen[2:] == ["step"]
    manager.deregister_callback(ready)
    manager.register_callback(
        lambda e: manager.store_callback_exception(RuntimeError("from a callback")),
        event=events.PHYSICS_READY,
    )
    with pytest.raises(RuntimeError, match="from a callback"):
        sim.reset()
    assert seen.count("isaac.physics_ready") == 1
    with pytest.raises(UnsupportedError, match="after steps"):
        manager.register_callback(print, event=events.POST_PHYSICS_STEP)


def test_a_second_simulation_is_the_first(sim):
    assert SimulationContext(SimulationCfg(dt=0.5)) is sim and sim.cfg.dt == 0.01
    uninstall()
    with pytest.raises(StageError, match="There is a simulation already"):
        SimulationContext(SimulationCfg(dt=0.5))


def test_older_names_are_subclasses_that_warn():
    sim_utils = importlib.import_module("isaaclab.sim")
    with pytest.warns(DeprecationWarning, match="5.0; use PhysxConvexHullPropertiesCfg"):
        made = sim_utils.ConvexHullPropertiesCfg(hull_vertex_limit=8)
    assert isinstance(made, ConvexHullPropertiesCfg) and made.hull_vertex_limit == 8
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim_utils.PhysxConvexHullPropertiesCfg()
    sensors = importlib.import_module("isaaclab.sensors")
    with pytest.warns(DeprecationWarning, match="use CameraCfg"):
        cfg = sensors.TiledCameraCfg(prim_path="/eye", width=4, height=4)
    assert cfg.setting("colorize_semantic_segmentation")
    cfg.renderer_cfg.colorize_semantic_segmentation = False
    assert not cfg.setting("colorize_semantic_segmentation")


def test_materials_of_views_have_an_axis_of_shapes_and_states_are_tensors(sim):
    scene = scene_of_cubes(2)
    sim.reset()
    cube: RigidObject = scene["cube"]
    values = np.array([[0.5, 0.4, 0.1], [0.7, 0.6, 0.2]], np.float32)
    ids = wp.array([0, 1], dtype=wp.int32)
    for given in (values, values[:, None]):
        cube.root_view.set_material_properties(wp.array(given, dtype=wp.float32), ids)
        found = cube.root_view.get_material_properties().numpy()
        np.testing.assert_allclose(found, values[:, None])
    assert cube.root_view.get_coms().shape == (2, 7)
    pose = scene.get_state()["rigid_object"]["cube"]["root_pose"]
    assert isinstance(pose, torch.Tensor) and pose.shape == (2, 7)
    uninstall()
    assert not isinstance(scene.get_state()["rigid_object"]["cube"]["root_pose"], torch.Tensor)


def test_rays_end_at_the_nearest_of_meshes_that_stand_at_poses():
    ops = importlib.import_module("isaaclab.utils.warp.ops")
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    square = ops.convert_to_warp_mesh(corners, [[0, 1, 2], [0, 2, 3]], "cpu")
    starts = torch.tensor([[[0.5, 0.2, 3.0], [9.0, 0.0, 3.0], [0.0, 0.3, 3.0]]])
    down = torch.tensor([0.0, 0.0, -1.0]).expand(1, 3, 3)
    half = 0.5**0.5
    hits, lengths, normals, faces, which = ops.raycast_dynamic_meshes(
        starts,
        down,
        wp.array([[square.id, square.id]], dtype=wp.uint64),
        mesh_positions_w=torch.tensor([[[0.0, 0.0, 0.0], [0.6, 0.0, 1.0]]]),
        mesh_orientations_w=torch.tensor([[[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, half, half]]]),
        return_distance=True,
        return_normal=True,
        return_face_id=True,
        return_mesh_id=True,
    )
    torch.testing.assert_close(hits[0, 0], torch.tensor([0.5, 0.2, 1.0]))
    torch.testing.assert_close(lengths, torch.tensor([[2.0, torch.inf, 2.0]]))
    torch.testing.assert_close(normals[0, 0], torch.tensor([0.0, 0.0, 1.0]))
    assert which.tolist() == [[1, -1, 1]] and faces[0, 1] == -1
    assert torch.isinf(hits[0, 1]).all()
    at, length, *_ = ops.raycast_mesh(starts[0], down[0], square, return_distance=True)
    torch.testing.assert_close(at[2], torch.tensor([0.0, 0.3, 0.0]))
    assert length.shape == (3,) and length[0] == 3.0


def test_physics_views_are_of_bodies_by_pattern(sim):
    scene = scene_of_cubes(2)
    robot = Articulation(
        importlib.import_module("isaaclab_assets").CARTPOLE_CFG.replace(
            prim_path="{ENV_REGEX_NS}/Robot"
        )
    )
    sim.reset()
    assert sim.visualizers == []
    physics = sim.physics_manager.get_physics_sim_view()
    cubes = physics.create_rigid_body_view("/World/envs/env_*/cube")
    assert (cubes.count, cubes.max_shapes) == (2, 1)
    moving = np.zeros((2, 6), np.float32)
    moving[:, 0] = [3.0, 4.0]
    cubes.set_velocities(moving, np.array([1]))
    np.testing.assert_allclose(cubes.get_velocities().numpy()[:, 0], [0.0, 4.0])
    np.testing.assert_allclose(
        cubes.get_transforms().numpy(), scene["cube"].data.root_link_pose_w.numpy().reshape(2, -1)
    )
    # Programs count the shapes of links so.
    view = robot._physics_sim_view
    shapes = [
        view.create_rigid_body_view(path).max_shapes for path in robot.root_view.link_paths[0]
    ]
    assert shapes == robot.root_view.shapes_per_link
    pole = view.create_rigid_body_view("/World/envs/env_.*/Robot/pole")
    np.testing.assert_allclose(
        pole.get_transforms().numpy(),
        robot.data.body_link_pose_w.numpy()[:, robot.body_names.index("pole")],
    )
    with pytest.raises(StageError, match="joints"):
        pole.set_velocities(moving)
    with pytest.raises(StageError, match="matches no prim"):
        view.create_rigid_body_view("/World/nothing")
    sim.physics_sim_view.set_gravity((0.0, 0.0, -2.0))
    assert sim.physics_sim_view.get_gravity() == (0.0, 0.0, -2.0)
    cubes.set_velocities(np.zeros((2, 6), np.float32))
    sim.step()
    np.testing.assert_allclose(cubes.get_velocities().numpy()[:, 2], -0.02, rtol=1e-5)


def test_members_of_isaac_sims_own_simulation_are_there(sim):
    scene_of_cubes(2)
    sim.add_physics_callback("count", lambda dt: None)
    assert sim.physics_callback_exists("count")
    assert not sim.is_simulating()
    context = sim.get_physics_context()
    assert context.get_gravity() == (pytest.approx([0.0, 0.0, -1.0]), pytest.approx(9.81))
    sim.reset()
    context.set_gravity(-2.0)
    sim.step()
    assert sim.is_simulating()
    assert sim.current_time_step_index == 1
    assert sim.physics_sim_view.get_gravity() == (0.0, 0.0, -2.0)
    assert context.get_gravity() == (pytest.approx([0.0, 0.0, -1.0]), pytest.approx(2.0))
    assert sim.render_mode < sim.RenderMode.PARTIAL_RENDERING
    sim.set_render_mode(sim.RenderMode.FULL_RENDERING)
    assert sim.render_mode is sim.RenderMode.FULL_RENDERING
    sim.clear_all_callbacks()
    assert not sim.physics_callback_exists("count")
    sim.stop()
    sim.clear()
    assert not sim.get_initial_stage().GetPrimAtPath("/World/envs")
    assert sim.stage.GetPrimAtPath(context.prim_path)


def test_assets_that_nobody_has_take_no_part(sim):
    dropped = RigidObject(CUBE.replace(prim_path="/World/dropped"))
    kept = RigidObject(CUBE.replace(prim_path="/World/kept"))
    gone = weakref.ref(dropped)
    del dropped
    assert gone() is None
    sim.stage.RemovePrim("/World/dropped")
    sim.reset()
    assert kept.is_initialized


def test_target_frames_have_the_names_of_their_prims_even_if_several_do(sim):
    for name in ("a", "b"):
        define_prim(sim.stage, f"/World/{name}", "Xform")
        RigidObject(CUBE.replace(prim_path=f"/World/{name}/cube"))
    frames = [FrameTransformerCfg.FrameCfg(prim_path=f"/World/{n}/cube") for n in ("a", "b")]
    cfg = FrameTransformerCfg(prim_path="/World/a/cube", target_frames=frames)
    transformer = FrameTransformer(cfg)
    sim.reset()
    assert transformer.data.target_frame_names == ["cube", "cube"]


def test_managers_of_events_tell_terms_by_mode_and_when_they_happen(sim):
    managers = importlib.import_module("isaaclab.managers")

    def event(env, env_ids):
        pass

    env = SimpleNamespace(num_envs=2, device="cpu", scene=None, streams=None)
    terms = {"now": managers.EventTermCfg(func=event, mode="reset")}
    manager = managers.EventManager(terms, env)
    assert manager._mode_term_names == {"reset": ["now"]}
    assert manager._mode_term_cfgs["reset"][0].func is event
    assert manager._mode_class_term_cfgs == {"reset": []}
    manager.apply("reset", env_ids=[1], global_env_step_count=7)
    assert manager._reset_term_last_triggered_step_id[0].tolist()[1] == 7
