"""Collision approximations by the names configurations use."""

from __future__ import annotations

from typing import Any

from usdsim.core.errors import InvalidValueError

__all__ = ["APPROXIMATIONS", "approximation_token"]

APPROXIMATIONS = {
    "convex_hull": "convexHull",
    "convex_decomposition": "convexDecomposition",
    "mesh": "none",
    "bounding_box": "boundingCube",
    "bounding_sphere": "boundingSphere",
    "sdf": "sdf",
}
"""``physics:approximation`` tokens by name."""


def approximation_token(choice: Any) -> str | None:
    """The token for a name, a token, or a configuration with ``mesh_approximation_name``.

    Raises:
        InvalidValueError: unknown name.
    """
    if choice is None:
        return None
    name = choice if isinstance(choice, str) else getattr(choice, "mesh_approximation_name", None)
    if name is None:
        return "convexHull"
    token = APPROXIMATIONS.get(name, name)
    if token not in {*APPROXIMATIONS.values(), "meshSimplification"}:
        raise InvalidValueError("mesh approximation", name, ", ".join(APPROXIMATIONS))
    return token
