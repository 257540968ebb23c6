"""Simulation meshes of deformable bodies: points, elements, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from usdsim.core.dialects.deformable import PREFIXES
from usdsim.core.errors import UsdsimError
from usdsim.math.deformable.elements import measures, shared_borders
from usdsim.math.deformable.tetrahedra import fill_with_tetrahedra
from usdsim.parser.context import ParseContext
from usdsim.parser.prims import PrimView
from usdsim.parser.shapes.meshes import MeshLibrary
from usdsim.parser.soft_description import DeformableKind

from .curves import CurveError, curve_segments
from .values import first_of, read_indices, read_points

__all__ = ["SimMesh", "bind_points", "old_mesh", "placed", "sim_mesh"]

Array = NDArray[np.float64]
Indices = NDArray[np.int32]

_CELLS = 10
"""Cells along the longest side where the older dialect says nothing."""
_SEAM = 1e-5
"""Distance between places of one point, relative to the size of a mesh, that counts as none."""
_REST_CORNERS = {
    "volume": ("restTetVtxIndices", "physics:restTetVertexIndices"),
    "surface": ("restTriVtxIndices", "physics:restTriVertexIndices"),
    "curves": ("restCrvVtxIndices", "physics:restCrvVertexIndices"),
}
"""Corners of elements at rest, in both namespaces and as the draft of the standard has it later."""
_FLAT = 1e-9
"""Volume or area, relative to that of an element with equal sides, that counts as none."""
_BENT = 1e-4
"""Distance from a plane, relative to the size of a mesh, that counts as curved."""


class _RestError(ValueError):
    """Rest shape that gives a point no place, or two."""


@dataclass(frozen=True, slots=True, eq=False)
class SimMesh:
    """A simulation mesh in world, or in the frame of its prim until it is placed."""

    view: PrimView
    kind: DeformableKind
    rest: Array
    points: Array
    velocities: Array
    elements: Indices


def placed(context: ParseContext, view: PrimView, points: Array) -> Array:
    """Points of a prim's frame in world [m], shape (n, 3)."""
    frames, index = context.frames, view.index
    linear = frames.linear[index] * context.units.length
    return np.asarray(points @ linear.T + frames.pos[index])


def sim_mesh(
    context: ParseContext, library: MeshLibrary, view: PrimView, kind: DeformableKind
) -> SimMesh | None:
    """The mesh of a prim with a simulation schema; None if it is refused, which is reported."""
    elements: Indices | None
    if kind == "surface":
        mesh = library.read(view)
        elements, points = (None, None) if mesh is None else (mesh.faces, mesh.points)
    else:
        points = read_points(view, "points")
        try:
            elements = (
                read_indices(view, "tetVertexIndices", 4)
                if kind == "volume"
                else curve_segments(view, 0 if points is None else len(points))
            )
        except CurveError as error:
            _refuse(context, view, str(error))
            return None
    if points is None or elements is None:
        if kind == "volume":
            _refuse(context, view, "has no points or no tetVertexIndices; author both")
        return None
    rest = first_of(view, "restShapePoints", read_points)
    try:
        rest = _at_rest(view, points if rest is None else rest, elements, len(points), kind)
    except _RestError as error:
        _refuse(context, view, str(error))
        return None
    _read_angles(context, view, rest, kind)
    velocities = read_points(view, "velocities")
    return _checked(
        context,
        SimMesh(
            view,
            kind,
            rest,
            points,
            np.zeros_like(points) if velocities is None else velocities,
            elements,
        ),
    )


