"""Random sequences of writes, steps, resets and reads: data are current and worlds apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from asset_stages import cuboid
from device_under_test import CLOSE

from usdsim.actuators import ImplicitActuatorCfg
from usdsim.assets import (
    ArticulationCfg,
    AssetBaseCfg,
    RigidObjectCfg,
    RigidObjectCollectionCfg,
)
from usdsim.converters import convert
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg
from usdsim.views import FIELDS, Quantity
from usdsim.views.binding import WRITERS

pytestmark = pytest.mark.usefixtures("device", "simulation_ends")

ROBOT = """
<mujoco><compiler angle="radian"/><worldbody><body name="base" pos="0 0 .5"><freejoint/>
  <geom size=".1" mass="2"/>
  <body name="upper" pos=".2 0 0">
    <joint name="swing" type="hinge" axis="0 1 0" range="-2 2" stiffness="1"/>
    <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass="1"/><site name="from" pos=".1 0 0"/>
    <body name="lower" pos=".2 0 0"><joint name="slide" type="slide" axis="1 0 0" range="-.5 .5"/>
      <geom size=".03" mass=".5"/><site name="to"/></body></body>
  <body name="tail" pos="-.2 0 0"><joint name="ball" type="ball"/>
    <geom type="capsule" fromto="0 0 0 -.2 0 0" size=".02" mass=".5"/></body>
</body></worldbody><tendon>
  <fixed name="both" stiffness="2" damping=".1" range="-3 3">
    <joint joint="swing" coef="1"/><joint joint="slide" coef=".5"/></fixed>
  <spatial name="cord" stiffness="3" damping=".2"><site site="from"/><site site="to"/></spatial>
</tendon></mujoco>"""
WORLDS = 3
EACH = {"robots": 2, "cube": 1, "lift": 1, "pair": 1}
"""Assets and their instances in each world."""
STATE = ("time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "xfrc_applied")
# Dynamic friction alone may be refused; centres of mass decide for all worlds at once which bodies
# the engine treats as simple, which rounds differently.
LEFT_OUT = ("joint_dynamic_friction_coefficient", "coms")

Step = Callable[[InteractiveScene, "int | None"], None]
"""Does something to all worlds of a scene, or in a scene of one world what it does to that one."""


@pytest.fixture(scope="module")
def robot(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("robot")
    (folder / "robot.xml").write_text(ROBOT)
    convert(folder / "robot.xml", folder / "robot.usda")
    return str(folder / "robot.usda")


def running(robot: str, num_envs: int, **values: Any) -> InteractiveScene:
    """Two robots, a box, one moved by hand, and one of both: worlds all at the same place."""

    def box(name: str, x: float, kinematic: bool = False) -> RigidObjectCfg:
        return RigidObjectCfg(
            prim_path=f"{{ENV_REGEX_NS}}/{name}",
            spawn=cuboid((0.2, 0.2, 0.2), 1.0, kinematic=kinematic or None),
            init_state=RigidObjectCfg.InitialStateCfg(pos=(x, 0.0, 0.4)),
        )

    SimulationContext.clear_instance()
    cfg = InteractiveSceneCfg(num_envs=num_envs, env_spacing=0.0)
    cfg.ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg())
    for i in range(EACH["robots"]):
        start = AssetBaseCfg.InitialStateCfg(pos=(0.0, float(i), 0.0))
        path = f"{{ENV_REGEX_NS}}/Robot_{i}"
        spawn = UsdFileCfg(usd_path=robot)
        setattr(cfg, f"r{i}", AssetBaseCfg(prim_path=path, spawn=spawn, init_state=start))
    drives = ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=5.0, damping=0.5)
    cfg.robots = ArticulationCfg(prim_path="{ENV_REGEX_NS}/Robot_.*", actuators={"all": drives})
    cfg.cube, cfg.lift = box("Cube", 1.0), box("Lift", 1.5, kinematic=True)
    cfg.pair = RigidObjectCollectionCfg(
        rigid_objects={"a": box("A", -1.0), "b": box("B", -1.5, kinematic=True)}
    )
    sim = SimulationContext(SimulationCfg(dt=0.002, threads=1, **values))
    scene = InteractiveScene(cfg)
    sim.reset()
    return scene


def quantities(asset: Any) -> list[str]:
    kind = type(asset.data)
    return [name for name in dir(kind) if isinstance(getattr(kind, name, None), Quantity)]


def rows_of(name: str, asset: Any) -> list[str]:
    """Rows of the field table that the asset's writers write here."""
    found = {
        writer.row.name
        for writer in WRITERS
        if getattr(getattr(type(asset), writer.name, None), "__qualname__", "")
        == f"{writer.owner}.{writer.name}"
        and getattr(asset.root_view.layout, f"{writer.row.axis.shape}_names")
    }
    held = name in ("lift", "pair")
    return sorted(
        row
        for row in found
        if row not in LEFT_OUT
        and row != "material_properties"
        and not (held and ("velocity" in row or "state" in row))
    )


