"""Steps between which nothing changes are one call on the CPU, with the bits of single steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from articulation_stages import values
from asset_stages import cuboid

from usdsim.actuators import (
    DelayedImplicitActuatorCfg,
    IdealPDActuatorCfg,
    ImplicitActuatorCfg,
)
from usdsim.assets import Articulation, ArticulationCfg, AssetBaseCfg, RigidObjectCfg
from usdsim.converters import convert
from usdsim.core.errors import SimulationError
from usdsim.engine.cpu import groups
from usdsim.sensors import ContactSensorCfg, ImuCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg

pytestmark = pytest.mark.usefixtures("simulation_ends")

WORLDS, STEPS, DT = 3, 4, 0.004
ROBOT = """
<mujoco><worldbody><body name="base" pos="0 0 .5"><freejoint/><geom size=".1" mass="2"/>
  <body name="upper" pos=".1 0 0"><joint name="shoulder" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .2 0 0" size=".03" mass=".5"/>
    <body name="lower" pos=".2 0 0"><joint name="elbow" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 .2 0 0" size=".03" mass=".5"/></body></body>
</body></worldbody></mujoco>
"""
GAINS: dict[str, Any] = {"joint_names_expr": [".*"], "stiffness": 12.0, "damping": 0.8}
READ = (
    "joint_pos", "joint_vel", "joint_acc", "applied_torque", "computed_torque", "body_link_pose_w",
    "body_com_vel_w", "body_com_acc_w",
)  # fmt: skip


class Redefined(Articulation):
    """Does something of its own before each step."""

    def write_data_to_sim(self) -> None:
        super().write_data_to_sim()


@pytest.fixture(scope="module")
def robot_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robot")
    (folder / "robot.xml").write_text(ROBOT)
    convert(folder / "robot.xml", folder / "robot.usda")
    return folder / "robot.usda"


def running(
    file: Path,
    actuator: Any = None,
    kind: Any = Articulation,
    on_failure: Any = "raise",
    **more: Any,
) -> tuple[SimulationContext, InteractiveScene]:
    """A robot and a box above the ground in each world, and sensors."""
    SimulationContext.clear_instance()
    cfg = InteractiveSceneCfg(num_envs=WORLDS, env_spacing=4.0)
    cfg.ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    cfg.robot = ArticulationCfg(
        class_type=kind,
        prim_path="{ENV_REGEX_NS}/Robot",
        spawn=UsdFileCfg(usd_path=str(file)),
        init_state=ArticulationCfg.InitialStateCfg(pos=(0.0, 0.0, 0.2)),
        actuators={"all": actuator or ImplicitActuatorCfg(**GAINS)},
    )
    cfg.box = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Box",
        spawn=cuboid((0.2, 0.2, 0.2), 1.0),
        init_state=RigidObjectCfg.InitialStateCfg(pos=(0.0, 1.0, 0.12)),
    )
    for name, entity in more.items():
        setattr(cfg, name, entity)
    sim = SimulationContext(SimulationCfg(device="cpu", dt=DT, threads=1, on_failure=on_failure))
    scene = InteractiveScene(cfg)
    sim.reset()
    return sim, scene


def imu(**options: Any) -> ImuCfg:
    return ImuCfg(prim_path="{ENV_REGEX_NS}/Robot/base", **options)


def calls(sim: SimulationContext, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of steps that MuJoCo is asked for at a time from now on."""
    made: list[int] = []
    batch = sim.engine.batch
    for name in ("step", "advance"):
        step = getattr(batch, name)
        monkeypatch.setattr(
            batch, name, lambda ids, n, *rest, step=step: made.append(n) or step(ids, n, *rest)
        )
    return made


def decisions(scene: InteractiveScene, advance: Any) -> dict[str, np.ndarray]:
    """What is read after each of some decisions, targets and resets between them."""
    rng = np.random.default_rng(1)
    robot, found = scene["robot"], {}
    for k in range(6):
        targets = rng.uniform(-1.0, 1.0, (WORLDS, 2)).astype(np.float32)
        robot.set_joint_position_target(targets)
        robot.set_joint_effort_target(0.1 * targets)
        if k == 3:
            robot.write_joint_state_to_sim(targets[:1], targets[:1], env_ids=[1])
        advance(scene)
        found |= {f"{name} {k}": values(getattr(robot.data, name)) for name in READ}
        found[f"box {k}"] = values(scene["box"].data.root_link_pose_w)
        found[f"imu {k}"] = values(scene["imu"].data.lin_acc_b)
        found[f"time {k}"] = np.array(SimulationContext.instance().engine.time)
    found["clock"] = np.array([SimulationContext.instance().current_time, robot.data.time])
    return found


