"""Model comparison: the law of lossless conversion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_tables import COUNTS

__all__ = ["IGNORED", "ArrayDifference", "compare_models", "compare_trajectories"]

IGNORED = {
    "paths": "where asset files were found on this machine",
    "npaths": "length of `paths`",
    "mesh_pathadr": "address in `paths`",
    "hfield_pathadr": "address in `paths`",
    "skin_pathadr": "address in `paths`",
    "tex_pathadr": "address in `paths`",
    "tex_contenttypeadr": "address in `paths`",
    "narena": "bytes of memory for contacts",
    "nbuffer": "bytes of memory, of which `paths` takes some",
    "signature": "hash of the compilation, not of its result",
    "buffer": "all arrays once more",
    "nnames": "length of all names, which are compared one by one",
    "nnames_map": "size of a hash table of names",
}
"""Members of `MjModel` that cannot matter, and why."""

_OBJECTS = {
    "body": "BODY", "B": "BODY", "jnt": "JOINT", "dof": "DOF", "geom": "GEOM", "site": "SITE",
    "cam": "CAMERA", "light": "LIGHT", "flex": "FLEX", "mesh": "MESH", "skin": "SKIN",
    "hfield": "HFIELD", "tex": "TEXTURE", "mat": "MATERIAL", "pair": "PAIR",
    "exclude": "EXCLUDE", "eq": "EQUALITY", "tendon": "TENDON", "actuator": "ACTUATOR",
    "sensor": "SENSOR", "numeric": "NUMERIC", "text": "TEXT", "tuple": "TUPLE", "key": "KEY",
    "plugin": "PLUGIN",
}  # fmt: skip
_FLOOR = 1e-12
"""Difference below which numbers are zero to any simulation."""
_SCALES = {"mesh_texcoord": 1.0, "skin_texcoord": 1.0, "flex_texcoord": 1.0}
"""Least scale of an array: of texture coordinates, the picture. A file in which pictures are upside
down keeps them with single precision of that."""


@dataclass(frozen=True, slots=True)
class ArrayDifference:
    """One array in which two models differ."""

    array: str
    """Member of `MjModel`, ``geom_pos`` or ``opt.timestep``."""
    index: int | None
    """First row that differs; None for shapes and scalars."""
    name: str
    """Name of the element in that row, where it has one; of ``names``, the element's kind."""
    first: Any
    """Value in the first model."""
    second: Any
    """Value in the second model."""
    count: int = 1
    """Rows that differ."""

    def __str__(self) -> str:
        """One line: which value of which element, and by how much."""
        if self.array == "names":
            return f"{self.name} {self.index} is called {self.second!r}, not {self.first!r}"
        place = self.array if self.index is None else f"{self.array}[{self.index}]"
        name = f" of {self.name!r}" if self.name else ""
        more = f" (and {self.count - 1} more rows)" if self.count > 1 else ""
        return f"{place}{name} is {_short(self.second)}, not {_short(self.first)}{more}"


def compare_models(
    first: mujoco.MjModel, second: mujoco.MjModel, *, tolerance: float = 1e-6
) -> list[ArrayDifference]:
    """All arrays in which two models differ.

    Args:
        first: one model.
        second: the other.
        tolerance: permitted difference relative to the largest number in the row, of texture
            coordinates to the picture, or, where that is smaller, 1e-12.

    Returns:
        One difference per array and per name, sizes first; empty if the models are the same.
    """
    found = _name_differences(first, second)
    for array, a, b in _members(first, second):
        difference = _compare(array, a, b, tolerance, first)
        if difference is not None:
            found.append(difference)
    return sorted(found, key=lambda difference: difference.index is not None)


def compare_trajectories(
    first: mujoco.MjModel, second: mujoco.MjModel, *, steps: int = 500, seed: int = 0
) -> float:
    """Largest difference of positions over a simulation with the same random controls [m, rad].

    Controls are uniform in their range, or in [-1, 1] where they have none.
    """
    # An unstable model would fill the terminal and a log file in the working directory.
    handler = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda message: None)
    try:
        return _largest_gap(first, second, steps, np.random.default_rng(seed))
    finally:
        mujoco.set_mju_user_warning(handler)


def _largest_gap(
    first: mujoco.MjModel, second: mujoco.MjModel, steps: int, rng: np.random.Generator
) -> float:
    datas = mujoco.MjData(first), mujoco.MjData(second)
    limited = first.actuator_ctrllimited.astype(bool)
    low = np.where(limited, first.actuator_ctrlrange[:, 0], -1.0)
    high = np.where(limited, first.actuator_ctrlrange[:, 1], 1.0)
    largest = 0.0
    for _ in range(steps):
        control = rng.uniform(low, high)
        for model, data in zip((first, second), datas, strict=True):
            data.ctrl[:] = control
            mujoco.mj_step(model, data)
        largest = max(largest, _gap(first, datas[0].qpos, datas[1].qpos))
    return largest


