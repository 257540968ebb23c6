"""Tools under the names of Isaac Lab, by what programs expect of them."""

from __future__ import annotations

import dataclasses
import importlib
import pickle
import struct
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import warp as wp

from usdsim.actuators import DCMotorCfg
from usdsim.compat import uninstall
from usdsim.compat.server.paths import ISAACLAB_NUCLEUS_DIR, check_file_path
from usdsim.core.errors import InvalidValueError, ShapeError, UnsupportedError
from usdsim.views.usable import usable

torch = pytest.importorskip("torch")
gymnasium = pytest.importorskip("gymnasium")
from usdsim.compat.tables import update_class_from_dict  # noqa: E402
from usdsim.compat.tools.arrays import ProxyArray  # noqa: E402
from usdsim.compat.tools.strings import ResolvableString  # noqa: E402

pytestmark = pytest.mark.usefixtures("installed")


def test_functions_that_are_not_there_are_no_modules():
    with pytest.raises(ImportError):
        exec("from isaaclab.utils.math import turn_inside_out")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("isaaclab.sensors.lidar_of_the_moon")
    exec("from isaaclab.sensors.ray_caster.ray_caster_cfg import RayCasterCfg")


def test_recorders_write_hdf5_as_there():
    managers = importlib.import_module("isaaclab.managers")
    terms = importlib.import_module("isaaclab.envs.mdp.recorders.recorders_cfg")
    datasets = importlib.import_module("isaaclab.utils.datasets")
    for kind in (managers.RecorderManagerBaseCfg, terms.ActionStateRecorderManagerCfg):
        cfg = kind(dataset_filename="demos")
        assert cfg.dataset_file_handler_class_type is datasets.HDF5DatasetFileHandler
        assert (cfg.dataset_export_dir_path, cfg.export_in_close) == ("/tmp/isaaclab/logs", False)
    uninstall()
    assert managers.RecorderManagerBaseCfg().export_in_close


def test_names_of_applications_are_refused_in_use_only():
    carb = importlib.import_module("carb")
    keyboard = importlib.import_module("isaaclab.devices").Se3Keyboard
    assert keyboard.Keys.ESCAPE is keyboard.Keys.ESCAPE
    with pytest.raises(UnsupportedError, match="Se3Keyboard has no counterpart"):
        keyboard(0.1)
    cfg = importlib.import_module("isaaclab.devices").Se3KeyboardCfg(pos_sensitivity=0.1)
    flow = importlib.import_module("isaaclab.envs.mdp.actions.rmpflow_actions_cfg").RMPFlowActionCfg
    assert flow(offset=flow.OffsetCfg(pos=[1.0, 0.0, 0.0])).offset.pos[0] == 1.0
    assert cfg.replace(rot_sensitivity=2.0).pos_sensitivity == 0.1
    carb.settings.get_settings().set_bool("/a/b", True)
    assert carb.settings.get_settings().get("/a/b") is True


def test_assert_close_takes_arrays_while_installed():
    array = usable(wp.array(np.arange(6.0).reshape(2, 3), dtype=wp.float32))
    torch.testing.assert_close(array, torch.arange(6.0).reshape(2, 3))
    with pytest.raises(AssertionError):
        torch.testing.assert_close(array, torch.zeros(2, 3))
    assert (array == array).all()
    assert not (array != torch.arange(6.0).reshape(2, 3)).any()
    assert len({array, array}) == 1
    uninstall()
    assert not hasattr(torch.testing.assert_close, "__wrapped__")


def test_circular_buffers_forget_row_by_row():
    made = importlib.import_module("isaaclab.utils.buffers").CircularBuffer(3, 2, "cpu")
    with pytest.raises(RuntimeError):
        made[torch.tensor([0, 0])]
    for value in range(5):
        made.append(torch.full((2, 1), float(value)))
        if value == 3:
            made.reset([1])
    assert made.current_length.tolist() == [3, 1]
    # Oldest first; the row that was reset has its one value everywhere.
    assert made.buffer[..., 0].tolist() == [[2.0, 3.0, 4.0], [4.0, 4.0, 4.0]]
    assert made[torch.tensor([2, 2])][:, 0].tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="2 rows"):
        made.append(torch.zeros(3, 1))


