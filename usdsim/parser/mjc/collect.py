"""Everything only MuJoCo knows, prim by prim."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.core.dialects.mjc_control import LOOP_CONSTRAINT, LOOP_JOINT
from usdsim.core.dialects.mjc_tables import KINDS, TYPES
from usdsim.core.dialects.mjc_tokens import EQUALITY, TRANSMISSION
from usdsim.core.dialects.newton import MIMIC
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import (
    WORLD,
    ActuatorDescription,
    GenericDescription,
    HeightFieldDescription,
    MeshDescription,
)
from usdsim.parser.prims import PrimView
from usdsim.parser.report import Report

from .assets import read_height_field, read_mesh, texture_targets
from .equality import read_equality_api
from .prims import equality_api, is_derived, is_site, library_of
from .restated import edited_camera, edited_light, edited_look, goes_first

__all__ = ["Collector", "MujocoElements"]

Overrides = Callable[[PrimView, str], dict[str, Any]]

_EDITED: Mapping[str, Callable[[Usd.Prim, Pose, Report], dict[str, Any]]] = {
    "camera": edited_camera,
    "light": edited_light,
    "material": edited_look,
}
"""Readers of edited standard attributes that say the same, by kind."""


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
        context: of the stage; its report has what was read.
        overrides: reads a prim's ``mjc:`` values by spec field.
    """

    def __init__(self, context: ParseContext, overrides: Overrides):
        self._context, self._report, self._overrides = context, context.report, overrides
        self._actuators: list[ActuatorDescription] = []
        self._elements: list[GenericDescription] = []
        self._meshes: dict[str, MeshDescription] = {}
        self._fields: dict[str, HeightFieldDescription] = {}
        self._owned: set[str] = set()
        self._filtered: set[frozenset[str]] = set()

    def visit(self, view: PrimView) -> None:
        """Collect what a prim says."""
        library = library_of(view)
        for asset in () if library is None else self._assets(library):
            self._asset(asset)
        kind, prim = KINDS.get(view.type_name), view.prim
        if kind is not None:
            self._typed(view, kind)
        elif view.type_name == "Material":
            self._material(view)
        elif prim.IsA(UsdGeom.Camera):
            self._generic(view, "camera", _camera_defaults(view), hangs=True)
        elif "Light" in view.type_name or prim.HasAPI("LightAPI"):
            if view.raw("mjc:type") is not None:
                self._generic(view, "light", hangs=True)
        elif prim.IsA(UsdPhysics.Joint):
            self._joint(view)
        else:
            self._own_derived(view)

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

    def _typed(self, view: PrimView, kind: str) -> None:
        self._owned.add(view.path)
        if kind == "actuator":
            values = self._transmission(self._overrides(view, kind))
            self._drop_activation(view, values)
            targets = _links(values, ("target", "refsite", "slidersite"))
            self._actuators.append(
                ActuatorDescription(
                    path=view.path, name=view.source_name, overrides=values, targets=targets
                )
            )
            return
        element = self._generic(view, kind)
        if kind == "exclude":
            links = [element.overrides.get(name, "/") for name in ("bodyname1", "bodyname2")]
            self._filtered.add(frozenset(links))
        if kind == "equality" and element.overrides.get("type") == EQUALITY.index("joint"):
            self._couple(element.overrides.get("name1", ""))

    def _drop_activation(self, view: PrimView, values: dict[str, Any]) -> None:
        """Leave out activation variables of an actuator that nothing would move."""
        count = values.get("actdim", 0)
        if count > 0 and not values.get("dyntype") and "plugin" not in values:
            del values["actdim"]
            self._report.repaired(
                "activation-left-out", view.path,
                "has activation variables but no dynamics: they are left out; author mjc:dynType, "
                "or mjc:plugin",
                attribute="mjc:actDim", value=count,
            )  # fmt: skip

    def _couple(self, joint: str) -> None:
        """Mark the mimic relation of a joint as read, which a constraint states."""
        self._report.mark_read(joint, MIMIC)

    def _joint(self, view: PrimView) -> None:
        api = equality_api(view)
        if api is None:
            self._own_derived(view)
            return
        if goes_first(view.prim, LOOP_JOINT, LOOP_CONSTRAINT, self._report):
            return  # the joint itself holds what it says now
        if api == "joint":
            self._couple(view.path)
        else:
            self._owned.add(view.path)
        self._elements.append(read_equality_api(self._context, view, api, self._overrides))

    def _own_derived(self, view: PrimView) -> None:
        """Take over a prim that only repeats what others say."""
        if is_derived(view):
            view.read.update(view.names)
            self._owned.add(view.path)
        else:
            # A false one changes nothing, and is told.
            view.read.discard("mjc:derived")

    def _assets(self, library: str) -> Iterator[PrimView]:
        prim = self._context.stage.GetPrimAtPath(library)
        if prim:
            # Assets are abstract: they take part in the stage by reference only.
            for asset in Usd.PrimRange(
                prim, Usd.PrimIsActive & Usd.PrimIsLoaded & Usd.PrimIsDefined
            ):
                yield self._context.view(asset)

    def _asset(self, view: PrimView) -> None:
        kind = KINDS.get(view.type_name)
        if kind == "hfield":
            self._fields[view.path] = read_height_field(view, self._overrides(view, kind))
        elif view.prim.IsA(UsdGeom.Mesh):
            self._meshes[view.path] = read_mesh(view, self._overrides(view, "mesh"))
        elif kind is not None:
            self._generic(view, kind)
        elif view.type_name == "Material":
            self._material(view)
        self._report.mark_read(view.path, view.read)
        for name in view.mujoco:
            if name not in view.read:
                self._report.unsupported(view.path, name)

    def _material(self, view: PrimView) -> None:
        if view.raw("mjc:rgba") is not None:
            self._generic(view, "material", targets=texture_targets(view))

    def _generic(
        self,
        view: PrimView,
        kind: str,
        defaults: Mapping[str, Any] | None = None,
        *,
        hangs: bool = False,
        targets: Mapping[str, tuple[str, ...]] | None = None,
    ) -> GenericDescription:
        body, pose = self._context.place(view) if hangs else (WORLD, Pose())
        values = {**(defaults or {}), **self._overrides(view, kind)}
        if kind in _EDITED:
            values |= _EDITED[kind](view.prim, pose, self._report)
        if kind == "tendon":
            self._mark_geoms(values)
        element = GenericDescription(
            path=view.path,
            name=view.source_name,
            overrides=values,
            kind=kind,
            body=body,
            pose=pose,
            targets=targets if targets is not None else _links(values, tuple(values)),
        )
        self._elements.append(element)
        return element

    def _mark_geoms(self, values: dict[str, Any]) -> None:
        """Mark the points of a tendon's path that are geoms: the engine wraps around those."""
        prims = map(self._context.stage.GetPrimAtPath, values.get("path", ()))
        values["path:geoms"] = tuple(
            i for i, prim in enumerate(prims) if prim and not is_site(self._context.view(prim))
        )

    def _transmission(self, values: dict[str, Any]) -> dict[str, Any]:
        """Tell the transmission from the target's type where no ``mjc:trnType`` does."""
        in_parent = values.pop("jointinparent", False)
        target = self._context.stage.GetPrimAtPath(values.get("target", "/"))
        if "trntype" in values or "target" not in values or not target:
            return values
        if "slidersite" in values:
            kind = "slidercrank"
        elif target.IsA(UsdPhysics.Joint):
            kind = "jointinparent" if in_parent else "joint"
        elif target.GetTypeName() == TYPES["tendon"]:
            kind = "tendon"
        else:
            kind = "site" if is_site(self._context.view(target)) else "body"
        return {**values, "trntype": TRANSMISSION.index(kind)}


