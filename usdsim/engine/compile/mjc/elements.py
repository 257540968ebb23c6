"""MuJoCo elements that only its dialect knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np

from usdsim.core.errors import CompileError
from usdsim.math.rotations import quat_apply, quat_to_wxyz
from usdsim.parser.description import (
    ActuatorDescription,
    GenericDescription,
    SceneDescription,
)

from .deformables import add_flex, add_skin
from .meshes import finish_meshes
from .overrides import apply_overrides
from .tendons import add_tendon
from .textures import add_material, add_texture

__all__ = ["add_elements"]

_ELSEWHERE = ("plugin", "key")
"""Kinds that others add: what refers to a plugin, and `add_keyframes`."""

Names = Mapping[str, str]
Adder = Callable[[mujoco.MjSpec, GenericDescription, Names], Any]


def add_elements(
    spec: mujoco.MjSpec, scene: SceneDescription, names: Names, places: Sequence[Any]
) -> None:
    """Add actuators and the elements of `scene.elements` but keyframes.

    Args:
        spec: the spec, with all bodies, joints, geoms, sites and meshes.
        scene: the description.
        names: spec names by prim path.
        places: spec bodies by description index, the world body last.

    Raises:
        CompileError: an element is of an unknown kind, or a value does not fit.
    """
    finish_meshes(spec, scene, names)
    for element in scene.elements:
        if element.kind == "camera":
            _add_camera(element, names, places[element.body])
        elif element.kind == "light":
            _add_light(element, names, places[element.body])
        elif element.kind in _ADDERS:
            _ADDERS[element.kind](spec, element, names)
        elif element.kind not in _ELSEWHERE:
            raise CompileError(
                f"{element.path!r} is of the kind {element.kind!r}; allowed: camera, light, "
                f"{', '.join((*_ELSEWHERE, *_ADDERS))}."
            )
    for actuator in scene.actuators:
        _add_actuator(spec, actuator, names)


def _plain(method: str, kind: str) -> Adder:
    def add(spec: mujoco.MjSpec, element: GenericDescription, names: Names) -> Any:
        added = getattr(spec, method)(name=names[element.path])
        apply_overrides(added, kind, element.overrides, names)
        return added

    return add


def _add_camera(element: GenericDescription, names: Names, body: Any) -> None:
    camera = body.add_camera(
        name=names[element.path], pos=element.pose.pos, quat=quat_to_wxyz(element.pose.quat)
    )
    apply_overrides(camera, "camera", element.overrides, names)


def _add_light(element: GenericDescription, names: Names, body: Any) -> None:
    light = body.add_light(name=names[element.path], pos=element.pose.pos)
    light.dir = quat_apply(element.pose.quat, np.array([0.0, 0.0, -1.0]))
    apply_overrides(light, "light", element.overrides, names)


def _add_equality(spec: mujoco.MjSpec, element: GenericDescription, names: Names) -> Any:
    values = dict(element.overrides)
    given = np.asarray(values.pop("data", ()), dtype=np.float64)
    equality = spec.add_equality(name=names[element.path])
    apply_overrides(equality, "equality", values, names)
    equality.data[: len(given)] = given
    return equality


def _add_tuple(spec: mujoco.MjSpec, element: GenericDescription, names: Names) -> Any:
    values = element.overrides
    paths, order = values.get("objname", ()), values.get("objects:indices", ())
    added = spec.add_tuple(name=names[element.path])
    added.objtype = [int(code) for code in values.get("objtype", ())]
    added.objname = [names.get(paths[i], "world") for i in order]
    added.objprm = np.asarray(values.get("objprm", ()), dtype=np.float64)
    return added


def _add_actuator(spec: mujoco.MjSpec, element: ActuatorDescription, names: Names) -> Any:
    values = dict(element.overrides)
    values.pop("jointinparent", None)
    added = spec.add_actuator(name=names[element.path])
    apply_overrides(added, "actuator", values, names)
    return added


_ADDERS: dict[str, Adder] = {
    "texture": add_texture,
    "material": add_material,
    "skin": add_skin,
    "flex": add_flex,
    "pair": _plain("add_pair", "pair"),
    "exclude": _plain("add_exclude", "exclude"),
    "equality": _add_equality,
    "tendon": add_tendon,
    "sensor": _plain("add_sensor", "sensor"),
    "numeric": _plain("add_numeric", "numeric"),
    "text": _plain("add_text", "text"),
    "tuple": _add_tuple,
}