def test_delays_are_of_each_row():
    line = importlib.import_module("isaaclab.utils").DelayBuffer(3, 2, "cpu")
    line.set_time_lag(torch.tensor([0, 2]))
    seen = [line.compute(torch.full((2,), float(i))).tolist() for i in range(5)]
    assert [row[0] for row in seen] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert [row[1] for row in seen] == [0.0, 0.0, 0.0, 1.0, 2.0]
    assert (line.min_time_lag, line.max_time_lag) == (0, 2)
    with pytest.raises(ValueError, match="0 to 3"):
        line.set_time_lag(4)


def test_interpolation_is_linear_and_constant_outside():
    kind = importlib.import_module("isaaclab.utils.interpolation").LinearInterpolation
    table = kind(torch.tensor([0.0, 1.0, 3.0]), torch.tensor([0.0, 10.0, -10.0]), "cpu")
    places = torch.tensor([[-1.0, 0.5], [2.0, 9.0]])
    torch.testing.assert_close(table.compute(places), torch.tensor([[0.0, 5.0], [0.0, -10.0]]))
    with pytest.raises(InvalidValueError, match="increasing"):
        kind(torch.tensor([0.0, 0.0]), torch.tensor([1.0, 2.0]), "cpu")


def test_spaces_survive_being_written():
    gymnasium = pytest.importorskip("gymnasium")
    spaces = importlib.import_module("isaaclab.envs.utils.spaces")
    notation = {"eye": [4, 5], "choice": {3}, "both": ([{2}, {3}], 7)}
    assert spaces.deserialize_space(spaces.serialize_space(notation)) == notation
    made = spaces.spec_to_gym_space(notation)
    assert isinstance(made["both"][0], gymnasium.spaces.MultiDiscrete)
    assert spaces.deserialize_space(spaces.serialize_space(made)) == made
    sample = spaces.sample_space(made, "cpu", batch_size=6, fill_value=0.0)
    assert sample["eye"].shape == (6, 4, 5)
    assert float(sample["eye"].abs().sum()) == 0.0
    with pytest.raises(InvalidValueError):
        spaces.spec_to_gym_space("box")


def test_texts_of_callables():
    strings = importlib.import_module("isaaclab.utils.string")
    assert strings.string_to_callable("lambda x: x**2")(3) == 9
    assert strings.string_to_callable(strings.callable_to_string(np.cross)) is np.cross
    assert strings.ResolvableString("math:sin")(0.0) == 0.0
    late = strings.ResolvableString("not.there:Thing")
    assert (late.__module__, late.__name__) == ("not.there", "Thing")
    with pytest.raises(InvalidValueError):
        late()
    for text in ("lambda x: x.__class__", "lambda x: open(x)", "lambda: __import__"):
        with pytest.raises(InvalidValueError, match="Unsafe"):
            strings.string_to_callable(text)
    cut = strings.replace_slices_with_strings({"a": [slice(1, None, 2)]})
    assert strings.replace_strings_with_slices(cut) == {"a": [slice(1, None, 2)]}
    assert strings.to_snake_case("OneWord") == "one_word"
    assert strings.to_camel_case("one_word", to="CC") == "OneWord"
    taken = {"box", "box_1"}
    assert strings.find_unique_string_name("box", lambda name: name not in taken) == "box_2"
    assert strings.find_unique_string_name("ball", lambda name: name not in taken) == "ball"
    root = strings.find_root_prim_path_from_regex
    assert root("/World/env_.*/Robot") == ("/World", 2) and root("/World") == (None, None)
    assert strings.list_intersection([3, 1, 2], [2, 3]) == [3, 2]
    assert strings.list_intersection([3], None) == [3]


def test_a_text_of_a_callable_stays_the_one_it_is():
    held, text = SimpleNamespace(class_type=len), ResolvableString("math:sin")
    update_class_from_dict(held, {"class_type": text})
    assert held.class_type is text


def test_proxies_of_arrays_share_their_memory():
    array = wp.zeros(3, dtype=wp.float32, device="cpu")
    proxy = ProxyArray(array)
    proxy.torch[0], proxy[1] = 42.0, 7.0
    assert proxy.warp is array and array.numpy().tolist() == [42.0, 7.0, 0.0]
    assert isinstance(proxy, ProxyArray) and not isinstance(proxy.torch, ProxyArray)


def test_files_that_stand_in_count_as_those_of_the_server(tmp_path):
    robot = f"{ISAACLAB_NUCLEUS_DIR}/Robots/FrankaEmika/panda_instanceable.usd"
    (tmp_path / "here.usda").touch()
    paths = (robot, robot.replace("panda", "none"), str(tmp_path / "here.usda"))
    assert [check_file_path(path) for path in paths] == [2, 0, 1]


