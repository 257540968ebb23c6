"""Surface properties of colliders: friction, offsets, restitution, compliance."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.physx import COMBINE
from usdsim.engine.compile.context import Build
from usdsim.parser.description import WORLD, GeomDescription, MaterialDescription

__all__ = [
    "condim",
    "friction",
    "friction_mode",
    "material_of",
    "mix",
    "mixes_natively",
    "mixing_kind",
    "patch_radius",
    "stronger",
    "surface",
]

DEFAULT = MaterialDescription(path="")
CARRYING_SOLREF, CARRYING_SHARE = (0.01, 1.0), 1000.0
"""Contacts with kinematic bodies: harder than others, and decided by the kinematic one."""
TORSIONAL, ROLLING = 0.005, 0.0001
"""MuJoCo's own torsional and rolling friction [m]."""
_MIXED: dict[str, Callable[[Any, Any], NDArray[np.float64]]] = {
    "average": lambda a, b: 0.5 * (a + b),
    "min": np.minimum,
    "multiply": np.multiply,
    "max": np.maximum,
    "first": lambda a, b: a,
    "second": lambda a, b: b,
}


def material_of(build: Build, geom: GeomDescription) -> MaterialDescription:
    """The material of a geom, or the default one, less what the geom's own dialect says better."""
    material = DEFAULT if geom.material is None else build.scene.materials[geom.material]
    if "solref" not in geom.overrides or not (material.restitution or material.contact_stiffness):
        return material
    return replace(material, restitution=0.0, contact_stiffness=None, contact_damping=None)


def friction(
    material: MaterialDescription, geom: GeomDescription | None = None
) -> tuple[float, float, float]:
    """Sliding, torsional [m] and rolling [m] coefficients of a material, or of a geom of it.

    The engine has one sliding coefficient. The dynamic one is taken, because it sets how things
    slide.
    """
    if geom is not None and geom.friction is not None:
        sliding, torsional, rolling = geom.friction.tolist()
        return sliding, torsional, rolling
    torsional, rolling = material.torsional_friction, material.rolling_friction
    if geom is not None and patch_radius(geom, geom):
        torsional = material.dynamic_friction * geom.torsional_radius
    return (
        material.dynamic_friction,
        TORSIONAL if torsional is None else torsional,
        ROLLING if rolling is None else rolling,
    )


def patch_radius(a: GeomDescription, b: GeomDescription) -> float:
    """Radius of the patch by which two geoms resist spinning on each other [m]; 0: they do not.

    Torsional friction is sliding friction times it. PhysX has that where two shapes touch at a
    single point, as spheres do.
    """
    return max(a.torsional_radius, b.torsional_radius) if "sphere" in (a.kind, b.kind) else 0.0


def stronger(a: str | None, b: str | None) -> str:
    """Deciding one of two combine modes, as in PhysX; USD's default is the average."""
    return max(a or "average", b or "average", key=COMBINE.index)


def mix(mode: str, a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """A value of two surfaces that meet, element by element."""
    return _MIXED[mode](a, b)


def friction_mode(build: Build, first: int, second: int) -> str:
    """Friction mode of two geoms: the one of their materials, or the engine's dialect."""
    geoms = build.scene.geoms[first], build.scene.geoms[second]
    modes = [material_of(build, geom).friction_combine for geom in geoms]
    if any(modes) or not any(map(_is_native, geoms)):
        return stronger(*modes)
    return _native_mode(build, first, second)


def mixes_natively(build: Build, first: int, second: int) -> bool:
    """Whether friction of two geoms combines as the engine itself does it, whatever it is."""
    return friction_mode(build, first, second) == _native_mode(build, first, second)


def mixing_kind(build: Build, index: int) -> Hashable:
    """All that `mixes_natively` asks of a geom: two of one kind mix with a third alike."""
    geom = build.scene.geoms[index]
    mode = material_of(build, geom).friction_combine
    return mode, _is_native(geom), build.geoms[index].priority


def _is_native(geom: GeomDescription) -> bool:
    return geom.native_mixing or "priority" in geom.overrides


def _native_mode(build: Build, first: int, second: int) -> str:
    a, b = build.geoms[first].priority, build.geoms[second].priority
    return "max" if a == b else ("first" if a > b else "second")


def condim(material: MaterialDescription, radius: float = 0.0) -> int:
    """Dimensions of contact: sliding; with torsion, also by a patch of a radius; with rolling."""
    if material.rolling_friction:
        return 6
    return 4 if material.torsional_friction or radius else 3


def surface(build: Build, geom: GeomDescription) -> dict[str, Any]:
    """Contact fields of a geom."""
    material = material_of(build, geom)
    fields: dict[str, Any] = {
        "friction": friction(material, geom),
        "condim": condim(material, patch_radius(geom, geom)),
    }
    if geom.body != WORLD and build.scene.bodies[geom.body].kinematic and not build.owns_options:
        # The engine pushes only where surfaces overlap: what a soft lift carries would lag behind.
        fields["solref"], fields["solmix"] = CARRYING_SOLREF, CARRYING_SHARE
    return fields
