"""Names, defaults and members of Isaac Lab 3.0 that programs rely on without saying so."""

from __future__ import annotations

import copy
import pickle
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import warp as wp  # noqa: E402

from usdsim.assets import RigidObject  # noqa: E402
from usdsim.compat.classes.lee_robots import aggregate_inertia_about_robot_com  # noqa: E402
from usdsim.compat.tables import convert_dict_to_backend  # noqa: E402
from usdsim.compat.tools.strings import is_lambda_expression  # noqa: E402
from usdsim.core.errors import UnsupportedError  # noqa: E402
from usdsim.spawners import SphereCfg  # noqa: E402


def test_pictures_are_those_of_the_world_in_the_size_of_isaac_lab(installed):
    from isaaclab.envs import DirectMARLEnvCfg, DirectRLEnvCfg, ManagerBasedRLEnvCfg, ViewerCfg

    for cfg in (DirectRLEnvCfg(), DirectMARLEnvCfg(), ManagerBasedRLEnvCfg()):
        assert (cfg.viewer.resolution, cfg.viewer.origin_type) == ((1280, 720), "world")
    assert ViewerCfg(eye=(1.0, 2.0, 3.0)).cam_prim_path == "/OmniverseKit_Persp"


def test_the_layer_leaves_the_defaults_here_as_they_were():
    from usdsim.compat import install, uninstall
    from usdsim.envs import DirectRLEnvCfg, ViewerCfg

    install()
    uninstall()
    assert ViewerCfg().resolution == DirectRLEnvCfg().viewer.resolution == (640, 480)


def test_rotors_are_integrated_in_the_four_stages_of_isaac_lab(installed):
    from isaaclab_contrib.actuators import ThrusterCfg

    cfg = ThrusterCfg(thruster_names_expr=["a"], thrust_range=(0.1, 10.0))
    said = cfg.integration_scheme, cfg.use_discrete_approximation, cfg.rate_limit
    assert said == ("rk4", True, "speed")


def test_materials_of_newton_have_its_lame_parameters(installed):
    from isaaclab_newton.sim.spawners.materials import NewtonDeformableBodyMaterialCfg

    cfg = NewtonDeformableBodyMaterialCfg()
    # E = mu (3 lambda + 2 mu) / (lambda + mu), nu = lambda / (2 (lambda + mu)).
    assert (cfg.youngs_modulus, cfg.poissons_ratio) == (2.5e5, 0.25)
    assert cfg.density == 1.0


def test_base_classes_are_in_files_of_their_own(installed):
    from isaaclab.app import SettingsManager, get_settings_manager, initialize_carb_settings
    from isaaclab.assets.rigid_object.base_rigid_object import BaseRigidObject
    from isaaclab.sensors import RenderBufferKind
    from isaaclab.sensors.ray_caster.base_ray_caster import BaseRayCaster
    from isaaclab_assets.robots.flexiv import FLEXIV_RIZON4S_CFG

    assert BaseRigidObject is RigidObject
    assert BaseRayCaster.__name__ == "RayCaster"
    initialize_carb_settings()
    assert isinstance(get_settings_manager(), SettingsManager)
    assert RenderBufferKind("depth") is RenderBufferKind.DEPTH and RenderBufferKind.RGB == "rgb"
    assert FLEXIV_RIZON4S_CFG.actuators


def test_keyboards_are_there_and_nobody_presses_keys(installed):
    import carb
    import omni

    window = omni.appwindow.get_default_app_window()
    devices = carb.input.acquire_input_interface()
    number = devices.subscribe_to_keyboard_events(window.get_keyboard(), print)
    devices.unsubscribe_to_keyboard_events(window.get_keyboard(), number)
    with pytest.raises(UnsupportedError):
        omni.appwindow.create_app_window()


