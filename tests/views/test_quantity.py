"""Quantities fill themselves when they are read and the engine has changed."""

from __future__ import annotations

import numpy as np
import pytest
import warp as wp

from usdsim.core.errors import InvalidValueError
from usdsim.engine import CpuEngine, compile_scene
from usdsim.parser.description import (
    BodyDescription,
    DofDescription,
    JointDescription,
    SceneDescription,
)
from usdsim.views import kernels
from usdsim.views.layout import AssetLayout, root_rows
from usdsim.views.quantity import Components, Computed, Launched, Quantity, Stored
from usdsim.views.view import AssetView


class Data:
    joint_pos: Quantity[wp.array] = Stored("qpos", "joint_qpos", "joint")
    link_pose: Quantity[wp.array] = Launched(
        kernels.link_poses, ("engine:xpos", "engine:xquat", "layout:bodies"), "body", wp.transformf
    )
    link_pos: Quantity[wp.array] = Components("link_pose", 0, wp.vec3f)
    link_quat: Quantity[wp.array] = Components("link_pose", 3, wp.quatf)
    heading: Quantity[wp.array] = Launched(kernels.headings, ("link_pose",), "body", wp.float32)
    mass: Quantity[wp.array] = Computed(
        lambda view: view.engine.param("body_mass")[:, view.layout.bodies[0]], "body"
    )
    root_pose: Quantity[wp.array] = Launched(
        kernels.link_poses, ("engine:xpos", "engine:xquat", "layout:roots"), "root", wp.transformf
    )

    def __init__(self, view):
        self._view = view


@pytest.fixture
def data():
    turntable = SceneDescription(
        bodies=(
            BodyDescription(path="/base", mass=1.0, inertia=np.ones(3), fixed=True),
            BodyDescription(path="/top", parent=0, joints=(0,), mass=2.0, inertia=np.ones(3)),
        ),
        joints=(
            JointDescription(
                path="/joint",
                kind="revolute",
                parent=0,
                child=1,
                dofs=(DofDescription(path="/joint", kind="hinge", axis=np.array([0, 0, 1.0])),),
            ),
        ),
    )
    compiled = compile_scene(turntable)
    engine = CpuEngine(compiled, 2)
    one = np.zeros((1, 1), np.int32)
    layout = AssetLayout(
        title="turntable",
        num_worlds=2,
        bodies=np.array([[1, 2]], np.int32),
        body_names=("base", "top"),
        joints=one,
        joint_names=("joint",),
        joint_qpos=one,
        joint_dofs=one,
        root_names=("base",),
        **root_rows(compiled, [[1]]),
    )
    return Data(AssetView(engine, layout, Data))


def test_values_follow_writes_without_a_step(data):
    assert data.heading.numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]
    data._view.write("joint_position", 0.5, env_ids=[1])
    assert data.joint_pos.numpy().tolist() == [[0.0], [0.5]]
    assert data.heading.numpy() == pytest.approx(np.array([[0.0, 0.0], [0.0, 0.5]]))
    half = [0.0, 0.0, np.sin(0.25), np.cos(0.25)]
    assert data.link_quat.numpy()[1, 1] == pytest.approx(half)


def test_nothing_is_computed_twice_for_one_state(data):
    def poisoned():
        data.link_pose.numpy()[:] = 7.0
        return data.link_pos.numpy()[0, 0, 0]

    assert poisoned() == 7.0
    data._view.engine.step()
    assert data.link_pos.numpy()[0, 0, 0] == 0.0


def test_parameters_are_read_again_only_after_a_write(data):
    assert data.mass.numpy()[1].tolist() == [1.0, 2.0]
    data._view.write("masses", 3.0, env_ids=[1], ids=[1])
    assert data.mass.numpy().tolist() == [[1.0, 2.0], [1.0, 3.0]]


def test_parts_share_the_memory_of_the_whole(data):
    whole, part = data.link_pose, data.link_quat
    assert (part.ptr, part.shape) == (whole.ptr + 12, whole.shape)


def test_a_single_root_has_no_axis_of_its_own(data):
    assert data.root_pose.shape == (2,)
    many = Data(AssetView(data._view.engine, data._view.layout, Data, flat=False))
    assert many.root_pose.shape == (2, 1)


def test_arrays_survive_when_the_engine_replaces_its_own(data):
    held = data.joint_pos
    data._view.write("coms", [0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5], ids=[1])
    data._view.write("joint_position", 0.75)
    assert data.joint_pos.ptr == held.ptr
    assert held.numpy().tolist() == [[0.75], [0.75]]


def test_quantities_cannot_be_assigned(data):
    with pytest.raises(AttributeError, match=r"joint_pos .* write_"):
        data.joint_pos = 1.0


def test_reading_what_is_no_quantity_is_refused(data):
    with pytest.raises(InvalidValueError, match="those of Data"):
        data._view.slot("__init__")
