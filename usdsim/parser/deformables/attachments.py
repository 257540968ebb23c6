"""Attachments: vertices of deformable bodies that rigid bodies or the world hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.deformable import PREFIXES
from usdsim.parser.context import ParseContext
from usdsim.parser.description import (
    DeformableDescription,
    GeomDescription,
    MeshDescription,
    PinDescription,
)
from usdsim.parser.prims import PrimView

from .shape_distances import shape_distances
from .values import first_of, read_indices, read_points

__all__ = ["Attachments"]

Array = NDArray[np.float64]

_HOLDS = ("OmniPhysicsVtxXformAttachment", "PhysicsVtxXformAttachment")
_OLD = "PhysxPhysicsAttachment"
_AUTO = ("PhysxAutoAttachmentAPI", "PhysxAutoDeformableAttachmentAPI")
_SLACK = 1e-3
"""Distance, relative to the size of a body, within which a given point is taken for a vertex."""


class Attachments:
    """Reads the attachment prims of a stage.

    Attributes:
        filters: deformable bodies and the geoms of what holds them, which do not push them away.

    Args:
        context: the stage; bodies have their final numbers.
        bodies: the deformable bodies.
        shapes: geoms by prim path.
        geoms: the scene's geoms.
        meshes: triangles by the key geoms have.
    """

    def __init__(
        self,
        context: ParseContext,
        bodies: Sequence[DeformableDescription],
        shapes: Mapping[str, Sequence[int]],
        geoms: Sequence[GeomDescription],
        meshes: Mapping[str, MeshDescription],
    ):
        self._context, self._bodies = context, bodies
        self._shapes, self._geoms, self._meshes = shapes, geoms, meshes
        self.filters: set[tuple[int, int]] = set()
        self._pins: dict[int, list[PinDescription]] = {}
        self._held: dict[int, set[int]] = {}
        for view in context.views:
            if view.type_name in _HOLDS:
                self._hold(view)
            elif view.type_name == _OLD:
                self._old(view)
            elif view.type_name.endswith("Attachment") and "Physics" in view.type_name:
                context.report.warning(
                    "unsupported", view.path,
                    f"is a {view.type_name}, which is not simulated; vertices can be held by "
                    f"prims with a {_HOLDS[0]}",
                )  # fmt: skip
                view.read.update(view.names)

    def of(self, index: int) -> tuple[PinDescription, ...]:
        """Pins of a deformable body."""
        return tuple(self._pins.get(index, ()))

    def _hold(self, view: PrimView) -> None:
        """Vertices named by index, held at points of a prim's frame."""
        indices = first_of(view, "vtxIndicesSrc0", lambda v, name: read_indices(v, name, 1))
        held = first_of(view, "localPositionsSrc1", read_points)
        stiffness = first_of(view, "stiffness", PrimView.number)
        if not all(view.flag(prefix + "attachmentEnabled", True) for prefix in PREFIXES):
            self._disabled(view)
            return
        ends = self._ends(view, ("src0", "src1"), PREFIXES)
        if ends is None:
            return
        body, other = ends
        vertices = np.zeros(0, np.int32) if indices is None else indices[:, 0]
        local = np.zeros((0, 3)) if held is None else held
        count = len(self._bodies[body].points)
        wrong = vertices[(vertices < 0) | (vertices >= count)]
        if len(wrong):
            view.invalid("vtxIndicesSrc0", int(wrong[0]), f"indices from 0 to {count - 1}")
            return
        if len(local) != len(vertices):
            view.invalid(
                "localPositionsSrc1", f"of {len(local)} points", f"{len(vertices)}, one per vertex"
            )
            return
        if stiffness is not None and np.isfinite(stiffness):
            self._context.report.warning(
                "unsupported", view.path,
                f"is {stiffness:g}, but vertices are held rigidly; allowed: inf",
                attribute="omniphysics:stiffness", value=stiffness,
            )  # fmt: skip
        self._add(view, body, other, vertices, self._world(other, local))

    def _old(self, view: PrimView) -> None:
        """Pairs of points, or all vertices that overlap a shape."""
        if not view.flag("attachmentEnabled", True):
            self._disabled(view)
            return
        ends = self._ends(view, ("actor0", "actor1"), ("",))
        if ends is None:
            return
        body, other = ends
        if any(view.has_api(api) for api in _AUTO):
            reach = view.number("physxAutoAttachment:deformableVertexOverlapOffset", 0.0)
            vertices = self._overlapping(body, other, reach * self._context.units.length)
            if not len(vertices):
                self._context.report.warning(
                    "unsupported", view.path,
                    f"attaches {self._bodies[body].path} to {other or 'the world'}, but no vertex "
                    "overlaps a collider there; move them together, or author a larger "
                    "physxAutoAttachment:deformableVertexOverlapOffset",
                )  # fmt: skip
            self._add(view, body, other, vertices, self._bodies[body].points[vertices])
            return
        first = self._bodies[body].path == str(next(iter(view.targets("actor0")), ""))
        own, theirs = ("points0", "points1") if first else ("points1", "points0")
        local, held = read_points(view, own), read_points(view, theirs)
        if local is None or held is None or local.shape != held.shape:
            view.invalid(own, "not as many as the other points", "one for each of the other points")
            return
        at, points = self._world(self._bodies[body].mesh, local), self._bodies[body].points
        # One after the other: all distances at once are too many for meshes as they are authored.
        nearest = np.array([((points - point) ** 2).sum(axis=1).argmin() for point in at])
        size = float(np.ptp(points, axis=0).max())
        close = np.linalg.norm(points[nearest] - at, axis=1) <= _SLACK * size
        if not close.all():
            self._context.report.warning(
                "unsupported", view.path,
                f"holds {int((~close).sum())} points that are no vertices of the simulation mesh, "
                "and are left out; author points where vertices are",
                attribute=own,
            )  # fmt: skip
        _, unique = np.unique(nearest[close], return_index=True)
        chosen = np.flatnonzero(close)[unique]
        vertices = nearest[chosen].astype(np.int32)
        self._add(view, body, other, vertices, self._world(other, held[chosen]))

    def _add(
        self, view: PrimView, body: int, other: str, vertices: NDArray[np.int32], points: Array
    ) -> None:
        """Remember vertices held at points of the world."""
        held = self._held.setdefault(body, set())
        new = np.array([v not in held for v in vertices.tolist()], dtype=np.bool_)
        _, first = np.unique(vertices, return_index=True)
        single = np.zeros(len(vertices), np.bool_)
        single[first] = True
        if not (new & single).all():
            self._context.report.warning(
                "conflict", view.path,
                f"holds vertices of {self._bodies[body].path} that are held already; the first "
                "attachment counts. Name each vertex in one attachment",
            )  # fmt: skip
        keep = new & single
        held.update(vertices[keep].tolist())
        index = self._context.body_above(other)
        if index >= 0:
            prim = self._context.body_prims[index]
            other = self._context.views[prim].path
            points = self._context.frames.world_pose(prim).inverse().apply(points)
        if keep.any():
            self.filters |= {(body, geom) for geom in self._geoms_of(other)}
            self._pins.setdefault(body, []).append(
                PinDescription(
                    path=view.path,
                    body=index,
                    vertices=vertices[keep].astype(np.int32),
                    points=points[keep],
                )
            )

    def _geoms_of(self, path: str) -> list[int]:
        """Geoms of a body, or of what a prim that is none has below it and moves along with."""
        holder = self._context.body_above(path)
        found = list(range(len(self._geoms)))
        if path not in self._context.bodies:
            below = path.rstrip("/") + "/"
            shapes = self._shapes.items()
            found = [
                i for prim, ids in shapes if path and f"{prim}/".startswith(below) for i in ids
            ]
        return [i for i in found if self._geoms[i].body == holder]

    def _disabled(self, view: PrimView) -> None:
        self._context.report.info("disabled-attachment", view.path, "is disabled")
        view.read.update(view.names)

    def _ends(
        self, view: PrimView, names: tuple[str, str], prefixes: Sequence[str]
    ) -> tuple[int, str] | None:
        """Index of the deformable body, and path of what holds it (empty: the world)."""
        paths = []
        for name in names:
            targets = [t for prefix in prefixes for t in view.targets(prefix + name)]
            paths.append(targets[0].pathString if targets else "")
        for path in paths:
            if path and path not in self._context.by_path:
                self._context.report.repaired(
                    "dangling-element", view.path,
                    f"is left out: it points to {path}, which does not exist", value=path,
                )  # fmt: skip
                return None
        found = [self._deformable(path) for path in paths]
        if all(index is not None for index in found):
            self._context.report.warning(
                "unsupported", view.path,
                "attaches two deformable bodies, which is not simulated; attach each to a rigid "
                "body or to the world",
            )  # fmt: skip
            return None
        for index, other in zip(found, reversed(paths), strict=True):
            if index is not None:
                return index, other
        self._context.report.warning(
            "unsupported", view.path,
            f"attaches {paths[0] or 'nothing'}, no deformable body, and is left out; one end must "
            "be a deformable body or its simulation mesh",
        )  # fmt: skip
        return None

    def _deformable(self, path: str) -> int | None:
        for index, body in enumerate(self._bodies):
            if path and path in (body.path, body.mesh):
                return index
        return None

    def _world(self, path: str, points: Array) -> Array:
        """Points of a prim's scaled frame, or of the stage's, in world [m]."""
        index = self._context.by_path[path].index if path else -1
        prims = np.full(len(points), index, dtype=np.int64)
        at, _ = self._context.frames.points(
            prims, points, np.tile([0.0, 0.0, 0.0, 1.0], (len(points), 1))
        )
        return at

    # -- overlap -------------------------------------------------------------------------------

    def _overlapping(self, body: int, other: str, reach: float) -> NDArray[np.int32]:
        """Vertices in, or within reach of, the colliders of a prim."""
        points = self._bodies[body].points
        inside = np.zeros(len(points), dtype=np.bool_)
        for index in self._geoms_of(other):
            geom = self._geoms[index]
            if not geom.collides:
                continue
            pose = geom.pose
            if geom.body >= 0:
                prim = self._context.body_prims[geom.body]
                pose = self._context.frames.world_pose(prim) @ pose
            local = pose.inverse().apply(points)
            inside |= shape_distances(geom, local, self._meshes) <= reach
        return np.flatnonzero(inside).astype(np.int32)