def test_former_names_of_wrenches_warn_and_work(installed):
    from isaaclab.test.mock_interfaces.assets import MockRigidObjectCollection
    from isaaclab.utils.wrench_composer import WrenchComposer

    composer = WrenchComposer(MockRigidObjectCollection(1, 1))
    with pytest.warns(DeprecationWarning, match="add_forces_and_torques is deprecated"):
        composer.add_forces_and_torques(forces=np.full((1, 1, 3), 2.0))
    with pytest.warns(DeprecationWarning, match="composed_force is deprecated"):
        assert composer.composed_force.numpy().tolist() == [[[2.0, 2.0, 2.0]]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        composer.set_forces_and_torques_index(forces=np.zeros((1, 1, 3)))


def test_inertias_of_links_add_up_about_their_common_centre():
    # Two balls of 1 and 3 kg, 1 m to either side of the origin of a frame turned about z.
    half = np.sqrt(0.5)
    turn = torch.tensor([[[0.0, 0.0, half, half]] * 2], dtype=torch.float32)
    flat = torch.diag(torch.tensor([0.1, 0.2, 0.3])).reshape(1, 1, 9).repeat(1, 2, 1)
    mass, inertia, centre = aggregate_inertia_about_robot_com(
        flat,
        torch.tensor([[1.0, 1.0 / 3.0]]),
        torch.tensor([[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]),
        torch.tensor([[[0.0, 0.0, 0.0, 1.0]] * 2]),
        torch.zeros(1, 2, 3),
        turn,
    )
    assert mass.tolist() == pytest.approx([4.0])
    assert centre[0].tolist() == pytest.approx([0.0, 0.5, 0.0], abs=1e-6)
    apart = 1.0 * 1.5**2 + 3.0 * 0.5**2
    expected = np.diag([0.4 + apart, 0.2, 0.6 + apart])
    assert np.allclose(inertia[0].numpy(), expected, atol=1e-5)
    padding = aggregate_inertia_about_robot_com(
        flat, torch.tensor([[1.0, 0.0]]), torch.zeros(1, 2, 3), turn, torch.zeros(1, 2, 3), turn
    )
    assert padding[0].tolist() == [1.0]


def test_arrays_of_some_libraries_alone_are_converted():
    given = {"a": np.ones(2), "b": torch.ones(2), "c": {"d": wp.zeros(2, device="cpu")}}
    found = convert_dict_to_backend(given, "torch", array_types=("numpy", "warp"))
    assert isinstance(found["a"], torch.Tensor) and isinstance(found["c"]["d"], torch.Tensor)
    assert found["b"] is given["b"]
    found = convert_dict_to_backend(given, "numpy", array_types=("warp",))
    assert found["b"] is given["b"] and isinstance(found["c"]["d"], np.ndarray)


@pytest.mark.parametrize(
    ("text", "expected"), [("lambda x: x + 1", True), ("x + 1", False), ("lambda x", False)]
)
def test_lambdas_are_recognised(text, expected):
    assert is_lambda_expression(text) is expected


def test_lee_controllers_follow_robots_that_a_program_makes_up(installed):
    from isaaclab.sim import SimulationCfg, SimulationContext
    from isaaclab_contrib.controllers import LeeVelController, LeeVelControllerCfg

    SimulationContext(SimulationCfg(gravity=(0.0, 0.0, -10.0)))
    quat = torch.tensor([[[0.0, 0.0, 0.0, 1.0]]])
    none = torch.zeros(1, 1, 3)
    state = SimpleNamespace(
        root_pos_w=none[0],
        root_quat_w=quat[0],
        root_lin_vel_w=none[0],
        root_ang_vel_b=none[0],
        body_link_pos_w=none,
        body_link_quat_w=quat,
        body_com_pos_b=none,
    )
    view = SimpleNamespace(
        get_masses=lambda: torch.tensor([[0.5]]),
        get_inertias=lambda: torch.eye(3).reshape(1, 1, 9),
    )
    gains = ((1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
    cfg = LeeVelControllerCfg(
        K_vel_range=gains, K_rot_range=gains, K_angvel_range=gains, max_yaw_rate=1.0
    )
    robot = SimpleNamespace(data=state, root_view=view)
    wrench = LeeVelController(cfg, robot, 1, "cpu").compute(torch.zeros(1, 4))
    assert wrench[0].tolist() == pytest.approx([0.0, 0.0, 5.0, 0.0, 0.0, 0.0], abs=1e-5)


def test_time_of_scenes_and_starts_is_measured(installed):
    from isaaclab.scene import InteractiveScene, InteractiveSceneCfg
    from isaaclab.sim import SimulationCfg, SimulationContext
    from isaaclab.utils.timer import Timer

    Timer.reset()
    simulation = SimulationContext(SimulationCfg())
    InteractiveScene(InteractiveSceneCfg(num_envs=2, env_spacing=1.0))
    simulation.reset()
    assert Timer.get_timer_info("scene_creation") > 0.0
    assert Timer.get_timer_info("simulation_start") > 0.0


def test_observations_of_another_shape_are_told_of_and_taken(installed):
    from gymnasium.spaces import Box

    from usdsim.core.errors import ShapeError
    from usdsim.envs import DirectRLEnv
    from usdsim.envs.tensors import check_shape

    assert not DirectRLEnv.checks_observations
    space = Box(-1.0, 1.0, (2, 6))
    with pytest.warns(UserWarning, match=r"seen has shape \(2, 9\); expected \(2, 6\)"):
        check_shape("seen", torch.zeros(2, 9), space, strict=False)
    with pytest.raises(ShapeError):
        check_shape("seen", torch.zeros(2, 9), space)


def test_simulations_scenes_and_sensors_have_the_members_that_programs_ask_for(installed):
    import isaaclab.sim as sim_utils
    from isaaclab.assets import RigidObjectCfg
    from isaaclab.scene import InteractiveScene, InteractiveSceneCfg
    from isaaclab.sensors import ContactSensorCfg, FrameTransformerCfg

    def cube(name, height):
        spawn = sim_utils.CuboidCfg(
            size=(0.2, 0.2, 0.2),
            rigid_props=sim_utils.RigidBodyPropertiesCfg(),
            mass_props=sim_utils.MassPropertiesCfg(mass=1.0),
            collision_props=sim_utils.CollisionPropertiesCfg(),
            activate_contact_sensors=True,
        )
        start = RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, height))
        path = f"{{ENV_REGEX_NS}}/{name}"
        return RigidObjectCfg(prim_path=path, spawn=spawn, init_state=start)

    simulation = sim_utils.SimulationContext(sim_utils.SimulationCfg(dt=0.01))
    cfg = InteractiveSceneCfg(num_envs=2, env_spacing=2.0)
    cfg.low, cfg.high = cube("Low", 0.1), cube("High", 0.5)
    cfg.touch = ContactSensorCfg(
        prim_path="{ENV_REGEX_NS}/High", filter_prim_paths_expr=["{ENV_REGEX_NS}/Low"]
    )
    frame = FrameTransformerCfg.FrameCfg(prim_path="{ENV_REGEX_NS}/High")
    cfg.frames = FrameTransformerCfg(prim_path="{ENV_REGEX_NS}/Low", target_frames=[frame])
    scene = InteractiveScene(cfg)
    simulation.reset()
    assert scene["touch"].filter_object_names == ["Low"]
    assert scene["touch"].num_filter_objects == 1
    assert scene["low"].stage is scene["touch"].stage is simulation.stage
    assert scene.sim is simulation
    assert scene.env_fmt.format(3) == "/World/envs/env_3"
    assert scene.physics_scene_path == simulation.cfg.physics_prim_path
    pose = scene["frames"].data.target_pose_source.numpy()[0, 0]
    assert pose.tolist() == pytest.approx([0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 1.0], abs=1e-6)
    simulation.step()
    assert simulation.get_physics_step_count() == 1
    assert simulation.can_render_rgb_array() and not simulation.has_active_visualizers()
    assert simulation.resolve_visualizer_types() == []
    wrenches = scene["low"].permanent_wrench_composer
    wrenches.compose_to_body_frame()
    assert wrenches.num_envs == 2


@pytest.mark.parametrize(("number", "name"), [(0, "PGS"), (1, "TGS")])
def test_simulations_say_on_the_stage_what_programs_read_there(installed, number, name):
    from isaaclab.sim import SimulationCfg, SimulationContext
    from isaaclab_physx.physics import PhysxCfg

    cfg = SimulationCfg(dt=0.02, physics=PhysxCfg(solver_type=number), use_fabric=False)
    simulation = SimulationContext(cfg)
    prim = simulation.stage.GetPrimAtPath(cfg.physics_prim_path)
    assert prim.GetAttribute("physxScene:timeStepsPerSecond").Get() == 50
    assert prim.GetAttribute("physxScene:solverType").Get() == name
    assert simulation.get_setting("/isaaclab/fabric_enabled") is False
    simulation.reset()
    assert simulation.get_physics_dt() == 0.02


def test_a_simulation_without_a_configuration_has_a_physics_scene(installed):
    from isaaclab.sim import SimulationContext

    simulation = SimulationContext()
    assert simulation.stage.GetPrimAtPath(simulation.cfg.physics_prim_path).IsValid()
    assert simulation.get_setting("/isaaclab/fabric_enabled") is True


@pytest.mark.parametrize("shape", [(4,), (2, 3)])
def test_parts_of_transforms_share_their_memory(shape):
    from usdsim.compat.tools.arrays import transform_to_vec_quat

    numbers = np.arange(7 * np.prod(shape), dtype=np.float32).reshape(*shape, 7)
    poses = wp.array(numbers, dtype=wp.transformf, device="cpu")
    places, turns = transform_to_vec_quat(poses)
    assert (places.numpy() == numbers[..., :3]).all() and (turns.numpy() == numbers[..., 3:]).all()
    places.fill_(wp.vec3f(1.0, 2.0, 3.0))
    assert (poses.numpy()[..., :3] == [1.0, 2.0, 3.0]).all()
    with pytest.raises(TypeError, match="transformf"):
        transform_to_vec_quat(places)


def test_parts_of_robots_are_names_of_their_own(installed):
    from isaaclab_assets.robots.arl_robot_1 import ARL_ROBOT_1_CFG, ARL_ROBOT_1_THRUSTER
    from isaaclab_assets.robots.spot import SPOT_CFG, joint_parameter_lookup
    from isaaclab_physx.sim.schemas import OmniPhysicsDeformableBodyPropertiesCfg

    assert ARL_ROBOT_1_CFG.actuators["thrusters"].thrust_range == ARL_ROBOT_1_THRUSTER.thrust_range
    assert SPOT_CFG.actuators["spot_knee"].joint_parameter_lookup == joint_parameter_lookup
    assert OmniPhysicsDeformableBodyPropertiesCfg()


def test_cameras_are_told_of_in_the_settings(installed):
    from isaaclab.sensors import Camera, CameraCfg
    from isaaclab.sim import PinholeCameraCfg, SimulationCfg, SimulationContext

    simulation = SimulationContext(SimulationCfg())
    assert not simulation.get_setting("/isaaclab/render/rtx_sensors")
    assert simulation.has_rtx_sensors() is False
    cfg = CameraCfg(prim_path="/World/Cam", width=8, height=6, spawn=PinholeCameraCfg())
    cfg.data_types = ["rgb", "semantic_segmentation"]
    camera = Camera(cfg)
    assert simulation.get_setting("/isaaclab/render/rtx_sensors") is True
    assert simulation.has_rtx_sensors() is True
    simulation.reset()
    assert camera.data.info["rgb"] is None
    assert "idToLabels" in camera.data.info["semantic_segmentation"]


def test_a_rotation_that_is_none_in_the_older_order_is_told_of_once(installed, caplog):
    from isaaclab.assets import ArticulationCfg, RigidObjectCfg

    for rot in ((0.0, 0.0, 0.0, 1.0), (0.5, 0.5, 0.5, 0.5), (1.0, 1.0, 1.0, 1.0)):
        RigidObjectCfg.InitialStateCfg(rot=rot).validate("init_state")
    assert not any("QUATERNION_ORDER" in text for text in caplog.messages)
    for kind in (ArticulationCfg, RigidObjectCfg):
        kind.InitialStateCfg(rot=(1.0, 0.0, 0.0, 0.0)).validate("init_state")
    assert sum("USDSIM_QUATERNION_ORDER=wxyz" in text for text in caplog.messages) == 1


def test_spawn_functions_of_programs_hand_on_orientations_as_they_are_given(installed):
    from isaaclab.sim.utils import clone, create_prim

    from usdsim.math.quaternion_order import set_quaternion_order
    from usdsim.usd.stage import create_stage, use_stage

    @clone
    def spawn(prim_path, cfg, translation=None, orientation=None):
        assert orientation == (0.6, 0.0, 0.0, 0.8)
        return create_prim(prim_path, translation=translation, orientation=orientation)

    stage = create_stage()
    set_quaternion_order("wxyz")
    try:
        with use_stage(stage):
            prim = spawn("/Turned", SphereCfg(radius=0.1), orientation=(0.6, 0.0, 0.0, 0.8))
    finally:
        set_quaternion_order("xyzw")
    turn = prim.GetAttribute("xformOp:orient").Get()
    assert (turn.GetReal(), *turn.GetImaginary()) == pytest.approx((0.6, 0.0, 0.0, 0.8))


def test_stand_ins_start_alike_whatever_order_configurations_have(installed):
    from isaaclab_assets import ALLEGRO_HAND_CFG

    from usdsim.compat.server.robot_parts import start
    from usdsim.math.quaternion_order import set_quaternion_order

    upright = ALLEGRO_HAND_CFG.init_state.unit_rot
    set_quaternion_order("wxyz")
    try:
        turned = start(0.5, {}, rot=(0.283045, 0.683330, -0.621782, 0.257551))
        assert turned.rot[0] == 0.257551
        np.testing.assert_allclose(turned.unit_rot, upright)
    finally:
        set_quaternion_order("xyzw")


def _shifted(values: torch.Tensor) -> torch.Tensor:
    return values + torch.ones_like(values) + torch.full((1,), 2.0)


def test_tensors_have_the_types_of_arrays_where_a_program_says_so(installed):
    from usdsim.compat import uninstall
    from usdsim.views.usable import usable

    places = usable(wp.zeros(2, dtype=wp.vec3f, device="cpu"))
    whole = usable(wp.zeros(2, dtype=wp.int32, device="cpu"))
    double = torch.ones(2, dtype=torch.float64)
    assert double.to(device=places.device, dtype=places.dtype).dtype == torch.float32
    assert (
        double.to(whole.dtype).dtype == double.new_zeros(1, dtype=whole.dtype).dtype == torch.int32
    )
    assert torch.linspace(0, 1, 3, dtype=places.dtype).dtype == torch.float32
    assert torch.tensor([1], dtype=places.dtype).dtype == torch.float32
    assert torch.zeros(1, dtype=float).dtype == torch.float64
    # Compiled functions call the same operators, and lazy modules know theirs.
    assert torch.jit.script(_shifted)(torch.zeros(1)).item() == 3.0
    assert torch.nn.LazyLinear(2).to("cpu")(torch.zeros(1, 3)).shape == (1, 2)
    assert_close = torch.testing.assert_close
    for copied in (copy.deepcopy(torch.zeros), pickle.loads(pickle.dumps(torch.zeros))):
        assert copied == torch.zeros and type(copied).__module__ == "builtins"
    for copied in (copy.copy(assert_close), pickle.loads(pickle.dumps(assert_close))):
        assert copied.__name__ == "assert_close" and copied == assert_close
    uninstall()
    with pytest.raises(TypeError):
        torch.zeros(1, dtype=wp.float32)