def _links(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    links: dict[str, tuple[str, ...]] = {}
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value.startswith("/"):
            links[name] = (value,)
        elif isinstance(value, tuple) and value and str(value[0]).startswith("/"):
            links[name] = tuple(value)
    return links


def _camera_defaults(view: PrimView) -> dict[str, Any]:
    """Field of view of a camera without ``mjc:`` values; its sensor, if it has aperture offsets."""
    camera = UsdGeom.Camera(view.prim)
    focal, up = camera.GetFocalLengthAttr().Get(), camera.GetVerticalApertureAttr().Get()
    if not focal or not up or "mjc:fovy" in view.names:
        return {}
    across = camera.GetHorizontalApertureAttr().Get()
    aside = camera.GetHorizontalApertureOffsetAttr().Get()
    above = camera.GetVerticalApertureOffsetAttr().Get()
    if across > 0.0 and (aside or above):
        # Lengths of cameras are tenths of a stage unit.
        metres = 0.1 * UsdGeom.GetStageMetersPerUnit(view.prim.GetStage())
        pairs = {"sensor_size": (across, up), "focal_length": (focal, focal),
                 "principal_length": (aside, -above)}  # fmt: skip
        return {name: tuple(metres * float(v) for v in pair) for name, pair in pairs.items()}
    return {"fovy": float(np.degrees(2.0 * math.atan(0.5 * up / focal)))}
