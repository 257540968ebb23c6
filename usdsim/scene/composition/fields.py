"""Fields of elements by what they hold: numbers, vectors, names, choices and poses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import mujoco
import numpy as np

from usdsim.core.arguments import number as finite
from usdsim.core.arguments import truth, whole
from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.math.rotations import (
    quat_from_matrix,
    quat_from_wxyz,
    quat_normalize,
    quat_to_wxyz,
)
from usdsim.scene.checks import unit_quaternion

from .elements import Field
from .values import LiveArray, LiveList, vector

__all__ = [
    "array",
    "checked",
    "choice",
    "codes",
    "listed",
    "number",
    "optional_name",
    "text",
    "turn",
    "two_names",
]


def checked(kind: type, what: str, value: Any, least: int = 0) -> Any:
    """A finite number, a whole number not below `least`, or a truth value, whichever `kind` is.

    Raises:
        InvalidValueError: it is something else.
    """
    if kind is bool:
        return truth(what, value)
    return whole(what, value, least) if kind is int else finite(what, value, -math.inf)


def number(attribute: str, kind: type = float, least: int = 0) -> Any:
    """Field of one number, or of one truth value with ``kind=bool``; see `checked`."""

    def write(owner: Any, value: Any) -> None:
        what = f"{attribute} of {owner!r}"
        setattr(owner.element, attribute, checked(kind, what, value, least))

    return Field(lambda owner: kind(getattr(owner.element, attribute)), write)


def array(attribute: str, size: int) -> Any:
    """Field of a vector, as an array."""
    return _vector(attribute, size, lambda values: np.array(values, np.float32).view(LiveArray))


def listed(attribute: str, size: int) -> Any:
    """Field of a vector, as a list."""
    return _vector(attribute, size, lambda values: LiveList(float(v) for v in values[:size]))


def _vector(attribute: str, size: int, shown: Callable[[Any], Any]) -> Any:
    def write(owner: Any, value: Any) -> None:
        setattr(owner.element, attribute, vector(value, size, f"{field.name} of {owner.label}"))

    field = Field(lambda owner: shown(getattr(owner.element, attribute)), write)
    return field


def optional_name(attribute: str) -> Any:
    """Field of a name, None where there is none."""
    return Field(
        lambda owner: getattr(owner.element, attribute) or None,
        lambda owner, value: setattr(owner.element, attribute, value or ""),
        str | None,
    )


def text(attribute: str = "name") -> Any:
    """Field of a name that is a text always."""
    return Field(
        lambda owner: str(getattr(owner.element, attribute)),
        lambda owner, value: setattr(owner.element, attribute, value or ""),
        str | None,
    )


def two_names(what: str, value: Any) -> list[str]:
    """Take two names.

    Raises:
        InvalidValueError: it is something else.
    """
    names = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
    if len(names) != 2 or not all(isinstance(name, str) for name in names):
        raise InvalidValueError(what, value, "two names")
    return names


def codes(kinds: type[Enum], table: Any, prefix: str) -> dict[Any, Any]:
    """Codes of MuJoCo for choices: their names are a prefix and the value of the choice."""
    return {kind: getattr(table, prefix + kind.value.upper()) for kind in kinds}


def choice(
    attribute: str, kinds: dict[Any, Any], remedy: str = "", unsaid: tuple[Any, ...] = ()
) -> Any:
    """Field of a choice, by what MuJoCo's editor calls it.

    Args:
        attribute: of the editor's element.
        kinds: choice to the editor's value; of two choices of one value, reading gives the first.
        remedy: what to use where the editor has a value that is no choice.
        unsaid: the editor's values that mean the first choice too.
    """

    def read(owner: Any) -> Any:
        value = getattr(owner.element, attribute)
        for kind, known in kinds.items():
            if known == value:
                return kind
        if value in unsaid:
            return next(iter(kinds))
        raise UnsupportedError(f"{attribute} of {owner!r} is {value!r}: {remedy or 'see element'}.")

    def write(owner: Any, value: Any) -> None:
        if not isinstance(value, Enum) or value not in kinds:
            allowed = ", ".join(kind.name for kind in kinds)
            raise InvalidValueError(f"{attribute} of {owner!r}", value, allowed)
        setattr(owner.element, attribute, kinds[value])

    return Field(read, write)


def turn(attribute: str = "quat", other: str = "alt") -> Any:
    """Field of an orientation xyzw, also of one that a file says by axes."""

    def read(owner: Any) -> LiveArray:
        element = owner.element
        said = getattr(element, other)
        if said.type == mujoco.mjtOrientation.mjORIENTATION_QUAT:
            quat = quat_from_wxyz(getattr(element, attribute))
        elif said.type == mujoco.mjtOrientation.mjORIENTATION_XYAXES:
            x, y = np.split(np.asarray(said.xyaxes, np.float64), 2)
            x = x / np.linalg.norm(x)
            y = y - (y @ x) * x
            y = y / np.linalg.norm(y)
            quat = quat_from_matrix(np.stack([x, y, np.cross(x, y)], axis=1))
        else:
            compiler = element.compiler
            quat = quat_from_wxyz(
                mujoco.MjSpec.resolve_orientation(
                    degree=compiler.degree, sequence=compiler.eulerseq, orientation=said
                )
            )
        # Files may have quaternions of any length.
        return quat_normalize(quat).astype(np.float32).view(LiveArray)

    def write(owner: Any, value: Any) -> None:
        what = f"orientation of {owner.label}"
        quat = unit_quaternion(vector(value, 4, what), what)
        getattr(owner.element, other).type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        setattr(owner.element, attribute, quat_to_wxyz(quat))

    return Field(read, write)
