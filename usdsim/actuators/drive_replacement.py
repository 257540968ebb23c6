"""Drive replacement: one drive for every joint of an articulation."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_control import num_controls
from usdsim.core.errors import UnknownNameError
from usdsim.parser.description import (
    ActuatorDescription,
    DofDescription,
    DriveDescription,
    GenericDescription,
    SceneDescription,
)
from usdsim.parser.element import is_below

from .position_actuators import (
    ServoLaw,
    combine_servos,
    joint_of,
    num_activations,
    read_servo,
)

__all__ = ["prepare_drives"]

_CONTROLS = 3
"""Controls of a drive: position, velocity, effort."""

Notes = list[tuple[str, str]]


@dataclass
class _Change:
    """Replacement of actuators."""

    drives: dict[str, DriveDescription] = field(default_factory=dict)
    """New drives by the path of their degree of freedom."""
    removed: dict[str, tuple[str, ServoLaw | None]] = field(default_factory=dict)
    """By path of the actuator: its degree of freedom, and how its control becomes the drive's."""
    notes: Notes = field(default_factory=list)


def prepare_drives(
    scene: SceneDescription, dof_paths: Iterable[str], configured: Collection[str] = ()
) -> tuple[SceneDescription, tuple[tuple[str, str], ...]]:
    """Give every hinge and slide of some joints exactly one drive.

    Drives on the stage stay. Position and velocity servos and motors of the MuJoCo dialect on one
    joint become a drive with the same gains and limits; with controls of zero the joint moves as
    before. Other actuators on these joints stay and act beside the drive, except on joints that are
    configured elsewhere, which lose them. Keyframes keep their meaning: their controls are
    rewritten for the actuators there are now. Sensors and tuples of removed actuators go with them.

    Args:
        scene: the description, which is not changed.
        dof_paths: paths of degrees of freedom of the scene.
        configured: those of them whose actuators are configured elsewhere.

    Returns:
        The new description, and notes of what changed its meaning: prim path and message.

    Raises:
        UnknownNameError: a path is no degree of freedom of the scene.
    """
    wanted = _driven_dofs(scene, dof_paths, configured)
    change = _decide(scene, wanted, frozenset(configured))
    if not change.drives and not change.removed:
        return scene, tuple(change.notes)
    joints = tuple(
        dataclasses.replace(
            joint,
            dofs=tuple(
                dataclasses.replace(dof, drive=change.drives.get(dof.path, dof.drive))
                for dof in joint.dofs
            ),
        )
        for joint in scene.joints
    )
    actuators = tuple(a for a in scene.actuators if a.path not in change.removed)
    changed = dataclasses.replace(scene, joints=joints, actuators=actuators)
    elements = tuple(
        kept
        for element in scene.elements
        if (kept := _kept(element, scene, changed, change)) is not None
    )
    return dataclasses.replace(changed, elements=elements), tuple(change.notes)


def _driven_dofs(
    scene: SceneDescription, dof_paths: Iterable[str], configured: Collection[str]
) -> dict[str, tuple[DofDescription, float]]:
    """The hinges and slides that get drives, with their reference coordinates."""
    dofs = {dof.path: (dof, joint) for joint in scene.joints for dof in joint.dofs}
    found = {}
    for path in dict.fromkeys([*dof_paths, *configured]):
        if path not in dofs:
            raise UnknownNameError("degree of freedom", path, dofs)
        dof, joint = dofs[path]
        if dof.kind in ("hinge", "slide") and joint.in_tree:
            found[path] = dof, dof.reference
    return found


def _decide(
    scene: SceneDescription,
    wanted: Mapping[str, tuple[DofDescription, float]],
    configured: frozenset[str],
) -> _Change:
    change = _Change()
    on_joint: dict[str, list[ActuatorDescription]] = defaultdict(list)
    for actuator in scene.actuators:
        joint = joint_of(actuator)
        if joint is not None and joint in wanted:
            on_joint[joint].append(actuator)
    for path, (dof, reference) in wanted.items():
        actuators = on_joint[path]
        _replace(change, dof, reference, actuators, stays=path not in configured)
        if path in configured:
            for actuator in actuators:
                change.removed.setdefault(actuator.path, (path, None))
                change.notes.append(
                    (path, f"the configured actuator takes over from {actuator.path}")
                )
        if dof.drive is None:
            change.drives.setdefault(path, DriveDescription())
    return change