def test_packages_get_the_names_of_their_stub(tmp_path, monkeypatch):
    package = tmp_path / "lazy_robots"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from isaaclab.utils.module import lazy_export\nlazy_export()\n"
    )
    (package / "__init__.pyi").write_text(
        "from .legs import Leg\nfrom .arms import *\nfrom . import legs\nfrom math import *\n"
    )
    (package / "legs.py").write_text("class Leg: ...\n")
    (package / "arms.py").write_text("REACH = 0.7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    made = importlib.import_module("lazy_robots")
    assert "lazy_robots.legs" not in sys.modules
    assert {"Leg", "legs", "REACH", "pi"} <= set(made.__all__)
    assert made.Leg.__module__ == "lazy_robots.legs"
    assert made.REACH == 0.7
    assert made.pi == pytest.approx(np.pi)
    with pytest.raises(AttributeError, match="lazy_robots"):
        _ = made.WINGS


def test_joints_of_urdf_files_are_fixed(tmp_path):
    tools = importlib.import_module("isaaclab.controllers.utils")
    file = tmp_path / "arm.urdf"
    file.write_text(
        '<robot name="a"><joint name="one" type="revolute"/>'
        "<joint type='revolute' name='two'/><joint name=\"rail\" type=\"prismatic\"/></robot>"
    )
    tools.change_revolute_to_fixed(str(file), ["one", "rail", "unknown"])
    assert file.read_text().count("fixed") == 1
    tools.change_revolute_to_fixed_regex(str(file), ["t.*"])
    assert "<joint type=\"fixed\" name='two'/>" in file.read_text()
    with pytest.raises(FileNotFoundError, match="no file"):
        tools.change_revolute_to_fixed(str(tmp_path / "none.urdf"), [])


def test_yaml_files_come_back(tmp_path):
    tools = importlib.import_module("isaaclab.utils.io")
    tools.dump_yaml(str(tmp_path / "deep" / "cfg"), {"gains": [1.0, 2.0], "name": "arm"})
    read = tools.load_yaml(str(tmp_path / "deep" / "cfg.yaml"))
    assert read == {"gains": [1.0, 2.0], "name": "arm"}


def test_configurations_are_plain_values_in_files_and_come_back(tmp_path):
    """Settings of other engines too, wherever they stand, and slices and spaces as they were."""
    tools = importlib.import_module("isaaclab.utils.io")
    utils = importlib.import_module("isaaclab.utils")
    physx = importlib.import_module("isaaclab_physx.physics").PhysxCfg
    newton = importlib.import_module("isaaclab_newton.physics")
    sim = importlib.import_module("isaaclab.sim")
    managers = importlib.import_module("isaaclab.managers")

    @utils.configclass
    class Physics:
        default: physx = physx(bounce_threshold_velocity=0.2)
        other: newton.NewtonCfg = newton.NewtonCfg(solver_cfg=newton.MJWarpSolverCfg(njmax=7))

    @utils.configclass
    class Task:
        physics: Physics = Physics()
        box: sim.CuboidCfg = sim.CuboidCfg(size=(1.0, 2.0, 3.0))
        entity: managers.SceneEntityCfg = managers.SceneEntityCfg("robot")
        space: gymnasium.spaces.Space = gymnasium.spaces.MultiDiscrete([3, 2])

    task = Task()
    task.added = 5
    told = utils.class_to_dict(task)
    assert told["physics"]["other"] == {"solver_cfg": {"njmax": 7}} and told["added"] == 5
    tools.dump_yaml(str(tmp_path / "task"), task)
    assert "usdsim" not in (tmp_path / "task.yaml").read_text().replace("usdsim.spawners", "")
    read = tools.load_yaml(str(tmp_path / "task.yaml"))
    assert read["space"] == task.space and read["entity"]["joint_ids"] == slice(None)
    read["box"]["size"] = (3.0, 2.0, 1.0)
    other = Task()
    other.added = 0
    other.from_dict(read)
    assert other.box.size == (3.0, 2.0, 1.0) and other.added == 5
    box = sim.CuboidCfg(size=(1.0, 1.0, 1.0))
    box.from_dict({"size": (2.0, 2.0, 2.0)})
    assert box.size == (2.0, 2.0, 2.0)
    uninstall()
    assert not hasattr(box, "from_dict")


def test_rotations_compile_to_torchscript():
    from usdsim.math import tensors

    names = ("quat_mul", "quat_apply", "quat_apply_inverse", "normalize", "quat_from_angle_axis")
    for name in (*names, "quat_box_minus", "quat_error_magnitude", "skew_symmetric_matrix"):
        torch.jit.script(getattr(tensors, name))
    scripted = torch.jit.script(tensors.quat_apply)
    half = 0.5**0.5
    turned = scripted(torch.tensor([0.0, 0.0, half, half]), torch.tensor([1.0, 0.0, 0.0]))
    torch.testing.assert_close(turned, torch.tensor([0.0, 1.0, 0.0]))


def test_terms_may_be_named_and_call_other_terms():
    from types import SimpleNamespace

    from usdsim.envs.managers import EventManager, EventTermCfg, ManagerTermBase, ManagerTermBaseCfg

    seen = []

    class Chain(ManagerTermBase):
        def __call__(self, env, env_ids, steps):
            for step in steps.values():
                step.func(env, env_ids, **step.params)

    def note(env, env_ids, value):
        seen.append((env_ids.tolist(), value))

    class Tail(ManagerTermBase):
        def __call__(self, env, env_ids):
            seen.append("tail")

    steps = {
        "first": ManagerTermBaseCfg(func=note, params={"value": 3}),
        "second": ManagerTermBaseCfg(func=Tail),
    }
    cfg = {
        "chain": EventTermCfg(func=Chain, mode="reset", params={"steps": steps}),
        "named": EventTermCfg(func="usdsim.core.configuration:named", mode="never", params={}),
        "often": EventTermCfg(
            func=note, mode="interval", interval_range_s=(0.1, 0.1), params={"value": 7}
        ),
    }
    env = SimpleNamespace(num_envs=2, device="cpu", scene=None)
    with pytest.raises(InvalidValueError, match="module:name"):
        EventManager({"bad": EventTermCfg(func="math:nothing", mode="reset")}, env)
    manager = EventManager(cfg, env)
    manager.apply("reset", env_ids=[1], global_env_step_count=0)
    assert seen == [([1], 3), "tail"]
    manager.apply("interval", dt=0.2)
    assert seen[-1] == ([0, 1], 7)


def test_the_material_of_a_simulation_is_there_to_be_changed():
    cfg = importlib.import_module("isaaclab.sim").SimulationCfg(dt=0.01)
    cfg.physics_material.static_friction = 1.0
    assert (
        importlib.import_module("isaaclab.sim").SimulationCfg().physics_material.static_friction
        == 0.5
    )


def test_pva_sensors_tell_poses_and_plain_accelerations():
    from usdsim.assets import RigidObject, RigidObjectCfg
    from usdsim.schemas import MassPropertiesCfg, RigidBodyPropertiesCfg
    from usdsim.sim import SimulationCfg, SimulationContext
    from usdsim.spawners import SphereCfg

    sensors = importlib.import_module("isaaclab.sensors.pva")
    with SimulationContext(SimulationCfg(dt=0.01)) as sim:
        ball = SphereCfg(
            radius=0.1, rigid_props=RigidBodyPropertiesCfg(), mass_props=MassPropertiesCfg(mass=1.0)
        )
        state = RigidObjectCfg.InitialStateCfg(pos=(0.0, 0.0, 2.0))
        RigidObject(RigidObjectCfg(prim_path="/World/Ball", spawn=ball, init_state=state))
        sensor = sensors.Pva(sensors.PvaCfg(prim_path="/World/Ball"))
        sim.reset()
        for _ in range(10):
            sim.step()
        data = sensor.data
        # Semi-implicit steps: after n of them the fall is g dt^2 n (n + 1) / 2.
        assert float(data.pose_w.torch[0, 2]) == pytest.approx(2.0 - 9.81e-4 * 55, abs=1e-5)
        torch.testing.assert_close(data.pose_w.torch[:, :3], data.pos_w.torch)
        torch.testing.assert_close(data.lin_acc_b.torch, torch.tensor([[0.0, 0.0, -9.81]]))
        torch.testing.assert_close(data.lin_vel_b.torch, torch.tensor([[0.0, 0.0, -0.981]]))


def test_configurations_of_scenes_and_environments_show_their_fields():
    """Programs that choose among presets walk configurations by ``__dataclass_fields__``."""
    from usdsim.compat.configclass import configclass
    from usdsim.sim import InteractiveSceneCfg

    @configclass
    class SceneCfg(InteractiveSceneCfg):
        ground: str = "plane"
        lamp = 3.0
        robot: object = dataclasses.MISSING

    made = SceneCfg(num_envs=4, env_spacing=2.0)
    assert dataclasses.is_dataclass(made)
    names = [field.name for field in dataclasses.fields(made)]
    assert {"ground", "lamp", "robot", "num_envs"} <= {*names}
    assert (made.ground, made.lamp, made.num_envs) == ("plane", 3.0, 4)
    assert made.robot is dataclasses.MISSING
    made.ground = "stairs"
    assert SceneCfg(num_envs=1, env_spacing=1.0).ground == "plane"


def test_points_of_a_depth_image_are_where_the_camera_sees_them():
    """A plane 2 m ahead: the pixel (u, v) is at 2 ((u - cx) / f, (v - cy) / f, 1)."""
    from usdsim.compat.tools.point_clouds import (
        create_pointcloud_from_depth,
        create_pointcloud_from_rgbd,
    )

    matrix = np.array([[4.0, 0.0, 1.5], [0.0, 4.0, 1.0], [0.0, 0.0, 1.0]], np.float32)
    depth = np.full((3, 4), 2.0, np.float32)
    depth[0, 2] = np.inf
    points = create_pointcloud_from_depth(matrix, depth, position=[1.0, 0.0, 0.0])
    u, v = np.divmod(np.delete(np.arange(12), 6), 3)  # column by column
    expected = np.stack([1.0 + (u - 1.5) / 2.0, (v - 1.0) / 2.0, 0.0 * u + 2.0], axis=1)
    np.testing.assert_allclose(points, expected, atol=1e-6)
    assert len(create_pointcloud_from_depth(matrix, depth, keep_invalid=True)) == 12
    picture = np.arange(36, dtype=np.uint8).reshape(3, 4, 3)
    again, colours = create_pointcloud_from_rgbd(
        torch.from_numpy(matrix), torch.from_numpy(depth), picture, True, num_channels=4
    )
    np.testing.assert_allclose(again, expected - [1.0, 0.0, 0.0], atol=1e-6)
    shown = picture[v, u] / 255.0
    np.testing.assert_allclose(colours, np.pad(shown, ((0, 0), (0, 1)), constant_values=1.0))
    with pytest.raises(ShapeError, match="rgb"):
        create_pointcloud_from_rgbd(matrix, depth, picture[:2])
    moved = importlib.import_module("isaaclab.sensors.camera.utils").transform_points
    # A quarter of a turn about z: x becomes y.
    turn = (0.0, 0.0, 0.5**0.5, 0.5**0.5)
    found = moved(np.eye(3), position=[1.0, 0.0, 0.0], orientation=turn, device="cpu")
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, [[1, 1, 0], [0, 0, 0], [1, 0, 1]], atol=1e-6)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("isaaclab.utils.timer", "Timer"),
        ("isaaclab.utils.assets", "read_file"),
        ("isaacsim.util.debug_draw._debug_draw", "acquire_debug_draw_interface"),
        ("isaaclab.sensors.camera.utils", "create_pointcloud_from_depth"),
        ("isaaclab.sensors.ray_caster", "RayCasterCamera"),
        ("isaaclab.utils.noise", "AdditiveUniformNoiseCfg"),
    ],
)
def test_names_that_tutorials_import_are_there(module, name):
    assert hasattr(importlib.import_module(module), name)