def sample(row: str, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    values = rng.uniform(0.3, 0.6, shape).astype(np.float32)
    if FIELDS[row].tail in ((7,), (13,)):
        quat = rng.normal(size=(*shape[:-1], 4))
        values[..., 3:7] = quat / np.linalg.norm(quat, axis=-1, keepdims=True)
    if row == "inertias":
        values[:] = np.diag([0.02, 0.03, 0.04]).reshape(9)
        values *= rng.uniform(0.9, 1.1, (*shape[:-1], 1)).astype(np.float32)
    if row.endswith("position_limit"):
        values[..., 0] -= 2.0
    return values


def some(rng: np.random.Generator, count: int) -> np.ndarray:
    return rng.permutation(count)[: rng.integers(1, count + 1)]


def instances(name: str, worlds: np.ndarray) -> np.ndarray:
    return (worlds[:, None] * EACH[name] + np.arange(EACH[name])).ravel()


def random_step(scene: InteractiveScene, rng: np.random.Generator) -> Step:
    kind = rng.choice(["write"] * 5 + ["step"] * 2 + ["reset", "command", "push"])
    name = str(rng.choice(list(EACH)))
    asset, worlds = scene[name], some(rng, WORLDS)
    if kind == "write":
        row = str(rng.choice(rows_of(name, asset)))
        axis = FIELDS[row].axis
        count = len(getattr(asset.root_view.layout, f"{axis.shape}_names"))
        ids = some(rng, count) if axis.ids else np.arange(count)
        size = (WORLDS * EACH[name], len(ids), *FIELDS[row].tail)
        values = sample(row, size, rng)

        def write(scene: InteractiveScene, world: int | None) -> None:
            chosen = worlds if world is None else worlds[worlds == world]
            at = instances(name, chosen if world is None else np.zeros_like(chosen))
            columns = ids if axis.ids else None
            scene[name].root_view.write(row, values[instances(name, chosen)], at, columns)

        return write
    if kind == "step":
        count = int(rng.integers(1, 4))
        return lambda scene, world: SimulationContext.instance().engine.step(count)
    if kind == "command":
        return lambda scene, world: scene.write_data_to_sim()
    force = rng.normal(size=3)

    def act(scene: InteractiveScene, world: int | None) -> None:
        chosen = worlds if world is None else np.zeros(int(world in worlds), int)
        if kind == "reset":
            scene.reset(chosen)
        else:
            robots = scene["robots"]
            robots.set_external_force_and_torque(
                *np.broadcast_to(force, (2, len(chosen) * EACH["robots"], robots.num_bodies, 3)),
                env_ids=instances("robots", chosen),
            )

    return act


def plan(scene: InteractiveScene, seed: int, count: int = 40) -> list[Step]:
    rng = np.random.default_rng(seed)
    return [random_step(scene, rng) for _ in range(count)]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_read_is_what_a_new_window_reads(robot, seed):
    scene = running(robot, WORLDS)
    for i, step in enumerate(plan(scene, seed)):
        step(scene, None)
        if i % 4:
            continue
        for name in EACH:
            asset = scene[name]
            window = asset._window(SimulationContext.instance(), asset.root_view.layout)
            window.buffers = asset.root_view.buffers
            window.constants = asset.root_view.constants
            other = object.__new__(type(asset.data))
            other.__dict__.update(asset.data.__dict__, _view=window)
            for quantity in quantities(asset):
                found, expected = (getattr(d, quantity).numpy() for d in (asset.data, other))
                np.testing.assert_array_equal(found, expected, err_msg=f"{name}.{quantity}")


@pytest.mark.parametrize("seed", range(3))
def test_worlds_are_apart_and_reading_changes_nothing(robot, seed, device):
    """A world does what it does alone, whoever looks; on the CPU to the last bit."""
    bound = 0.0 if device == "cpu" else 10 * CLOSE
    scene = running(robot, WORLDS)
    steps = plan(scene, seed)
    for step in steps:
        step(scene, None)
        for name in EACH:
            for quantity in quantities(scene[name])[seed::7]:
                getattr(scene[name].data, quantity).numpy()
    engine = SimulationContext.instance().engine
    state = {field: np.array(engine.state(field)) for field in STATE}
    read = {
        (name, quantity): np.array(getattr(scene[name].data, quantity).numpy())
        for name in EACH
        for quantity in quantities(scene[name])
    }
    for world in range(WORLDS):
        alone = running(robot, 1)
        for step in steps:
            step(alone, world)
        engine = SimulationContext.instance().engine
        for field, expected in state.items():
            found, wanted = engine.state(field)[0], expected[world]
            loose = bound * max(1.0, np.abs(wanted).max(initial=0.0))
            np.testing.assert_allclose(found, wanted, bound, loose, err_msg=field)
        for (name, quantity), expected in read.items():
            found = getattr(alone[name].data, quantity).numpy()
            wanted = expected[instances(name, np.array([world]))]
            # A force that is a little different is an acceleration that differs more.
            scale = 100.0 if "acc" in quantity or "wrench" in quantity else 1.0
            loose = bound * max(scale, np.abs(wanted[np.isfinite(wanted)]).max(initial=0.0))
            np.testing.assert_allclose(found, wanted, bound, loose, err_msg=f"{name}.{quantity}")
