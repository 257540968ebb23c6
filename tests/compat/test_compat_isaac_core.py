"""Isaac Sim's own interface: worlds, single prims and views, shapes, actions and former names."""

import importlib
import math
from types import SimpleNamespace

import numpy as np
import pytest
from pxr import UsdGeom, UsdPhysics

from usdsim.core.errors import InvalidValueError, StageError, UnsupportedError
from usdsim.usd.stage import create_stage, use_stage

DT, G = 0.01, 9.81


@pytest.fixture
def world(installed):
    with use_stage(create_stage()):
        yield importlib.import_module("isaacsim.core.api").World(physics_dt=DT, rendering_dt=2 * DT)


def sim(module, name):
    return getattr(importlib.import_module(f"isaacsim.core.{module}"), name)


def robot(stage, path, stiffness=None):
    """Two cubes of 8 kg on a hinge about y, the first one fixed to the world."""
    UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, path).GetPrim())
    for name, x in (("a", 0.0), ("b", 0.5)):
        cube = UsdGeom.Cube.Define(stage, f"{path}/{name}")
        cube.CreateSizeAttr(0.2)
        cube.AddTranslateOp().Set((x, 0.0, 1.0))
        UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
        UsdPhysics.MassAPI.Apply(cube.GetPrim()).CreateMassAttr(8.0)
    base = UsdPhysics.FixedJoint.Define(stage, f"{path}/base")
    base.CreateBody1Rel().SetTargets([f"{path}/a"])
    base.CreateLocalPos0Attr((0.0, 0.0, 1.0))
    hinge = UsdPhysics.RevoluteJoint.Define(stage, f"{path}/hinge")
    hinge.CreateBody0Rel().SetTargets([f"{path}/a"])
    hinge.CreateBody1Rel().SetTargets([f"{path}/b"])
    hinge.CreateLocalPos0Attr((0.25, 0.0, 0.0))
    hinge.CreateLocalPos1Attr((-0.25, 0.0, 0.0))
    hinge.CreateAxisAttr("Y")
    if stiffness is not None:
        drive = UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular")
        drive.CreateStiffnessAttr(math.radians(stiffness))
        drive.CreateDampingAttr(math.radians(0.1 * stiffness))


def test_a_cube_falls_as_the_closed_form_says_and_the_stage_follows(world):
    cube = world.scene.add(
        sim("api.objects", "DynamicCuboid")(
            "/World/cube", name="cube", position=np.array([1.0, 2.0, 3.0]), size=0.2, mass=2.0
        )
    )
    world.scene.add_default_ground_plane()
    world.reset()
    assert world.scene.get_object("cube") is cube
    assert cube.get_mass() == pytest.approx(2.0)
    for _ in range(10):
        world.step(render=False)
    fallen = G * DT**2 * 55  # 1 + 2 + ... + 10 steps of semi-implicit Euler
    assert cube.get_world_pose()[0] == pytest.approx([1.0, 2.0, 3.0 - fallen], abs=1e-6)
    assert cube.get_linear_velocity() == pytest.approx([0.0, 0.0, -10 * G * DT], rel=1e-6)
    matrix = UsdGeom.XformCache().GetLocalToWorldTransform(cube.prim)
    assert matrix.ExtractTranslation()[2] == pytest.approx(3.0 - fallen, abs=1e-6)


def test_steps_that_render_take_the_rendering_time(world):
    sim("api.objects", "DynamicSphere")("/World/ball", radius=0.1, position=[0.0, 0.0, 1.0])
    world.reset()
    world.step(render=True)
    assert world.current_time == pytest.approx(2 * DT)
    world.pause()
    world.step()
    assert world.current_time == pytest.approx(2 * DT)