def test_modules_give_all_their_names_at_once():
    """Tasks have modules of terms that begin with all of the library's."""
    taken: dict[str, object] = {}
    exec("from isaaclab.envs.mdp import *", taken)
    assert {"JointPositionActionCfg", "reset_root_state_uniform", "joint_pos"} <= taken.keys()


def test_options_of_other_engines_are_set_one_by_one_and_told(caplog):
    from usdsim.envs import ManagerBasedRLEnvCfg

    cfg = ManagerBasedRLEnvCfg()
    cfg.sim.physx.bounce_threshold_velocity = 0.2
    cfg.sim.render.antialiasing_mode = "DLAA"
    assert cfg.sim.to_dict()["physx"] == {"bounce_threshold_velocity": 0.2}
    with caplog.at_level("INFO", logger="usdsim"):
        cfg.sim.tell_unused()
        ManagerBasedRLEnvCfg().sim.tell_unused()
    assert [record.args[-1] for record in caplog.records] == ["physx, render"]


def test_rotations_take_arrays_of_vectors():
    from usdsim.math.tensors import quat_apply

    axes = usable(wp.array(np.tile([1.0, 0.0, 0.0], (3, 1)), dtype=wp.vec3f))
    half = float(np.sqrt(0.5))
    turned = quat_apply(torch.tensor([[0.0, 0.0, half, half]]).expand(3, 4), axes)
    torch.testing.assert_close(turned, torch.tensor([[0.0, 1.0, 0.0]]).expand(3, 3))


