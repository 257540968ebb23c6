"""Forces and torques on bodies, constant or over time, as PhysxForceAPI states them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.mjc_tokens import BIAS, GAIN, TRANSMISSION
from usdsim.math.rotations import quat_to_matrix
from usdsim.math.time_samples import TargetSamples
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import ActuatorDescription, BodyDescription, SiteDescription
from usdsim.parser.joints.authored import D6_AXES
from usdsim.parser.prims import PrimView
from usdsim.parser.time_codes import seconds

__all__ = ["SAMPLED", "Forces", "parse_forces"]

Array = NDArray[np.float64]
_API, _PREFIX = "PhysxForceAPI", "physxForce:"
SAMPLED = (_PREFIX + "force", _PREFIX + "torque", _PREFIX + "forceEnabled")
"""Attributes of a force that may vary over time; the last one is held between its samples."""
_BEFORE = 1e-4
"""Time codes between two values of what is held, which engines have as a slope."""
_ROUND = 1e-3
"""Relative difference of moments of inertia that counts as none."""


@dataclass(slots=True, eq=False)
class Forces:
    """Actuators that push whatever others do, and the points where they do."""

    actuators: list[ActuatorDescription] = field(default_factory=list)
    sites: list[SiteDescription] = field(default_factory=list)

    def push(self, path: str, body: int, point: Pose, load: Array, *, world: bool = False) -> None:
        """Add a constant one.

        Args:
            path: its own.
            body: index of the body.
            point: where it acts, and its axes, in the body's frame [m].
            load: force [N] and torque [N m] in these axes, shape (6,).
            world: whether the axes are those of the world instead.
        """
        constant = {"gainprm[0]": 0.0, "biastype": BIAS.index("affine"), "biasprm[0]": 1.0}
        self._at(path, body, point, world)
        self._add(path, path, world, {"gear": load, **constant})

    def vary(
        self, path: str, body: int, point: Pose, loads: TargetSamples, *, world: bool = False
    ) -> None:
        """Add one that varies over time, as an actuator for each of the axes that it has.

        Args:
            path: its own.
            body: index of the body.
            point: as for a constant one.
            loads: forces and torques, six numbers.
            world: as for a constant one.
        """
        self._at(path, body, point, world)
        for axis in np.flatnonzero(loads.values.any(axis=0)).tolist():
            values = replace(loads, values=loads.values[:, axis : axis + 1])
            unit = {"gear": np.eye(6)[axis], "gainprm[0]": 1.0}
            self._add(f"{path}:{D6_AXES[axis]}", path, world, unit, values)

    def _at(self, path: str, body: int, point: Pose, world: bool) -> None:
        self.sites.append(SiteDescription(path=path, body=body, pose=point))
        if world:
            self.sites.append(SiteDescription(path=f"{path}:axes", body=-1))

    def _add(
        self,
        path: str,
        site: str,
        world: bool,
        law: Mapping[str, Any],
        samples: TargetSamples | None = None,
    ) -> None:
        targets = {"target": (site,)}
        overrides = {
            "trntype": TRANSMISSION.index("site"),
            "target": site,
            "gaintype": GAIN.index("fixed"),
            **law,
        }
        if world:
            overrides["refsite"], targets["refsite"] = f"{site}:axes", (f"{site}:axes",)
        control = 0.0 if samples is None else float(samples.at(0.0)[0])
        self.actuators.append(
            ActuatorDescription(
                path=path, overrides=overrides, targets=targets, control=control, samples=samples
            )
        )


def parse_forces(context: ParseContext, bodies: Sequence[BodyDescription]) -> Forces:
    """Forces in stage order.

    A force acts at the body's centre of mass, or where the schema is on a prim below the body, at
    that prim's origin; along the axes of the prim, which turn with the body, or of the world.
    Accelerations are multiplied by the mass and the inertia of the body. Forces, torques and
    whether they act may be sampled over time.
    """
    found = Forces()
    for view in context.views:
        if _API in view.apis:
            _add(context, view, bodies, found)
    return found


def _add(
    context: ParseContext, view: PrimView, bodies: Sequence[BodyDescription], found: Forces
) -> None:
    mode = view.value(_PREFIX + "mode", "acceleration")
    force = view.vector(_PREFIX + "force", np.zeros(3))
    torque = view.vector(_PREFIX + "torque", np.zeros(3))
    world = view.flag(_PREFIX + "worldFrameEnabled")
    enabled = view.flag(_PREFIX + "forceEnabled", default=True)
    index, pose = context.place(view)
    if index < 0 or bodies[index].kinematic:
        context.report.unsupported(
            view.path, _PREFIX + "force", force.tolist(),
            "pushes nothing: the prim is neither a rigid body that forces move nor below one; "
            "apply PhysxForceAPI to one",
        )  # fmt: skip
        return
    if mode not in ("force", "acceleration"):
        view.invalid(_PREFIX + "mode", mode, "force or acceleration", code="unknown-token")
        return
    body = bodies[index]
    point, path = Pose(body.com) if view.path == body.path else pose, f"{view.path}:force"

    def load(force: Array, torque: Array, enabled: bool) -> Array:
        for name, value in (("force", force), ("torque", torque)):
            if not np.isfinite(value).all():
                view.invalid(_PREFIX + name, value.tolist(), "finite numbers")
                return np.zeros(6)
        frame = None if world else pose
        return float(enabled) * _load(context, view, body, mode, frame, force, torque)

    codes = _codes(context, view)
    if len(codes) < 2:
        constant = load(force, torque, enabled)
        if constant.any():
            found.push(path, index, point, constant, world=world)
        return
    rows = [load(*_sample(view, code, (force, torque, enabled))) for code in codes]
    loads = TargetSamples(times=seconds(context.stage, codes), values=np.array(rows))
    found.vary(path, index, point, loads, world=world)


def _codes(context: ParseContext, view: PrimView) -> list[float]:
    """Time codes at which what varies is read; also just before what is held changes."""
    found: set[float] = set()
    for name in SAMPLED if context.sampled else ():
        attribute = view.prim.GetAttribute(name)
        codes = attribute.GetTimeSamples() if attribute else []
        if len(codes) > 1:
            found.update(codes)
            if name == SAMPLED[-1]:
                found.update(code - _BEFORE for code in codes[1:])
    return sorted(found)


def _sample(view: PrimView, code: float, first: Sequence[Any]) -> Iterator[Any]:
    """Force, torque and whether they act at a time code, as the stage interpolates them."""
    for name, value in zip(SAMPLED, first, strict=True):
        found = view.prim.GetAttribute(name).Get(code) if name in view.names else None
        if found is None or isinstance(found, bool):
            yield value if found is None else found
        else:
            yield np.array(found, np.float64)


def _load(
    context: ParseContext,
    view: PrimView,
    body: BodyDescription,
    mode: str,
    frame: Pose | None,
    force: Array,
    torque: Array,
) -> Array:
    """Force [N] and torque [N m] in a frame of the body, shape (6,); None: in world."""
    units = context.units
    if frame is None:
        force, torque = units.to_z_up_matrix @ force, units.to_z_up_matrix @ torque
    if mode == "force":
        return np.concatenate([force * units.factor("N"), torque * units.factor("N m")])
    push = force * units.length * body.mass
    return np.concatenate([push, _torque(context, view, body, frame, torque)])


def _torque(
    context: ParseContext, view: PrimView, body: BodyDescription, frame: Pose | None, value: Array
) -> Array:
    """Torque [N m] of an angular acceleration [rad/s^2] in a frame of the body; None: in world."""
    if frame is None:
        if value.any() and np.ptp(body.inertia) > _ROUND * body.inertia.max():
            context.report.unsupported(
                view.path, _PREFIX + "torque", value.tolist(),
                "is an acceleration along the world's axes, for which the torque would change with "
                "the pose of the body; author it in the frame of the prim, or as a force",
            )  # fmt: skip
            return np.zeros(3)
        return np.asarray(body.inertia.mean() * value)
    turn = quat_to_matrix(frame.quat).T @ quat_to_matrix(body.inertia_quat)
    return np.asarray((turn * body.inertia) @ turn.T @ value)
