"""Point instancers: names, prototypes, places and motion of their copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom

from usdsim.core.errors import InvalidValueError, StageError

from .attributes import from_usd
from .prims import prim_at_or_above
from .queries import find_prims

__all__ = ["Copies", "copied_from", "copy_names", "find_copies", "is_instancer", "read_copies"]

Array = NDArray[np.float64]
_START = Usd.TimeCode.EarliestTime()
_IDENTITY = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Copies:
    """The active copies of a point instancer, in the instancer's frame and the stage's units."""

    names: tuple[str, ...]
    """Prim names they would have below the instancer, length n."""
    rows: NDArray[np.int64]
    """Rows in the instancer's arrays, shape (n,)."""
    prototypes: tuple[Sdf.Path, ...]
    """Prototype of each copy, length n."""
    positions: Array
    """[stage units], shape (n, 3)."""
    quats: Array
    """xyzw and unit, shape (n, 4)."""
    scales: Array
    """Shape (n, 3)."""
    linear: Array | None
    """Velocities [stage units/s], shape (n, 3); None: not authored."""
    angular: Array | None
    """Angular velocities [degrees/s], shape (n, 3); None: not authored."""

    def only(self, kept: Sequence[int]) -> Copies:
        """Some of the copies."""
        at = np.asarray(kept, dtype=np.int64)
        return Copies(
            names=tuple(self.names[i] for i in at),
            rows=self.rows[at],
            prototypes=tuple(self.prototypes[i] for i in at),
            positions=self.positions[at],
            quats=self.quats[at],
            scales=self.scales[at],
            linear=None if self.linear is None else self.linear[at],
            angular=None if self.angular is None else self.angular[at],
        )


def is_instancer(prim: Usd.Prim) -> bool:
    """Whether a prim is a point instancer."""
    return bool(prim) and prim.IsA(UsdGeom.PointInstancer)


def copy_names(prim: Usd.Prim) -> list[str]:
    """Names of all copies, inactive ones too: ``instance_`` and the id.

    An instancer without ids numbers its copies. Where a child of the instancer has a name of that
    form, there are more underscores.
    """
    count = len(prim.GetAttribute("protoIndices").Get(_START) or ())
    ids = prim.GetAttribute("ids").Get(_START)
    numbers = range(count) if ids is None or len(ids) == 0 else [int(i) for i in ids]
    if len(numbers) != count:
        raise _wrong(prim, "ids", len(numbers), count)
    if len(set(numbers)) != count or (count and min(numbers) < 0):
        raise InvalidValueError(
            f"{prim.GetPath()}.ids", list(numbers)[:8], "one number per copy, each another, from 0"
        )
    prefix = "instance_"
    while any(child.startswith(prefix) for child in prim.GetAllChildrenNames()):
        prefix += "_"
    return [f"{prefix}{number}" for number in numbers]


def find_copies(stage: Usd.Stage, pattern: str) -> list[str]:
    """Paths of active copies that a pattern of `find_prims` matches, or matches something below.

    Copies have no prims, so what lies below them is not looked at.
    """
    parts = pattern.strip("/").split("/")
    found = []
    for depth in range(1, len(parts)):
        for prim in find_prims(stage, "/" + "/".join(parts[:depth])):
            if is_instancer(prim):
                regex = re.compile(".*" if parts[depth] == "*" else parts[depth])
                names = (name for name in read_copies(prim).names if regex.fullmatch(name))
                found += [f"{prim.GetPath()}/{name}" for name in names]
    return found


def copied_from(stage: Usd.Stage, path: str | Sdf.Path) -> Sdf.Path:
    """The prim on the stage that a prim in a copy is a copy of; the path itself if it is no copy.

    Copies in copies lead to the prototype of the inner one.
    """
    path, prim = Sdf.Path(str(path)), prim_at_or_above(stage, path)
    if prim.GetPath() == path or not is_instancer(prim):
        return path
    copy = path.GetPrefixes()[prim.GetPath().pathElementCount]
    copies = read_copies(prim)
    if copy.name not in copies.names:
        return path
    prototype = copies.prototypes[copies.names.index(copy.name)]
    return copied_from(stage, path.ReplacePrefix(copy, prototype))


