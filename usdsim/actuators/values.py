"""Joint values as users write them, turned into numbers per world and joint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.arguments import real
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.core.names import match_names

__all__ = ["JointValue", "disjoint", "require_least", "resolve_joint_parameter"]

JointValue = float | Mapping[str, float] | Sequence[float] | Any | None
"""A number for all joints, numbers by regular expression over joint names, one number per joint,
or None: as on the stage."""


def resolve_joint_parameter(
    value: JointValue,
    default: Any,
    joint_names: Sequence[str],
    num_envs: int,
    *,
    what: str = "joint parameter",
) -> NDArray[np.float32]:
    """A joint parameter of every world and joint.

    Args:
        value: what is configured; joints that no pattern of a mapping matches keep the default.
        default: what counts where nothing is configured: a number, (num_joints,) or
            (num_envs, num_joints).
        joint_names: the joints.
        num_envs: number of worlds.
        what: what messages call it.

    Returns:
        The values, shape (num_envs, num_joints).

    Raises:
        UnknownNameError: a pattern matches no joint.
        InvalidValueError: the value is not numeric, or a joint matches two patterns.
        ShapeError: an array is neither (num_joints,) nor (num_envs, num_joints).
    """
    out = np.empty((num_envs, len(joint_names)), dtype=np.float32)
    if not isinstance(value, Mapping):
        out[:] = _fitting(default if value is None else value, out.shape, what)
        return out
    out[:] = _fitting(default, out.shape, what)
    matched = (
        (pattern, match_names(pattern, joint_names, kind="joint", where=what)[0])
        for pattern in value
    )
    words = f"{what} of joint", "one matching pattern per joint", "Make the patterns disjoint."
    for pattern, ids in disjoint(matched, joint_names, words):
        out[:, ids] = _fitting(value[pattern], (num_envs, len(ids)), f"{what} {pattern!r}")
    return out


def disjoint(
    groups: Iterable[tuple[str, Sequence[int]]],
    joint_names: Sequence[str],
    words: tuple[str, str, str],
) -> Iterator[tuple[str, Sequence[int]]]:
    """Groups of joints by name, each once it is known to share none with those before it.

    Args:
        groups: names and indices of joints.
        joint_names: names of all joints.
        words: for messages, what a joint is, what is allowed, and the remedy.

    Raises:
        InvalidValueError: a joint is in two groups.
    """
    what, allowed, remedy = words
    owner: dict[int, str] = {}
    for name, joints in groups:
        for i in joints:
            if i in owner:
                raise InvalidValueError(
                    f"{what} {joint_names[i]!r}", [owner[i], name], allowed, remedy
                )
            owner[i] = name
        yield name, joints


def _fitting(value: Any, shape: tuple[int, int], what: str) -> NDArray[Any]:
    try:
        array = real(what, value).astype(np.float32)
    except InvalidValueError as error:
        raise InvalidValueError(
            what, value, "a number, numbers by joint name pattern, one per joint, or None"
        ) from error
    if array.ndim and array.shape not in (shape, shape[1:]):
        raise ShapeError(what, array.shape, f"{shape[1:]} or {shape}: one value per joint")
    return array


def require_least(
    values: NDArray[np.float32], joint_names: Sequence[str], what: str, *, positive: bool = False
) -> None:
    """Check that numbers are zero or more, or positive.

    Raises:
        InvalidValueError: one is not, or is NaN.
    """
    wrong = ~(values > 0.0) if positive else ~(values >= 0.0)
    if wrong.any():
        env, joint = np.argwhere(wrong)[0]
        raise InvalidValueError(
            f"{what} of joint {joint_names[joint]!r}", float(values[env, joint]),
            "a positive number" if positive else "zero or a positive number",
        )  # fmt: skip
