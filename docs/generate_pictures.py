"""Takes the pictures of the shipped assets, the examples and the README, by ``make pictures``.

They are committed: a build of the documentation needs no renderer.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "docs"), str(ROOT)]

from example_pictures import GAP, PLOTS, RUNS, run_example, take_run  # noqa: E402

import usdsim  # noqa: E402
from usdsim.actuators import ImplicitActuatorCfg  # noqa: E402
from usdsim.assets import ArticulationCfg, AssetBaseCfg  # noqa: E402
from usdsim.cli.simulation.controls import gait_of, make_control  # noqa: E402
from usdsim.render.framing import VIEW_DIRECTION  # noqa: E402
from usdsim.sim import (  # noqa: E402
    InteractiveScene,
    InteractiveSceneCfg,
    Renderer,
    SimulationCfg,
    SimulationContext,
    look_at,
    write_png,
)
from usdsim.spawners import GroundPlaneCfg, UsdFileCfg  # noqa: E402

ASSETS = ROOT / "assets"
THUMBNAIL = (480, 360)
WIDE = (960, 340)
STEP = 4
"""Levels of brightness between two that are kept: no eye sees it, and files are a third smaller."""
COARSE_STEP = 8
"""Likewise for small pictures, of which there are several side by side."""
FINER = 2
"""Pictures are taken larger by this factor, and averaged: edges are smooth then."""


@dataclass
class Shot:
    """How one asset is shown."""

    file: str
    joints: Mapping[str, float] = field(default_factory=dict)
    """Positions by joint [m or rad]; the others are as authored or in the first keyframe."""
    direction: tuple[float, float, float] = VIEW_DIRECTION
    seconds: float = 0.0
    """Simulated before, with the controls of a gait if there is one."""


SHOTS = {
    "ant": Shot(
        "ant.xml",
        {
            "front_left_foot": 0.785,
            "front_right_foot": -0.785,
            "left_back_foot": -0.785,
            "right_back_foot": 0.785,
        },
        (-0.6, 0.6, -0.5),
    ),
    "arm7": Shot("arm7.xml", direction=(-0.35, 0.85, -0.3)),
    "hand": Shot(
        "hand.xml",
        {f"{finger}_joint_{i}": 0.6 for finger in ("index", "middle", "ring") for i in (1, 2, 3)}
        | {"thumb_joint_0": 0.9},
        (-0.8, 0.45, -0.25),
    ),
    "arm": Shot(
        "arm.urdf",
        {
            "shoulder_pan": -0.5,
            "shoulder_lift": 0.55,
            "elbow": 1.1,
            "wrist_pitch": 0.9,
            "grip": 0.035,
            "grip_mirror": 0.035,
        },
        (-0.35, 0.85, -0.3),
    ),
    "boxes": Shot("boxes.usda", direction=(-0.4, 0.85, -0.3)),
    "cartpole": Shot(
        "cartpole.usda", {"cart_to_pole": 0.35, "rail_to_cart": -0.4}, (-0.62, 0.65, -0.32)
    ),
    "finger": Shot("finger.xml", {"mcp": 0.35, "pip": 0.6, "dip": 0.45}, (-0.45, 0.8, -0.3)),
    "hexarotor": Shot("hexarotor.usda", direction=(-0.75, 0.4, -0.55)),
    "humanoid": Shot("humanoid.xml"),
    "pendulum": Shot("pendulum.usda", {"Hinge": 1.0472}, (-0.45, 0.8, -0.25)),
    "quadrotor": Shot("quadrotor.usda", direction=(-0.75, 0.4, -0.55)),
    "quadruped": Shot("scene.xml", seconds=1.58),
    "terrain": Shot("terrain.xml", direction=(-0.55, 0.55, -0.5)),
}


def take_thumbnail(name: str, shot: Shot) -> NDArray[np.uint8]:
    """The picture of one asset."""
    model = usdsim.load_model(ASSETS / name / shot.file)
    data = usdsim.SceneData(model, batch=(1,))
    if model.num_keyframes:
        model.keyframes[0].apply(data)
    for joint, position in shot.joints.items():
        model.get_joint(joint).set_dof_pos(data, [position])
    if shot.seconds:
        control = make_control("gait", model, data.actuator_ctrls[0], 1)
        timestep = float(model.low.opt.timestep)
        for step in range(round(shot.seconds / timestep)):
            data.actuator_ctrls = control(step * timestep)
            model.step(data)
    with Renderer(model, data, size=_finer(THUMBNAIL)) as renderer:
        return _averaged(renderer.render(renderer.frame(shot.direction)))


class TrottingCfg(InteractiveSceneCfg):
    """Quadrupeds on a floor, one in each environment."""

    ground = AssetBaseCfg(prim_path="/World/ground", spawn=GroundPlaneCfg(color=(0.50, 0.54, 0.60)))
    robot: ArticulationCfg = None  # type: ignore[assignment]


def take_environments() -> NDArray[np.uint8]:
    """Quadrupeds in 48 environments, each at another moment of its trot."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "quadruped.usda"
        usdsim.convert(ASSETS / "quadruped" / "quadruped.xml", file)
        cfg = TrottingCfg(num_envs=48, env_spacing=1.3)
        cfg.robot = ArticulationCfg(
            prim_path="{ENV_REGEX_NS}/Robot",
            spawn=UsdFileCfg(usd_path=str(file)),
            init_state=ArticulationCfg.InitialStateCfg(
                pos=(0.0, 0.0, 0.34), joint_pos={".*_hip_pitch": 0.8, ".*_knee": -1.6}
            ),
            actuators={
                "legs": ImplicitActuatorCfg(joint_names_expr=[".*"], stiffness=90.0, damping=2.5)
            },
        )
        with SimulationContext(SimulationCfg(dt=0.004)) as sim:
            scene = InteractiveScene(cfg)
            sim.reset()
            _trot(sim, scene, seconds=1.5)
            with Renderer(sim, world=range(scene.num_envs), size=_finer(WIDE)) as renderer:
                return _averaged(renderer.render(look_at((7.2, -3.6, 1.75), (1.0, 0.15, -0.12))))


