"""Everything only MuJoCo knows, prim by prim."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.core.dialects.mjc_tables import KINDS, TYPES
from usdsim.core.dialects.mjc_tokens import EQUALITY, TRANSMISSION
from usdsim.math.transforms import Pose
from usdsim.parser.description import (
    WORLD,
    ActuatorDescription,
    GenericDescription,
    HeightFieldDescription,
    MeshDescription,
)
from usdsim.parser.report import Report
from usdsim.usd.attributes import is_authored
from usdsim.usd.names import get_source_name

from .assets import read_height_field, read_mesh, texture_targets
from .equality import read_equality_api
from .prims import equality_api, is_derived, is_site, library_of
from .restated import edited_camera, edited_light, edited_look, goes_first

__all__ = ["Collector", "MujocoElements", "Place"]

Place = Callable[[Usd.Prim], tuple[int, Pose]]
"""Index of the body a prim hangs on (-1: world), and its pose in that body's frame."""
Overrides = Callable[[Usd.Prim, str], dict[str, Any]]

_EDITED: Mapping[str, Callable[[Usd.Prim, Pose, Report], dict[str, Any]]] = {
    "camera": edited_camera,
    "light": edited_light,
    "material": edited_look,
}
"""Readers of edited standard attributes that say the same, by kind."""
_LOOP = (
    "physics:body0", "physics:body1", "physics:localPos0", "physics:localRot0",
    "physics:localPos1", "physics:localRot1", "physics:jointEnabled", "physics:collisionEnabled",
    "physics:excludeFromArticulation",
)  # fmt: skip
_CONSTRAINT = ("mjc:data", "mjc:active", "mjc:object1", "mjc:object2", "mjc:torqueScale")
"""Attributes of a joint that closes a loop that the constraint of the same prim states too."""
_MIMIC = ("newton:mimicJoint", "newton:mimicCoef0", "newton:mimicCoef1", "newton:mimicEnabled")


@dataclass(frozen=True)
class MujocoElements:
    """Elements that `MujocoReader.elements` finds."""

    actuators: tuple[ActuatorDescription, ...] = ()
    elements: tuple[GenericDescription, ...] = ()
    meshes: Mapping[str, MeshDescription] = field(default_factory=dict)
    """Mesh assets by prim path, in stage order (all of them, used or not)."""
    height_fields: Mapping[str, HeightFieldDescription] = field(default_factory=dict)
    """Height field assets by prim path, in stage order."""
    owned: frozenset[str] = frozenset()
    """Paths of prims described completely here: the parser makes nothing else of them."""
    filtered: frozenset[frozenset[str]] = frozenset()
    """Pairs of body prim paths (the world: any prim that is no body) excluded by `elements`."""


