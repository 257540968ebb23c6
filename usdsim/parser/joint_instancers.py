"""Copies of PhysX's joint instancers as joints, on a stage that only the parser sees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd

from usdsim.core.errors import InvalidValueError, StageError, UsdsimError
from usdsim.math.rotations import IDENTITY_QUAT, quat_apply, quat_multiply, quat_to_wxyz
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import authored
from usdsim.usd.instancers import copy_names, is_instancer
from usdsim.usd.stage import overlay_stage

from .report import Report

__all__ = ["JOINT_INSTANCER", "expand_joint_instancers"]

JOINT_INSTANCER = "PhysxPhysicsJointInstancer"
"""Type of prims that copy joints between bodies, often those of a point instancer."""


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
        ours = (name for name in prim.GetPropertyNames() if name.startswith("physics:"))
        report.mark_read(path, ours)
    return stage


_Side = tuple[Sdf.Path | None, Pose]
"""Body (None: the world) with the joint's frame on it, in the stage's units."""


def _read(prim: Usd.Prim, named: Usd.Stage) -> dict[str, tuple[Sdf.Path, list[_Side]]]:
    """Prototype and both sides of each copy, by the name of its prim."""
    targets = prim.GetRelationship("physics:prototypes").GetForwardedTargets()
    for target in targets:
        if not prim.GetStage().GetPrimAtPath(target):
            raise StageError(
                f"{prim.GetPath()}.physics:prototypes names {target}, which does not exist; name "
                "joints of the stage."
            )
    indices = np.asarray(authored(prim, "physics:protoIndices", ()), dtype=np.int64)
    _check(prim, "physics:protoIndices", indices, len(targets))
    chosen = [targets[at] for at in indices]
    prefix = "instance_"
    while any(child.startswith(prefix) for child in prim.GetAllChildrenNames()):
        prefix += "_"
    sides = (_sides(prim, named, side, chosen) for side in (0, 1))
    return {
        f"{prefix}{row}": (target, ends)
        for row, (target, *ends) in enumerate(zip(chosen, *sides, strict=True))
    }


def _sides(
    prim: Usd.Prim, named: Usd.Stage, side: int, prototypes: Sequence[Sdf.Path]
) -> list[_Side]:
    """Bodies and frames that the copies of these prototypes have on one side."""
    count, stage = len(prototypes), prim.GetStage()
    moved = _rows(prim, f"physics:localPos{side}s", count, np.zeros(3))
    turned = _rows(prim, f"physics:localRot{side}s", count, np.array(IDENTITY_QUAT))
    frames = {path: _frame(stage.GetPrimAtPath(path), side) for path in set(prototypes)}
    bodies = _bodies(prim, named, side, count)
    return [
        (body, _moved(frames[path], pos, quat))
        for body, path, pos, quat in zip(bodies, prototypes, moved, turned, strict=True)
    ]


def _moved(frame: Pose, pos: NDArray[np.float64], quat: NDArray[np.float64]) -> Pose:
    """A frame in that of a copy; what is no rotation stays so, to be told of a joint."""
    return Pose(pos + quat_apply(quat, frame.pos), quat_multiply(quat, frame.quat))


def _frame(prototype: Usd.Prim, side: int) -> Pose:
    """The frame that a prototype has on one side."""
    pos = authored(prototype, f"physics:localPos{side}", np.zeros(3))
    quat = authored(prototype, f"physics:localRot{side}", IDENTITY_QUAT)
    return Pose(np.asarray(pos, np.float64), np.asarray(quat, np.float64))


def _bodies(prim: Usd.Prim, named: Usd.Stage, side: int, count: int) -> list[Sdf.Path | None]:
    """Bodies that the copies have on one side: of a point instancer, the copy of their index."""
    targets = prim.GetRelationship(f"physics:body{side}s").GetForwardedTargets()
    bodies = [_of_row(targets, row) for row in range(count)]
    names = {t: copy_names(p) for t in targets if is_instancer(p := named.GetPrimAtPath(t))}
    if not names:
        return bodies
    name = f"physics:body{side}Indices"
    indices = _rows(prim, name, count, np.asarray(-1.0)).astype(np.int64)
    _check(prim, name, indices, min(map(len, names.values())))
    return [
        body.AppendChild(names[body][at]) if body is not None and body in names else body
        for body, at in zip(bodies, indices.tolist(), strict=True)
    ]


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


def _author(layer: Sdf.Layer, path: Sdf.Path, target: Sdf.Path, sides: Sequence[_Side]) -> None:
    """Write a copy as a joint that refers to its prototype."""
    spec = Sdf.CreatePrimInLayer(layer, path)
    spec.specifier = Sdf.SpecifierDef
    spec.active = True
    spec.referenceList.prependedItems = [Sdf.Reference("", target)]
    for side, (body, frame) in enumerate(sides):
        ends = Sdf.RelationshipSpec(spec, f"physics:body{side}")
        ends.targetPathList.explicitItems = [] if body is None else [body]
        pos = Sdf.AttributeSpec(spec, f"physics:localPos{side}", Sdf.ValueTypeNames.Point3f)
        pos.default = Gf.Vec3f(*frame.pos.tolist())
        quat = Sdf.AttributeSpec(spec, f"physics:localRot{side}", Sdf.ValueTypeNames.Quatf)
        w, *xyz = quat_to_wxyz(frame.quat).tolist()
        quat.default = Gf.Quatf(w, *xyz)
