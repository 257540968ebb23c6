"""Inverse kinematics.

An arm reaches for points on a circle. All 64 points are solved for at once, a world each; then one
arm follows the circle with its drives, and the way its flange really took is compared with the one
it was asked for. Sites and links can be moved, to positions, orientations or both.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import usdsim
from usdsim.scene import InverseKinematics, PidActuator
from usdsim.sim import Recorder

ASSETS = Path(__file__).resolve().parent.parent / "assets"
OUT = Path("out/examples")
ARM = OUT / "arm.usda"

POINTS = 64
RADIUS = 0.12  # [m]
READY = [0.0, 0.5, 1.2, 0.0, 1.2, 0.0]  # [rad]


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    # URDF says nothing about drives, so the conversion gets stiff ones that are well damped.
    drive = usdsim.converters.JointDriveCfg(
        gains=usdsim.converters.NaturalFrequencyGainsCfg(natural_frequency=60.0, damping_ratio=1.0)
    )
    usdsim.convert(ASSETS / "arm" / "arm.urdf", ARM, joint_drive=drive)
    model = usdsim.load_model(ARM)
    flange = model.get_link("flange")
    solver = InverseKinematics(model, flange)
    names = [str(joint.name) for joint in solver.joints]

    data = usdsim.SceneData(model, batch=(POINTS,))
    for joint, angle in zip(solver.joints, READY, strict=True):
        joint.set_dof_pos(data, [angle])
    centre = flange.get_pose(data)[0]
    turn = np.linspace(0.0, 2.0 * np.pi, POINTS)
    target = np.repeat(centre[None], POINTS, axis=0)
    target[:, 1] += RADIUS * np.sin(turn)
    target[:, 2] += RADIUS * (np.cos(turn) - 1.0)

    found = solver.solve(data, target)
    print(f"joints {names}")
    print(f"{found.converged.sum()} of {POINTS} points reached")
    print(f"at most {1e3 * found.position_error.max():.3f} mm off, {found.iterations.max()} steps")

    data = usdsim.SceneData(model)
    for joint, angle in zip(solver.joints, found.dof_pos[0], strict=True):
        joint.set_dof_pos(data, [angle])
    drives = [a for a in map(model.get_actuator, names) if isinstance(a, PidActuator)]
    errors = []
    with Recorder(model.stage, model.description, OUT / "inverse_kinematics.usd") as recorder:
        for _ in range(2):
            for row in range(POINTS):
                for actuator, angle in zip(drives, found.dof_pos[row], strict=True):
                    actuator.set_targets(data, position=angle)
                for _ in range(25):
                    model.step(data)
                    recorder.record(data.time, model.get_link_poses(data))
                errors.append(np.linalg.norm(flange.get_position(data) - target[row, :3]))
    print(f"following the circle, the flange is {1e3 * np.mean(errors[POINTS:]):.1f} mm off")
    print(f"recorded {OUT / 'inverse_kinematics.usd'}")


if __name__ == "__main__":
    main()
