"""Configuration classes, rotations in torch, stage helpers and the launcher, piece by piece."""

from __future__ import annotations

import argparse
import dataclasses
import math

import numpy as np
import pytest

from usdsim.assets import ArticulationCfg
from usdsim.compat.app import AppLauncher
from usdsim.compat.configclass import configclass
from usdsim.compat.prims.finding import (
    find_matching_prim_paths,
    get_all_matching_child_prims,
    get_first_matching_child_prim,
)
from usdsim.compat.prims.making import create_prim
from usdsim.compat.refusals import MissingValuesError
from usdsim.compat.settings import PhysicsCfg
from usdsim.compat.stages import close_stage, create_new_stage, get_current_stage
from usdsim.core.errors import StageError
from usdsim.math import rotations as oracle
from usdsim.sim.surroundings import Surroundings
from usdsim.usd.stage import create_stage, use_stage
from usdsim.usd.xforms import world_pose

torch = pytest.importorskip("torch")
from usdsim.math import tensors as tm  # noqa: E402

GENERATOR = np.random.default_rng(3)
QUATS = GENERATOR.normal(size=(2, 50, 4))
QUATS /= np.linalg.norm(QUATS, axis=-1, keepdims=True)
VECTORS = GENERATOR.normal(size=(50, 3))
ZERO = torch.zeros(50, dtype=torch.float64)
A, B, V = torch.tensor(QUATS[0]), torch.tensor(QUATS[1]), torch.tensor(VECTORS)


def close(found, expected) -> None:
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-9)


def test_rotations_against_those_of_numpy():
    a, b = QUATS
    close(tm.quat_mul(A, B), oracle.quat_multiply(a, b))
    close(tm.quat_apply(A, V), oracle.quat_apply(a, VECTORS))
    close(tm.quat_apply_inverse(A, V), oracle.quat_apply(oracle.quat_conjugate(a), VECTORS))
    close(tm.matrix_from_quat(A), oracle.quat_to_matrix(a))
    close(tm.quat_inv(2.0 * A), oracle.quat_conjugate(a) / 2.0)
    close(
        tm.skew_symmetric_matrix(V) @ V.flip(0)[..., None],
        np.cross(VECTORS, VECTORS[::-1])[..., None],
    )


def test_angles_there_and_back():
    angles = torch.tensor(GENERATOR.uniform(-1.5, 1.5, (3, 50)))
    for found, expected in zip(
        tm.euler_xyz_from_quat(tm.quat_from_euler_xyz(*angles)), angles, strict=True
    ):
        close(found, expected)
    close(tm.axis_angle_from_quat(tm.quat_from_angle_axis(V.norm(dim=-1), V)), VECTORS)
    yaw = tm.quat_from_euler_xyz(ZERO, ZERO, angles[2])
    close(
        tm.yaw_quat(tm.quat_mul(yaw, tm.quat_from_euler_xyz(angles[0], angles[1], ZERO))),
        yaw,
    )
    close(tm.quat_error_magnitude(A, -A), 0.0)
    close(
        tm.wrap_to_pi(torch.tensor([3 * math.pi, -3 * math.pi, 7.0], dtype=torch.float64)),
        [math.pi, -math.pi, 7.0 - 2 * math.pi],
    )


def test_frames_there_and_back():
    shift = V.flip(0)
    pos, quat = tm.combine_frame_transforms(V, A, shift, B)
    back = tm.subtract_frame_transforms(V, A, pos, quat)
    close(back[0], shift)
    close(tm.quat_box_minus(back[1], B), 0.0)
    moved, turn = tm.compute_pose_error(V, A, pos, quat)
    close(V + moved, pos)
    close(
        tm.quat_error_magnitude(
            tm.quat_mul(tm.quat_from_angle_axis(turn.norm(dim=-1), turn), A), quat
        ),
        0.0,
    )
    close(
        tm.transform_points(V, V[:2], A[:2])[1],
        oracle.quat_apply(QUATS[0, 1], VECTORS) + VECTORS[1],
    )


def test_samples_are_where_they_belong():
    points = tm.sample_cylinder(0.5, (1.0, 2.0), 200, "cpu")
    np.testing.assert_allclose(points[:, :2].norm(dim=1), 0.5, rtol=1e-5)
    assert 1.0 <= points[:, 2].min() < 1.2 and 1.8 < points[:, 2].max() <= 2.0
    logs = tm.sample_log_uniform(1e-3, 1e3, 2000, "cpu").log10()
    assert abs(logs.mean()) < 0.3 and logs.min() < -2.5 and logs.max() > 2.5
    np.testing.assert_allclose(tm.random_orientation(20, "cpu").norm(dim=-1), 1.0, rtol=1e-5)
    np.testing.assert_allclose(tm.random_yaw_orientation(20, "cpu")[:, :2], 0.0)