def _trot(sim: SimulationContext, scene: InteractiveScene, seconds: float) -> None:
    """Let all robots trot as the shipped one does, out of step with each other."""
    robot = scene["robot"]
    model = usdsim.load_model(ASSETS / "quadruped" / "scene.xml")
    frequency, size, phase = gait_of(model)
    order = [robot.joint_names.index(actuator.name) for actuator in model.actuators]
    moment = np.random.default_rng(3).uniform(0.0, 2.0 * np.pi, (scene.num_envs, 1))
    target = robot.data.default_joint_pos.numpy().copy()
    home = target[:, order].copy()
    for step in range(round(seconds / sim.physics_dt)):
        now = step * sim.physics_dt
        angle = 2.0 * np.pi * frequency * now + phase + moment
        target[:, order] = home + min(1.0, 2.0 * now) * size * np.sin(angle)
        robot.set_joint_position_target(target)
        scene.write_data_to_sim()
        sim.step()
        scene.update(sim.physics_dt)


def take_example(name: str, folder: Path) -> NDArray[np.uint8]:
    """The moments of an example side by side."""
    pictures = [_averaged(picture, COARSE_STEP) for picture in take_run(name, folder, FINER)]
    gap = np.full((pictures[0].shape[0], GAP, 3), 255, np.uint8)
    return np.concatenate([part for picture in pictures for part in (gap, picture)][1:], axis=1)


def take_plot(name: str, folder: Path) -> NDArray[np.uint8]:
    """What an example has plotted."""
    from matplotlib.image import imread

    plot = imread(run_example(name, folder) / PLOTS[name])
    return np.round(255.0 * plot[..., :3]).astype(np.uint8)


def take_joint_plot(folder: Path) -> NDArray[np.uint8]:
    """What ``usdsim simulate --plot`` shows of the finger."""
    from matplotlib.image import imread

    plot = folder / "joints.png"
    asked = ["--seconds", "4", "--ctrl", "sine:0.9:0.5", "--plot", str(plot)]
    finger = "assets/finger/finger.xml"  # as it is in the title
    program = [sys.executable, "-m", "usdsim", "simulate"]
    subprocess.run([*program, finger, *asked], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return np.round(255.0 * imread(plot)[..., :3]).astype(np.uint8)


def _finer(size: tuple[int, int]) -> tuple[int, int]:
    return FINER * size[0], FINER * size[1]


def _averaged(image: NDArray[np.uint8], step: int = STEP) -> NDArray[np.uint8]:
    height, width = image.shape[0] // FINER, image.shape[1] // FINER
    blocks = image.reshape(height, FINER, width, FINER, 3)
    mean = blocks.mean(axis=(1, 3))
    return (step * np.round(mean / step)).clip(0, 255).astype(np.uint8)


def _takes(folder: Path) -> dict[Path, Callable[[], NDArray[np.uint8]]]:
    """What makes each picture; examples run in the folder."""
    images = ROOT / "docs" / "images"
    takes: dict[Path, Callable[[], NDArray[np.uint8]]] = {
        ASSETS / name / f"{name}.png": partial(take_thumbnail, name, shot)
        for name, shot in SHOTS.items()
    }
    for name in RUNS:
        takes[images / "examples" / f"{name}.png"] = partial(take_example, name, folder)
    for name in PLOTS:
        takes[images / "examples" / f"{name}_plot.png"] = partial(take_plot, name, folder)
    takes[images / "joints.png"] = partial(take_joint_plot, folder)
    takes[images / "environments.png"] = take_environments
    return takes


def main() -> None:
    """Write all pictures, or those whose names are on the command line."""
    with tempfile.TemporaryDirectory() as folder:
        for path, take in _takes(Path(folder)).items():
            if len(sys.argv) == 1 or path.stem in sys.argv[1:]:
                path.parent.mkdir(exist_ok=True)
                write_png(path, take())
                print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
