"""Tendon-driven finger.

Three phalanges, one tendon, springs that straighten them. The tendon's pull differs from world to
world, so one batch gives the finger's whole characteristic: how far it bends over the force. Then
the springs are varied at a constant pull, by an override per world: the model stays as it is. One
grasp is recorded; with matplotlib installed, the characteristic is plotted.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np

import usdsim
from usdsim.sim import Recorder

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")
JOINTS = ("mcp", "pip", "dip")


def settled(model: usdsim.SceneModel, data: usdsim.SceneData) -> np.ndarray:
    """Joint angles after two seconds [rad], shape (worlds, 3)."""
    model.step_n(data, 1000)
    return np.stack([model.get_joint(name).get_dof_pos(data)[:, 0] for name in JOINTS], axis=1)


def plot(force: np.ndarray, angles: np.ndarray) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        print("for a plot: pip install 'usdsim[plot]'")
        return
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 3.5), layout="constrained")
    axes = figure.add_subplot(xlabel="tendon force [N]", ylabel="joint angle [rad]")
    axes.plot(force, angles, label=JOINTS)
    axes.legend()
    figure.savefig(OUT / "finger.png")
    print(f"plotted {OUT / 'finger.png'}")


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    model = usdsim.load_model(ASSETS / "finger" / "finger.xml")

    force = np.linspace(0.0, 8.0, 33)
    data = usdsim.SceneData(model, batch=(len(force),))
    data.actuator_ctrls = force[:, None]
    angles = settled(model, data)
    length = model.get_tendon("flexor").get_length(data)
    for row in range(0, len(force), 8):
        print(f"{force[row]:3.0f} N: {np.round(angles[row], 2)} rad, tendon {length[row]:.3f} m")
    plot(force, angles)

    data = usdsim.SceneData(model, batch=(3,))
    for name in JOINTS:
        joint = model.get_joint(name)
        joint.set_stiffness_override(data, joint.get_stiffness_override(data) * [0.5, 1.0, 2.0])
    data.actuator_ctrls = [3.0]
    print(f"3 N with half, equal and double springs: {settled(model, data).sum(axis=1)} rad")

    data = usdsim.SceneData(model)
    with Recorder(model.stage, model.description, OUT / "finger.usd") as recorder:
        while data.time < 4.0:
            data.actuator_ctrls = [4.0 * (1.0 - np.cos(np.pi * data.time))]
            model.step(data)
            recorder.record(data.time, model.get_link_poses(data))
    print(f"recorded {OUT / 'finger.usd'}")


if __name__ == "__main__":
    main()
