"""Couplings of joints: mimic relations, and constraints of the MuJoCo dialect that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from usdsim.core.dialects.mjc_tokens import EQUALITY
from usdsim.core.dialects.newton import MIMIC
from usdsim.parser.context import ParseContext
from usdsim.parser.description import GenericDescription, MimicDescription
from usdsim.parser.mjc import goes_first
from usdsim.usd.converted import edited

from .authored import JointRecord
from .mimic import parse_mimic

__all__ = ["Couplings"]

_JOINT = EQUALITY.index("joint")
_DATA = ("mjc:data", "mjc:object1", "mjc:object2", "mjc:active")


class Couplings:
    """Settles whether a mimic relation or a constraint says how a joint follows another.

    The constraint goes first, until the relation is edited on a converted stage.

    Args:
        context: of the stage.
        elements: what only MuJoCo knows, constraints among them.
    """

    def __init__(self, context: ParseContext, elements: Sequence[GenericDescription]):
        self._context = context
        self._elements = list(elements)
        self._on: dict[str, int] = {}
        for index, element in enumerate(elements):
            if element.kind == "equality" and element.overrides.get("type") == _JOINT:
                self._on.setdefault(element.overrides.get("name1", ""), index)

    @property
    def elements(self) -> tuple[GenericDescription, ...]:
        """The elements, with constraints as edited relations want them."""
        return tuple(self._elements)

    def settle(
        self, joint: JointRecord, leaders: dict[str, JointRecord]
    ) -> MimicDescription | None:
        """The relation of a joint that no constraint states.

        Args:
            joint: the follower.
            leaders: all joints by path.
        """
        index = self._on.get(joint.view.path)
        if index is None:
            return parse_mimic(self._context, joint, leaders)
        prim, element = joint.view.prim, self._elements[index]
        changed = bool(edited(prim, *MIMIC))
        added = bool(joint.view.converted) and joint.view.instances("PhysxMimicJointAPI")
        if not changed and not added:
            return None
        owner = self._context.stage.GetPrimAtPath(element.path)
        if changed and not goes_first(prim, MIMIC, _DATA, self._context.report, owner):
            return None
        mimic = parse_mimic(self._context, joint, leaders, without="" if changed else "newton")
        if mimic is not None or changed:
            self._elements[index] = _following(element, mimic)
        return None


def _following(element: GenericDescription, mimic: MimicDescription | None) -> GenericDescription:
    """The constraint of a relation; without one it does not act."""
    values = dict(element.overrides)
    if mimic is None:
        return replace(element, overrides={**values, "active": False})
    data = np.array(values["data"], np.float64)
    if values.get("name2") != mimic.joint:
        data[:] = 0.0
    data[:2] = mimic.offset, mimic.gearing
    values |= {"data": data, "name2": mimic.joint}
    targets = {**element.targets, "name2": (mimic.joint,)}
    return replace(element, overrides=values, targets=targets)