def test_motors_clip_efforts_under_the_private_names_that_subclasses_use():
    cfg = DCMotorCfg(
        joint_names_expr=[".*"],
        stiffness=200.0,
        damping=10.0,
        effort_limit=60.0,
        velocity_limit=50.0,
        saturation_effort=100.0,
    )
    motor = cfg.class_type(cfg, ["a", "b"], [0, 1], 1, "cpu")
    motor._joint_vel[:] = 40.0
    # On the line of torque and speed, 100 (1 - 40 / 50); braking, the limit alone.
    efforts = motor._clip_effort(torch.tensor([[80.0, -90.0]]))
    torch.testing.assert_close(efforts, torch.tensor([[20.0, -60.0]]))
    uninstall()
    assert not hasattr(motor, "_joint_vel")


def test_images_are_saved_side_by_side_and_frame_by_frame(tmp_path):
    images = importlib.import_module("isaaclab.sensors").save_images_to_file
    images(torch.linspace(0.0, 1.0, 3 * 4 * 5).reshape(3, 4, 5, 1), str(tmp_path / "all.png"))
    # Two columns and two rows of 5 x 4 pixels, with lines of 2 pixels about them.
    width, height = struct.unpack(">II", (tmp_path / "all.png").read_bytes()[16:24])
    assert (height, width) == (2 * 6 + 2, 2 * 7 + 2)
    with pytest.raises(ShapeError):
        images(torch.zeros(4, 5), str(tmp_path / "none.png"))
    writer = importlib.import_module("omni.replicator.core").BasicWriter(
        output_dir=str(tmp_path / "out"), frame_padding=3
    )
    depth = np.arange(6.0).reshape(2, 3, 1)
    for _ in range(2):
        writer.write({"annotators": {"depth": {"camera": {"data": depth, "unit": "m"}}}})
    np.testing.assert_array_equal(np.load(tmp_path / "out/depth_001.npy"), depth)
    assert (tmp_path / "out/depth_000.json").read_text() == '{"unit": "m"}'