def old_mesh(
    context: ParseContext, library: MeshLibrary, view: PrimView, kind: DeformableKind, cells: Any
) -> SimMesh | None:
    """The mesh the older dialect keeps beside the points of the mesh that is seen.

    Where there is none yet, surfaces are simulated as they are, and volumes are filled.
    """
    seen = library.read(view)
    if seen is None:
        return None
    corners = 4 if kind == "volume" else 3
    prefix = "physxDeformable:"
    elements = read_indices(view, prefix + "simulationIndices", corners)
    own = prefix + ("simulationPoints" if kind == "volume" else "points")
    points = read_points(view, own) if kind == "volume" else seen.points
    resting = prefix + ("simulationRestPoints" if kind == "volume" else "restPoints")
    rest = read_points(view, resting)
    if elements is None or points is None:
        rest = None if kind == "volume" else rest
        try:
            points, elements = (
                fill_with_tetrahedra(seen.points, seen.faces, int(cells or _CELLS))
                if kind == "volume"
                else (seen.points, seen.faces)
            )
        except UsdsimError as error:
            _refuse(context, view, f"cannot be filled with tetrahedra: {error}")
            return None
    if rest is None:
        rest = points
    if kind == "surface":
        flat = view.flag("physxDeformableSurface:flatteningEnabled")
        _check_flat(context, view, rest, "physxDeformableSurface:flatteningEnabled", bent=not flat)
    velocities = read_points(view, prefix + "simulationVelocities")
    if velocities is None or velocities.shape != points.shape:
        velocities = np.zeros_like(points)
    return _checked(context, SimMesh(view, kind, rest, points, velocities, elements))


def bind_points(view: PrimView) -> Array | None:
    """Points of a mesh in the pose it is bound in; None if it has no points."""
    for api in view.apis:
        schema, _, instance = api.partition(":")
        if not schema.endswith("PhysicsDeformablePoseAPI"):
            continue
        for prefix in PREFIXES:
            base = f"deformablePose:{instance}:{prefix}"
            if "bindPose" in (view.value(base + "purposes") or ()):
                found = read_points(view, base + "points")
                if found is not None:
                    return found
    old = read_points(view, "physxDeformable:restPoints")
    now = read_points(view, "points")
    return old if old is not None and now is not None and old.shape == now.shape else now


def _at_rest(
    view: PrimView, rest: Array, elements: Indices, count: int, kind: DeformableKind
) -> Array:
    """Rest point of every point, shape (count, 3).

    Where elements have corners of their own at rest, as at the seams of a garment, these must be at
    one place for each point.

    Raises:
        _RestError: they are not, or are others than those of the mesh.
    """
    name, later = _REST_CORNERS[kind]
    width = elements.shape[1]
    if kind == "curves" and rest is not None and len(rest) == count:
        # The schema does not say whether these are points along the curves or ends of segments.
        along = first_of(view, name, lambda v, n: read_indices(v, n, 1))
        if along is not None and np.array_equal(along[:, 0], np.arange(count)):
            return rest
    corners = first_of(view, name, lambda v, n: read_indices(v, n, width))
    if corners is None:
        corners = read_indices(view, later, width)
    if (
        corners is None
        or rest is None
        or (len(rest) == count and _same_elements(corners, elements))
    ):
        return rest
    if corners.shape != elements.shape or corners.min() < 0 or corners.max() >= len(rest):
        raise _RestError(
            f"has {len(elements)} elements, but {len(corners)} at rest of {len(rest)} points; "
            f"author {name} for the elements of the mesh, in its order, with corners among "
            "restShapePoints"
        )
    found = np.zeros((count, 3))
    found[elements] = rest[corners]
    apart = np.linalg.norm(found[elements] - rest[corners], axis=2)
    if apart.max() > _SEAM * np.ptp(rest, axis=0).max():
        element, corner = np.unravel_index(int(apart.argmax()), apart.shape)
        raise _RestError(
            f"has point {elements[element, corner]} at more than one place at rest, {name} says; "
            "every point rests at one place here, so author the same place for all its corners"
        )
    return found


def _same_elements(a: Indices, b: Indices) -> bool:
    return a.shape == b.shape and bool((np.sort(a, axis=1) == np.sort(b, axis=1)).all())


