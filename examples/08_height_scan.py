"""Height scan.

A ray caster looks down from a probe that flies over hills and stairs, as a legged robot's height
scan does. The pattern follows the probe's heading only, so tilting does not bend the scan. The
terrain is a height field that all environments share; each environment's probe flies along a line
of its own. With matplotlib installed, what they saw becomes a map.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

import usdsim
from usdsim.assets import AssetBaseCfg, RigidObjectCfg
from usdsim.schemas import RigidBodyBaseCfg
from usdsim.sensors import RayCasterCfg
from usdsim.sensors.patterns import GridPatternCfg
from usdsim.sim import InteractiveScene, InteractiveSceneCfg, SimulationCfg, SimulationContext
from usdsim.spawners import SphereCfg, UsdFileCfg

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")
TERRAIN = OUT / "terrain.usda"

NUM_ENVS = 4
HEIGHT = 2.0  # of the probes [m]
LINE = np.linspace(-7.0, 7.0, 57)  # x of the probes [m]


class SceneCfg(InteractiveSceneCfg):
    """One terrain for all; in every environment a probe that looks down."""

    terrain = AssetBaseCfg(prim_path="/World/terrain", spawn=UsdFileCfg(usd_path=TERRAIN))
    probe = RigidObjectCfg(
        prim_path="{ENV_REGEX_NS}/Probe",
        spawn=SphereCfg(radius=0.1, rigid_props=RigidBodyBaseCfg(kinematic_enabled=True)),
    )
    scan = RayCasterCfg(
        prim_path="{ENV_REGEX_NS}/Probe",
        mesh_prim_paths=["/World/terrain"],
        ray_alignment="yaw",
        pattern_cfg=GridPatternCfg(size=(0.0, 2.0), resolution=0.25),
    )


def plot(points: np.ndarray) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        print("for a map: pip install 'usdsim[plot]'")
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.add_subplot(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    shown = axes.scatter(points[:, 0], points[:, 1], c=points[:, 2], s=14, marker="s")
    figure.colorbar(shown, label="height [m]")
    figure.savefig(OUT / "height_scan.png")
    print(f"plotted {OUT / 'height_scan.png'}")


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    usdsim.convert(ASSETS / "terrain" / "terrain.xml", TERRAIN)

    with SimulationContext(SimulationCfg(dt=0.02)) as sim:
        scene = InteractiveScene(SceneCfg(num_envs=NUM_ENVS, env_spacing=0.0))
        sim.reset()
        probe, scan = scene["probe"], scene["scan"]
        poses = np.zeros((NUM_ENVS, 7))
        poses[:, 1] = np.linspace(-3.0, 3.0, NUM_ENVS)
        poses[:, 2] = HEIGHT
        poses[:, 3:] = [0.0, np.sin(0.1), 0.0, np.cos(0.1)]  # tilted forward by 0.2 rad

        seen = []
        with sim.recorder(OUT / "height_scan.usd") as recorder:
            for x in LINE:
                poses[:, 0] = x
                probe.write_root_pose_to_sim(poses)
                sim.step()
                scene.update(sim.physics_dt)
                seen.append(scan.data.ray_hits_w.numpy().copy())
                recorder.record()

    hits = np.stack(seen)  # (positions, environments, rays, 3)
    profile = hits[:, 1, hits.shape[2] // 2, 2]
    for place in range(0, len(LINE), 5):
        print(f"x {LINE[place]:5.1f} m: height {profile[place]:.3f} m")
    plot(hits.reshape(-1, 3))
    print(f"recorded {OUT / 'height_scan.usd'}")


if __name__ == "__main__":
    main()
