"""Members that Isaac Lab 3.0 keeps under former names: they warn, as programs expect."""

from __future__ import annotations

import warnings
from typing import Any

from usdsim.views.wrench.composer import WrenchComposer

__all__ = ["deprecated_members"]

_FORMER = {
    WrenchComposer: {
        "add_forces_and_torques": "add_forces_and_torques_index",
        "composed_force": "out_force_b",
        "composed_torque": "out_torque_b",
        "set_forces_and_torques": "set_forces_and_torques_index",
    }
}
"""Newer names of members by class and former name."""


def _former(name: str, newer: str) -> property:
    """A member that warns and is the one of a newer name."""

    def read(self: Any) -> Any:
        message = f"{name} is deprecated since Isaac Lab 3.0; use {newer}."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self, newer)

    return property(read)


def deprecated_members() -> dict[type, dict[str, Any]]:
    """Classes and the members they get."""
    return {
        owner: {name: _former(name, newer) for name, newer in names.items()}
        for owner, names in _FORMER.items()
    }