def _replace(
    change: _Change,
    dof: DofDescription,
    reference: float,
    actuators: list[ActuatorDescription],
    *,
    stays: bool,
) -> None:
    """Turn actuators of a joint into its drive, as far as they can be."""
    beside = f"it stays beside the drive of {dof.path}"
    servos: dict[str, ServoLaw] = {}
    for actuator in actuators:
        servo = read_servo(actuator)
        if isinstance(servo, ServoLaw) and dof.drive is None:
            servos[actuator.path] = servo
            continue
        reason = servo if isinstance(servo, str) else "stands beside the joint's drive"
        if stays:
            change.notes.append((actuator.path, f"{reason}; {beside}"))
    if not servos:
        return
    combined = combine_servos(list(servos.values()))
    if isinstance(combined, str):
        if stays:
            change.notes += [(path, f"{combined}; {beside}") for path in servos]
        return
    total, shares = combined
    controls = {actuator.path: actuator.control for actuator in actuators}
    commands = [s.commands(controls[path]) for path, s in zip(servos, shares, strict=True)]
    start = np.sum(commands, axis=0)
    change.drives[dof.path] = DriveDescription(
        stiffness=total.stiffness,
        damping=total.damping,
        target_position=start[0] - reference if total.stiffness else 0.0,
        target_velocity=start[1],
        max_force=total.max_force,
    )
    for path, share in zip(servos, shares, strict=True):
        change.removed[path] = dof.path, share
        if share.loses and stays:
            change.notes.append((path, f"is a drive now, which {share.loses}"))


def _kept(
    element: GenericDescription, old: SceneDescription, new: SceneDescription, change: _Change
) -> GenericDescription | None:
    """An element as it fits the actuators there are now; None: it has to go."""
    if element.kind == "key":
        return _key(element, old, new, change)
    if element.kind not in ("sensor", "tuple"):
        return element
    named = {path for paths in element.targets.values() for path in paths}
    for value in element.overrides.values():
        named |= {value} if isinstance(value, str) else set()
        named |= {v for v in value if isinstance(v, str)} if isinstance(value, tuple) else set()
    gone = sorted(named & change.removed.keys())
    if not gone:
        return element
    change.notes.append((element.path, f"goes with {', '.join(gone)}, which is a drive now"))
    return None


def _key(
    element: GenericDescription, old: SceneDescription, new: SceneDescription, change: _Change
) -> GenericDescription:
    """A keyframe whose controls mean for the new actuators what they meant for the old ones."""
    values = dict(element.overrides)
    (part,) = element.targets.get("part", ("/",))
    places, size = _layout(old, part)
    kept = [
        actuator.path not in change.removed
        for actuator in old.actuators
        if actuator.is_below(part)
        for _ in range(num_activations(actuator))
    ]
    for name, count in (("ctrl", size), ("act", len(kept))):
        given = np.ravel(np.asarray(values.pop(name, ()), dtype=np.float64))
        if not len(given):
            continue
        if len(given) != count:
            change.notes.append(
                (element.path, f"has {len(given)} values of {name} for {count}; they are left out")
            )
        elif name == "ctrl":
            values[name] = _controls(given, places, _layout(new, part), change)
        elif any(kept):
            values[name] = given[kept]
    return dataclasses.replace(element, overrides=values)


def _controls(
    given: NDArray[np.float64],
    places: Mapping[str, tuple[int, int]],
    layout: tuple[Mapping[str, tuple[int, int]], int],
    change: _Change,
) -> NDArray[np.float64]:
    targets, size = layout
    out = np.zeros(size)
    for path, (start, count) in places.items():
        if path in targets:
            first = targets[path][0]
            out[first : first + count] = given[start : start + count]
            continue
        dof, servo = change.removed[path]
        if servo is not None:
            first = targets[dof][0]
            out[first : first + _CONTROLS] += servo.commands(given[start])
    return out


def _layout(scene: SceneDescription, part: str) -> tuple[dict[str, tuple[int, int]], int]:
    """First control and number of controls by path of the drive or actuator, and how many.

    Of those below a prim, counted from the first of them.
    """
    places: dict[str, tuple[int, int]] = {}
    size = 0
    drives: list[tuple[str, Any]] = [
        (dof.path, _CONTROLS)
        for joint in scene.joints
        for dof in joint.dofs
        if dof.drive is not None and joint.in_tree and dof.kind in ("hinge", "slide")
    ]
    for path, count in [*drives, *((a.path, num_controls(a.overrides)) for a in scene.actuators)]:
        if is_below(path, part):
            places[path] = size, count
            size += count
    return places, size
