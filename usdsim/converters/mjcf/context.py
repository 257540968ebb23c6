"""Conversion context: state that all parts share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import mujoco
from pxr import Gf, Sdf, Usd, UsdGeom

from usdsim.converters.assets import AssetPlacer
from usdsim.converters.report import ConversionReport
from usdsim.math.rotations import quat_from_wxyz
from usdsim.math.transforms import Pose
from usdsim.usd.attributes import to_usd
from usdsim.usd.converted import keep_checksums
from usdsim.usd.names import SOURCE_NAME, NameScope
from usdsim.usd.xforms import set_local_pose

from .reading.source import MjcfSource

__all__ = ["MjcfContext", "wxyz_pose"]

_SIGN = 1e-6
"""Real part below which a matrix may give the opposite quaternion."""


def wxyz_pose(pos: Any, quat: Any) -> Pose:
    """A pose from MuJoCo's position and quaternion."""
    return Pose(pos.copy(), quat_from_wxyz(quat))


@dataclass
class MjcfContext:
    """A conversion in progress."""

    stage: Usd.Stage
    source: MjcfSource
    report: ConversionReport
    placer: AssetPlacer
    root: str = ""
    """Path of the model's root prim, which stands for the world body."""
    scope: NameScope = field(default_factory=NameScope)
    paths: dict[str, list[str]] = field(default_factory=dict)
    """Prim paths by kind, in the order of the compiled model."""
    meshes: dict[int, Any] = field(default_factory=dict)
    """Decoded mesh assets by index."""
    decoded: list[Any] = field(default_factory=list)
    """Specs of decoded asset files, kept because their elements do not keep them."""
    _pending: dict[str, list[tuple[str, str, Any, bool]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """Name, type and value of properties by prim path, and whether they are uniform."""
    _restated: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    @property
    def model(self) -> mujoco.MjModel:
        """The compiled model."""
        return self.source.model

    def elements(self, kind: str) -> list[Any]:
        """Spec elements of a kind in the order of the compiled model."""
        return self.source.elements[kind]

    def path(self, kind: str, index: int) -> str | None:
        """Prim path of an element; None for the index -1."""
        return self.paths[kind][index] if index >= 0 else None

    def scope_path(self, name: str) -> str:
        """Path of a scope below the model's ``Physics``, defined on first use."""
        parent = f"{self.root}/Physics"
        if not self.stage.GetPrimAtPath(parent):
            UsdGeom.Scope.Define(self.stage, parent)
        path = f"{parent}/{name}" if name else parent
        if not self.stage.GetPrimAtPath(path):
            UsdGeom.Scope.Define(self.stage, path)
        return path

    def claim(self, parent: str, name: str, fallback: str) -> str:
        """A free prim path below `parent` for an element of that name."""
        return f"{parent}/{self.scope.unique(parent, name or fallback)}"

    def set(
        self, path: str, name: str, type_name: str, value: Any, *, uniform: bool = True
    ) -> None:
        """Author an attribute when the conversion is complete."""
        self._pending[path].append((name, type_name, value, uniform))

    def link(self, path: str, name: str, targets: Iterable[str]) -> None:
        """Author a relationship when the conversion is complete."""
        self._pending[path].append((name, "rel", tuple(targets), True))

    def apply(self, path: str, api: str) -> None:
        """Apply an API schema when the conversion is complete."""
        self._pending[path].append(("apiSchemas", "api", api, True))

    def keep_name(self, path: str, name: str) -> None:
        """Keep an element's name in the source (``""``: it had none) on its prim."""
        self._pending[path].append((SOURCE_NAME, "string", name, True))

    def place(self, prim: Usd.Prim, pose: Pose, scale: Any = None) -> None:
        """Author a prim's transform."""
        set_local_pose(prim, pose, scale)
        self.keep_sign(str(prim.GetPath()), pose)

    def keep_sign(self, path: str, pose: Pose) -> None:
        """Keep the sign of a quaternion that a rotation matrix does not give back."""
        x, y, z, w = (float(v) for v in pose.quat)
        if w < _SIGN:
            self.set(path, "mjc:quat", "quatd", Gf.Quatd(w, x, y, z))
            self.restate(path, "mjc:quat")

    def restate(self, path: str, *names: str) -> None:
        """Note that attributes of a prim say what others say, to tell which was edited since."""
        self._restated.append((path, names))

    def flush(self) -> None:
        """Write everything that waits, without recomposing the stage for each value."""
        layer = self.stage.GetEditTarget().GetLayer()
        with Sdf.ChangeBlock():
            for path, properties in self._pending.items():
                _write(layer, path, properties)
        self._pending.clear()
        keep_checksums(self.stage, self._restated)
        self._restated.clear()


def _write(layer: Sdf.Layer, path: str, properties: list[tuple[str, str, Any, bool]]) -> None:
    """Write what waits for one prim, in order."""
    prim = layer.GetPrimAtPath(path)
    applied: list[str] = []
    for name, type_name, value, uniform in properties:
        if type_name == "api":
            applied.append(value)
            continue
        if type_name == "rel":
            relation = prim.relationships.get(name)
            if relation is None:
                relation = Sdf.RelationshipSpec(prim, name, custom=False)
            relation.targetPathList.explicitItems = [Sdf.Path(target) for target in value]
            continue
        sdf_type, place = _value_type(type_name), f"{path}.{name}"
        attribute = layer.GetAttributeAtPath(place)
        if attribute is None:
            variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
            attribute = Sdf.AttributeSpec(prim, name, sdf_type, variability, name == SOURCE_NAME)
        attribute.default = _usd_value(value, sdf_type, place)
        if name == SOURCE_NAME and value and value != prim.name:
            prim.SetInfo("displayName", value)
    if applied:
        current = prim.GetInfo("apiSchemas").prependedItems
        prim.SetInfo("apiSchemas", Sdf.TokenListOp.Create([*current, *applied]))


@cache
def _value_type(name: str) -> Sdf.ValueTypeName:
    return Sdf.ValueTypeNames.Find(name)


def _usd_value(value: Any, type_name: Sdf.ValueTypeName, what: str) -> Any:
    return value if isinstance(value, Gf.Quatd) else to_usd(value, type_name, what)