def singly(scene: InteractiveScene) -> None:
    for _ in range(STEPS):
        scene.write_data_to_sim()
        SimulationContext.instance().step()
        scene.update(DT)


def test_a_period_has_the_bits_of_its_steps(robot_file, monkeypatch):
    _, scene = running(robot_file, imu=imu())
    wanted = decisions(scene, singly)
    sim, scene = running(robot_file, imu=imu())
    made = calls(sim, monkeypatch)
    got = decisions(scene, lambda scene: scene.simulate(STEPS))
    assert made == [STEPS - 1, 1] * 6
    assert wanted.keys() == got.keys()
    for name, expected in wanted.items():
        np.testing.assert_array_equal(got[name], expected, err_msg=name)


STIFF = {"stiffness": 40.0, "damping": 8.0, "effort_limit_sim": 4.0}
LIMITED = {
    "stiff": STIFF,
    "slow": {"velocity_limit_sim": 6.0},
    "both": {**STIFF, "velocity_limit_sim": 3.0},
}


@pytest.mark.parametrize("together", [1, 2, 32])
@pytest.mark.parametrize("name", LIMITED)
def test_worlds_at_limits_wait_for_each_other_without_a_trace(
    robot_file, monkeypatch, name, together
):
    monkeypatch.setattr(groups, "TOGETHER", together)
    actuator = ImplicitActuatorCfg(**GAINS | LIMITED[name])
    _, scene = running(robot_file, actuator, imu=imu())
    wanted = decisions(scene, singly)
    _, scene = running(robot_file, actuator, imu=imu())
    got = decisions(scene, lambda scene: scene.simulate(STEPS))
    for key, expected in wanted.items():
        np.testing.assert_array_equal(got[key], expected, err_msg=key)
    # Some are at a limit and some are not, or this would compare too little.
    for row, what in (("joint_vel", "velocity_limit_sim"), ("applied_torque", "effort_limit_sim")):
        if what in LIMITED[name]:
            sizes = np.stack([np.abs(wanted[f"{row} {k}"]) for k in range(6)])
            at = np.isclose(sizes, LIMITED[name][what], rtol=1e-6)
            assert at.any() and not at.all()


OTHERS = {
    "delayed": {"actuator": DelayedImplicitActuatorCfg(min_delay=1, max_delay=1, **GAINS)},
    "explicit": {"actuator": IdealPDActuatorCfg(effort_limit=9.0, **GAINS)},
    "redefined": {"kind": Redefined},
    "history": {"imu": imu(history_length=2)},
    "period": {"imu": imu(update_period=2 * DT)},
    "air time": {
        "contact": ContactSensorCfg(prim_path="{ENV_REGEX_NS}/Robot/.*", track_air_time=True)
    },
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_acts_or_looks_between_steps_gets_every_step(robot_file, monkeypatch, name):
    sim, scene = running(robot_file, **OTHERS[name])
    made = calls(sim, monkeypatch)
    scene.simulate(STEPS)
    assert made == [1] * STEPS


def test_wrenches_and_callbacks_get_every_step_while_they_last(robot_file, monkeypatch):
    sim, scene = running(robot_file)
    made = calls(sim, monkeypatch)
    seen = []
    sim.add_physics_callback("look", seen.append)
    scene.simulate(STEPS)
    sim.remove_physics_callback("look")
    assert (made, len(seen)) == ([1] * STEPS, STEPS)
    force = np.full((WORLDS, 1, 3), 2.0, np.float32)
    scene["box"].set_external_force_and_torque(force, 0.0 * force)
    made.clear()
    scene.simulate(STEPS)
    assert made == [1] * STEPS
    scene["box"].set_external_force_and_torque(0.0 * force, 0.0 * force)
    scene.simulate(1)
    made.clear()
    scene.simulate(STEPS)
    assert made == [STEPS - 1, 1]


def test_worlds_that_fail_do_not_keep_the_others_from_their_steps(robot_file):
    sim, scene = running(robot_file)
    fast = np.full((1, 6), 1e12, np.float32)
    scene["box"].write_root_velocity_to_sim(fast, env_ids=[1])
    with pytest.raises(SimulationError) as info:
        scene.simulate(STEPS)
    assert set(info.value.worlds) == {1}
    np.testing.assert_allclose(np.asarray(sim.engine.time)[[0, 2]], STEPS * DT)
    assert sim.current_time == pytest.approx(STEPS * DT)