def _gap(model: mujoco.MjModel, a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Largest difference of two sets of positions; quaternions of one turn are equal."""
    lost = [bool(np.isnan(positions).any()) for positions in (a, b)]
    if any(lost):
        # A model that diverges does so twice.
        return 0.0 if all(lost) else np.inf
    difference = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, difference, 1.0, a, b)
    return float(np.abs(difference).max(initial=0.0))


def _name_differences(first: mujoco.MjModel, second: mujoco.MjModel) -> list[ArrayDifference]:
    """Elements that have another name, in kinds of which both models have the same number."""
    if first.names == second.names:
        return []
    found = []
    for kind, size in COUNTS.items():
        code = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        if getattr(first, size) != getattr(second, size):
            continue
        for i in range(getattr(first, size)):
            names = [mujoco.mj_id2name(model, code, i) or "" for model in (first, second)]
            # Plugin instances get the name of their prim where the source gives them none:
            # elements can refer to them by name only.
            if names[0] != names[1] and (kind != "plugin" or names[0]):
                found.append(ArrayDifference("names", i, kind, names[0], names[1]))
    return found


def _members(first: mujoco.MjModel, second: mujoco.MjModel) -> Iterator[tuple[str, Any, Any]]:
    for name in dir(first):
        if name.startswith(("_", "name")) or name in IGNORED:
            continue
        a = getattr(first, name)
        if callable(a):
            continue
        if isinstance(a, (int, float, bytes, np.ndarray, np.generic)):
            yield name, a, getattr(second, name)
    for group in ("opt", "stat"):
        yield from _struct(group, getattr(first, group), getattr(second, group))
    for group in ("global_", "quality", "headlight", "map", "scale", "rgba"):
        a, b = getattr(first.vis, group), getattr(second.vis, group)
        yield from _struct(f"vis.{group.rstrip('_')}", a, b)


def _struct(prefix: str, a: Any, b: Any) -> Iterator[tuple[str, Any, Any]]:
    for name in dir(a):
        value = getattr(a, name)
        if not name.startswith("_") and isinstance(value, (int, float, np.ndarray)):
            yield f"{prefix}.{name}", value, getattr(b, name)


def _compare(
    array: str, a: Any, b: Any, tolerance: float, model: mujoco.MjModel
) -> ArrayDifference | None:
    if isinstance(a, bytes):
        return None if a == b else _bytes_difference(array, a, b)
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape:
        return ArrayDifference(array, None, "", x.shape, y.shape)
    if x.dtype.kind == "f":
        rows = _rows(x).astype(np.float64), _rows(y).astype(np.float64)
        scale = np.fmax(np.abs(rows[0]), np.abs(rows[1])).max(
            axis=1, initial=_SCALES.get(array, 0.0)
        )
        allowed = np.fmax(tolerance * scale, _FLOOR)[:, None]
        same = (np.abs(rows[0] - rows[1]) <= allowed) | (rows[0] == rows[1])
        wrong = ~(same | (np.isnan(rows[0]) & np.isnan(rows[1]))).all(axis=1)
    else:
        wrong = (_rows(x) != _rows(y)).any(axis=1)
    if not wrong.any():
        return None
    if x.ndim == 0:
        return ArrayDifference(array, None, "", x.item(), y.item())
    row = int(np.argmax(wrong))
    return ArrayDifference(array, row, _name(model, array, row), x[row], y[row], int(wrong.sum()))


def _rows(array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim == 0:
        return array.reshape(1, 1)
    return array.reshape(len(array), -1) if array.size else np.zeros((0, 1), array.dtype)


def _bytes_difference(array: str, a: bytes, b: bytes) -> ArrayDifference:
    parts = a.split(b"\0"), b.split(b"\0")
    for i, (x, y) in enumerate(zip(*parts, strict=False)):
        if x != y:
            return ArrayDifference(
                array, i, "", x.decode(errors="replace"), y.decode(errors="replace")
            )
    return ArrayDifference(array, None, "", len(a), len(b))


def _name(model: mujoco.MjModel, array: str, row: int) -> str:
    kind = _OBJECTS.get(array.partition("_")[0])
    if kind == "DOF":
        kind, row = "JOINT", int(model.dof_jntid[row])
    if kind is None:
        return ""
    code = getattr(mujoco.mjtObj, f"mjOBJ_{kind}")
    try:
        return mujoco.mj_id2name(model, code, row) or ""
    except (TypeError, ValueError):
        return ""


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=9, threshold=8)
    return repr(value.item() if isinstance(value, np.generic) else value)
