"""PhysicsDriveAPI: what pushes a joint towards its target."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from usdsim.core.units import UNLIMITED
from usdsim.math.time_samples import TargetSamples
from usdsim.parser.context import ParseContext
from usdsim.parser.description import DriveDescription, EnvelopeDescription
from usdsim.parser.prims import PrimView
from usdsim.parser.time_codes import seconds

__all__ = ["SAMPLED", "parse_drive", "parse_envelope"]

SAMPLED = ("targetPosition", "targetVelocity")
"""Attributes of a drive that may vary over time."""

_UNITS = (("m", "deg"), ("N", "N m"), ("N/m", "N m/deg"), ("N s/m", "N m s/deg"))


def parse_drive(
    context: ParseContext, view: PrimView, instance: str, *, angular: bool
) -> DriveDescription | None:
    """The drive of one axis; None where none is applied.

    Gains of turning axes are per degree on the stage, targets are in degrees.
    """
    if f"PhysicsDriveAPI:{instance}" not in view.apis:
        return None
    units, prefix = context.units, f"drive:{instance}:physics:"
    kind = view.value(prefix + "type", "force")
    if kind not in ("force", "acceleration"):
        view.invalid(prefix + "type", kind, "force or acceleration", code="unknown-token")
        kind = "force"
    acceleration = kind == "acceleration"
    alternative = 1 if angular else 0
    angle, effort, gain, rate = (units.factor(pair[alternative]) for pair in _UNITS)
    if acceleration:
        gain = rate = 1.0 / angle if angular else 1.0
    values = {
        name: view.number(prefix + name, fallback)
        for name, fallback in (
            ("stiffness", 0.0),
            ("damping", 0.0),
            ("targetPosition", 0.0),
            ("targetVelocity", 0.0),
            ("maxForce", np.inf),
        )
    }
    for name in ("stiffness", "damping", "maxForce"):
        if values[name] < 0.0:
            view.invalid(prefix + name, values[name], "zero or a positive number")
    force = values["maxForce"]
    samples = _samples(context, view, prefix, angle, values)
    if samples is not None:
        values["targetPosition"], values["targetVelocity"] = samples.at(0.0) / angle
    return DriveDescription(
        stiffness=values["stiffness"] * gain,
        damping=values["damping"] * rate,
        target_position=values["targetPosition"] * angle,
        target_velocity=values["targetVelocity"] * angle,
        max_force=np.inf if force >= UNLIMITED else force * effort,
        acceleration=acceleration,
        samples=samples,
    )


def parse_envelope(
    context: ParseContext, view: PrimView, instance: str, *, angular: bool
) -> EnvelopeDescription | None:
    """The performance envelope of a drive; None: none is authored."""
    found = {}
    for field in fields(EnvelopeDescription):
        value = context.quantities.read(view, "drive", field.name, axis=instance, angular=angular)
        if value is not None and value < 0.0:
            prefix = f"physxDrivePerformanceEnvelope:{instance}"
            view.invalid(prefix, value, f"zero or a positive number as {field.name}")
        elif value is not None and value < UNLIMITED:
            found[field.name] = value
    return EnvelopeDescription(**found) if any(found.values()) else None


def _samples(
    context: ParseContext, view: PrimView, prefix: str, unit: float, values: dict[str, float]
) -> TargetSamples | None:
    """Targets over time; None: neither of the two varies."""
    if not context.sampled:
        return None
    attributes = [view.prim.GetAttribute(prefix + name) for name in SAMPLED]
    sampled = [bool(a) and a.GetNumTimeSamples() > 1 for a in attributes]
    if not any(sampled):
        return None
    pairs = list(zip(attributes, sampled, strict=True))
    codes = sorted({code for a, varies in pairs if varies for code in a.GetTimeSamples()})
    rows = np.array(
        [
            [float(a.Get(code)) if varies else values[name] for code in codes]
            for name, (a, varies) in zip(SAMPLED, pairs, strict=True)
        ]
    ).T
    if not np.isfinite(rows).all():
        bad = SAMPLED[int(np.argmin(np.isfinite(rows).all(axis=0)))]
        view.invalid(prefix + bad, rows.tolist(), "finite numbers at every time sample")
        return None
    return TargetSamples(times=seconds(context.stage, codes), values=unit * rows)
