"""Methods bound to rows of the field table."""

from __future__ import annotations

import pytest

from usdsim.views.binding import writes
from usdsim.views.fields.table import FIELDS


class Recorder:
    """Takes the place of a view: remembers what was asked of it."""

    def __init__(self):
        self.calls = []

    def write(self, *args, **kwargs):
        self.calls.append(("write", args, kwargs))

    def write_masked(self, *args, **kwargs):
        self.calls.append(("write_masked", args, kwargs))


class Writers:
    def __init__(self):
        self._view = Recorder()

    @writes("joint_stiffness")
    def plain(self, stiffness, joint_ids=None, env_ids=None):
        """Write the stiffness."""

    @writes("joint_stiffness")
    def index(self, *, stiffness, joint_ids=None, env_ids=None, full_data=False):
        """Write the stiffness."""

    @writes("joint_stiffness")
    def mask(self, *, stiffness, joint_mask=None, env_mask=None):
        """Write the stiffness."""

    @writes("object_pose")
    def other_order(self, object_pose, env_ids=None, object_ids=None):
        """Write poses."""


@pytest.fixture
def writers():
    return Writers()


def test_positions_follow_the_declared_order(writers):
    writers.plain(1.0, [2], [3])
    writers.other_order("pose", [3], [2])
    assert writers._view.calls == [
        ("write", ("joint_stiffness", 1.0, [3], [2]), {"full_data": False}),
        ("write", ("object_pose", "pose", [3], [2]), {"full_data": False}),
    ]


def test_keywords_reach_the_view(writers):
    writers.index(stiffness=1.0, env_ids=[3], full_data=True)
    writers.mask(stiffness=2.0, joint_mask="j", env_mask="e")
    assert writers._view.calls == [
        ("write", ("joint_stiffness", 1.0, [3], None), {"full_data": True}),
        ("write_masked", ("joint_stiffness", 2.0, "e", "j"), {}),
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda w: w.plain(),
        lambda w: w.plain(1.0, stiffness=2.0),
        lambda w: w.plain(1.0, None, None, None),
        lambda w: w.plain(damping=1.0),
        lambda w: w.index(1.0),
        lambda w: w.index(stiffness=1.0, joint_mask=[True]),
        lambda w: w.mask(stiffness=1.0, env_ids=[0]),
    ],
)
def test_wrong_calls_are_type_errors_that_name_the_parameters(writers, call):
    with pytest.raises(TypeError, match="stiffness"):
        call(writers)
    assert not writers._view.calls


def test_a_stub_that_does_not_fit_its_row_is_an_error():
    with pytest.raises(TypeError, match="the row joint_damping requires"):

        @writes("joint_damping")
        def stub(self, stiffness, joint_ids=None, env_ids=None):
            """Write."""


def test_documentation_carries_unit_and_shape():
    text = Writers.index.__doc__
    assert "[N/m or N m/rad]" in text
    assert "(len(env_ids), len(joint_ids))" in text
    assert "(num_instances, num_joints)" in Writers.mask.__doc__


def test_every_row_has_unit_words_and_a_store_that_writes():
    for name, row in FIELDS.items():
        assert row.name == name and row.unit and row.doc
        assert callable(row.store.write)