def read_copies(prim: Usd.Prim, *, inactive: bool = False) -> Copies:
    """The copies of a point instancer at the first time.

    Invisible copies are among them: what cannot be seen can still be touched.

    Args:
        prim: the instancer.
        inactive: whether copies that are deactivated are among them.

    Raises:
        InvalidValueError: an array is missing, of the wrong length, or has unusable values.
        StageError: the instancer has no prototypes.
    """
    indices = np.array(prim.GetAttribute("protoIndices").Get(_START) or (), dtype=np.int64)
    targets = prim.GetRelationship("prototypes").GetForwardedTargets()
    if len(indices) and not targets:
        raise StageError(f"{prim.GetPath()}.prototypes has no target; name what is to be copied.")
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(targets):
        worst = indices.min() if indices.min() < 0 else indices.max()
        raise InvalidValueError(
            f"{prim.GetPath()}.protoIndices", int(worst), f"0 to {len(targets) - 1}"
        )
    names = copy_names(prim)
    everything = range(len(indices))
    active = np.array(everything if inactive else _active(prim, everything), dtype=np.int64)
    positions = _array(prim, "positions", len(indices), (3,))
    quats = _array(prim, "orientationsf", len(indices), (4,))
    if quats is None:
        quats = _array(prim, "orientations", len(indices), (4,))
    scales = _array(prim, "scales", len(indices), (3,))
    motion = [
        _array(prim, name, len(indices), (3,)) for name in ("velocities", "angularVelocities")
    ]
    if positions is None and len(indices):
        raise _wrong(prim, "positions", 0, len(indices))
    return Copies(
        names=tuple(names[row] for row in active),
        rows=active,
        prototypes=tuple(targets[indices[row]] for row in active),
        positions=np.zeros((0, 3)) if positions is None else positions[active],
        quats=np.tile(_IDENTITY, (len(active), 1)) if quats is None else _unit(prim, quats[active]),
        scales=np.ones((len(active), 3)) if scales is None else scales[active],
        linear=None if motion[0] is None else motion[0][active],
        angular=None if motion[1] is None else motion[1][active],
    )


def _active(prim: Usd.Prim, rows: Sequence[int]) -> Sequence[int]:
    """Rows whose ids are not deactivated."""
    listed = prim.GetMetadata("inactiveIds")
    off = set(listed.GetAddedOrExplicitItems()) if listed is not None else set()
    ids = prim.GetAttribute("ids").Get(_START) or rows
    return [row for row, number in zip(rows, ids, strict=True) if int(number) not in off]


def _array(prim: Usd.Prim, name: str, count: int, shape: tuple[int, ...]) -> Array | None:
    attribute = prim.GetAttribute(name)
    value = attribute.Get(_START) if attribute else None
    if value is None or (len(value) == 0 and count):
        return None
    if len(value) != count:
        raise _wrong(prim, name, len(value), count)
    array = _numbers(value).reshape(-1, *shape)
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise InvalidValueError(
            f"{prim.GetPath()}.{name}[{row}]", array[row].tolist(), "finite numbers"
        )
    return array


def _numbers(value: Any) -> Array:
    """Vectors and quaternions alike; of the latter, USD's own arrays are xyzw in memory."""
    return np.asarray(from_usd(value), dtype=np.float64)


def _unit(prim: Usd.Prim, quats: Array) -> Array:
    norms = np.linalg.norm(quats, axis=1, keepdims=True)
    if len(norms) and norms.min() == 0.0:
        row = int(norms.argmin())
        raise InvalidValueError(
            f"{prim.GetPath()}.orientations", f"zero for copy {row}", "rotations"
        )
    return np.asarray(quats / norms)


def _wrong(prim: Usd.Prim, name: str, found: int, count: int) -> InvalidValueError:
    return InvalidValueError(
        f"Length of {prim.GetPath()}.{name}", found, f"{count}, one per entry of protoIndices"
    )
