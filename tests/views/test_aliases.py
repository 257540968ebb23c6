"""Aliases: second names of attributes, and what is said of them."""

from __future__ import annotations

import pytest

import usdsim.assets.aliases as table
from usdsim.assets import ArticulationData, RigidObjectCollectionData
from usdsim.views import Quantity
from usdsim.views.aliases import Alias, aliases, attribute_texts


@aliases({"other": "first", "third": "other"})
class Others:
    pass


class Data(Others):
    first = 1


def test_an_alias_reads_and_assigns_what_it_stands_for():
    data = Data()
    assert (data.other, data.third) == (1, 1)
    data.third = 5
    assert data.first == data.other == 5
    assert Data.other.target == "first" and "`first`" in Data.other.__doc__


def test_a_quantity_is_not_assigned_by_its_second_name():
    data = object.__new__(ArticulationData)
    with pytest.raises(AttributeError, match="joint_pos_limits is what the simulation says"):
        data.joint_limits = 1.0


@pytest.mark.parametrize("name", table.__all__)
def test_every_alias_stands_for_an_attribute_and_says_its_unit_and_shape(name):
    found = [n for n, value in vars(getattr(table, name)).items() if isinstance(value, Alias)]
    assert found
    for owner in getattr(table, name).__subclasses__():
        texts = attribute_texts(owner)
        for alias in found:
            assert hasattr(owner, vars(getattr(table, name))[alias].target)
            assert "shape (num_instances" in texts[alias].says and "[" in texts[alias].says


def test_an_alias_of_an_alias_says_what_both_stand_for():
    texts = attribute_texts(RigidObjectCollectionData)
    says = texts["object_pose_w"].says
    assert says.startswith("The same as `body_pose_w`: poses of the links in world [m, unit")
    assert texts["object_pose_w"].annotation == "Quantity[wp.array]"
    assert texts["default_object_state"].annotation == "Default"
    assert isinstance(RigidObjectCollectionData.body_link_pose_w, Quantity)
