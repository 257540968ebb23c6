"""Markers in recordings: what visualization markers drew at each frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pxr import Sdf, Usd

from usdsim.usd.guides import marker_paths
from usdsim.usd.xforms import fresh_attribute

__all__ = ["marker_values", "sample_markers"]

_TYPES = {
    "protoIndices": Sdf.ValueTypeNames.IntArray,
    "positions": Sdf.ValueTypeNames.Point3fArray,
    "orientations": Sdf.ValueTypeNames.QuathArray,
    "scales": Sdf.ValueTypeNames.Float3Array,
    "visibility": Sdf.ValueTypeNames.Token,
}

Values = Mapping[str, Mapping[str, Any]]


def marker_values(stage: Usd.Stage) -> dict[str, dict[str, Any]]:
    """Attributes of what draws markers now, by prim path."""
    found = {}
    for path in marker_paths(stage):
        prim = stage.GetPrimAtPath(path)
        if prim:
            values = {name: prim.GetAttribute(name).Get() for name in _TYPES}
            found[path] = {name: value for name, value in values.items() if value is not None}
    return found


def sample_markers(layer: Sdf.Layer, codes: Sequence[float], frames: Sequence[Values]) -> None:
    """Write markers where they change."""
    for path in {path: None for frame in frames for path in frame}:
        spec = Sdf.CreatePrimInLayer(layer, path)
        for name, kind in _TYPES.items():
            attribute = fresh_attribute(spec, name, kind)
            last: Any = None
            for code, frame in zip(codes, frames, strict=True):
                value = frame.get(path, {}).get(name)
                if value is not None and value != last:
                    layer.SetTimeSample(attribute.path, code, value)
                    last = value
