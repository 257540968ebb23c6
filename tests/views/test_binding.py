"""Methods bound to rows of the field table."""

from __future__ import annotations

import inspect

import pytest

from usdsim.core.errors import UnknownNameError
from usdsim.views.binding import writers
from usdsim.views.fields.table import FIELDS
from usdsim.views.selection import Indices


class Recorder:
    """Takes the place of a view: remembers what was asked of it."""

    def __init__(self):
        self.calls = []

    def write(self, *args, **kwargs):
        self.calls.append(("write", args, kwargs))

    def write_masked(self, *args, **kwargs):
        self.calls.append(("write_masked", args, kwargs))


@writers("write_{}", {"joint_stiffness": "Write the stiffness.", "object_pose": "Write poses."})
class Writers:
    def __init__(self):
        self._view = Recorder()


@pytest.fixture
def target():
    return Writers()


def test_positions_follow_the_declared_order(target):
    target.write_joint_stiffness(1.0, [2], [3])
    target.write_object_pose("pose", [3], [2])
    assert target._view.calls == [
        ("write", ("joint_stiffness", 1.0, [3], [2]), {}),
        ("write", ("object_pose", "pose", [3], [2]), {}),
    ]


def test_keywords_reach_the_view(target):
    target.write_joint_stiffness_index(stiffness=1.0, env_ids=[3], full_data=True)
    target.write_joint_stiffness_mask(stiffness=2.0, joint_mask="j", env_mask="e")
    assert target._view.calls == [
        ("write", ("joint_stiffness", 1.0, [3], None), {"full_data": True}),
        ("write_masked", ("joint_stiffness", 2.0, "e", "j"), {}),
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w.write_joint_stiffness(),
        lambda w: w.write_joint_stiffness(1.0, stiffness=2.0),
        lambda w: w.write_joint_stiffness(1.0, None, None, None),
        lambda w: w.write_joint_stiffness(damping=1.0),
        lambda w: w.write_joint_stiffness_index(1.0, [0]),
        lambda w: w.write_joint_stiffness_index(stiffness=1.0, joint_mask=[True]),
        lambda w: w.write_joint_stiffness_mask(stiffness=1.0, env_ids=[0]),
    ],
)
def test_wrong_calls_are_type_errors_that_name_the_parameters(target, call):
    with pytest.raises(TypeError, match="stiffness"):
        call(target)
    assert not target._view.calls


def test_a_row_that_is_not_there_is_an_error():
    with pytest.raises(UnknownNameError, match="joint_stifness"):
        writers("write_{}", {"joint_stifness": "Write the stiffness."})(Writers)


def test_methods_are_functions_that_tools_understand():
    method = Writers.write_object_pose_index
    assert method.__qualname__ == "Writers.write_object_pose_index"
    assert method.__annotations__["env_ids"] == Indices
    parameters = inspect.signature(method).parameters
    assert list(parameters) == ["self", "object_pose", "env_ids", "object_ids", "full_data"]
    assert parameters["object_pose"].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    assert parameters["env_ids"].kind is inspect.Parameter.KEYWORD_ONLY


def test_documentation_carries_unit_and_shape():
    text = Writers.write_joint_stiffness_index.__doc__
    assert "[N/m or N m/rad]" in text
    assert "(len(env_ids), len(joint_ids))" in text
    assert "(num_instances, num_joints)" in Writers.write_joint_stiffness_mask.__doc__


def test_every_row_has_unit_words_and_a_store_that_writes():
    for name, row in FIELDS.items():
        assert row.name == name and row.unit and row.doc
        assert callable(row.store.write)
