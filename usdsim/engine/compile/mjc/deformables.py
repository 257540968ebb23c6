"""Flexible bodies and skins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from usdsim.parser.description import GenericDescription

from .overrides import apply_overrides

__all__ = ["add_flex", "add_skin", "keep_skin_weights"]

_NORMALIZED = 1e-6
"""Relative difference that dividing weights by a sum of one in single precision makes at most."""


def add_flex(spec: mujoco.MjSpec, element: GenericDescription, names: Mapping[str, str]) -> Any:
    """Add a flexible body on the bodies of its vertices or nodes."""
    values = dict(element.overrides)
    bodies = {
        field: _bodies(values.pop(field, ()), values.pop(f"{usd}:indices", None), names)
        for field, usd in (("nodebody", "nodeBodies"), ("vertbody", "vertexBodies"))
    }
    materials = values.pop("material", ())
    flex = spec.add_flex(name=names[element.path])
    apply_overrides(flex, "flex", values, names)
    for field, found in bodies.items():
        setattr(flex, field, found)
    flex.material = [names[path] for path in materials]
    return flex


def _bodies(paths: Any, order: Any, names: Mapping[str, str]) -> list[str]:
    indices = range(len(paths)) if order is None else order
    return [names.get(paths[int(i)], "world") for i in indices]


def add_skin(spec: mujoco.MjSpec, element: GenericDescription, names: Mapping[str, str]) -> Any:
    """Add a skin moved by bodies."""
    values = dict(element.overrides)
    counts = [int(n) for n in values.pop("bones:counts", ())]
    vertices = np.asarray(values.pop("vertid", ()), dtype=np.int32)
    weights = np.asarray(values.pop("vertweight", ()), dtype=np.float32)
    skin = spec.add_skin(name=names[element.path])
    apply_overrides(skin, "skin", values, names)
    cuts = np.cumsum(counts)[:-1]
    skin.vertid = [part.tolist() for part in np.split(vertices, cuts)] if counts else []
    skin.vertweight = [part.tolist() for part in np.split(weights, cuts)] if counts else []
    return skin


def keep_skin_weights(spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Put back weights of skins that sum to one, which the engine's compiler rounds once more."""
    said = [part for skin in spec.skins for part in skin.vertweight]
    if not said:
        return
    weights, found = np.concatenate(said).astype(np.float32), model.skin_bonevertweight
    if weights.shape == found.shape:
        same = np.isclose(weights, found, rtol=_NORMALIZED, atol=0.0)
        found[same] = weights[same]
