"""Composition losses: payloads that are not loaded, and layers that count in other units."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pxr import Pcp, Sdf, Usd

from usdsim.parser.element import path_of_prim
from usdsim.usd.stage import is_look, unresolved

from .context import ParseContext
from .prims import PrimView, layer_name
from .report import Finding
from .unconverted import Scaled, report_unconverted

__all__ = ["name_layers", "report_composition"]

_UNITS = ("metersPerUnit", "kilogramsPerUnit")
_UP = {"X": 0, "Y": 1, "Z": 2}
_SAME = 1e-3
"""Relative difference up to which two units are one."""
_UPRIGHT = 0.7
"""Cosine between two up directions from which a rotation is taken to compensate."""


def report_composition(context: ParseContext) -> None:
    """Report what composition leaves out or does not convert.

    All of it is legal USD and read as composed; none of it is what an author wants.
    """
    _report_unresolved(context)
    _report_payloads(context)
    _report_units(context)


def _report_unresolved(context: ParseContext) -> None:
    """References, payloads and sublayers that an open stage could not follow."""
    first = {message: path for path, message in sorted(unresolved(context.stage), reverse=True)}
    for message, path in sorted(first.items()):
        say = context.report.info if is_look(message) else context.report.warning
        say(
            "unresolved", path,
            f"lacks what it refers to, which is not simulated: {message} Provide the file, correct "
            "the path, or unmute the layer",
        )  # fmt: skip


def _report_payloads(context: ParseContext) -> None:
    stage = context.stage
    for path in sorted(set(stage.FindLoadable()) - set(stage.GetLoadSet())):
        context.report.warning(
            "unloaded-payload", path,
            "has a payload that is not loaded; what is in it is not simulated. Load it: "
            f"stage.Load({str(path)!r})",
        )  # fmt: skip


def name_layers(context: ParseContext) -> None:
    """Add the file to findings that another layer than the root layer of the stage states."""
    root = context.stage.GetRootLayer()
    findings = context.report.findings
    for i, finding in enumerate(findings):
        layer = None if finding.severity == "info" else _stated_in(context.stage, finding)
        if layer is not None and layer != root and not layer.anonymous:
            findings[i] = replace(finding, layer=layer_name(layer))


def _stated_in(stage: Usd.Stage, finding: Finding) -> Sdf.Layer | None:
    """The strongest layer with an opinion on what a finding is about."""
    path = path_of_prim(finding.path)
    prim = stage.GetPrimAtPath(path) if Sdf.Path.IsValidPathString(path) else None
    if not prim or prim.IsPseudoRoot():
        return None
    found = prim.GetProperty(finding.attribute) if finding.attribute else None
    specs = (found.GetPropertyStack() if found else ()) or prim.GetPrimStack()
    return specs[0].layer if specs else None


@dataclass(frozen=True, slots=True)
class _Metrics:
    """Units a layer states; None where it states none."""

    lengths: float | None
    masses: float | None
    up: str | None

    @classmethod
    def of(cls, layer: Sdf.Layer) -> _Metrics:
        root = layer.pseudoRoot
        lengths, masses = (float(root.GetInfo(n)) if root.HasInfo(n) else None for n in _UNITS)
        return cls(lengths, masses, str(root.GetInfo("upAxis")) if root.HasInfo("upAxis") else None)

    def differences(self, outer: _Metrics) -> dict[str, float]:
        """Units that differ from those of another layer, with their ratio; 1 for the axis."""
        found = {}
        for name, own, other in (
            (_UNITS[0], self.lengths, outer.lengths),
            (_UNITS[1], self.masses, outer.masses),
        ):
            if own and other and abs(own / other - 1.0) > _SAME:
                found[name] = own / other
        if self.up in _UP and outer.up in _UP and self.up != outer.up:
            found["upAxis"] = 1.0
        return found


def _report_units(context: ParseContext) -> None:
    """Layers that count in other units than what brings them in; nothing converts them."""
    own = _Metrics(context.units.length, context.units.kilograms_per_unit, context.units.up_axis)
    root = context.stage.GetRootLayer()
    for layer in context.stage.GetLayerStack(includeSessionLayers=False):
        for name in _Metrics.of(layer).differences(own) if layer != root else ():
            context.report.warning(
                "other-units", "/",
                f"is {_value(layer, name)} in the sublayer {layer_name(layer)} and "
                f"{_own_value(context, name)} on the stage, and sublayers are not converted; "
                "reference that layer with a scale, or convert it",
                attribute=name,
            )  # fmt: skip
    scaled: Scaled = {}
    for view in () if context.local else context.views:
        if view.prim.HasAuthoredReferences() or view.prim.HasAuthoredPayloads():
            for arc in _arcs(view):
                _report_arc(context, view, arc, own, scaled)
    report_unconverted(context, scaled)


def _arcs(view: PrimView) -> Iterator[tuple[Sdf.Layer, Sdf.Layer]]:
    """Layers that make a reference or payload on a prim itself, and those they refer to."""
    prim = view.prim.GetPrimInPrototype() if view.prim.IsInstanceProxy() else view.prim
    for arc in Usd.PrimCompositionQuery(prim).GetCompositionArcs():
        if arc.GetArcType() in (Pcp.ArcTypeReference, Pcp.ArcTypePayload) and not arc.IsAncestral():
            outer = arc.GetIntroducingNode().layerStack.identifier.rootLayer
            inner = arc.GetTargetNode().layerStack.identifier.rootLayer
            if outer != inner:
                yield outer, inner


def _report_arc(
    context: ParseContext,
    view: PrimView,
    arc: tuple[Sdf.Layer, Sdf.Layer],
    own: _Metrics,
    scaled: Scaled,
) -> None:
    """Report units that differ along an arc, or note in `scaled` that a scale makes up for them."""
    outer, inner = arc
    metrics = own if outer == context.stage.GetRootLayer() else _Metrics.of(outer)
    theirs = _Metrics.of(inner)
    for name, ratio in theirs.differences(metrics).items():
        if _compensated(context, view, name, theirs, metrics):
            if name == "metersPerUnit":
                scaled[view.path] = inner, float(theirs.lengths or 1.0), ratio
            continue
        remedy = {
            "metersPerUnit": f"Scale {view.path} by {ratio:g}",
            "kilogramsPerUnit": f"Convert its masses and densities by {ratio:g}",
            "upAxis": f"Rotate {view.path} by a quarter turn",
        }[name]
        context.report.warning(
            "other-units", view.path,
            f"is {_value(inner, name)} in {layer_name(inner)}, which the prim refers to, and "
            f"{_value(outer, name)} in {layer_name(outer)}, and references convert nothing. "
            f"{remedy}, or convert the file",
            attribute=name,
        )  # fmt: skip


def _compensated(
    context: ParseContext, view: PrimView, name: str, inner: _Metrics, outer: _Metrics
) -> bool:
    """Whether the transform of a prim makes up for other units of what it refers to."""
    if name == "metersPerUnit":
        scale = float(np.abs(np.linalg.det(context.frames.linear[view.index]))) ** (1.0 / 3.0)
        needed, plain = (float(m.lengths or 1.0) / context.units.length for m in (inner, outer))
        # What is scaled otherwise on top of it is compensated too.
        return scale > 0.0 and abs(np.log(scale / needed)) < abs(np.log(scale / plain))
    if name == "upAxis":
        turn = context.units.to_z_up_matrix.T @ context.frames.rotation[view.index]
        return bool(turn[_UP[context.units.up_axis], _UP[inner.up or "Z"]] > _UPRIGHT)
    return False


def _value(layer: Sdf.Layer, name: str) -> Any:
    root = layer.pseudoRoot
    if not root.HasInfo(name):
        return "not stated"
    value = root.GetInfo(name)
    return f"{value:g}" if isinstance(value, float) else value


def _own_value(context: ParseContext, name: str) -> Any:
    units = context.units
    return {_UNITS[0]: f"{units.length:g}", _UNITS[1]: f"{units.kilograms_per_unit:g}"}.get(
        name, units.up_axis
    )
