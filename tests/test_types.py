"""What a type checker says of a user's program."""

import subprocess
import sys

import pytest

PROGRAM = """
import usdsim
from usdsim.assets import Articulation
from usdsim.sensors import ContactSensor, Imu
from usdsim.sim import InteractiveScene

def observe(robot: Articulation, feet: ContactSensor, imu: Imu, scene: InteractiveScene) -> None:
    away = robot.data.joint_pos - robot.data.default_joint_pos
    away = -robot.data.joint_vel[:, 0] + 0.5 * robot.data.joint_pos.norm(dim=-1)
    tensor = robot.data.root_pos_w.torch + scene.env_origins.torch
    tensor = feet.data.net_forces_w.torch, imu.data.lin_acc_b.numpy()
    reached = (robot.data.joint_limits > 0.5).any()

def step(model: usdsim.SceneModel, data: usdsim.SceneData) -> None:
    data.actuator_ctrls = 0.1 * data.actuator_ctrls
    model.step_n(data, 4)
    height = model.get_link("trunk").get_position(data)[..., 2].mean()

def wrong(robot: Articulation, model: usdsim.SceneModel) -> None:
    robot.data.joint_poss  # error
    robot.write_joint_to_sim(0.0)  # error
    model.get_lnk("trunk")  # error
"""


@pytest.mark.nightly
def test_a_users_program_has_the_errors_it_has(tmp_path):
    pytest.importorskip("mypy")
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    # Without the settings of the project, which take arrays of Warp for anything.
    command = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent"]
    found = subprocess.run(
        [*command, "--ignore-missing-imports", str(file)], capture_output=True, text=True
    )
    lines = PROGRAM.splitlines()
    expected = [f"program.py:{i + 1}: error" for i, line in enumerate(lines) if "# error" in line]
    errors = [line for line in found.stdout.splitlines() if ": error:" in line]
    assert len(errors) == len(expected), found.stdout
    assert all(want in error for want, error in zip(expected, errors, strict=True)), found.stdout
