"""Prims of the stage in order, with authored properties read once and remembered."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd

from usdsim.math.rotations import UNIT_LENGTH
from usdsim.usd.attributes import numbers
from usdsim.usd.converted import converted_values
from usdsim.usd.names import SOURCE_NAME
from usdsim.usd.schemas import applied_schemas

from .report import Report

__all__ = ["INSTANCER", "PrimView", "collect_prims", "is_local", "layer_name"]

INSTANCER = "PointInstancer"
"""Type of prims that copy others."""
_EARLIEST = Usd.TimeCode.EarliestTime()


class PrimView:
    """A prim and what is authored on it.

    Reading marks a property as read; what nothing read is reported at the end.

    Attributes:
        prim: the prim.
        path: its path.
        index: position in stage order.
        type_name: its type, ``Cube``.
        apis: applied schemas, whether registered or not.
        names: authored properties.
        in_mujoco: whether anything of the MuJoCo dialect is authored or applied.
        mujoco: properties of the MuJoCo dialect, in order.
        read: those that were read.
        kept: whether it has no part in the scene and stays as it is, unread but not lost.
    """

    __slots__ = (
        "_converted",
        "_local",
        "_order",
        "_properties",
        "_readable",
        "_report",
        "_values",
        "apis",
        "in_mujoco",
        "index",
        "kept",
        "mujoco",
        "names",
        "path",
        "prim",
        "read",
        "type_name",
    )

    def __init__(self, prim: Usd.Prim, index: int, report: Report, *, local: bool = False):
        self.prim = prim
        self.index = index
        self.path: str = prim.GetPath().pathString
        self.type_name = str(prim.GetTypeName())
        self.apis: tuple[str, ...] = applied_schemas(prim)
        self._order = tuple(prim.GetAuthoredPropertyNames())
        self.names, self.mujoco = _named(self._order)
        self.in_mujoco = bool(self.mujoco) or any(api.startswith("Mjc") for api in self.apis)
        self.read: set[str] = set()
        self.kept = False
        self._report, self._local = report, local
        self._converted: Mapping[str, Any] | None = None
        # What OpenUSD was asked once, as several passes ask for the same.
        self._properties: dict[str, Usd.Property] = {}
        self._values: dict[str, Any] = {}
        self._readable: dict[str, bool] = {}

    @property
    def converted(self) -> Mapping[str, Any]:
        """Values the prim was converted from [SI, radians], by quantity."""
        if self._converted is None:
            self._converted = converted_values(self.prim)
        return self._converted

    def raw(self, name: str) -> Any:
        """Authored value as USD gives it; None where none is."""
        if name not in self.names:
            return None
        if name not in self._values:
            attribute = self._property(name)
            found = attribute.Get(_EARLIEST) if isinstance(attribute, Usd.Attribute) else None
            self._values[name] = found
            if found is not None:
                self.read.add(name)
        return self._values[name]

    def _property(self, name: str) -> Usd.Property:
        """An authored property; all of a prim cost hardly more than one."""
        if not self._properties:
            properties = self.prim.GetAuthoredProperties()
            self._properties = dict(zip(self._order, properties, strict=True))
        return self._properties[name]

    def is_readable(self, name: str) -> bool:
        """Whether OpenUSD can read an authored value by its schema, which wants the exact type.

        What it cannot read is unauthored to it, and to all tools that use its schemas.
        """
        if name not in self.names:
            return True
        if name not in self._readable:
            self._readable[name] = self._is_readable(name)
        return self._readable[name]

    def _is_readable(self, name: str) -> bool:
        attribute = self._property(name)
        for spec in attribute.GetPropertyStack() if isinstance(attribute, Usd.Attribute) else ():
            relates = isinstance(spec, Sdf.RelationshipSpec)
            if relates or spec.HasInfo("default") or spec.HasInfo("timeSamples"):
                wanted = attribute.GetTypeName()
                given: Any = "relationship" if relates else spec.typeName
                value = None if relates else spec.default
                if not relates and (
                    wanted == given
                    or wanted.type == given.type
                    or not _is_alike(wanted.defaultValue, value)
                ):
                    return True
                self.read.add(name)
                self._report.warning(
                    "wrong-type", self.path,
                    f"is a {given} in {layer_name(spec.layer)}, and the schema has a {wanted}, so "
                    f"OpenUSD takes it for unauthored, and so does usdsim; author it as {wanted}",
                    attribute=name, value=value,
                )  # fmt: skip
                return False
        return True

    def value(self, name: str, default: Any = None) -> Any:
        """Authored token or array."""
        value = self.raw(name)
        return default if value is None else value

    def flag(self, name: str, default: bool = False) -> bool:
        """Authored truth value; text and numbers are reported, not guessed at."""
        value = self.raw(name)
        if isinstance(value, bool):
            return value
        if value is not None:
            kind = "text" if isinstance(value, str) else type(value).__name__
            self.invalid(name, f"{value!r} ({kind})", "a bool, true or false")
        return default

    def number(self, name: str, default: Any = None) -> Any:
        """Authored number; NaN is reported and replaced by the default."""
        value = self.raw(name)
        if value is None:
            return default
        try:
            number = float(value)
        except (TypeError, ValueError):
            self.invalid(name, value, "a number")
            return default
        if number != number:
            self.invalid(name, number, "a number", code="not-a-number")
            return default
        return number

    def vector(self, name: str, default: Any = None, size: int = 3) -> Any:
        """Authored vector in float64; NaN and another number of numbers are reported."""
        vector = self._numbers(name)
        if vector is not None and vector.shape != (size,):
            self.invalid(name, self.raw(name), f"{size} numbers")
            return default
        return default if vector is None else vector

    def array(self, name: str, *widths: int, default: Any = None) -> Any:
        """Authored array in float64; NaN and entries of another width are reported.

        Args:
            name: name of the attribute.
            widths: numbers of an entry that are allowed, shape (n, width), 0 for the number itself,
                shape (n,), which alone is allowed where none are given.
            default: where nothing is authored, or it cannot be used.
        """
        array = self._numbers(name)
        if array is None:
            return default
        allowed = widths or (0,)
        if array.ndim == 0 or (array.shape[1:] or (0,)) not in [(width,) for width in allowed]:
            entry = " or ".join(f"{width} numbers" if width else "a number" for width in allowed)
            self.invalid(name, f"of the shape {array.shape}", f"an array with {entry} per entry")
            return default
        return array

    def _numbers(self, name: str) -> NDArray[np.float64] | None:
        """Authored numbers of any shape; None: there are none, or what is there is reported."""
        value = self.raw(name)
        if value is None:
            return None
        try:
            numbers: NDArray[np.float64] = np.array(value, dtype=np.float64)
        except (TypeError, ValueError):
            self.invalid(name, value, "numbers")
            return None
        if np.count_nonzero(np.isnan(numbers)):
            self.invalid(name, value, "numbers", code="not-a-number")
            return None
        return numbers

    def quat(self, name: str, default: Any = None, *, exact: bool = False) -> Any:
        """Authored quaternion, xyzw and unit, or `exact` as it is; a zero one is reported."""
        value = self.raw(name)
        if value is None:
            return default
        if not hasattr(value, "GetImaginary"):
            self.invalid(name, value, "a quaternion")
            return default
        x, y, z, w = numbers(value)
        norm = math.sqrt(x * x + y * y + z * z + w * w)
        if norm != norm:
            self.invalid(name, value, "numbers", code="not-a-number")
            return default
        if norm == 0.0:
            self.invalid(
                name, value, "a rotation; author (1, 0, 0, 0) for none", code="zero-quaternion"
            )
            return default
        array = np.array([x, y, z, w], dtype=np.float64)
        return array if exact or abs(norm - 1.0) <= UNIT_LENGTH else array / norm

    def targets(self, name: str) -> tuple[Sdf.Path, ...]:
        """Targets of a relationship."""
        relationship = self._property(name) if name in self.names else None
        if not isinstance(relationship, Usd.Relationship):
            return ()
        self.read.add(name)
        targets = tuple(relationship.GetTargets())
        if not self._local:
            self._report_dropped(relationship, len(targets))
        return targets

    def _report_dropped(self, relationship: Usd.Relationship, kept: int) -> None:
        """Report targets that composition dropped because they lie outside a reference."""
        for spec in relationship.GetPropertyStack():
            listed = spec.targetPathList
            stated = listed.GetAppliedItems()
            if len(stated) > kept:
                self._report.warning(
                    "dropped-target", self.path,
                    f"targets {', '.join(map(str, stated))} in {layer_name(spec.layer)}, of which "
                    f"composition leaves {kept or 'none'}: the rest lies outside of what is "
                    "referenced. Target prims below the referenced one, or author the target in "
                    "the layer with the reference",
                    attribute=relationship.GetName(),
                )  # fmt: skip
            if listed.isExplicit or listed.deletedItems:
                return

    def has_api(self, api: str) -> bool:
        """Whether a schema is applied."""
        return api in self.apis

    def instances(self, api: str) -> tuple[str, ...]:
        """Instance names of a multiple-apply schema."""
        prefix = api + ":"
        return tuple(a[len(prefix) :] for a in self.apis if a.startswith(prefix))

    @property
    def source_name(self) -> str | None:
        """Name in the file the stage was converted from; what is no text is no name."""
        value = self.value(SOURCE_NAME)
        return value if isinstance(value, str) else None

    def without_effect(self, name: str, why: str) -> None:
        """Report a value that has no effect."""
        self._report.unsupported(self.path, name, self.raw(name), f"has no effect: it {why}")

    def invalid(self, name: str, value: Any, allowed: str, *, code: str = "invalid-value") -> None:
        """Report a value that physics cannot use."""
        self._report.error(
            code, self.path, f"is {value}; allowed: {allowed}", attribute=name, value=value
        )


@lru_cache(maxsize=256)
def _named(names: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Names as a set, and those of the MuJoCo dialect; many prims have the same ones."""
    return frozenset(names), tuple(name for name in names if name.startswith("mjc:"))