def test_what_was_deleted_or_left_open_is_not_told_of_a_configuration():
    configclass = importlib.import_module("isaaclab.utils").configclass

    @configclass
    class Model:
        hidden: int = 3
        stochastic: bool = dataclasses.MISSING
        std: float = 1.0

    @configclass
    class Agent:
        actor: Model = Model()
        groups: dict[str, int] = dataclasses.MISSING

    agent = Agent()
    del agent.actor.std
    assert agent.to_dict() == {"actor": {"hidden": 3, "stochastic": {}}, "groups": {}}
    del agent.actor.stochastic
    assert agent.to_dict()["actor"] == {"hidden": 3}


def test_agents_of_rsl_rl_have_the_defaults_programs_leave_out():
    rl = importlib.import_module("isaaclab_rl.rsl_rl")
    configclass = importlib.import_module("isaaclab.utils").configclass

    @configclass
    class Runner(rl.RslRlOnPolicyRunnerCfg):
        max_iterations = 3
        actor = rl.RslRlMLPModelCfg(
            hidden_dims=[2],
            distribution_cfg=rl.RslRlMLPModelCfg.GaussianDistributionCfg(init_std=2.0),
        )

    told = Runner().to_dict()
    assert (told["seed"], told["max_iterations"]) == (42, 3)
    assert told["actor"]["distribution_cfg"]["class_name"] == "GaussianDistribution"
    one, two = Runner(), Runner(max_iterations=5, experiment_name="walk")
    assert two.to_dict()["experiment_name"] == "walk" and not hasattr(one, "experiment_name")
    one.obs_groups["actor"] = ["camera"]
    assert two.obs_groups == {} and two.max_iterations == 5


