"""Worlds that rays are cast in follow every parameter of the engine's that moves shapes."""

from __future__ import annotations

import numpy as np
import pytest

from usdsim.core.errors import StageError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.math.rotations import quat_from_axis_angle
from usdsim.math.transforms import Pose
from usdsim.parser.description import BodyDescription, GeomDescription, SceneDescription
from usdsim.sensors.rays.scene import RayScene, find_targets, target_geoms

PLACE = Pose(np.array([0.5, 0.0, 0.0]), quat_from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.5))


@pytest.fixture
def engine():
    """Two worlds of a body whose box lies in its inertial frame, on which the engine relies."""
    at = Pose(np.array([0.0, 0.0, 1.0]))
    scene = SceneDescription(
        bodies=(
            BodyDescription(
                path="/body",
                mass=1.0,
                rest_pose=at,
                initial_pose_w=at,
                com=PLACE.pos,
                inertia=np.array([0.01, 0.02, 0.025]),
                inertia_quat=PLACE.quat,
            ),
        ),
        geoms=(
            GeomDescription(path="/body/box", body=0, kind="box", size=np.full(3, 0.1), pose=PLACE),
        ),
    )
    return CpuEngine(compile_scene(scene), 2)


def heights(rays):
    """Height at which a vertical ray through each box meets it [m]."""
    starts = np.zeros((2, 1, 3))
    starts[:, 0] = [0.5, 0.0, 5.0]
    down = np.broadcast_to([0.0, 0.0, -1.0], starts.shape)
    return 5.0 - rays.cast(starts, down, None)[0][:, 0]


def test_a_box_moved_together_with_its_inertial_frame_is_hit_where_it_is(engine):
    rays = RayScene(engine, target_geoms(engine, ["/body/box"]))
    before = heights(rays)
    assert before == pytest.approx(1.0 + 0.1 / np.cos(0.5), abs=1e-6)
    moved = [[0.5, 0.0, 0.3]]
    engine.set_param("body_ipos", moved, env_ids=[1], ids=[1])
    assert heights(rays) == pytest.approx(before, abs=1e-9)
    engine.set_param("geom_pos", moved, env_ids=[1], ids=[0])
    assert engine.read("geom_xpos")[:, 0, 2] == pytest.approx([1.0, 1.3])
    assert heights(rays) == pytest.approx(before + np.array([0.0, 0.3]), abs=1e-9)


def test_targets_without_shapes_are_refused(engine):
    with pytest.raises(StageError, match="matches no prim"):
        find_targets(engine.compiled.scene, ["/wall"], ())