def test_quaternions_are_scalar_first_before_and_after_the_start(world):
    turn = [math.cos(0.3), 0.0, 0.0, math.sin(0.3)]
    cube = sim("api.objects", "DynamicCuboid")("/World/cube", orientation=turn)
    assert cube.get_world_pose()[1] == pytest.approx(turn, abs=1e-6)
    world.reset()
    assert cube.get_world_pose()[1] == pytest.approx(turn, abs=1e-6)
    turn = [math.cos(0.5), math.sin(0.5), 0.0, 0.0]
    cube.set_world_pose(orientation=turn)
    place, found = cube.get_world_pose()
    assert found == pytest.approx(turn, abs=1e-6)
    assert place == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_new_objects_have_the_masses_and_materials_of_isaac_sim(world):
    cube = sim("api.objects", "DynamicCuboid")("/World/cube")
    assert UsdPhysics.MassAPI(cube.prim).GetMassAttr().Get() == pytest.approx(0.02)
    assert UsdGeom.Cube(cube.prim).GetSizeAttr().Get() == 1.0
    material = UsdPhysics.MaterialAPI(
        world.stage.GetPrimAtPath("/World/Physics_Materials/physics_material")
    )
    assert material.GetStaticFrictionAttr().Get() == pytest.approx(0.2)
    assert material.GetDynamicFrictionAttr().Get() == pytest.approx(1.0)
    heavy = sim("api.objects", "DynamicCuboid")("/World/heavy", size=0.5, density=80.0)
    world.reset()
    assert heavy.get_mass() == pytest.approx(10.0)
    seen = sim("api.objects", "VisualCuboid")("/World/seen")
    assert not seen.prim.HasAPI(UsdPhysics.CollisionAPI)
    fixed = sim("api.objects", "FixedCuboid")("/World/fixed")
    assert fixed.prim.HasAPI(UsdPhysics.CollisionAPI)
    assert not fixed.prim.HasAPI(UsdPhysics.RigidBodyAPI)


def test_arguments_beyond_those_in_order_are_given_by_name(world):
    kind = sim("api.objects", "VisualCuboid")
    placed = kind("/World/a", "a", [1.0, 0.0, 0.0], None, None, [1.0, 2.0, 3.0], True)
    assert placed.get_local_scale() == pytest.approx([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="by name"):
        kind("/World/b", "b", None, None, None, None, None, [1.0, 0.0, 0.0])


def test_forces_act_in_one_step(world):
    cube = sim("api.objects", "DynamicCuboid")("/World/cube", mass=2.0, position=[0.0, 0.0, 5.0])
    world.reset()
    view = sim("prims", "RigidPrim")("/World/cube")
    speeds = []
    view.apply_forces(np.array([[0.0, 0.0, 2.0 * G + 20.0]]))
    for _ in range(2):
        world.step(render=False)
        speeds.append(float(view.get_linear_velocities()[0, 2]))
    assert speeds == pytest.approx([10.0 * DT, 10.0 * DT - G * DT], rel=1e-5)
    view.apply_forces_and_torques_at_pos(
        forces=[[2.0, 0.0, 2.0 * G]], positions=[[0.0, 0.0, 9.0]], is_global=True
    )
    world.step(render=False)
    assert cube.get_linear_velocity()[0] == pytest.approx(DT, rel=1e-4)
    assert cube.get_angular_velocity()[1] > 0.0


def test_default_states_are_those_after_resets(world):
    cube = world.scene.add(
        sim("api.objects", "DynamicCuboid")("/World/cube", linear_velocity=[0.5, 0.0, 0.0])
    )
    world.reset()
    assert cube.get_linear_velocity() == pytest.approx([0.5, 0.0, 0.0])
    cube.set_default_state(position=[0.0, 0.0, 4.0])
    world.step()
    world.reset()
    assert cube.get_world_pose()[0] == pytest.approx([0.0, 0.0, 4.0])


@pytest.mark.parametrize("late", [False, True])
def test_actions_drive_joints_of_robots(world, late):
    robot(world.stage, "/World/robot", 2000.0)
    kind = sim("prims", "SingleArticulation")
    found = None if late else world.scene.add(kind("/World/robot", name="robot"))
    assert found is None or found.dof_names is None
    world.reset()
    found = found or kind("/World/robot")
    assert found.dof_names == ["hinge"] and found.num_dof == 1
    kp, kd = found.get_gains()
    assert (kp[0], kd[0]) == pytest.approx((2000.0, 200.0), rel=1e-5)
    action = sim("utils.types", "ArticulationAction")
    found.get_articulation_controller().apply_action(action(np.array([0.5])))
    for _ in range(200):
        world.step(render=False)
    angle = float(found.get_joint_positions()[0])
    # The drive holds the weight at a quarter of a metre: kp (0.5 - q) = -m g l cos q.
    assert 2000.0 * (angle - 0.5) == pytest.approx(8.0 * G * 0.25 * math.cos(angle), rel=1e-3)


def test_joints_that_are_put_somewhere_are_held_there(world):
    robot(world.stage, "/World/robot", 2000.0)
    view = sim("prims", "Articulation")("/World/robot")
    world.reset()
    view.set_joint_positions([[-0.4]])
    assert view.get_joint_positions() == pytest.approx(np.array([[-0.4]]))
    for _ in range(100):
        world.step(render=False)
    assert float(view.get_joint_positions()[0, 0]) == pytest.approx(-0.4, abs=0.02)


def test_late_robots_without_drives_take_efforts(world):
    robot(world.stage, "/World/robot")
    world.reset()
    view = sim("prims", "Articulation")("/World/robot")
    holding = -8.0 * G * 0.25
    for _ in range(50):
        view.set_joint_efforts(np.array([[holding]]))
        world.step(render=False)
    assert float(view.get_joint_positions()[0, 0]) == pytest.approx(0.0, abs=1e-4)
    link = sim("prims", "RigidPrim")("/World/robot/b")
    assert link.get_world_poses()[0] == pytest.approx(np.array([[0.5, 0.0, 1.0]]), abs=1e-3)
    with pytest.raises(StageError, match="state of the joints"):
        link.set_world_poses([[0.0, 0.0, 0.0]])


def test_arrays_are_those_of_the_backend(installed):
    torch = pytest.importorskip("torch")
    with use_stage(create_stage()):
        world = sim("api", "World")(backend="torch")
        cube = sim("api.objects", "DynamicCuboid")("/World/cube", position=[0.0, 0.0, 2.0])
        world.reset()
        view = sim("prims", "RigidPrim")("/World/cube")
        view.set_velocities(torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]]))
        assert torch.allclose(view.get_velocities()[0], torch.arange(1.0, 7.0))
        assert isinstance(cube.get_world_pose()[0], torch.Tensor)


