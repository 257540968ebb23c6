"""Exact numbers of an MJCF document: MuJoCo writes six digits, its specification has them all.

Each attribute is found again in the element of the specification that it was written from or, where
the compiler derived it, in the model: as the field of the same name, or the one in `_FIELDS`. What
is found must round to the written number, so that nothing is replaced by another quantity.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

__all__ = ["complete_digits", "shortest"]

_TREE = {
    "joint": ("joints", "jnt"), "freejoint": ("joints", "jnt"), "geom": ("geoms", "geom"),
    "site": ("sites", "site"), "camera": ("cameras", "cam"), "light": ("lights", "light"),
}  # fmt: skip
"""Elements on bodies: their list of the specification, and the prefix of the model's arrays."""
_SECTIONS = {
    "asset/mesh": ("meshes", "mesh"), "asset/hfield": ("hfields", "hfield"),
    "asset/texture": ("textures", "tex"), "asset/material": ("materials", "mat"),
    "contact/pair": ("pairs", "pair"), "equality/*": ("equalities", "eq"),
    "tendon/*": ("tendons", "tendon"), "actuator/*": ("actuators", "actuator"),
    "sensor/*": ("sensors", "sensor"), "keyframe/key": ("keys", "key"),
    "custom/numeric": ("numerics", "numeric"), "custom/tuple": ("tuples", "tuple"),
    "deformable/flex": ("flexes", "flex"), "deformable/skin": ("skins", "skin"),
}  # fmt: skip
"""The same for elements of sections."""
_FIELDS = {
    "solreflimit": "solref_limit", "solimplimit": "solimp_limit",
    "solreffriction": "solref_friction", "solimpfriction": "solimp_friction",
    "actuatorfrcrange": "actfrcrange", "actuatorfrclimited": "actfrclimited",
    "vertex": "uservert", "normal": "usernormal", "texcoord": "usertexcoord",
    "elevation": "userdata", "user": "userdata", "anchor": "data", "polycoef": "data",
    "coef": "prm", "divisor": "prm",
}  # fmt: skip
"""Fields that are not called like their attribute."""
_ARRAYS = {"springlength": "lengthspring"}
"""Arrays of the model that are called neither like their attribute nor like their field."""
_INERTIAL = {"pos": "ipos", "quat": "iquat", "diaginertia": "inertia", "mass": "mass"}
_SINGLE = frozenset(("light", "material", "visual"))
"""Tags with numbers in single precision, whose scalars do not tell."""
_ROUNDED, _SNAPPED = 5.01e-6, 1.1e-12
"""Relative error of six digits, and distance of integers that are written as such."""


@dataclass
class _Source:
    """Origin of the numbers of an element."""

    tag: str
    field: Any
    """The element of the specification, or None."""
    model: mujoco.MjModel | None = None
    prefix: str = ""
    row: int = 0

    def values(self, key: str) -> Iterator[NDArray[Any]]:
        """Arrays that an attribute may have been written from."""
        key = _INERTIAL.get(key, key) if self.tag == "inertial" else _FIELDS.get(key, key)
        if self.tag in ("flex", "skin"):
            key = key.replace("user", "")
        found = getattr(self.field, key, None)
        if found is not None and not isinstance(found, str):
            yield self._numbers(found)
            if self.tag == "hfield" and key == "userdata":
                # The document begins with the row farthest along y.
                yield self._numbers(found).reshape(self.field.nrow, -1)[::-1].ravel()
        array = getattr(self.model, f"{self.prefix}_{_ARRAYS.get(key, key)}", None)
        if array is not None and self.row < len(array):
            yield np.ravel(array[self.row])
        if key == "relpose":
            yield np.ravel(self.field.data)[3:]

    def _numbers(self, found: Any) -> NDArray[Any]:
        if isinstance(found, np.ndarray):
            return np.ravel(found)
        single = type(found).__name__ == "MjFloatVec" or self.tag in _SINGLE
        return np.ravel(np.array(found, np.float32 if single else np.float64))


