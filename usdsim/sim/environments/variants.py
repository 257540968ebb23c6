"""Environment variants: one of many, read as if it were the first."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from pxr import Gf, Sdf, Usd

from usdsim.math.rotations import quat_to_matrix
from usdsim.math.transforms import Pose
from usdsim.parser import ParseResult, parse_stage
from usdsim.parser.description import DeformableDescription
from usdsim.parser.element import is_below
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.usd.queries import paths_outside
from usdsim.usd.signatures import group_by_content
from usdsim.usd.stage import overlay_stage

from .anchors import hold_in_environment
from .finding import Environments
from .opinions import LOOKS, LOOSE, Opinion
from .shape_kinds import ShapeKinds

__all__ = ["EnvironmentReader", "renamed"]

_PLACE = "xformOp:transform:usdsimPlace"
_KEPT = 256
"""Environments that are not read a second time, as memory has room for their scenes."""
_NONE: Mapping[Opinion, Sequence[float]] = {}
T = TypeVar("T")


class EnvironmentReader:
    """Reads environments one by one, each on a stage that has no other.

    Args:
        stage: the stage.
        environments: its environments, at least one.
        options: of `parse_stage`.

    Raises:
        ParseError: an environment is physically invalid.

    Attributes:
        stage: the stage.
        groups: environments by content, the first one's first.
    """

    def __init__(self, stage: Usd.Stage, environments: Environments, options: Mapping[str, Any]):
        self.stage, self._environments, self._options = stage, environments, options
        self._units = stage_units(stage, Report())
        self._shared = paths_outside(stage, environments.paths)
        paths, scales = environments.paths, environments.scales
        self.groups = group_by_content(stage, paths, scales, LOOSE, LOOKS)
        firsts: dict[Hashable, int] = {}
        for group in self.groups:
            firsts.setdefault(group.form, group.members[0])
        self._parsed: dict[int, ParseResult] = {}
        self._kinds: ShapeKinds | None = None
        for index in firsts.values() if len(firsts) > 1 else ():
            parsed = self._parse(index)
            if self._kinds is None:
                self._kinds = ShapeKinds(parsed.scene)
            self._kinds.add(parsed.scene, environments.paths[index].rpartition("/")[2])
            if len(self._parsed) < _KEPT:
                self._parsed[index] = parsed

    def read(self, index: int, values: Mapping[Opinion, Sequence[float]] = _NONE) -> ParseResult:
        """The scene with an environment in the first one's place and under its name.

        It has the shapes of all environments.

        Args:
            index: of the environment.
            values: what some of its attributes are to say instead of their own.

        Raises:
            ParseError: the environment is physically invalid.
        """
        known = None if values else self._parsed.pop(index, None)
        parsed = known or self._parse(index, values)
        if self._kinds is None:
            return parsed
        return ParseResult(self._kinds.joined(parsed.scene), parsed.report)

    def _parse(self, index: int, values: Mapping[Opinion, Sequence[float]] = _NONE) -> ParseResult:
        """The scene of an environment alone."""
        paths = self._environments.paths
        stage, session = self._isolated(index)
        for opinion, value in values.items():
            opinion.author(session, paths[index], value)
        hold_in_environment(stage.GetPrimAtPath(paths[index]), self._on_stage(index), session)
        parsed = parse_stage(stage, exclude=[*paths[:index], *paths[index + 1 :]], **self._options)
        scene = renamed(parsed.scene, paths[index], paths[0])
        if len(paths) > 1:
            scene = replace(scene, deformables=_movable(scene.deformables, paths[0]))
        return ParseResult(scene, parsed.report)

    def _isolated(self, index: int) -> tuple[Usd.Stage, Sdf.Layer]:
        """A stage of the same layers with one environment, in the first one's place.

        Returns:
            The stage, and a layer of its own over all others.
        """
        path = self._environments.paths[index]
        mask = Usd.StagePopulationMask([*self._shared, Sdf.Path(path)])
        stage, session = overlay_stage(self.stage, mask)
        if index:
            self._place(session, path, index)
        return stage, session

    def _on_stage(self, index: int) -> Pose:
        """Frame of an environment on the stage, in its axes and units."""
        pose = self._environments.pose(index)
        to_stage = Pose(quat=self._units.to_z_up).inverse()
        turned = to_stage @ pose
        return Pose(turned.pos / self._units.length, turned.quat)

    def _place(self, layer: Sdf.Layer, path: str, index: int) -> None:
        pose = self._on_stage(0)
        matrix = np.eye(4)
        matrix[:3, :3] = (quat_to_matrix(pose.quat) * self._environments.scales[index]).T
        matrix[3, :3] = pose.pos
        spec = Sdf.CreatePrimInLayer(layer, path)
        types = Sdf.ValueTypeNames
        Sdf.AttributeSpec(spec, _PLACE, types.Matrix4d).default = Gf.Matrix4d(matrix.tolist())
        order = Sdf.AttributeSpec(spec, "xformOpOrder", types.TokenArray, Sdf.VariabilityUniform)
        order.default = ["!resetXformStack!", _PLACE]


def _movable(
    bodies: Sequence[DeformableDescription], root: str
) -> tuple[DeformableDescription, ...]:
    """Deformable bodies of an environment with pins that can be moved with it."""
    return tuple(
        replace(body, pins=tuple(replace(pin, movable=True) for pin in body.pins))
        if body.pins and is_below(body.path, root)
        else body
        for body in bodies
    )


def renamed(value: T, old: str, new: str) -> T:
    """A value with every prim path in it that lies at or below `old` moved to `new`."""
    return value if old == new else _renamed(value, old, new)


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return new + value[len(old) :] if is_below(value, old) else value
    if isinstance(value, np.ndarray | Pose | int | float):
        return value
    if isinstance(value, Mapping):
        return {_renamed(k, old, new): _renamed(v, old, new) for k, v in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return type(value)(_renamed(item, old, new) for item in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changes = {}
    for entry in dataclasses.fields(value):
        before = getattr(value, entry.name)
        after = _renamed(before, old, new)
        if after is not before and after != before:
            changes[entry.name] = after
    return replace(value, **changes) if changes else value
