"""Visualization markers: shapes at many poses that explain a scene and are no part of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Sdf, Usd, UsdGeom

from usdsim.core.arguments import on_host
from usdsim.core.configuration import Configuration
from usdsim.core.errors import InvalidValueError, ShapeError
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_multiply
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.usd.guides import draw_as_mark, marker_paths, show_copies
from usdsim.usd.prims import define_prim
from usdsim.usd.queries import is_visible
from usdsim.usd.stage import stage_or_current

__all__ = ["VisualizationMarkers", "VisualizationMarkersCfg"]

Array = NDArray[np.float64]


@dataclass(kw_only=True)
class VisualizationMarkersCfg(Configuration):
    """Shapes that mark poses."""

    prim_path: str = "/Visuals/markers"
    """The point instancer that draws them."""
    markers: dict[str, Any] = field(default_factory=dict)
    """Spawner configurations of the shapes by name."""


class VisualizationMarkers:
    """Draws markers on the stage, in the session layer; pictures, films and recordings show them.

    Cameras do not see them, and nothing collides with them.

    Args:
        cfg: the shapes.
        stage: where; None: the current stage.

    Raises:
        InvalidValueError: there is no shape.

    Attributes:
        cfg: the shapes.
        count: number of markers of the last `visualize`.
    """

    def __init__(self, cfg: VisualizationMarkersCfg, stage: Usd.Stage | None = None):
        if not cfg.markers:
            raise InvalidValueError("markers", cfg.markers, "at least one shape by name")
        self.cfg, self.count = cfg, 0
        self._stage = stage_or_current(stage)
        self._units = stage_units(self._stage, Report())
        path = cfg.prim_path
        while self._stage.GetPrimAtPath(path):
            path += "_"
        with self._edit():
            self._prim = define_prim(self._stage, path, "PointInstancer")
            copies = UsdGeom.PointInstancer(self._prim)
            for name, shape in cfg.markers.items():
                shape.func(f"{path}/{name}", shape, stage=self._stage)
                copies.CreatePrototypesRel().AddTarget(Sdf.Path(f"{path}/{name}"))
            draw_as_mark(self._prim)
        marker_paths(self._stage, path)
        self._show(np.zeros((0, 3)), np.zeros((0, 4)), np.zeros((0, 3)), np.zeros(0, np.int64))

    @property
    def prim_path(self) -> str:
        """The point instancer."""
        return str(self._prim.GetPath())

    @property
    def num_prototypes(self) -> int:
        """Number of shapes."""
        return len(self.cfg.markers)

    def set_visibility(self, visible: bool) -> None:
        """Show or hide all of them."""
        imageable = UsdGeom.Imageable(self._prim)
        with self._edit():
            (imageable.MakeVisible if visible else imageable.MakeInvisible)()

    def is_visible(self) -> bool:
        """Whether they are shown."""
        return is_visible(self._prim)

    def visualize(
        self,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        marker_indices: Any = None,
    ) -> None:
        """Show markers at poses; what is not given stays as it was, if the number does.

        Args:
            translations: in world [m], shape (n, 3).
            orientations: xyzw, shape (n, 4).
            scales: factors, shape (n, 3).
            marker_indices: of the shapes, shape (n,).

        Raises:
            ShapeError: the shapes do not go together.
            InvalidValueError: there is no such shape, or a number is not finite.
        """
        given = [_numbers(v) for v in (translations, orientations, scales, marker_indices)]
        if all(value is None for value in given):
            return
        count = next(len(value) for value in given if value is not None)
        known = self._values if count == self.count else _defaults(count)
        tails = ((3,), (4,), (3,), ())
        names = ("translations", "orientations", "scales", "marker_indices")
        values: list[Array] = []
        for name, value, old, tail in zip(names, given, known, tails, strict=True):
            now: Array = np.asarray(old if value is None else value, np.float64)
            if now.shape != (count, *tail):
                raise ShapeError(name, now.shape, str((count, *tail)))
            if not np.isfinite(now).all():
                raise InvalidValueError(name, "NaN or infinity", "finite numbers")
            values.append(now)
        indices = values[3].astype(np.int64)
        if count and not 0 <= indices.min() <= indices.max() < self.num_prototypes:
            raise InvalidValueError(
                "marker_indices", int(indices.max()), f"0 to {self.num_prototypes - 1}"
            )
        self._show(values[0], values[1], values[2], indices)

    def _show(self, pos: Array, quat: Array, scale: Array, indices: NDArray[np.int64]) -> None:
        self._values, self.count = (pos, quat, scale, indices), len(pos)
        to_stage = quat_conjugate(self._units.to_z_up)
        places = quat_apply(to_stage, pos) / self._units.length
        with self._edit():
            show_copies(self._prim, places, quat_multiply(to_stage, quat), scale, indices)

    def _edit(self) -> Usd.EditContext:
        layer = self._stage.GetSessionLayer() or self._stage.GetRootLayer()
        return Usd.EditContext(self._stage, layer)


def _numbers(value: Any) -> Any:
    if value is None:
        return None
    return np.asarray(on_host(value), dtype=np.float64)


def _defaults(count: int) -> tuple[Array, Array, Array, NDArray[np.int64]]:
    quats = np.tile((0.0, 0.0, 0.0, 1.0), (count, 1))
    return np.zeros((count, 3)), quats, np.ones((count, 3)), np.zeros(count, np.int64)
