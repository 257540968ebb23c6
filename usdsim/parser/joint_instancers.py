"""Copies of PhysX's joint instancers as joints, on a stage that only the parser sees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd

from usdsim.core.errors import InvalidValueError, StageError, UsdsimError
from usdsim.math.rotations import quat_apply, quat_multiply, quat_to_wxyz
from usdsim.usd.attributes import authored
from usdsim.usd.instancers import copy_names, is_instancer
from usdsim.usd.stage import overlay_stage

from .report import Report

__all__ = ["JOINT_INSTANCER", "expand_joint_instancers"]

JOINT_INSTANCER = "PhysxPhysicsJointInstancer"
"""Type of prims that copy joints between bodies, often those of a point instancer."""

_UNTURNED = (0.0, 0.0, 0.0, 1.0)


def expand_joint_instancers(
    stage: Usd.Stage, named: Usd.Stage, instancers: Sequence[Sdf.Path], report: Report
) -> Usd.Stage:
    """A stage on which every copy of these instancers is a joint below its instancer.

    Each copy refers to its prototype; its frames are those of the prototype, moved by the copy's
    (PhysxSchema, PhysxPhysicsJointInstancer). It joins the targets of ``physics:body0s`` and
    ``physics:body1s`` in order, or the first; of a point instancer the copy of that index.

    Args:
        stage: where the instancers are; it stays as it is.
        named: the stage on which point instancers still are such, for the names of their copies.
        instancers: paths of the joint instancers.
        report: where unusable instancers are noted.
    """
    stage, layer = overlay_stage(stage)
    for path in instancers:
        prim = stage.GetPrimAtPath(path)
        try:
            joints = _read(prim, named)
        except UsdsimError as error:
            report.error("invalid-instancer", path, f"cannot be read: {error}")
            continue
        hidden = {child.GetPath() for child in prim.GetAllChildren()}
        used = {target for target, _ in joints.values()}
        hidden |= {target for target in used if not _names_bodies(stage.GetPrimAtPath(target))}
        with Sdf.ChangeBlock():
            Sdf.CreatePrimInLayer(layer, path).typeName = "Scope"
            for name, (target, sides) in joints.items():
                _author(layer, path.AppendChild(name), target, sides)
            for below in hidden:
                Sdf.CreatePrimInLayer(layer, below).active = False
        report.mark_read(path, filter(_is_ours, prim.GetPropertyNames()))
    return stage


_Side = tuple[Sdf.Path | None, NDArray[np.float64], NDArray[np.float64]]
"""Body (None: the world) with the frame on it: position in the stage's units, xyzw rotation."""


def _read(prim: Usd.Prim, named: Usd.Stage) -> dict[str, tuple[Sdf.Path, list[_Side]]]:
    """Prototype and both sides of each copy, by the name of its prim."""
    targets = prim.GetRelationship("physics:prototypes").GetForwardedTargets()
    prototypes = [prim.GetStage().GetPrimAtPath(target) for target in targets]
    missing = [str(t) for t, found in zip(targets, prototypes, strict=True) if not found]
    if missing:
        raise StageError(
            f"{prim.GetPath()}.physics:prototypes names {missing[0]}, which does not exist; name "
            "joints of the stage."
        )
    indices = np.asarray(authored(prim, "physics:protoIndices", ()), dtype=np.int64)
    _check(prim, "physics:protoIndices", indices, len(targets))
    ends = [_read_side(prim, named, side, len(indices)) for side in (0, 1)]
    frames = [[_frame(prototype, side) for side in (0, 1)] for prototype in prototypes]
    prefix = "instance_"
    while any(child.startswith(prefix) for child in prim.GetAllChildrenNames()):
        prefix += "_"
    return {
        f"{prefix}{row}": (
            targets[at],
            [
                (
                    body[row],
                    moved[row] + quat_apply(turned[row], pos),
                    quat_multiply(turned[row], q),
                )
                for (body, moved, turned), (pos, q) in zip(ends, frames[at], strict=True)
            ],
        )
        for row, at in enumerate(indices.tolist())
    }