def _read_angles(context: ParseContext, view: PrimView, rest: Array, kind: DeformableKind) -> None:
    if kind != "surface":
        return
    for prefix in PREFIXES:
        name = prefix + "restBendAnglesDefault"
        if view.value(name) == "restShapeDefault":
            _check_flat(context, view, rest, name, bent=True)


def _check_flat(
    context: ParseContext, view: PrimView, rest: Array, name: str, *, bent: bool
) -> None:
    """Report where bending should start from angles the engine takes to be flat."""
    centred = rest - rest.mean(axis=0)
    spread = np.linalg.svd(centred, compute_uv=False)
    if bent and spread[-1] > _BENT * spread[0]:
        context.report.warning(
            "unsupported", view.path,
            "has a curved rest shape, but bending is resisted as if its triangles rested flat; "
            "author a flat rest shape, or no stiffness of bending",
            attribute=name,
        )  # fmt: skip


def _checked(context: ParseContext, mesh: SimMesh) -> SimMesh | None:
    """The mesh placed in world with consistent elements, or None and a report of what is wrong."""
    view, count = mesh.view, len(mesh.points)
    for what, values in (("rest points", mesh.rest), ("velocities", mesh.velocities)):
        if values.shape != mesh.points.shape:
            _refuse(context, view, f"has {count} points, but {len(values)} {what}; author as many")
            return None
    if mesh.elements.min() < 0 or mesh.elements.max() >= count:
        wrong = mesh.elements.min() if mesh.elements.min() < 0 else mesh.elements.max()
        _refuse(context, view, f"uses point {wrong}, but has points 0 to {count - 1} only")
        return None
    rest, points = placed(context, view, mesh.rest), placed(context, view, mesh.points)
    linear = context.frames.linear[view.index] * context.units.length
    elements = mesh.elements
    if np.linalg.det(linear) < 0.0 and mesh.kind != "curves":
        elements = elements[:, [1, 0, *range(2, elements.shape[1])]]
    elements, problem = _oriented(rest, elements)
    unused = np.setdiff1d(np.arange(count), elements)
    if not problem and len(unused):
        problem = (
            f"has {len(unused)} points that belong to no element, such as point {unused[0]}; "
            "remove them"
        )
    if not problem and shared_borders(elements).max() > 2:
        border = "face" if mesh.kind == "volume" else "edge"
        element = int(np.argmax(shared_borders(elements).max(axis=1)))
        problem = (
            f"is not manifold: more than two elements share a {border} of element {element}; "
            "remove duplicate elements, or split the mesh there"
        )
    if problem:
        _refuse(context, view, problem)
        return None
    velocities = mesh.velocities @ linear.T
    return replace(
        mesh,
        rest=rest,
        points=points,
        velocities=velocities,
        elements=np.ascontiguousarray(elements, dtype=np.int32),
    )


def _oriented(rest: Array, elements: Indices) -> tuple[Indices, str]:
    """Elements of positive volume, and a complaint if there is no such order of their corners."""
    sizes = measures(rest, elements)
    sides = np.linalg.norm(rest[elements[:, 1:]] - rest[elements[:, :1]], axis=2).max(axis=1)
    flat = np.abs(sizes) <= _FLAT * sides ** (elements.shape[1] - 1)
    if flat.any():
        return elements, (
            f"has {int(flat.sum())} degenerate elements, such as element {int(np.argmax(flat))}, "
            "whose corners lie in a plane, on a line or at a point; remove or move them"
        )
    if elements.shape[1] == 4 and (sizes < 0.0).all():
        return elements[:, [0, 1, 3, 2]], ""
    if (sizes < 0.0).any():
        return elements, (
            f"has {int((sizes < 0.0).sum())} of {len(sizes)} tetrahedra inverted at rest, such as "
            f"element {int(np.argmax(sizes < 0.0))}; swap two of their corners, or correct the "
            "rest points"
        )
    return elements, ""


def _refuse(context: ParseContext, view: PrimView, message: str) -> None:
    context.report.error("invalid-mesh", view.path, message)