def _is_alike(a: Any, b: Any) -> bool:
    """Whether two values are as many numbers."""
    try:
        return np.asarray(a, np.float64).shape == np.asarray(b, np.float64).shape
    except (TypeError, ValueError):
        return False


def layer_name(layer: Sdf.Layer) -> str:
    """File name of a layer, for messages."""
    return os.path.basename(layer.realPath or layer.identifier)


def is_local(stage: Usd.Stage) -> bool:
    """Whether a stage has nothing but what its own layers say, so that composition drops nothing.

    References and payloads of other layers drop targets that lie outside of what they bring in, and
    relocation those that it moves.
    """
    own = stage.GetLayerStack()
    moved = any(layer.HasRelocates() for layer in own)
    return not moved and set(stage.GetUsedLayers()) <= set(own)


def collect_prims(
    stage: Usd.Stage, root: Sdf.Path, report: Report, exclude: frozenset[str] = frozenset()
) -> tuple[list[PrimView], list[Sdf.Path]]:
    """Every active, loaded, defined prim below `root` in stage order, instance proxies included.

    What is below a point instancer is there to be copied, and left out.

    Returns:
        The prims, and the paths of those of `exclude` that were met, and left out with all below.
    """
    top = stage.GetPrimAtPath(root)
    walk = iter(Usd.PrimRange(top, Usd.TraverseInstanceProxies()))
    local = is_local(stage)
    views: list[PrimView] = []
    left_out: list[Sdf.Path] = []
    for prim in walk:
        if prim.IsPseudoRoot():
            continue
        if exclude and prim.GetPath().pathString in exclude:
            walk.PruneChildren()
            left_out.append(prim.GetPath())
            continue
        view = PrimView(prim, len(views), report, local=local)
        views.append(view)
        if view.type_name == INSTANCER:
            walk.PruneChildren()
    return views, left_out
