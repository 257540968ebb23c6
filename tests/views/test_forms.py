"""Three forms of methods that take what was chosen."""

from __future__ import annotations

import inspect
from types import SimpleNamespace

import numpy as np
import pytest

from usdsim.core.errors import InvalidValueError
from usdsim.views.forms import Chosen, in_forms, with_forms
from usdsim.views.values import Values


@with_forms
class Part:
    def __init__(self):
        layout = SimpleNamespace(num_instances=3)
        self._view = SimpleNamespace(layout=layout, count_of={"joint": 2}.__getitem__)
        self.calls = []

    @in_forms("write_load", "joint")
    def _write(
        self, chosen: Chosen, load: Values, rate: Values | None = None, warn: bool = True
    ) -> None:
        """Set loads of joints.

        Args:
            chosen: instances and joints.
            load: largest loads [N], shape (num_instances, num_joints) or what
                broadcasts to it.
            rate: of change [N/s], same shape.
            warn: whether to warn.

        Raises:
            ShapeError: the values do not fit.
        """
        self.calls.append((chosen, load, rate, warn))

    @in_forms("bring_loads", "joint")
    def _bring(self, chosen: Chosen) -> None:
        """Bring loads to the simulation.

        Raises:
            InvalidValueError: an index is not allowed.
        """
        self.calls.append((chosen,))


def plain(chosen: Chosen):
    rows, ids = (None if a is None else list(a) for a in (chosen.rows, chosen.ids))
    return rows, ids, chosen.full


def test_each_form_hands_on_what_was_chosen_and_the_rest():
    part = Part()
    part.write_load(1.0, 2.0, [1], [0, 2], False)
    part.write_load_index(load=1.0, env_ids=[2], full_data=True)
    part.write_load_mask(load=1.0, joint_mask=np.array([False, True]), warn=False)
    assert [plain(call[0]) for call in part.calls] == [
        ([0, 2], [1], False),
        ([2], None, True),
        (None, [1], True),
    ]
    assert [call[1:] for call in part.calls] == [
        (1.0, 2.0, False),
        (1.0, None, True),
        (1.0, None, False),
    ]


def test_what_is_chosen_is_checked():
    part = Part()
    with pytest.raises(InvalidValueError, match="joint_ids"):
        part.write_load(1.0, joint_ids=[2])
    with pytest.raises(TypeError):
        part.write_load_index(1.0)
    assert not part.calls


def test_forms_without_values_choose_only():
    assert list(inspect.signature(Part.bring_loads_index).parameters) == [
        "self",
        "joint_ids",
        "env_ids",
    ]
    part = Part()
    part.bring_loads_mask(env_mask=np.array([True, False, True]))
    assert plain(part.calls[0][0]) == ([0, 2], None, True)


def test_documentation_says_shapes_of_the_form():
    index, mask = Part.write_load_index.__doc__, Part.write_load_mask.__doc__
    assert "shape (len(env_ids), len(joint_ids)) or what\n" in index and "chosen" not in index
    assert "shape (num_instances, num_joints)" in mask and "joint_mask: which joints" in mask
    assert index.index("rate:") < index.index("joint_ids:") < index.index("warn:")
    assert "ShapeError" in index and "InvalidValueError" in Part.bring_loads.__doc__
