"""Objects that offer the members of their parts."""

from __future__ import annotations

import inspect
from functools import cached_property

import pytest

from usdsim.core.facade import facade, parts_of


class Part:
    made = 0

    def __init__(self, owner):
        self._owner = owner
        Part.made += 1

    def _hidden(self):
        """Not offered."""

    def scaled(self, factor: float, *, offset: float = 0.0) -> float:
        """The owner's number, scaled."""
        return self._owner.number * factor + offset

    @property
    def double(self) -> float:
        """Twice the owner's number."""
        return 2.0 * self._owner.number

    @cached_property
    def noted(self) -> list[float]:
        """The owner's number when it was first asked for."""
        return [self._owner.number]


@facade(arithmetic=Part)
class Whole:
    number = 3.0


class Changed(Whole):
    @property
    def double(self) -> float:
        """Another rule."""
        return super().double + 1.0


def test_members_of_the_part_act_on_the_owner():
    whole = Whole()
    assert (whole.scaled(2.0, offset=1.0), whole.double) == (7.0, 6.0)
    whole.number = 5.0
    assert whole.double == 10.0 and whole.noted == [5.0]
    whole.number = 6.0
    assert whole.noted is whole.noted == [5.0]


def test_each_owner_has_one_part_made_when_it_is_needed():
    before = Part.made
    first, second = Whole(), Whole()
    assert Part.made == before
    assert first._arithmetic is first._arithmetic is not second._arithmetic
    assert Part.made == before + 2 and parts_of(Whole) == {"arithmetic": Part}


def test_signature_and_documentation_are_those_of_the_part():
    assert str(inspect.signature(Whole.scaled)).startswith("(self, factor: 'float', *, offset")
    assert (
        Whole.scaled.__doc__ == Part.scaled.__doc__ and Whole.double.__doc__ == Part.double.__doc__
    )
    assert Whole.scaled.__qualname__ == "Whole.scaled" and not hasattr(Whole, "_hidden")


def test_a_class_may_change_what_it_offers():
    assert Changed().double == 7.0


def test_a_wrong_call_names_the_parameter():
    with pytest.raises(TypeError, match="factor"):
        Whole().scaled()


def test_members_cannot_be_set():
    with pytest.raises(AttributeError):
        Whole().double = 1.0