def test_configurations_share_nothing():
    @configclass
    class Inner:
        numbers: list = [1, 2]  # noqa: RUF012

    @configclass
    class Outer:
        inner: Inner = Inner()
        name: str = dataclasses.MISSING
        gain = 2.0

        def doubled(self):
            return 2.0 * self.gain

    one, two = Outer(name="a"), Outer()
    one.inner.numbers.append(3)
    assert two.inner.numbers == [1, 2] and one.doubled() == 4.0
    changed = one.replace(gain=5.0)
    assert (changed.gain, one.gain, changed.inner.numbers) == (5.0, 2.0, [1, 2, 3])
    assert one.to_dict()["inner"] == {"numbers": [1, 2, 3]}
    one.validate()
    with pytest.raises(MissingValuesError, match=r"Outer.*\n.*name"):
        two.validate()


@pytest.mark.parametrize("base", [object, ArticulationCfg, PhysicsCfg])
def test_configurations_complete_their_values_one_after_the_other(base):
    @configclass
    class Plain(base):
        gain: float = 2.0

    @configclass
    class Robot(Plain):
        def __post_init__(self):
            super().__post_init__()
            self.gain = 3.0

    assert (Plain().gain, Robot().gain) == (2.0, 3.0)


def test_prims_are_made_and_found():
    stage = create_new_stage()
    create_prim("/World/A", translation=(1.0, 2.0, 3.0), orientation=(0.0, 0.0, 1.0, 0.0))
    inner = create_prim("/World/A/Box", "Cube", position=(5.0, 5.0, 5.0))
    close(world_pose(inner)[0].pos, (5.0, 5.0, 5.0))
    create_prim("/World/B/Box", "Cube")
    assert find_matching_prim_paths("/World/.*/Box") == ["/World/A/Box", "/World/B/Box"]
    cubes = get_all_matching_child_prims("/World", lambda prim: prim.GetTypeName() == "Cube")
    assert [prim.GetName() for prim in cubes] == ["Box", "Box"]
    assert not get_all_matching_child_prims("/World", lambda p: p.GetTypeName() == "Cube", depth=1)
    assert get_first_matching_child_prim("/World/B").GetPath() == "/World/B"
    with pytest.raises(StageError, match="already"):
        create_prim("/World/A", stage=stage)
    with use_stage(create_stage()):
        assert get_current_stage() is not stage
    with use_stage(create_stage()):
        another = create_new_stage()
    assert get_current_stage() is another
    close_stage()
    with pytest.raises(StageError, match="no current stage"):
        get_current_stage()


def test_the_launcher_takes_its_options(monkeypatch):
    parser = argparse.ArgumentParser()
    parser.add_argument("--headless", action="store_true")
    AppLauncher.add_app_launcher_args(parser)
    options = ["--headless", "--device", "cpu", "--frames", "3", "--enable_cameras"]
    given = parser.parse_args(options)
    assert not (given.deterministic or given.xr) and given.max_visible_envs is None
    launcher = AppLauncher(given)
    turns = 0
    while launcher.app.is_running():
        launcher.app.update()
        turns += 1
    assert (turns, launcher.device) == (3, "cpu")
    app = AppLauncher(headless=True).app
    assert app.is_running()
    app.close()
    assert not app.is_running() and app.is_exiting()
    monkeypatch.setattr("sys.argv", ["program.py", "--num_envs", "2", "--frames", "1"])
    app = AppLauncher(headless=True).app
    assert [app.is_running(), app.is_running()] == [True, False]


def test_surroundings_of_a_simulation():
    class Clock:
        cfg = argparse.Namespace(render_interval=4)

        def get_physics_dt(self):
            return 0.01

    clock = Surroundings(Clock())
    assert clock.get_rendering_dt() == pytest.approx(0.04)
    assert clock.camera_view is None and clock.get_setting("/a") is None
    clock.set_setting("/a", 3)
    clock.set_camera_view((1.0, 2.0, 3.0), (0.0, 0.0, 0.0))
    assert clock.get_setting("/a") == 3 and clock.camera_view[0] == (1.0, 2.0, 3.0)
    assert not clock.has_gui and not clock.is_rendering