def test_local_poses_are_in_the_frames_of_parents(world):
    parent = sim("prims", "SingleXFormPrim")(
        "/World/parent",
        position=[1.0, 0.0, 0.0],
        orientation=[math.sqrt(0.5), 0, 0, math.sqrt(0.5)],
    )
    cube = sim("api.objects", "DynamicCuboid")("/World/parent/cube", translation=[2.0, 0.0, 0.0])
    assert parent.get_world_pose()[0] == pytest.approx([1.0, 0.0, 0.0])
    world.reset()
    assert cube.get_world_pose()[0] == pytest.approx([1.0, 2.0, 0.0], abs=1e-6)
    assert cube.get_local_pose()[0] == pytest.approx([2.0, 0.0, 0.0], abs=1e-6)
    cube.set_local_pose(translation=[0.0, 1.0, 0.0])
    assert cube.get_world_pose()[0] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert cube.get_local_pose()[1] == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-6)


def test_former_names_are_those_of_single_prims(world):
    former = importlib.import_module("omni.isaac.core.prims")
    assert former.RigidPrim is sim("prims", "SingleRigidPrim")
    assert former.RigidPrimView is sim("prims", "RigidPrim")
    assert importlib.import_module("omni.isaac.core").World is type(world)
    robots = importlib.import_module("omni.isaac.core.articulations")
    assert robots.Articulation is sim("prims", "SingleArticulation")
    finding = importlib.import_module("omni.isaac.core.utils.prims")
    assert finding.is_prim_path_valid("/World") is False


def test_worlds_are_one_at_a_time_and_no_other_simulations(installed):
    lab = importlib.import_module("isaaclab.sim").SimulationContext
    with use_stage(create_stage()):
        lab()
        with pytest.raises(StageError, match="no World"):
            sim("api", "World")()
        lab.clear_instance()
        world = sim("api", "World")()
        assert sim("api", "World")() is world is sim("api", "World").instance()


def test_names_that_modules_say_they_have_go_first(installed):
    """`define_prim` takes a path first; another module only imports a function of this name."""
    with use_stage(create_stage()):
        assert sim("utils.prims", "define_prim")("/World").GetPath() == "/World"


def test_applications_take_settings(installed):
    app = importlib.import_module("isaacsim").SimulationApp({"headless": True}, frames=2)
    assert [app.is_running() for _ in range(3)] == [True, True, False]