def test_a_border_of_boxes_encloses_its_volume():
    from isaaclab.terrains.trimesh.utils import make_border

    boxes = make_border((4.0, 3.0), (2.0, 1.0), 0.5, (2.0, 1.5, -0.25))
    points = np.vstack([mesh.vertices for mesh in boxes])
    np.testing.assert_allclose([points.min(0), points.max(0)], [[0, 0, -0.5], [4, 3, 0]])
    volume = sum(np.prod(np.ptp(mesh.vertices, axis=0)) for mesh in boxes)
    assert volume == pytest.approx((4 * 3 - 2 * 1) * 0.5)


def test_events_of_programs_randomize_parts_of_values():
    from isaaclab.envs.mdp.events import _randomize_prop_by_op

    torch.manual_seed(0)
    start = torch.arange(12.0).reshape(3, 4)
    rows, columns = torch.tensor([0, 2]), [1, 3]
    data = _randomize_prop_by_op(start.clone(), (2.0, 2.0), rows, columns, "scale")
    expected = start.clone()
    expected[rows[:, None], columns] *= 2.0
    assert torch.equal(data, expected)
    data = _randomize_prop_by_op(start.clone(), (0.1, 0.2), None, slice(None), "add")
    assert ((data - start - 0.15).abs() <= 0.05 + 1e-6).all() and len({*data.flatten()}) == 12
    data = _randomize_prop_by_op(start.clone(), (5.0, 0.0), rows, slice(2), "abs", "gaussian")
    assert (data[rows, :2] == 5.0).all() and torch.equal(data[1], start[1])
    with pytest.raises(InvalidValueError, match=r"operation is 'mul'.*add, scale, abs"):
        _randomize_prop_by_op(start, (0.0, 1.0), None, slice(None), "mul")


def test_checkpoints_are_found_by_preference_and_by_number(tmp_path: Path):
    from isaaclab_tasks.utils import get_checkpoint_path

    run = tmp_path / "run" / "nn"
    run.mkdir(parents=True)
    for name in ("last_cart_ep_9_rew_0.9.pth", "last_cart_ep_10_rew_1.0.pth"):
        (run / name).touch()
    found = get_checkpoint_path(str(tmp_path), other_dirs=["nn"], preferred_checkpoint=r"cart\.pth")
    assert Path(found).name == "last_cart_ep_10_rew_1.0.pth"
    (run / "cart.pth").touch()
    found = get_checkpoint_path(str(tmp_path), other_dirs=["nn"], preferred_checkpoint=r"cart\.pth")
    assert Path(found).name == "cart.pth"
    with pytest.raises(ValueError, match="'best' or 'none'"):
        get_checkpoint_path(str(tmp_path), ".*", "none", ["nn"], preferred_checkpoint="best")


def test_published_checkpoints_that_are_missing_are_named(caplog: pytest.LogCaptureFixture):
    from isaaclab_rl.utils.pretrained_checkpoint import get_published_pretrained_checkpoint

    with caplog.at_level("WARNING", logger="usdsim"):
        assert get_published_pretrained_checkpoint("rsl_rl", "Isaac-Ant-v0") is None
    assert "PretrainedCheckpoints/rsl_rl/Isaac-Ant-v0/checkpoint.pt" in caplog.text


def test_settings_of_agents_are_told_as_the_installed_library_takes_them(monkeypatch):
    from isaaclab_rl import rsl_rl

    from usdsim.compat.classes import deprecated_agents

    agent = rsl_rl.RslRlOnPolicyRunnerCfg(
        obs_groups={"policy": ["policy", "heights"], "critic": ["policy"]},
        policy=rsl_rl.RslRlPpoActorCriticRecurrentCfg(
            init_noise_std=0.5,
            actor_hidden_dims=[8],
            critic_hidden_dims=[16],
            activation="elu",
            rnn_type="lstm",
            rnn_hidden_dim=4,
            rnn_num_layers=1,
        ),
        algorithm=rsl_rl.RslRlPpoAlgorithmCfg(gamma=0.9),
    )
    found = ["rsl_rl", "rsl_rl.models"]
    monkeypatch.setattr(deprecated_agents, "find_spec", lambda name: name in found or None)
    monkeypatch.setattr(deprecated_agents, "version", lambda _: "5.5.1")
    told = agent.to_dict()
    assert "policy" not in told
    assert (told["actor"]["class_name"], told["critic"]["hidden_dims"]) == ("RNNModel", [16])
    assert told["obs_groups"] == {"actor": ["policy", "heights"], "critic": ["policy"]}
    # The settings themselves stay, and older versions take them as they are.
    assert agent.policy.rnn_hidden_dim == 4
    assert told["algorithm"]["optimizer"] == "adam"
    found.pop()
    assert agent.to_dict()["policy"]["class_name"] == "ActorCriticRecurrent"
    assert "actor" not in agent.to_dict()
    assert not {"optimizer", "share_cnn_encoders"} & agent.to_dict()["algorithm"].keys()
    agent.algorithm.optimizer = "sgd"
    assert agent.to_dict()["algorithm"]["optimizer"] == "sgd"  # the library refuses it


