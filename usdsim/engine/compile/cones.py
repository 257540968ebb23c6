"""Cone limits of ball joints: how far an axis may lean, as the length of a tendon."""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.surfaces.compliance import compliant
from usdsim.math.transforms import Pose
from usdsim.parser.description import ConeDescription, JointDescription

from .context import Build
from .loops import add_site

__all__ = ["ConeLimits", "add_cone", "set_cone_limits"]

Ids = NDArray[np.intp]

_REACH = 0.1
"""Distance of the tendon's points from the joint [m]."""
_WEIGHTS = "tendon_invweight0"
_INERTIAS = "body_invweight0"


@dataclass(frozen=True, eq=False)
class ConeLimits:
    """Tendons that limit balls, and what their limits weigh.

    The engine weighs a limit by what it moves in the rest pose, where the length of these has no
    slope. They are weighed by what the two bodies have to turn, and the slope at the limit.
    """

    tendons: Ids = field(default_factory=lambda: np.zeros(0, np.intp))
    """Tendon of each cone, shape (n,)."""
    bodies: Ids = field(default_factory=lambda: np.zeros((0, 2), np.intp))
    """The two bodies of its joint, shape (n, 2)."""
    slopes: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    """Least change of length per angle at the limit [m/rad], shape (n,)."""

    def weights(self, inertias: NDArray[np.float64]) -> NDArray[np.float64]:
        """Inverse weights of the limits [1/kg], shape (..., n).

        Args:
            inertias: inverse weights of bodies to move and to turn, shape (..., nbody, 2).
        """
        turning = inertias[..., self.bodies, 1].sum(axis=-1)
        return np.asarray(np.maximum(self.slopes**2 * turning, mujoco.mjMINVAL))

    def follow(self, batch: mjbatch.Batch, worlds: Ids) -> None:
        """Weigh the limits of worlds whose constants the engine has just derived."""
        if not len(self.tendons):
            return
        inertias = batch.expanded(_INERTIAS)
        if inertias is not None:
            values = batch.expand(_WEIGHTS)
            values[np.ix_(worlds, self.tendons)] = self.weights(inertias[worlds])


def add_cone(build: Build, joint: JointDescription, cone: ConeDescription) -> None:
    """Limit how far the axis of a ball leans by a tendon.

    Its ends lie in one body, on both sides of the axis, and it runs through a point of the axis of
    the other body: the sum of two distances is an ellipse. The ends are so far apart that the axis
    may lean by the two angles in the two directions; one end is enough where these are alike.
    """
    spread, longest = _ellipse(*cone.angles)
    along, across = cone.toward, np.cross(cone.axis, cone.toward)
    wide = along if cone.angles[0] >= cone.angles[1] else across
    ends = [np.cos(spread) * cone.axis + side * np.sin(spread) * wide for side in (1.0, -1.0)]
    path = f"{joint.path}:cone"
    sides = [(joint.parent, joint.parent_frame), (joint.child, joint.child_frame)]
    (holder, place), (leaning, tip) = reversed(sides) if cone.in_child else sides

    def site(body: int, frame: Pose, point: NDArray[np.float64], name: str) -> str:
        return add_site(build, build.body(body), frame @ Pose(_REACH * point), f"{path}:{name}")

    tendon = build.spec.add_tendon(name=build.namer.take("tendon", None, path))
    tendon.wrap_site(site(holder, place, ends[0], "end0"))
    tendon.wrap_site(site(leaning, tip, cone.axis, "axis"))
    if spread > 0.0:
        tendon.wrap_site(site(holder, place, ends[1], "end1"))
    tendon.rgba[3] = 0.0  # Nobody's string: nothing to be seen.
    tendon.limited = 1
    tendon.range = (0.0, _REACH * longest)
    # Impedance grows over an angle, as that of joints does.
    tendon.solimp_limit[2] = _REACH * tendon.solimp_limit[2]
    build.register("tendon", path, tendon)


def _ellipse(first: float, second: float) -> tuple[float, float]:
    """Angle of the ends from the axis [rad], and the greatest sum of distances at unit reach.

    A unit vector that leans by a toward one of two ends at the angle s has the distances
    2 sin((a -+ s) / 2) from them, and one that leans by b at right angles to that has twice
    sqrt(2 - 2 cos b cos s). Both sums are the same for one s.
    """
    wide, narrow = max(first, second), min(first, second)
    if wide - narrow < 1e-6:
        return 0.0, 2.0 * np.sin(0.5 * wide)
    cosine = (1.0 + np.cos(wide)) / (1.0 - np.cos(wide) + 2.0 * np.cos(narrow))
    spread = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
    return spread, float(4.0 * np.sin(0.5 * wide) * np.cos(0.5 * spread))


def _slope(cone: ConeDescription) -> float:
    """Least change of the sum of distances per angle at the limit, at unit reach."""
    wide, narrow = max(cone.angles), min(cone.angles)
    spread, longest = _ellipse(*cone.angles)
    if spread == 0.0:
        return float(np.cos(0.5 * wide))
    far = 2.0 * np.cos(0.5 * wide) * np.cos(0.5 * spread)
    near = 4.0 * np.sin(narrow) * np.cos(spread) / longest
    return float(min(far, near))


def set_cone_limits(build: Build, model: mujoco.MjModel) -> ConeLimits:
    """Weigh the limits of cones in a model, and make those compliant that have a stiffness."""
    limits, tendons, bodies, slopes = [], [], [], []
    for joint in build.scene.joints:
        for dof in joint.dofs:
            if dof.cone is None:
                continue
            limits.append((dof.limit_stiffness or 0.0, dof.limit_damping or 0.0))
            tendons.append(build.elements["tendon"][f"{joint.path}:cone"].id)
            bodies.append([build.body(joint.parent).id, build.body(joint.child).id])
            slopes.append(_REACH * _slope(dof.cone))
    if not tendons:
        return ConeLimits()
    found = ConeLimits(np.array(tendons), np.array(bodies), np.array(slopes))
    model.tendon_invweight0[found.tendons] = found.weights(model.body_invweight0)
    for (stiffness, damping), index, slope in zip(limits, tendons, slopes, strict=True):
        weight = float(model.tendon_invweight0[index])
        values = compliant(stiffness / slope**2, damping / slope**2, weight, model.opt.timestep)
        if values is not None:
            model.tendon_solref_lim[index], model.tendon_solimp_lim[index] = values
    return found
