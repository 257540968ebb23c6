"""Mass properties of bodies: mass, centre of mass and inertia, authored or from colliders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pxr import Gf

from usdsim.core.units import DEFAULT_DENSITY
from usdsim.math.inertia import MassProperties, combine, principal
from usdsim.math.repair import moments_text, needs_repair, repair_moments
from usdsim.math.rotations import IDENTITY_QUAT, quat_to_matrix
from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView
from usdsim.parser.quantities import Statement, disagree, rounds_to
from usdsim.parser.shapes.colliders import Collider
from usdsim.parser.shapes.geoms import GeomPass
from usdsim.parser.shapes.materials import Materials

__all__ = ["BodyMass", "MassPass"]

Array = NDArray[np.float64]
Source = Literal["authored", "density", "default", "none"]

_TURN = 3e-7
"""Error of a component of a quaternion in single precision."""
_UNSTATED = Gf.Quatf(0.0)
"""Fallback of the schema for principal axes."""
_NAMES = frozenset(
    (
        "physics:mass", "physics:centerOfMass", "physics:diagonalInertia", "physics:principalAxes",
        "newton:inertia", "mjc:mass", "mjc:ipos", "mjc:inertia", "mjc:iquat",
    )
)  # fmt: skip
"""Attributes that state anything of a prim's mass but its density."""
_SPHERE = 0.1
"""Radius of the ball, about its centre of mass, that a body with mass but no shape is [m]."""


@dataclass(slots=True, eq=False)
class BodyMass:
    """Mass properties of one body in its frame."""

    mass: float
    com: Array
    inertia: Array
    """Principal moments [kg m^2], shape (3,)."""
    quat: Array
    source: Source = "none"


@dataclass(frozen=True, slots=True, eq=False)
class _Stated:
    """Mass properties that a prim itself states; None: nothing."""

    mass: float | None = None
    """[kg]"""
    com: Array | None = None
    """In the prim's unscaled frame [m], shape (3,)."""
    inertia: Array | None = None
    """Principal moments [kg m^2], shape (3,)."""
    quat: Array = field(default_factory=lambda: np.array(IDENTITY_QUAT))


_NOTHING = _Stated()


