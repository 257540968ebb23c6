"""Conversion context: state that all parts share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import mujoco
from pxr import Usd

from usdsim.converters.assets import AssetPlacer
from usdsim.converters.report import ConversionReport
from usdsim.core.dialects.mjc_tables import TYPES
from usdsim.math.rotations import quat_from_wxyz
from usdsim.math.transforms import Pose
from usdsim.usd.converted import keep_checksums
from usdsim.usd.draft_layers import write_draft
from usdsim.usd.drafts import (
    LayerDraft,
    PrimDraft,
    apply,
    define,
    keep_source_name,
    link,
    place,
    write,
)
from usdsim.usd.names import SOURCE_NAME, NameScope

from .reading.source import MjcfSource

__all__ = ["MjcfContext", "has_sign", "wxyz_pose"]

_SIGN = 1e-6
"""Real part below which a matrix may give the opposite quaternion."""


def wxyz_pose(pos: Any, quat: Any) -> Pose:
    """A pose from MuJoCo's position and quaternion."""
    return Pose(pos.copy(), quat_from_wxyz(quat))


def has_sign(pose: Pose) -> bool:
    """Whether a rotation matrix may not give a pose's quaternion back, but the opposite one."""
    return float(pose.quat[3]) < _SIGN


@dataclass
class MjcfContext:
    """A conversion in progress."""

    stage: Usd.Stage
    source: MjcfSource
    report: ConversionReport
    placer: AssetPlacer
    layer: LayerDraft = field(default_factory=LayerDraft)
    """Draft of all prims, which the stage gets when the conversion is complete."""
    root: str = ""
    """Path of the model's root prim, which stands for the world body."""
    scope: NameScope = field(default_factory=NameScope)
    paths: dict[str, list[str]] = field(default_factory=dict)
    """Prim paths by kind, in the order of the compiled model."""
    tables: dict[str, Any] = field(default_factory=dict)
    """Values of all elements by kind, as `rows` writes them."""
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

    def define(self, path: str, type_name: str, name: str | None = None) -> PrimDraft:
        """Define a prim, and keep its element's name in the source, if one is given."""
        if name is not None:
            self.keep_name(path, name)
        return define(self.layer, path, type_name)

    def defined(self, kind: str) -> Iterator[tuple[int, str, Any]]:
        """Define the prims of all elements of a kind: index, path and spec element of each."""
        for index, element in enumerate(self.elements(kind)):
            path = self.paths[kind][index]
            self.define(path, TYPES[kind], element.name)
            yield index, path, element

    def spec(self, path: str) -> PrimDraft:
        """A prim that is defined already."""
        return self.layer.prims[path]

    def scope_path(self, name: str) -> str:
        """Path of a scope below the model's ``Physics``, defined on first use."""
        path = f"{self.root}/Physics"
        for step in ("", f"/{name}" if name else ""):
            path += step
            if path not in self.layer.prims:
                define(self.layer, path, "Scope")
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

    def refer(self, path: str, name: str, kind: str, index: int) -> None:
        """Author a relationship to an element; none for the index -1."""
        if index >= 0:
            self.link(path, name, [self.paths[kind][index]])

    def apply(self, path: str, api: str) -> None:
        """Apply an API schema when the conversion is complete."""
        self._pending[path].append(("apiSchemas", "api", api, True))

    def keep_name(self, path: str, name: str) -> None:
        """Keep an element's name in the source (``""``: it had none) on its prim."""
        self._pending[path].append((SOURCE_NAME, "string", name, True))

    def place(self, prim: PrimDraft, pose: Pose, scale: Any = None) -> None:
        """Author a prim's transform."""
        place(prim, pose, scale)
        self.keep_sign(prim.path, pose)

    def keep_sign(self, path: str, pose: Pose) -> None:
        """Keep the sign of a quaternion that a rotation matrix does not give back."""
        if has_sign(pose):
            self.set(path, "mjc:quat", "quatd", pose.quat)
            self.restate(path, "mjc:quat")

    def restate(self, path: str, *names: str) -> None:
        """Note that attributes of a prim say what others say, to tell which was edited since."""
        self._restated.append((path, names))

    def flush(self) -> None:
        """Write everything to the stage."""
        for path, properties in self._pending.items():
            _write(self.spec(path), properties)
        self._pending.clear()
        write_draft(self.layer, self.stage.GetEditTarget().GetLayer())

    def note_restated(self) -> None:
        """Write the checksums of what says the same things twice, of the composed stage."""
        keep_checksums(self.stage, self._restated)
        self._restated.clear()


def _write(prim: PrimDraft, properties: list[tuple[str, str, Any, bool]]) -> None:
    """Write what waits for one prim, in order."""
    applied: list[str] = []
    for name, type_name, value, uniform in properties:
        if type_name == "api":
            applied.append(value)
        elif type_name == "rel":
            link(prim, name, value)
        elif name == SOURCE_NAME:
            keep_source_name(prim, value)
        else:
            write(prim, name, type_name, value, uniform=uniform)
    if applied:
        apply(prim, *applied)