def _frame(prototype: Usd.Prim, side: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Position and xyzw rotation that a prototype has on one side."""
    pos = authored(prototype, f"physics:localPos{side}", np.zeros(3))
    quat = authored(prototype, f"physics:localRot{side}", _UNTURNED)
    return np.asarray(pos, np.float64), np.asarray(quat, np.float64)


def _read_side(
    prim: Usd.Prim, named: Usd.Stage, side: int, count: int
) -> tuple[list[Sdf.Path | None], NDArray[np.float64], NDArray[np.float64]]:
    """Bodies and frames that the copies have on one side, length n, shapes (n, 3) and (n, 4)."""
    moved = _rows(prim, f"physics:localPos{side}s", count, np.zeros(3))
    turned = _rows(prim, f"physics:localRot{side}s", count, np.asarray(_UNTURNED))
    targets = prim.GetRelationship(f"physics:body{side}s").GetForwardedTargets()
    bodies = [_of_row(targets, row) for row in range(count)]
    names = {t: copy_names(p) for t in targets if is_instancer(p := named.GetPrimAtPath(t))}
    if names:
        name = f"physics:body{side}Indices"
        indices = _rows(prim, name, count, np.asarray(-1.0)).astype(np.int64)
        _check(prim, name, indices, min(map(len, names.values())))
        bodies = [
            body.AppendChild(names[body][at]) if body is not None and body in names else body
            for body, at in zip(bodies, indices.tolist(), strict=True)
        ]
    return bodies, moved, turned


def _of_row(targets: Sequence[Sdf.Path], row: int) -> Sdf.Path | None:
    """Target of a copy: its own, else the first."""
    return targets[row if row < len(targets) else 0] if targets else None


def _check(prim: Usd.Prim, name: str, indices: NDArray[np.int64], count: int) -> None:
    wrong = np.flatnonzero((indices < 0) | (indices >= count))
    if wrong.size:
        row = int(wrong[0])
        allowed = f"0 to {count - 1}"
        raise InvalidValueError(f"{prim.GetPath()}.{name}[{row}]", int(indices[row]), allowed)


def _rows(
    prim: Usd.Prim, name: str, count: int, default: NDArray[np.float64]
) -> NDArray[np.float64]:
    """An array with a row per copy; the default in each where it is not authored."""
    values = authored(prim, name)
    if values is None or len(values) == 0:
        return np.tile(default, (count, *[1] * default.ndim))
    if len(values) != count:
        allowed = f"{count}, one per joint of physics:protoIndices"
        raise InvalidValueError(f"{prim.GetPath()}.{name} length", len(values), allowed)
    return np.asarray(values, np.float64)


def _names_bodies(prim: Usd.Prim) -> bool:
    """Whether a prototype is a joint of its own too."""
    ends = (prim.GetRelationship(f"physics:body{side}") for side in (0, 1))
    return any(end and end.HasAuthoredTargets() for end in ends)


def _is_ours(name: str) -> bool:
    return name.startswith("physics:")


def _author(layer: Sdf.Layer, path: Sdf.Path, target: Sdf.Path, sides: Sequence[_Side]) -> None:
    """Write a copy as a joint that refers to its prototype."""
    spec = Sdf.CreatePrimInLayer(layer, path)
    spec.specifier = Sdf.SpecifierDef
    spec.active = True
    spec.referenceList.prependedItems = [Sdf.Reference("", target)]
    for side, (body, pos, quat) in enumerate(sides):
        ends = Sdf.RelationshipSpec(spec, f"physics:body{side}")
        ends.targetPathList.explicitItems = [] if body is None else [body]
        name = f"physics:localPos{side}"
        Sdf.AttributeSpec(spec, name, Sdf.ValueTypeNames.Point3f).default = Gf.Vec3f(*pos.tolist())
        w, *xyz = quat_to_wxyz(quat).tolist()
        name = f"physics:localRot{side}"
        Sdf.AttributeSpec(spec, name, Sdf.ValueTypeNames.Quatf).default = Gf.Quatf(w, *xyz)
