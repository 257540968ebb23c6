"""Steps that a scene records on a device do what the calls do that they stand for."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import warp as wp
from articulation_stages import values
from asset_stages import cuboid
from device_under_test import DEVICE, assert_repeated
from multirotor_craft import CRAFT

from usdsim.actuators import (
    ActuatorBase,
    ActuatorNetLSTMCfg,
    ActuatorNetMLPCfg,
    DCMotorCfg,
    DelayedPDActuatorCfg,
    DenseLayer,
    IdealPDActuator,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
    Network,
    RemotizedPDActuatorCfg,
    save_network,
)
from usdsim.actuators.networks.network import LstmLayer
from usdsim.assets import (
    Articulation,
    ArticulationCfg,
    AssetBaseCfg,
    RigidObjectCfg,
    RigidObjectCollectionCfg,
)
from usdsim.converters import convert
from usdsim.core.errors import InvalidValueError, SimulationError, StageError
from usdsim.sensors import ContactSensorCfg, ImuCfg, JointWrenchSensorCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg

pytestmark = pytest.mark.usefixtures("simulation_ends")

pytest.importorskip("mujoco_warp")

WORLDS, JOINTS, DT = 3, 6, 0.004
LINK = """
<body name="link_{i}" pos="{x} 0 0"><joint name="joint_{i}" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 .2 0 0" size=".03" mass=".5"/>{inner}</body>"""
GAINS = {"stiffness": 12.0, "damping": 0.8}
READ = (
    "joint_pos",
    "joint_vel",
    "joint_acc",
    "applied_torque",
    "root_link_pose_w",
    "body_com_vel_w",
)
TWELVE = (
    "joint_pos", "joint_vel", "joint_acc", "root_pos_w", "root_quat_w", "root_lin_vel_w",
    "root_ang_vel_w", "root_lin_vel_b", "root_ang_vel_b", "projected_gravity_b",
    "body_link_pos_w", "body_link_quat_w",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A robot of six hinges on a floating base, and networks for two of them."""
    path = tmp_path_factory.mktemp("robot")
    body = ""
    for i in range(JOINTS, 0, -1):
        body = LINK.format(i=i, x=0.1 if i == 1 else 0.2, inner=body)
    text = (
        '<mujoco><compiler angle="radian"/><worldbody><body name="base" pos="0 0 .5"><freejoint/>'
        f'<geom size=".1" mass="2"/>{body}</body></worldbody></mujoco>'
    )
    (path / "robot.xml").write_text(text)
    convert(path / "robot.xml", path / "robot.usda")
    rng = np.random.default_rng(0)

    def dense(outputs, inputs, kind):
        weight = rng.normal(size=(outputs, inputs)).astype(np.float32)
        return DenseLayer(weight, np.zeros(outputs, np.float32), kind)

    save_network(path / "mlp.npz", Network((dense(8, 4, "tanh"), dense(1, 8, "identity"))))
    cell = LstmLayer(
        rng.normal(size=(16, 2)).astype(np.float32) * 0.3,
        rng.normal(size=(16, 4)).astype(np.float32) * 0.3,
        np.zeros(16, np.float32),
    )
    save_network(path / "lstm.npz", Network((dense(1, 4, "identity"),), (cell,)))
    return path


def kinds(folder):
    """A model of every kind for each joint."""
    net = {"effort_limit": 5.0, "saturation_effort": 6.0, "velocity_limit": 30.0}
    return {
        "implicit": ImplicitActuatorCfg(joint_names_expr=["joint_1"], **GAINS),
        "motor": DCMotorCfg(
            joint_names_expr=["joint_2"],
            effort_limit=3.0,
            saturation_effort=4.0,
            velocity_limit=20.0,
            **GAINS,
        ),
        "delayed": DelayedPDActuatorCfg(
            joint_names_expr=["joint_3"], effort_limit=9.0, min_delay=1, max_delay=4, **GAINS
        ),
        "remotized": RemotizedPDActuatorCfg(
            joint_names_expr=["joint_4"],
            joint_parameter_lookup=[[-9.0, 1.0, 1.0], [9.0, 1.0, 5.0]],
            min_delay=0,
            max_delay=2,
            **GAINS,
        ),
        "mlp": ActuatorNetMLPCfg(
            joint_names_expr=["joint_5"], network_file=str(folder / "mlp.npz"), pos_scale=1.0,
            vel_scale=0.1, torque_scale=1.0, input_order="pos_vel", input_idx=[0, 2], **net,
        ),
        "lstm": ActuatorNetLSTMCfg(
            joint_names_expr=["joint_6"], network_file=str(folder / "lstm.npz"), **net
        ),
    }  # fmt: skip


def box(name, x, kinematic=None):
    return RigidObjectCfg(
        prim_path=f"{{ENV_REGEX_NS}}/{name}",
        spawn=cuboid((0.2, 0.2, 0.2), 1.0, kinematic=kinematic),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(x, 1.0, 0.1)),
    )


def robot_cfg(folder, actuators=None, kind=Articulation):
    return ArticulationCfg(
        class_type=kind,
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=str(folder / "robot.usda")),
        init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 0.5)),
        actuators=kinds(folder) if actuators is None else actuators,
    )


def running(device, num_envs=WORLDS, options=None, **entities: Any):
    """A simulation of a scene with ground and some entities."""
    SimulationContext.clear_instance()
    cfg = InteractiveSceneCfg(num_envs=num_envs, env_spacing=4.0)
    cfg.ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    for name, entity in entities.items():
        setattr(cfg, name, entity)
    settings = {} if device == "cpu" else {"device_options": options or {}}
    sim = SimulationContext(SimulationCfg(device=device, dt=DT, threads=1, **settings))
    scene = InteractiveScene(cfg)
    sim.reset()
    for asset in scene.articulations.values():
        if hasattr(asset.actuators, "seed"):
            asset.actuators.seed(3)
    return sim, scene


def separately(scene, steps):
    for _ in range(steps):
        scene.write_data_to_sim()
        SimulationContext.instance().step()
        scene.update(scene.physics_dt)


def together(scene, steps):
    scene.simulate(steps)


def graphs(scene):
    """Recordings that were made."""
    return [graph for graph in scene._steps._graphs._graphs.values() if graph is not None]


def compared(device, play, **entities: Any):
    """What happens by calls and by recordings, which is the same, on the CPU to the last bit."""
    found = []
    for advance in (separately, together):
        sim, scene = running(device, **entities)
        found.append(play(scene, advance))
        found[-1]["time"] = np.array(sim.engine.time)
        found[-1]["steps"] = np.array(sim.current_time)
    wanted, got = found
    assert wanted.keys() == got.keys()
    for name, expected in wanted.items():
        assert np.isfinite(expected).all(), name
        assert_repeated(got[name], expected, name)
    return got, scene


def reading(asset, names=READ):
    return {name: values(getattr(asset.data, name)) for name in names}


@pytest.fixture
def device(separate_memory):
    """A Warp device whose memory NumPy does not share."""
    return DEVICE


# -- the same as the calls -------------------------------------------------------------------------


def test_every_kind_of_actuator_and_resets_by_mask_between_steps(device, folder):
    def play(scene, advance):
        robot = scene["robot"]
        rng = np.random.default_rng(5)
        found = {}
        robot.reset()
        for turn in range(6):
            target = rng.uniform(-0.5, 0.5, (WORLDS, JOINTS)).astype(np.float32)
            robot.set_joint_position_target(wp.array(target, dtype=wp.float32))
            advance(scene, 4)
            found |= {f"{turn} {k}": v for k, v in reading(robot).items()}
            if turn in (2, 4):
                mask = wp.array([False, True, turn == 4], dtype=wp.bool)
                state = values(robot.data.default_root_state)
                state[:, :3] += scene.env_origins.numpy()
                robot.write_root_state_to_sim_mask(
                    root_state=wp.array(state, dtype=wp.float32), env_mask=mask
                )
                robot.write_joint_position_to_sim_mask(
                    position=robot.data.default_joint_pos, env_mask=mask
                )
                scene.reset(env_mask=mask)
                found |= {f"{turn} reset {k}": v for k, v in reading(robot).items()}
        return found

    found, scene = compared(device, play, robot=robot_cfg(folder))
    assert len(graphs(scene)) == 1
    lags = scene["robot"].actuators["delayed"].time_lags
    assert lags.min() >= 1 and lags.max() <= 4
    moved = np.abs(found["5 joint_pos"] - found["0 joint_pos"]).max(axis=0)
    assert (moved > 1e-3).all()


class Careless(IdealPDActuator):
    """A law that writes to what it is given."""

    def compute(self, control_action, joint_pos, joint_vel):
        action = super().compute(control_action, joint_pos, joint_vel)
        joint_pos.zero_()
        joint_vel.fill_(7.0)
        return action


@dataclass(kw_only=True)
class CarelessCfg(IdealPDActuatorCfg):
    class_type: type[ActuatorBase] = Careless


@pytest.mark.parametrize("device", ["cpu", DEVICE])
def test_a_law_of_a_user_writes_to_copies_of_the_state_alone(device, folder):
    states = []
    for kind in (IdealPDActuatorCfg, CarelessCfg):
        law = kind(joint_names_expr=[".*"], effort_limit=9.0, **GAINS)
        sim, scene = running(device, robot=robot_cfg(folder, {"all": law}))
        scene.simulate(5)
        states.append(np.array(sim.engine.read("qpos")))
    np.testing.assert_allclose(states[1], states[0], atol=1e-6)


def test_kernels_of_actuators_measure_the_engines_own_arrays(device, folder):
    cfg = IdealPDActuatorCfg(joint_names_expr=[".*"], effort_limit=9.0, **GAINS)
    _, scene = running(device, robot=robot_cfg(folder, {"all": cfg}))
    scene.simulate(3)
    drives, arrays = scene["robot"]._drives, scene["robot"].root_view.arrays
    owners = [arrays.read("qpos"), arrays.read("qvel")]
    for array, owner in zip(drives._measured, owners, strict=True):
        assert 0 <= array.ptr - owner.ptr < owner.capacity
    controls = scene._simulation.engine.read("ctrl")
    starts = scene["robot"].root_view.layout.drive_ctrls[0]
    for kind, command in enumerate(drives._sender.commands):
        np.testing.assert_array_equal(values(command), controls[:, starts + kind])


def test_forces_from_outside_begin_and_end(device, folder):
    def play(scene, advance):
        robot, cube, found = scene["robot"], scene["cube"], {}
        advance(scene, 3)
        push = np.zeros((1, 1, 3), np.float32)
        push[..., 2] = 30.0
        robot.permanent_wrench_composer.set_forces_and_torques(push, body_ids=[0], env_ids=[1])
        advance(scene, 3)
        for turn in range(3):
            cube.instantaneous_wrench_composer.add_forces_and_torques(
                np.full((WORLDS, 1, 3), 40.0 + turn), is_global=True
            )
            advance(scene, 3)  # acts in the first of them alone
            found |= {f"{turn} {k}": v for k, v in reading(cube, ("root_com_vel_w",)).items()}
        robot.reset([1])
        advance(scene, 2)
        robot.permanent_wrench_composer.reset()
        advance(scene, 4)
        force = scene._simulation.engine.read("xfrc_applied")
        assert not np.any(force)
        found["force"] = np.array(force)
        return found | reading(robot) | {f"pair {k}": v for k, v in reading(
            scene["pair"], ("object_link_pose_w",)).items()}  # fmt: skip

    pair = RigidObjectCollectionCfg(
        rigid_objects={"a": box("A", -1.0), "b": box("B", -1.5, kinematic=True)}
    )
    found, scene = compared(
        device, play, robot=robot_cfg(folder, {}), cube=box("Cube", 1.0), pair=pair
    )
    assert len(graphs(scene)) >= 2
    assert found["0 root_com_vel_w"][:, 2].min() > 0.03


def test_vehicles_with_rotors(device):
    craft = CRAFT["quadrotor"]

    def play(scene, advance):
        vehicle, found = scene["vehicle"], {}
        for turn in range(4):
            vehicle.set_thrust_target(craft.hover * (1.0 + 0.1 * turn))
            if turn == 2:
                vehicle.permanent_wrench_composer.set_forces_and_torques(
                    np.full((WORLDS, 1, 3), 0.2), body_ids=[0]
                )
                vehicle.set_masses(1.5, body_ids=[0], env_ids=[1])
            advance(scene, 5)
            vehicle.reset(env_mask=wp.array([turn == 1, False, True], dtype=wp.bool))
            found |= {
                f"{turn} {k}": v
                for k, v in reading(
                    vehicle, ("root_link_pose_w", "root_com_vel_w", "applied_thrust")
                ).items()
            }
        return found

    found, scene = compared(device, play, vehicle=craft.cfg(thruster_force_direction=(0, 0, 1)))
    assert graphs(scene)
    assert np.ptp(found["3 root_com_vel_w"][:, 2]) > 0.01


def test_sensors_measure_after_each_step(device, folder):
    sensors = {
        "contact": ContactSensorCfg(
            prim_path="{ENV_REGEX_NS}/Cube", history_length=3, track_air_time=True
        ),
        "imu": ImuCfg(prim_path="{ENV_REGEX_NS}/Robot/base", update_period=3 * DT),
    }

    def play(scene, advance):
        found = {}
        for turn in range(4):
            advance(scene, 2)
            found[f"{turn} force"] = values(scene["contact"].data.net_forces_w)
            found[f"{turn} acc"] = values(scene["imu"].data.lin_acc_b)
            if turn == 1:
                scene.reset([1])
        found["history"] = values(scene["contact"].data.net_forces_w_history)
        found["contact time"] = values(scene["contact"].data.current_contact_time)
        return found

    found, scene = compared(
        device, play, robot=robot_cfg(folder, {}), cube=box("Cube", 1.0), **sensors
    )
    assert graphs(scene)
    assert np.abs(found["3 force"]).max() > 1.0


def test_a_network_that_torch_evaluates_runs_beside_the_recording(folder):
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.GELU(), torch.nn.Linear(6, 1))
    torch.jit.script(module).save(str(folder / "gelu.pt"))
    cfg = ActuatorNetMLPCfg(
        joint_names_expr=[".*"], network_file=str(folder / "gelu.pt"), pos_scale=1.0,
        vel_scale=0.1, torque_scale=1.0, input_order="pos_vel", input_idx=[0, 2],
        effort_limit=5.0, saturation_effort=6.0, velocity_limit=30.0,
    )  # fmt: skip

    def play(scene, advance):
        scene["robot"].set_joint_position_target(0.3)
        advance(scene, 6)
        return reading(scene["robot"])

    _, scene = compared(DEVICE, play, robot=robot_cfg(folder, {"net": cfg}), cube=box("Cube", 1.0))
    assert not scene["robot"].actuators.recordable
    assert graphs(scene)


def test_the_cpus_engine_makes_the_calls(folder):
    def play(scene, advance):
        scene["robot"].set_joint_position_target(0.3)
        advance(scene, 6)
        return reading(scene["robot"])

    found, scene = compared("cpu", play, robot=robot_cfg(folder))
    assert not graphs(scene)
    device, _ = compared(DEVICE, play, robot=robot_cfg(folder))
    for name in ("joint_pos", "root_link_pose_w"):
        np.testing.assert_allclose(device[name], found[name], atol=1e-3, err_msg=name)


class Pushed(Articulation):
    """A robot whose base is lifted by every write, which no recording knows of."""

    def write_data_to_sim(self):
        lift = np.full((WORLDS, 1, 3), [0.0, 0.0, 60.0])
        self.permanent_wrench_composer.set_forces_and_torques(lift, body_ids=[0])
        super().write_data_to_sim()


def test_what_a_subclass_does_before_a_step_is_not_left_out(folder):
    def play(scene, advance):
        advance(scene, 6)
        return reading(scene["robot"])

    found, scene = compared(
        DEVICE, play, robot=robot_cfg(folder, {}, Pushed), cube=box("Cube", 1.0)
    )
    assert graphs(scene)
    assert found["root_link_pose_w"][:, 2].min() > 0.5


# -- what recordings depend on ---------------------------------------------------------------------


def test_recordings_follow_what_changes_between_steps(folder):
    def play(scene, advance):
        robot, sim = scene["robot"], SimulationContext.instance()
        engine, found = sim.engine, {}

        def go(name):
            advance(scene, 4)
            found.update({f"{name} {k}": v for k, v in reading(robot).items()})

        robot.set_joint_position_target(0.3)
        go("start")
        robot.set_masses(5.0, body_ids=[0])
        go("shared mass")
        robot.set_masses(3.0, body_ids=[1], env_ids=[1])
        go("own mass")
        robot.write_joint_stiffness_to_sim([[3.0], [9.0], [1.0]], joint_ids=[0])
        go("stiffness")
        robot.actuators["motor"].stiffness = 30.0
        go("gains of a model")
        engine.set_param("opt.gravity", [0.0, 0.0, -3.0])
        go("gravity")
        engine.set_param("opt.gravity", [[0.0, 0.0, -3.0], [0.0, 0.0, 0.0], [1.0, 0.0, -3.0]])
        go("own gravity")
        robot.write_joint_velocity_limit_to_sim(0.05, joint_ids=[3])
        go("velocity limit")
        robot.write_joint_friction_coefficient_to_sim(0.4, joint_ids=[1], env_ids=[2])
        go("friction")
        coms = values(robot.data.body_com_pose_b)[:, :1]
        coms[1, 0, 0] += 0.05
        robot.set_coms(coms, body_ids=[0])
        lift = np.full((WORLDS, 1, 3), [0.0, 0.0, 20.0])
        robot.permanent_wrench_composer.set_forces_and_torques(lift, body_ids=[0])
        go("com")
        if engine.device == "cpu" and hasattr(engine, "_rebuild"):
            engine._rebuild(engine._worlds.model)
        go("rebuilt")
        sim.reset(soft=True)
        go("soft reset")
        return found

    found, _ = compared(DEVICE, play, robot=robot_cfg(folder))
    speeds = [found[f"{name} joint_vel"] for name in ("own gravity", "velocity limit")]
    assert np.abs(speeds[1][:, 3]).max() <= 0.0501 < np.abs(speeds[0][:, 3]).max()


def test_room_is_made_while_steps_are_recorded_or_said_to_be_missing(folder, caplog):
    def play(scene, advance):
        scene["cube"].write_root_velocity_to_sim(np.tile([0, 0, -3.0, 0, 0, 0], (WORLDS, 1)))
        advance(scene, 30)
        return reading(scene["cube"], ("root_link_pose_w",))

    roomy, _ = compared(DEVICE, play, cube=box("Cube", 1.0))
    grown, scene = compared(
        DEVICE, play, cube=box("Cube", 1.0), options={"njmax": 1, "nconmax": 1,
        "on_overflow": "grow"}
    )  # fmt: skip
    assert not graphs(scene)
    np.testing.assert_allclose(grown["root_link_pose_w"], roomy["root_link_pose_w"], atol=1e-5)
    tight = {"njmax": 1, "nconmax": 1}
    _, scene = running(
        DEVICE, cube=box("Cube", 1.0), options={**tight, "on_overflow": "raise"}
    )  # fmt: skip
    with pytest.raises(SimulationError, match="found no room"):
        play(scene, together)
    _, scene = running(DEVICE, cube=box("Cube", 1.0), options=tight)
    started = values(scene["cube"].data.root_link_pose_w)
    play(scene, together)
    assert len(graphs(scene)) == 1 and "From here on there is room" in caplog.text
    cube = scene["cube"]
    cube.write_root_pose_to_sim(started)
    cube.write_root_velocity_to_sim(np.zeros((WORLDS, 6)))
    late = play(scene, together)
    np.testing.assert_allclose(late["root_link_pose_w"], roomy["root_link_pose_w"], atol=1e-5)


def test_worlds_that_fail_are_said_and_the_others_go_on(folder):
    sim, scene = running(DEVICE, cube=box("Cube", 1.0))
    together(scene, 3)
    bad = values(scene["cube"].data.root_link_pose_w)
    bad[1, 0] = np.nan
    scene["cube"].write_root_pose_to_sim(wp.array(bad, dtype=wp.transformf))
    before = sim.current_time
    with pytest.raises(SimulationError) as caught:
        together(scene, 3)
    assert caught.value.worlds == (1,) or list(caught.value.worlds) == [1]
    assert sim.current_time == pytest.approx(before + DT)
    together(scene, 3)
    assert np.isfinite(values(scene["cube"].data.root_link_pose_w)).all()


def test_callbacks_before_steps_are_called(folder):
    sim, scene = running(DEVICE, cube=box("Cube", 1.0))
    together(scene, 3)
    assert len(graphs(scene)) == 1
    calls = []
    sim.add_physics_callback("count", calls.append)
    together(scene, 2)
    assert calls == [DT, DT]
    sim.remove_physics_callback("count")
    together(scene, 2)
    assert calls == [DT, DT]
    assert sim.current_time == pytest.approx(7 * DT)


def test_a_new_engine_gets_recordings_of_its_own(folder):
    sim, scene = running(DEVICE, cube=box("Cube", 1.0))
    together(scene, 3)
    first, old = scene._steps, weakref.ref(sim.engine)
    sim.reset()
    together(scene, 3)
    assert scene._steps is not first
    assert scene["cube"].data.time == pytest.approx(3 * DT)
    del first
    gc.collect()
    assert old() is None
    sim.stop()
    with pytest.raises(StageError, match="not started"):
        scene.simulate()


def test_two_engines_on_one_device_do_not_meet(folder):
    from usdsim.engine.create import create_engine

    sim, scene = running(DEVICE, cube=box("Cube", 1.0))
    together(scene, 3)
    other = create_engine(sim.engine.compiled, WORLDS, device=DEVICE)
    alone = []
    for _ in range(4):
        together(scene, 1)
        other.step(2)
        alone.append(np.array(other.read("qpos")))
    other.reset()
    for expected in alone:
        other.step(2)
        assert_repeated(other.read("qpos"), expected)
    kept = values(scene["cube"].data.root_link_pose_w)
    del other
    gc.collect()
    np.testing.assert_array_equal(values(scene["cube"].data.root_link_pose_w), kept)
    together(scene, 2)


def test_numbers_of_steps_that_are_refused(folder):
    sim, scene = running(DEVICE, cube=box("Cube", 1.0))
    for bad in (-1, 1.5, True, None):
        with pytest.raises(InvalidValueError, match="num_steps"):
            scene.simulate(bad)
    scene.simulate(0)
    assert sim.current_time == 0.0
    sim.pause()
    for _ in range(2):
        with pytest.raises(StageError, match="paused"):
            scene.simulate()
    sim.play()
    scene.simulate(2)
    assert sim.current_time == pytest.approx(2 * DT)


# -- nothing waits --------------------------------------------------------------------------------


@pytest.fixture
def transfers(monkeypatch):
    """Counts what goes between host and device, or makes the host wait for it."""
    seen: list[str] = []

    def watch(owner, name, counts=lambda *args, **kwargs: True):
        original = getattr(owner, name)

        def counted(*args, **kwargs):
            if counts(*args, **kwargs):
                seen.append(name)
            return original(*args, **kwargs)

        monkeypatch.setattr(owner, name, counted)

    watch(wp.array, "numpy")
    watch(wp.array, "assign")
    watch(wp.array, "__init__", lambda array, data=None, *args, **options: data is not None)
    for name in ("synchronize", "synchronize_device", "synchronize_stream", "to_torch"):
        watch(wp, name)
    return seen


@pytest.mark.parametrize("form", ["mask", "index"])
def test_a_whole_control_loop_waits_for_nothing(separate_memory, transfers, folder, form):
    sim, scene = running(
        DEVICE, robot=robot_cfg(folder), cube=box("Cube", 1.0), options={"check_interval": 0}
    )
    robot, cube = scene["robot"], scene["cube"]
    target = wp.full((WORLDS, JOINTS), 0.2, dtype=wp.float32)
    start = values(robot.data.default_root_state)
    start[:, :3] += scene.env_origins.numpy()
    whole = form == "mask"
    rows = [0, 1, 2] if whole else [2, 0]
    state = wp.array(start[rows], dtype=wp.float32)
    pose = wp.array(start[rows][:, :7], dtype=wp.transformf)
    force = wp.full((len(rows), 1, 3), 2.0, dtype=wp.float32)
    home = wp.clone(robot.data.default_joint_pos) if whole else wp.zeros((2, JOINTS), dtype=float)
    rest = wp.zeros((len(rows), JOINTS), dtype=wp.float32)
    mask = wp.array([True, False, True], dtype=wp.bool)
    ids = wp.array([2, 0], dtype=wp.int32)
    end = "_mask" if whole else "_index"
    which = {"env_mask": mask} if whole else {"env_ids": ids}

    def decide():
        robot.set_joint_position_target(target)
        composer = cube.instantaneous_wrench_composer
        getattr(composer, f"add_forces_and_torques{end}")(force, is_global=True, **which)
        scene.simulate(4)
        for name in TWELVE:
            getattr(robot.data, name)
        getattr(robot, f"write_root_state_to_sim{end}")(root_state=state, **which)
        getattr(cube, f"write_root_pose_to_sim{end}")(root_pose=pose, **which)
        getattr(robot, f"write_joint_position_to_sim{end}")(position=home, **which)
        getattr(robot, f"write_joint_velocity_to_sim{end}")(velocity=rest, **which)
        scene.reset(**which)
        for name in TWELVE:
            getattr(robot.data, name)

    for _ in range(3):
        decide()
    transfers.clear()
    for _ in range(3):
        decide()
    assert transfers == []
    robot.set_joint_position_target(0.2)  # from the host, to see that transfers are seen
    sim.engine.check()
    assert transfers == ["__init__", "numpy"]
    assert graphs(scene)
    np.testing.assert_allclose(
        values(robot.data.root_pos_w)[rows if not whole else [0, 2]],
        start[rows if not whole else [0, 2], :3],
        atol=1e-6,
    )


def test_sensors_in_a_control_loop_wait_for_nothing(separate_memory, transfers, folder):
    sensors = {
        "contact": ContactSensorCfg(prim_path="{ENV_REGEX_NS}/Cube", track_air_time=True),
        "imu": ImuCfg(prim_path="{ENV_REGEX_NS}/Robot/base"),
        "joints": JointWrenchSensorCfg(prim_path="{ENV_REGEX_NS}/Robot"),
    }
    options = {"check_interval": 0}
    entities = {"robot": robot_cfg(folder), "cube": box("Cube", 1.0), **sensors}
    _, scene = running(DEVICE, options=options, **entities)
    mask = wp.array([True, False, True], dtype=wp.bool)

    def decide():
        scene.simulate(4)
        forces, acceleration = scene["contact"].data.net_forces_w, scene["imu"].data.lin_acc_b
        scene.reset(env_mask=mask)
        return forces, acceleration, scene["joints"].data.force

    for _ in range(3):
        decide()
    transfers.clear()
    for _ in range(3):
        found = decide()
    assert transfers == []
    assert all(np.abs(values(array)).max() > 0.1 for array in found)
