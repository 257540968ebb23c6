"""Display materials: the shader of a surface, its inputs, and its colour where that is a number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdShade

__all__ = ["input_source", "input_value", "plain_colour", "surface_of"]

_COLOURS = ("diffuseColor", "diffuse_color_constant")
"""Inputs with a colour, of the preview surface and of OmniPBR."""
_OPACITIES = ("opacity", "opacity_constant")


def surface_of(material: UsdShade.Material) -> UsdShade.Shader | None:
    """Shader of a material's universal surface, else of that for NVIDIA's renderers; None: none."""
    sources = (material.ComputeSurfaceSource(c)[0] for c in ("", "mdl")) if material else ()
    return next((source for source in sources if source), None)


def plain_colour(shader: UsdShade.Shader) -> NDArray[np.float64] | None:
    """Colour and opacity of a surface, shape (4,); None: it has none that is a number."""
    colour, opacity = _numbers(shader, _COLOURS, 3), _numbers(shader, _OPACITIES, 1)
    if colour is None:
        return None
    return np.append(colour, 1.0 if opacity is None else opacity)


def _numbers(shader: UsdShade.Shader, names: tuple[str, ...], count: int) -> Any:
    """The first of some inputs that has a value, if that is so many finite numbers."""
    value = next((v for name in names if (v := input_value(shader, name)) is not None), None)
    try:
        found = np.asarray(value, np.float64).ravel()
    except (TypeError, ValueError):
        return None
    return found if found.size == count and np.isfinite(found).all() else None


def input_value(shader: UsdShade.Shader, name: str) -> Any:
    """Value of a shader's input; None if it has none or gets it from another node."""
    attribute = _attribute(shader, name)
    if attribute is None or UsdShade.Output.IsOutput(attribute):
        return None
    return attribute.Get()


def input_source(shader: UsdShade.Shader, name: str) -> UsdShade.Shader | None:
    """The node that a shader's input comes from; None: none."""
    attribute = _attribute(shader, name)
    if attribute is None or not UsdShade.Output.IsOutput(attribute):
        return None
    return UsdShade.Shader(attribute.GetPrim())


def _attribute(shader: UsdShade.Shader, name: str) -> Usd.Attribute | None:
    """Attribute that gives an input its value: its own, another input, or the output of a node."""
    given = shader.GetInput(name)
    found = UsdShade.Utils.GetValueProducingAttributes(given) if given else []
    return found[0] if found else None