class Collector:
    """Collects elements prim by prim.

    Args:
        overrides: reads a prim's ``mjc:`` values by spec field.
        place: where a prim hangs.
        report: what was read is noted there.
    """

    def __init__(self, overrides: Overrides, place: Place, report: Report):
        self._overrides, self._place, self._report = overrides, place, report
        self._actuators: list[ActuatorDescription] = []
        self._elements: list[GenericDescription] = []
        self._meshes: dict[str, MeshDescription] = {}
        self._fields: dict[str, HeightFieldDescription] = {}
        self._owned: set[str] = set()
        self._filtered: set[frozenset[str]] = set()

    def visit(self, prim: Usd.Prim) -> None:
        """Take up what a prim says."""
        library = library_of(prim)
        if library is not None:
            self._report.mark_read(prim.GetPath(), ["mjc:library"])
            for asset in _asset_prims(prim.GetStage().GetPrimAtPath(library)):
                self._asset(asset)
        kind = KINDS.get(prim.GetTypeName())
        if kind is not None:
            self._typed(prim, kind)
        elif prim.GetTypeName() == "Material":
            self._material(prim)
        elif prim.IsA(UsdGeom.Camera):
            self._generic(prim, "camera", _camera_defaults(prim), hangs=True)
        elif prim.HasAPI("LightAPI") or "Light" in prim.GetTypeName():
            if is_authored(prim, "mjc:type"):
                self._generic(prim, "light", hangs=True)
        elif prim.IsA(UsdPhysics.Joint):
            self._joint(prim)
        elif is_derived(prim):
            self._owned.add(str(prim.GetPath()))

    def result(self) -> MujocoElements:
        """Everything found so far."""
        return MujocoElements(
            tuple(self._actuators),
            tuple(self._elements),
            self._meshes,
            self._fields,
            frozenset(self._owned),
            frozenset(self._filtered),
        )

    def _typed(self, prim: Usd.Prim, kind: str) -> None:
        path = str(prim.GetPath())
        self._owned.add(path)
        if kind == "actuator":
            values = _transmission(prim, self._overrides(prim, kind))
            self._drop_activation(prim, values)
            targets = _links(values, ("target", "refsite", "slidersite"))
            self._actuators.append(
                ActuatorDescription(
                    path=path, name=get_source_name(prim), overrides=values, targets=targets
                )
            )
            return
        element = self._generic(prim, kind)
        if kind == "exclude":
            links = [element.overrides.get(name, "/") for name in ("bodyname1", "bodyname2")]
            self._filtered.add(frozenset(links))
        if kind == "equality" and element.overrides.get("type") == EQUALITY.index("joint"):
            self._couple(element.overrides.get("name1", ""))

    def _drop_activation(self, prim: Usd.Prim, values: dict[str, Any]) -> None:
        """Leave out activation variables of an actuator that nothing would move."""
        count = values.get("actdim", 0)
        if count > 0 and not values.get("dyntype") and "plugin" not in values:
            del values["actdim"]
            self._report.repaired(
                "activation-left-out", prim.GetPath(),
                "has activation variables but no dynamics: they are left out; author mjc:dynType, "
                "or mjc:plugin",
                attribute="mjc:actDim", value=count,
            )  # fmt: skip

    def _couple(self, joint: str) -> None:
        """Mark the mimic relation of a joint as read, which a constraint states."""
        self._report.mark_read(joint, _MIMIC)

    def _joint(self, prim: Usd.Prim) -> None:
        api = equality_api(prim)
        if api is None:
            if is_derived(prim):
                self._owned.add(str(prim.GetPath()))
            return
        if goes_first(prim, _LOOP, _CONSTRAINT, self._report):
            return  # the joint itself holds what it says now
        if api == "joint":
            self._couple(str(prim.GetPath()))
        else:
            self._owned.add(str(prim.GetPath()))
        self._elements.append(read_equality_api(prim, api, self._overrides, self._report))

    def _asset(self, prim: Usd.Prim) -> None:
        path, kind = str(prim.GetPath()), KINDS.get(prim.GetTypeName())
        if kind == "hfield":
            self._fields[path] = read_height_field(prim, self._overrides(prim, kind))
        elif prim.IsA(UsdGeom.Mesh):
            self._meshes[path] = read_mesh(prim, self._overrides(prim, "mesh"))
        elif kind is not None:
            self._generic(prim, kind)
        elif prim.GetTypeName() == "Material":
            self._material(prim)

    def _material(self, prim: Usd.Prim) -> None:
        if is_authored(prim, "mjc:rgba"):
            self._generic(prim, "material", targets=texture_targets(prim))

    def _generic(
        self,
        prim: Usd.Prim,
        kind: str,
        defaults: Mapping[str, Any] | None = None,
        *,
        hangs: bool = False,
        targets: Mapping[str, tuple[str, ...]] | None = None,
    ) -> GenericDescription:
        body, pose = self._place(prim) if hangs else (WORLD, Pose())
        values = {**(defaults or {}), **self._overrides(prim, kind)}
        if kind in _EDITED:
            values |= _EDITED[kind](prim, pose, self._report)
        if kind == "tendon":
            _mark_geoms(prim, values)
        element = GenericDescription(
            path=str(prim.GetPath()),
            name=get_source_name(prim),
            overrides=values,
            kind=kind,
            body=body,
            pose=pose,
            targets=targets if targets is not None else _links(values, tuple(values)),
        )
        self._elements.append(element)
        return element


def _asset_prims(library: Usd.Prim) -> Iterator[Usd.Prim]:
    if library:
        # Assets are abstract: they take part in the stage by reference only.
        yield from Usd.PrimRange(library, Usd.PrimIsActive & Usd.PrimIsLoaded & Usd.PrimIsDefined)


def _links(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    links: dict[str, tuple[str, ...]] = {}
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value.startswith("/"):
            links[name] = (value,)
        elif isinstance(value, tuple) and value and str(value[0]).startswith("/"):
            links[name] = tuple(value)
    return links


def _mark_geoms(tendon: Usd.Prim, values: dict[str, Any]) -> None:
    """Note which points of a tendon's path are geoms: the engine wraps around those."""
    stage, path = tendon.GetStage(), values.get("path", ())
    values["path:geoms"] = tuple(
        i
        for i, point in enumerate(path)
        if (prim := stage.GetPrimAtPath(point)) and not is_site(prim)
    )


def _transmission(prim: Usd.Prim, values: dict[str, Any]) -> dict[str, Any]:
    """Tell the transmission from the target's type where no ``mjc:trnType`` does."""
    in_parent = values.pop("jointinparent", False)
    target = prim.GetStage().GetPrimAtPath(values.get("target", "/"))
    if "trntype" in values or "target" not in values or not target:
        return values
    if "slidersite" in values:
        kind = "slidercrank"
    elif target.IsA(UsdPhysics.Joint):
        kind = "jointinparent" if in_parent else "joint"
    elif target.GetTypeName() == TYPES["tendon"]:
        kind = "tendon"
    else:
        kind = "site" if is_site(target) else "body"
    return {**values, "trntype": TRANSMISSION.index(kind)}


def _camera_defaults(prim: Usd.Prim) -> dict[str, Any]:
    """Field of view of a camera that carries no ``mjc:`` value."""
    camera = UsdGeom.Camera(prim)
    focal, aperture = camera.GetFocalLengthAttr().Get(), camera.GetVerticalApertureAttr().Get()
    if not focal or not aperture or is_authored(prim, "mjc:fovy"):
        return {}
    return {"fovy": float(np.degrees(2.0 * math.atan(0.5 * aperture / focal)))}