class MassPass:
    """Weighs bodies from what MassAPI states and from their colliders.

    The body's own mass, centre and inertia win. What it leaves open comes from its colliders, each
    weighed by its own mass, else its own density, else that of the body, else that of its material,
    else water's. A mass of the body scales what the colliders give.
    """

    def __init__(
        self,
        context: ParseContext,
        geoms: GeomPass,
        materials: Materials,
        colliders: Mapping[str, Collider],
    ):
        self._context = context
        self._geoms, self._materials, self._colliders = geoms, materials, colliders
        self._said: dict[str, _Stated] = {}
        self._by_body: dict[int, list[str]] = {}
        for path, collider in colliders.items():
            if collider.enabled and path in geoms.volumes:
                self._by_body.setdefault(context.body_above(path), []).append(path)

    def weigh(self, body: int, view: PrimView) -> BodyMass:
        """Mass properties of a body."""
        stated = self._stated(view)
        mass, centre, inertia, quat = stated.mass, stated.com, stated.inertia, stated.quat
        source: Source = "authored" if mass else "none"
        if mass is not None and centre is not None and inertia is not None:
            self._skip(body, view)
            return BodyMass(mass, centre, inertia, quat, "authored")
        if not (view.has_api("PhysicsRigidBodyAPI") or view.has_api("PhysicsMassAPI")):
            # A named frame: to USD its colliders belong to the rigid body above, which is weighed.
            self._skip(body, view)
            return BodyMass(0.0, np.zeros(3), np.zeros(3), np.array(IDENTITY_QUAT), "none")
        solid, found = self._colliders_mass(body, view)
        if solid.mass > 0.0:
            source = source if mass else found
            solid = solid.with_mass(mass) if mass else solid
        elif mass:
            at = np.zeros(3) if centre is None else centre
            solid = MassProperties(mass, at, 0.4 * mass * _SPHERE**2 * np.eye(3))
            if inertia is None:
                self._context.report.default(
                    view.path, "physics:diagonalInertia", solid.inertia[0, 0]
                )
        if solid.mass <= 0.0:
            return BodyMass(0.0, np.zeros(3), np.zeros(3), np.array(IDENTITY_QUAT), "none")
        if inertia is None:
            about = solid.inertia if centre is None else solid.about(centre)
            inertia, quat = principal(about)
        return BodyMass(solid.mass, solid.com if centre is None else centre, inertia, quat, source)

    def _colliders_mass(self, body: int, view: PrimView) -> tuple[MassProperties, Source]:
        density = _positive(view, "physics:density", self._context.units.factor("kg/m^3"))
        parts: list[MassProperties] = []
        source: Source = "density"
        for path in self._by_body.get(body, ()):
            shape = self._context.by_path[path]
            solid = combine([weigh() for weigh in self._geoms.volumes[path]])
            own = self._stated(shape).mass
            if own:
                parts.append(self._refined(shape, view, solid, own))
                continue
            value = self._density(shape, view, density)
            if value is None:
                value, source = DEFAULT_DENSITY, "default"
                self._context.report.default(path, "physics:density", DEFAULT_DENSITY)
            parts.append(self._refined(shape, view, solid, value * solid.mass))
        return combine(parts), source

    def _density(self, shape: PrimView, view: PrimView, of_body: float) -> float | None:
        """Density of the collider or the nearest prim up to the body; then of the material."""
        unit = self._context.units.factor("kg/m^3")
        path = shape.path
        while path != view.path:
            above = self._context.by_path.get(path)
            if above is not None and above.has_api("PhysicsMassAPI"):
                value = _positive(above, "physics:density", unit)
                if value:
                    return value
            path = path.rpartition("/")[0]
        if of_body:
            return of_body
        material = self._materials.density(self._materials.of(self._colliders[shape.path]))
        return material or None

    def _refined(
        self, shape: PrimView, view: PrimView, solid: MassProperties, mass: float
    ) -> MassProperties:
        """A collider's mass properties, with what its own MassAPI states."""
        if solid.mass > 0.0:
            solid = solid.with_mass(mass)
        if not shape.has_api("PhysicsMassAPI"):
            return solid
        stated = self._stated(shape)
        centre, moments = stated.com, stated.inertia
        if centre is None and moments is None:
            return solid
        frames = self._context.frames
        at = frames.pose(shape.index, view.index)
        com = solid.com if centre is None else at.apply(centre)
        if moments is None:
            return MassProperties(mass, com, solid.about(com))
        turn = quat_to_matrix(at.quat) @ quat_to_matrix(stated.quat)
        return MassProperties(mass, com, turn @ np.diag(moments) @ turn.T)

    def _stated(self, view: PrimView) -> _Stated:
        """Mass properties that a prim states, which may be a body and its collider."""
        if view.names.isdisjoint(_NAMES):
            return _NOTHING
        found = self._said.get(view.path)
        if found is None:
            found = _Stated(self._mass(view), self._centre(view), *self._inertia(view))
            self._said[view.path] = found
        return found

    def _mass(self, view: PrimView) -> float | None:
        """Authored mass [kg]; zero means unauthored, but in the MuJoCo dialect none at all."""
        stated = []
        mass = _positive(view, "physics:mass", self._context.units.factor("kg"))
        if mass:
            stated.append(Statement("physics", "physics:mass", mass))
        if "mjc:mass" in view.names and _is_body(view):
            mass = _positive(view, "mjc:mass", 1.0)
            stated.append(Statement("mjc", "mjc:mass", mass, precise=True))
        found = self._context.quantities.settle(view, "mass", stated)
        return None if found is None else float(found)

    def _centre(self, view: PrimView) -> Array | None:
        """Authored centre of mass in the prim's unscaled frame [m]; infinite means unauthored."""
        stated = []
        name = "physics:centerOfMass"
        centre = view.vector(name) if view.is_readable(name) else None
        if centre is not None and np.isinf(centre).any() and not np.isinf(centre).all():
            view.invalid("physics:centerOfMass", centre.tolist(), "finite numbers")
        elif centre is not None and np.isfinite(centre).all():
            scaled = self._context.units.length * self._context.frames.scale[view.index] * centre
            stated.append(Statement("physics", "physics:centerOfMass", scaled))
        exact = view.vector("mjc:ipos") if _is_body(view) else None
        if exact is not None:
            stated.append(Statement("mjc", "mjc:ipos", exact, precise=True))
        found = self._context.quantities.settle(view, "com", stated)
        return None if found is None else np.asarray(found)

    def _inertia(self, view: PrimView) -> tuple[Array | None, Array]:
        """Authored principal moments and axes; zero means unauthored."""
        stated = [*self._standard_inertia(view), *_other_inertias(self._context, view)]
        chosen = self._context.quantities.choose(
            view, "inertia", stated, _same_inertia, _other_tensor
        )
        if chosen is None:
            return None, np.array(IDENTITY_QUAT)
        moments, axes = np.split(np.asarray(chosen.value), [3])
        if chosen.dialect == "mjc" or chosen.converted:
            return moments, axes
        return self._checked(view, chosen.name, moments), axes

    def _standard_inertia(self, view: PrimView) -> list[Statement]:
        unit = self._context.units.factor("kg m^2")
        axes = np.array(IDENTITY_QUAT)
        if view.raw("physics:principalAxes") not in (None, _UNSTATED):
            axes = view.quat("physics:principalAxes", axes)
        name = "physics:diagonalInertia"
        diagonal = view.vector(name) if view.is_readable(name) else None
        if diagonal is None or not diagonal.any():
            return []
        return [Statement("physics", name, np.concatenate([diagonal * unit, axes]))]

    def _checked(self, view: PrimView, name: str, moments: Array) -> Array | None:
        if not np.isfinite(moments).all():
            view.invalid(name, moments.tolist(), "finite numbers")
            return None
        if not needs_repair(moments):
            low, middle, _ = np.sort(moments)
            return np.minimum(moments, low + middle)
        said = (
            f"has principal moments {moments_text(moments)} kg m^2; they must be positive, and "
            "none larger than the sum of the others"
        )
        if moments.max() <= 0.0:
            self._context.report.repaired(
                "inertia-left-out", view.path, f"{said}: left out", attribute=name, value=moments
            )
            return None
        fixed = repair_moments(moments, 0.0)
        self._context.report.repaired(
            "inertia-repaired", view.path, f"{said}: taken as {moments_text(fixed)}",
            attribute=name, value=moments.tolist(),
        )  # fmt: skip
        return fixed

    def _skip(self, body: int, view: PrimView) -> None:
        """Mark what colliders state as read: a mass authored completely has no part of it."""
        names = ("physics:mass", "physics:density")
        view.read.add("physics:density")
        for path in self._by_body.get(body, ()):
            self._context.by_path[path].read.update(names)