def test_newer_interfaces_of_isaac_sim_are_not_taken_for_these(installed):
    absent = importlib.import_module("usdsim.compat.absent").AbsentType
    assert isinstance(sim("experimental.prims", "Articulation"), absent)


def test_managers_and_checkpoints_have_their_former_homes(installed):
    events = importlib.import_module("usdsim.compat.classes.physics_events")
    manager = sim("simulation_manager", "SimulationManager")
    assert manager is events.PhysxManager and not manager.assets_loading()
    former = importlib.import_module("isaaclab.utils.pretrained_checkpoint")
    now = importlib.import_module("isaaclab_rl.utils.pretrained_checkpoint")
    name = "get_published_pretrained_checkpoint"
    assert getattr(former, name) is getattr(now, name)


def test_annotators_see_colours_from_where_the_viewport_looks(world):
    sim("api.objects", "DynamicCuboid")("/World/cube", size=1.0, color=np.array([1.0, 0.0, 0.0]))
    world.reset()
    replicator = importlib.import_module("omni.replicator.core")
    product = replicator.create.render_product("/OmniverseKit_Persp", (64, 48))
    annotator = replicator.AnnotatorRegistry.get_annotator("rgb", device="cpu")
    annotator.attach([product])
    sim("utils.viewports", "set_camera_view")((4.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    red, green, blue, opacity = annotator.get_data()[24, 32]
    assert red > 100 and green == blue == 0 and opacity == 255
    sim("utils.viewports", "set_camera_view")((4.0, 0.0, 0.0), (8.0, 0.0, 0.0))
    assert annotator.get_data()[24, 32, 1] > 100
    assert annotator.get_data().shape == (48, 64, 4)
    with pytest.raises(UnsupportedError, match="Camera sensor"):
        replicator.AnnotatorRegistry.get_annotator("semantic_segmentation")
    with pytest.raises(UnsupportedError):
        replicator.create.light()


def test_viewports_look_from_the_origin_that_is_chosen(world):
    root = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    asset = SimpleNamespace(data=SimpleNamespace(root_pos_w=root))
    scene = {"robot": asset}
    env = SimpleNamespace(sim=world, num_envs=2, scene=SceneOf(scene, np.eye(3)[:2]))
    cfg = importlib.import_module("isaaclab.envs").ViewerCfg(
        eye=(1.0, 1.0, 1.0), lookat=(0.0, 0.0, 0.5), origin_type="env", env_index=1
    )
    controller = importlib.import_module("isaaclab.envs.ui").ViewportCameraController(env, cfg)
    assert [*world.camera_view[0]] == [1.0, 2.0, 1.0] and world.render_env == 1
    controller.update_view_to_asset_root("robot")
    assert [*world.camera_view[1]] == [4.0, 5.0, 6.5]
    controller.update_view_to_world()
    controller.update_view_location(eye=(0.0, 0.0, 9.0))
    assert [*world.camera_view[0]] == [0.0, 0.0, 9.0]
    with pytest.raises(InvalidValueError, match="env_index"):
        controller.set_view_env_index(2)


class SceneOf(dict):
    """Assets by name, and origins of environments."""

    def __init__(self, assets, origins):
        super().__init__(assets)
        self.env_origins = origins


def test_update_events_come_with_renderings(world):
    sim("api.objects", "DynamicCuboid")("/World/cube")
    world.reset()
    turns = []
    app = importlib.import_module("omni.kit.app").get_app_interface()
    kept = app.get_post_update_event_stream().create_subscription_to_pop(turns.append)
    world.step(render=True)
    world.step(render=False)
    assert len(turns) == 1
    del kept
    world.render()
    assert len(turns) == 1


@pytest.mark.parametrize("cameras", [False, True])
def test_applications_that_are_asked_for_cameras_render(installed, cameras):
    importlib.import_module("isaaclab.app").AppLauncher(headless=True, enable_cameras=cameras)
    context = importlib.import_module("isaaclab.sim").SimulationContext
    with use_stage(create_stage()):
        mode = context().render_mode
    assert (mode >= context.RenderMode.PARTIAL_RENDERING) is cameras
    importlib.import_module("isaaclab.app").AppLauncher(headless=True)


def test_vectors_of_carb_are_sequences(world):
    """Assembly tasks switch gravity off with one."""
    cube = sim("api.objects", "DynamicCuboid")("/World/cube")
    world.reset()
    carb = importlib.import_module("carb")
    world.physics_sim_view.set_gravity(carb.Float3(0.0, 0.0, 0.0))
    world.step(render=False)
    assert [*cube.get_linear_velocity()] == [0.0, 0.0, 0.0]
    assert carb.Float3(1.0, 2.0, 3.0).z == 3.0 and len(carb.Float2()) == 2


def test_timelines_are_those_of_the_simulation(world):
    sim("api.objects", "DynamicCuboid")("/World/cube")
    timeline = importlib.import_module("omni.timeline").get_timeline_interface()
    assert timeline.is_stopped()
    timeline.play()
    world.step(render=False)
    assert timeline.is_playing() and timeline.get_current_time() == pytest.approx(DT)
    timeline.stop()
    assert world.is_stopped()


def test_timelines_without_a_world_play_the_stage_as_it_is_authored(installed):
    module = importlib.import_module("isaacsim.core.experimental.utils.app")
    assert module.enable_extension("isaacsim.util.debug_draw")
    app = importlib.import_module("isaacsim").SimulationApp({"headless": True})
    timeline = importlib.import_module("omni.timeline").get_timeline_interface()
    assert timeline.is_stopped() and not timeline.is_playing()
    for gravity in (G, 2.0):
        with use_stage(create_stage()) as stage:
            scene = UsdPhysics.Scene.Define(stage, "/World/scene")
            scene.CreateGravityDirectionAttr((0.0, 0.0, -1.0))
            scene.CreateGravityMagnitudeAttr(gravity)
            cube = UsdGeom.Cube.Define(stage, "/World/cube")
            UsdPhysics.RigidBodyAPI.Apply(cube.GetPrim())
            UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
            app.update()
            assert timeline.get_current_time() == 0.0
            timeline.play()
            for _ in range(30):
                app.update()
            place = UsdGeom.Xformable(cube).ComputeLocalToWorldTransform(0.0)
            # Velocities first, then positions: n steps fall g dt^2 n (n + 1) / 2.
            fallen = gravity / 60.0**2 * 30 * 31 / 2
            assert place.ExtractTranslation()[2] == pytest.approx(-fallen, rel=1e-3)
            timeline.pause()
            app.update()
            assert timeline.get_current_time() == pytest.approx(0.5)
            timeline.stop()


def test_updates_of_the_application_let_time_of_worlds_go_on(world):
    sim("api.objects", "DynamicCuboid")("/World/cube")
    app = importlib.import_module("omni.kit.app").get_app()
    app.update()
    assert world.is_stopped() and app.get_app_version().count(".") == 2
    world.reset()
    app.update()
    assert world.current_time == pytest.approx(world.get_rendering_dt())


def test_robots_whose_limits_leave_zero_out_start_at_a_limit(world):
    robot(world.stage, "/World/robot")
    hinge = UsdPhysics.RevoluteJoint.Get(world.stage, "/World/robot/hinge")
    hinge.CreateLowerLimitAttr(-90.0)
    hinge.CreateUpperLimitAttr(-30.0)
    arm = world.scene.add(sim("prims", "SingleArticulation")("/World/robot", name="arm"))
    world.reset()
    assert arm.get_joint_positions() == pytest.approx([-math.pi / 6])


def test_applications_begin_with_a_stage(installed):
    context = importlib.import_module("omni.usd").get_context()
    with pytest.raises(StageError, match="no current stage"):
        context.get_stage()
    importlib.import_module("isaacsim").SimulationApp({"headless": True})
    stage = context.get_stage()
    assert importlib.import_module("isaacsim.core.api").World().stage is stage


def test_callbacks_of_renderings_take_an_event(world):
    events = []
    world.add_render_callback("seen", events.append)
    world.render()
    assert len(events) == 1 and world.is_stopped()
    updates = importlib.import_module("omni.kit.app").get_app().get_update_event_stream()
    kept = updates.create_subscription_to_pop(events.append)
    world.reset()
    world.step(render=True)
    assert [event.payload.get("dt") for event in events].count(2 * DT) == 2
    kept.unsubscribe()