def complete_digits(root: ET.Element, spec: mujoco.MjSpec, model: mujoco.MjModel) -> None:
    """Write every number of a document with the digits that read back as it was.

    Args:
        root: the document as MuJoCo writes it.
        spec: the specification it was written from.
        model: what that compiled to.
    """
    for element, source in _sources(root, spec, model):
        for key, text in element.attrib.items():
            try:
                shown = np.array(text.split(), np.float64)
            except ValueError:
                continue
            for values in source.values(key) if len(shown) else ():
                exact = values[: len(shown)]
                if len(exact) == len(shown) and _rounds_to(exact, shown):
                    if (exact != shown).any():
                        element.set(key, " ".join(map(shortest, exact)))
                    break


def shortest(number: float | np.floating[Any]) -> str:
    """The shortest text that gives a number of its precision back."""
    text = str(number) if isinstance(number, np.float32) else repr(float(number))
    return text.removesuffix(".0")


def _rounds_to(exact: NDArray[Any], shown: NDArray[np.float64]) -> bool:
    return bool((np.abs(exact - shown) <= _ROUNDED * np.abs(exact) + _SNAPPED).all())


def _sources(
    root: ET.Element, spec: mujoco.MjSpec, model: mujoco.MjModel
) -> Iterator[tuple[ET.Element, _Source]]:
    yield from _on_bodies(root, spec, model)
    for path, (members, prefix) in _SECTIONS.items():
        for i, (element, field) in enumerate(
            zip(root.findall(path), getattr(spec, members), strict=False)
        ):
            yield element, _Source(element.tag, field, model, prefix, i)
            if prefix == "tendon":
                start = int(model.tendon_adr[i])
                for k, part in enumerate(element):
                    yield part, _Source(part.tag, None, model, "wrap", start + k)
            elif prefix == "flex":
                for part in element:
                    yield part, _Source(part.tag, field)
            elif prefix == "skin":
                for part, bone in zip(element, _bones(model, i), strict=False):
                    yield part, _Source(part.tag, bone)
    for tag, field in (("option", spec.option), ("statistic", spec.stat)):
        for element in root.findall(tag):
            yield element, _Source(tag, field)
    for element in root.findall("visual/*"):
        name = element.tag + "_" * (element.tag == "global")
        yield element, _Source("visual", getattr(spec.visual, name, None))
    top = root.find("default")
    if top is not None:
        yield from _in_defaults(top, spec.default, spec)


def _bones(model: mujoco.MjModel, skin: int) -> Iterator[SimpleNamespace]:
    """Numbers of the bones of a skin, by attribute."""
    first = int(model.skin_boneadr[skin])
    for bone in range(first, first + int(model.skin_bonenum[skin])):
        start = int(model.skin_bonevertadr[bone])
        stop = start + int(model.skin_bonevertnum[bone])
        yield SimpleNamespace(
            bindpos=model.skin_bonebindpos[bone],
            bindquat=model.skin_bonebindquat[bone],
            vertweight=model.skin_bonevertweight[start:stop],
        )


def _on_bodies(
    root: ET.Element, spec: mujoco.MjSpec, model: mujoco.MjModel
) -> Iterator[tuple[ET.Element, _Source]]:
    """Elements of the tree, which the document and the model have in one order: depth first."""
    bodies = list(spec.bodies)
    members = {name: list(getattr(spec, name)) for name, _ in _TREE.values()}
    count = dict.fromkeys(("body", *members), 0)
    for element in root.iterfind("worldbody//*"):
        if element.tag == "body":
            count["body"] += 1
        row = count["body"]
        if element.tag in ("body", "inertial"):
            yield element, _Source(element.tag, bodies[row], model, "body", row)
        elif element.tag in _TREE:
            name, prefix = _TREE[element.tag]
            row = count[name]
            count[name] += 1
            yield element, _Source(element.tag, members[name][row], model, prefix, row)


def _in_defaults(
    place: ET.Element, default: Any, spec: mujoco.MjSpec
) -> Iterator[tuple[ET.Element, _Source]]:
    for element in place:
        if element.tag == "default":
            yield from _in_defaults(element, spec.find_default(element.get("class")), spec)
        else:
            kind = "actuator" if element.tag == "general" else element.tag
            yield element, _Source(kind, getattr(default, kind, None))