def _other_inertias(context: ParseContext, view: PrimView) -> list[Statement]:
    """Inertias of Newton's tensor and MuJoCo's moments: principal moments, then axes."""
    stated = []
    tensor = view.vector("newton:inertia", size=6)
    if tensor is not None and tensor.any():
        xx, yy, zz, xy, xz, yz = tensor * context.units.factor("kg m^2")
        value = np.concatenate(principal([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        stated.append(Statement("newton", "newton:inertia", value, precise=True))
    exact = view.vector("mjc:inertia") if _is_body(view) else None
    if exact is not None:
        axes = view.quat("mjc:iquat", np.array(IDENTITY_QUAT), exact=True)
        value = np.concatenate([exact, axes])
        stated.append(Statement("mjc", "mjc:inertia", value, precise=True))
    return stated


def _same_inertia(statement: Statement, exact: Any) -> bool:
    """Whether moments and axes are still the converted ones; of axes, either sign will do."""
    value = np.asarray(statement.value)
    if statement.dialect == "newton":
        # The order of moments, and axes of equal ones, are free in a tensor.
        return bool(np.abs(_tensor(value) - _tensor(exact)).max() <= 1e-12 * exact[:3].max())
    turned = min(np.abs(value[3:] - sign * exact[3:]).max() for sign in (1.0, -1.0))
    return rounds_to(value[:3], exact[:3], statement.precise) and bool(turned <= _TURN)


def _is_body(view: PrimView) -> bool:
    """Whether names of the MuJoCo dialect mean a body's; meshes have a rule named ``inertia``."""
    return view.has_api("MjcBodyAPI") or view.has_api("PhysicsRigidBodyAPI")


def _other_tensor(a: Array, b: Array) -> bool:
    return disagree(_tensor(a), _tensor(b))


def _tensor(value: Array) -> Array:
    turn = quat_to_matrix(value[3:])
    return np.asarray(turn @ np.diag(value[:3]) @ turn.T)


def _positive(view: PrimView, name: str, unit: float) -> float:
    """An authored value in SI; zero means unauthored, negative ones are reported."""
    value = view.number(name, 0.0) if view.is_readable(name) else 0.0
    if not 0.0 <= value < np.inf:
        view.invalid(name, value, "a positive number, or 0 for unspecified")
        return 0.0
    return float(value) * unit
