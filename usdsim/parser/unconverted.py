"""Numbers in the units of a referenced layer, which a scale of the reference does not convert."""

from __future__ import annotations

import re

import numpy as np
from pxr import Sdf

from usdsim.core.dialects.newton import NEWTON
from usdsim.core.dialects.physx import PHYSX
from usdsim.core.units import UNLIMITED, si_factor

from .context import ParseContext
from .element import at_and_above
from .prims import PrimView, layer_name

__all__ = ["Scaled", "report_unconverted"]

Scaled = dict[str, tuple[Sdf.Layer, float, float]]
"""Prim paths with the layer they refer to, its unit of length [m] and how many others that is."""

_AXIS = "[^:]+"
_STANDARD = {
    "physics:(lower|upper)Limit": "m | deg",
    "physics:(min|max)Distance": "m",
    "physics:breakForce": "N",
    "physics:breakTorque": "N m",
    "physics:density": "kg/m^3",
    "physics:diagonalInertia": "kg m^2",
    "physics:gravityMagnitude": "m/s^2",
    "physics:velocity": "m/s",
    "limit:(trans.|distance):physics:(low|high)": "m",
    "drive:(linear|trans.):physics:target(Position|Velocity)": "m",
    "drive:(linear|trans.):physics:maxForce": "N",
    "drive:(angular|rot.):physics:(stiffness|damping|maxForce)": "N m",
}
_UNITS = [(re.compile(pattern), unit) for pattern, unit in _STANDARD.items()] + [
    (re.compile(re.escape(row.usd).replace(r"\{axis\}", _AXIS)), row.unit)
    for row in (*PHYSX, *NEWTON)
    if row.unit
]
"""Units of attributes; of two, those of an axis that slides and of one that turns."""
_SLIDES = re.compile("linear|trans.")


def report_unconverted(context: ParseContext, scaled: Scaled) -> None:
    """Report numbers whose unit has lengths, where only the shapes are scaled to other units."""
    found: dict[str, list[tuple[PrimView, str, float]]] = {}
    for view in context.views if scaled else ():
        place = next((path for path in at_and_above(view.path) if path in scaled), None)
        if place is not None:
            found.setdefault(place, []).extend(_numbers(view, *scaled[place][1:]))
    for place, numbers in found.items():
        if not numbers:
            continue
        view, name, factor = numbers[0]
        more = f", and {len(numbers) - 1} more below {place}" if len(numbers) > 1 else ""
        context.report.warning(
            "other-units", view.path,
            f"is {_shown(view.prim.GetAttribute(name).Get())} in the units of "
            f"{layer_name(scaled[place][0])}; the scale of {place} converts shapes and places, not "
            f"this number{more}. Multiply it by {factor:.6g}, or convert the file",
            attribute=name,
        )  # fmt: skip


def _numbers(view: PrimView, unit: float, ratio: float) -> list[tuple[PrimView, str, float]]:
    """Attributes whose number is of a layer with a unit of length [m], and what converts it."""
    found = []
    weighed = "physics:mass" in view.names and view.prim.GetAttribute("physics:mass").Get()
    for name in sorted(view.names):
        factor = _factor(view, name, ratio)
        if factor == 1.0 or (weighed and name == "physics:density"):
            continue
        attribute = view.prim.GetAttribute(name)
        value = attribute.Get() if attribute else None
        size = np.abs(np.asarray(0.0 if value is None else value, np.float64))
        if not size.any() or (size >= UNLIMITED).all():
            continue
        layer = next((s.layer for s in attribute.GetPropertyStack() if s.HasDefaultValue()), None)
        stated = layer.pseudoRoot.GetInfo("metersPerUnit") if layer else None
        if stated and np.isclose(stated, unit):
            found.append((view, name, factor))
    return found


def _shown(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value


def _factor(view: PrimView, name: str, ratio: float) -> float:
    for pattern, unit in _UNITS:
        if pattern.fullmatch(name):
            sliding, _, turning = (part.strip() for part in unit.partition("|"))
            slides = "Prismatic" in view.type_name or _SLIDES.search(name) is not None
            chosen = sliding if slides or not turning else turning
            return si_factor(chosen, ratio) / si_factor(chosen)
    return 1.0