def test_settings_of_agents_have_the_defaults_of_isaac_lab():
    """Groups of observations are left to rsl_rl, which gives critics those of their name."""
    from isaaclab_rl import rsl_rl

    assert rsl_rl.RslRlOnPolicyRunnerCfg().to_dict()["obs_groups"] == {}
    assert rsl_rl.RslRlDistillationAlgorithmCfg().to_dict() == {
        "class_name": "Distillation",
        "max_grad_norm": None,
        "optimizer": "adam",
        "loss_type": "mse",
    }
    falling = rsl_rl.RslRlRndCfg.LinearWeightScheduleCfg(final_value=0.1)
    told = rsl_rl.RslRlRndCfg(weight=2.0, weight_schedule=falling).to_dict()
    assert told["weight_schedule"] == {"mode": "linear", "final_value": 0.1}
    assert (told["weight"], told["predictor_hidden_dims"]) == (2.0, [-1])
    for settings in (
        rsl_rl.RslRlOnPolicyRunnerCfg(policy=rsl_rl.RslRlPpoActorCriticCfg()),
        falling,
    ):
        assert pickle.loads(pickle.dumps(settings)).__dict__.keys() == settings.__dict__.keys()


def test_deprecated_policies_of_agents_become_models():
    from isaaclab_rl import rsl_rl

    agent = rsl_rl.RslRlOnPolicyRunnerCfg()
    agent.empirical_normalization = True
    agent.policy = rsl_rl.RslRlPpoActorCriticCfg(
        init_noise_std=0.5, actor_hidden_dims=[8], critic_hidden_dims=[16], activation="elu"
    )
    agent = rsl_rl.handle_deprecated_rsl_rl_cfg(agent, "5.5.1").to_dict()
    assert "policy" not in agent
    assert "empirical_normalization" not in agent
    spread = {"class_name": "GaussianDistribution", "init_std": 0.5, "std_type": "scalar"}
    common = {"class_name": "MLPModel", "activation": "elu", "obs_normalization": True}
    assert agent["actor"] == {**common, "hidden_dims": [8], "distribution_cfg": spread}
    assert agent["critic"] == {**common, "hidden_dims": [16], "distribution_cfg": None}
    model = rsl_rl.RslRlMLPModelCfg(stochastic=True, init_noise_std=0.3, state_dependent_std=True)
    agent = rsl_rl.RslRlOnPolicyRunnerCfg()
    agent.actor = model
    rsl_rl.handle_deprecated_rsl_rl_cfg(agent, "5.0.0")
    kind = rsl_rl.RslRlMLPModelCfg.HeteroscedasticGaussianDistributionCfg
    assert isinstance(model.distribution_cfg, kind)
    assert (model.distribution_cfg.init_std, agent.to_dict()["actor"]["distribution_cfg"]) == (
        0.3,
        {
            "class_name": "HeteroscedasticGaussianDistribution",
            "init_std": 0.3,
            "std_type": "scalar",
        },
    )


def test_configurations_of_terms_are_equal_by_value():
    from isaaclab.managers import RewardTermCfg

    terms = [RewardTermCfg(func=print, weight=1.0, params={"far": 2.0}) for _ in range(2)]
    assert terms[0] == terms[1]
    terms[1].params["far"] = 3.0
    assert terms[0] != terms[1]


def test_properties_for_mujoco_are_some_for_newton():
    from isaaclab_newton.sim import schemas

    for kind in ("RigidBody", "JointDrive"):
        general = getattr(schemas, f"Newton{kind}PropertiesCfg")
        assert issubclass(getattr(schemas, f"Mujoco{kind}PropertiesCfg"), general)
