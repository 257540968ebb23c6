"""UsdPhysics' mesh approximations."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from usdsim.core.errors import UsdsimError
from usdsim.core.processors import side_by_side
from usdsim.math.inertia import MassProperties
from usdsim.math.meshes.boxes import boxes_of
from usdsim.math.meshes.operations import bounding_box, bounding_sphere
from usdsim.math.meshes.spheres import fill_with_spheres
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import GeomKind
from usdsim.parser.prims import PrimView

from .meshes import Mesh, MeshLibrary
from .solids import closed_form, stretched

__all__ = ["APPROXIMATIONS", "MeshShape", "approximate", "decompose_ahead"]

Array = NDArray[np.float64]

MOST_SOLIDS = 20_000
"""Above it a distance field is cheaper, and what has none gets a warning."""


@dataclass(slots=True, eq=False)
class MeshShape:
    """A shape that stands for a mesh, in the mesh prim's axes and metres."""

    kind: GeomKind
    size: Array = field(default_factory=lambda: np.zeros(3))
    pose: Pose = field(default_factory=Pose)
    mesh: str | None = None
    mass: Callable[[], MassProperties] = MassProperties
    """Mass properties at density 1, computed when a body needs them."""
    part: str = ""
    shifted: bool = False
    """Whether `pose` is not the identity."""


@dataclass(slots=True, eq=False)
class _Job:
    context: ParseContext
    library: MeshLibrary
    view: PrimView
    mesh: Mesh
    linear: Array
    max_vertices: int | None
    moves: bool

    def add(self) -> str:
        """Describe the whole mesh."""
        return self.library.add(
            self.view.path, self.mesh.points, self.mesh.faces,
            linear=self.linear, digest=self.mesh.digest, max_vertices=self.max_vertices,
        )  # fmt: skip

    def add_part(self, points: Array, faces: NDArray[np.int32], part: str) -> str:
        """Describe what stands for some of the mesh."""
        return self.library.add(
            self.view.path, points, faces,
            linear=self.linear, part=part, max_vertices=self.max_vertices,
        )  # fmt: skip


def approximate(
    context: ParseContext,
    library: MeshLibrary,
    view: PrimView,
    mesh: Mesh,
    linear: Array,
    *,
    moves: bool,
) -> list[MeshShape]:
    """Shapes a mesh collider consists of.

    Args:
        context: of the stage.
        library: where meshes are described.
        view: the mesh prim.
        mesh: its triangles.
        linear: from prim units to metres, for column vectors, shape (3, 3).
        moves: whether the mesh is on a body.
    """
    token = view.value("physics:approximation", "none")
    method = APPROXIMATIONS.get(token)
    if method is None:
        view.invalid(
            "physics:approximation", token, ", ".join(APPROXIMATIONS), code="unknown-approximation"
        )
        return []
    limit = context.quantities.read(view, "mesh", "max_hull_vertices")
    most = int(limit) if limit is not None and limit >= 4 else None
    return method(_Job(context, library, view, mesh, linear, most, moves))


def decompose_ahead(context: ParseContext, library: MeshLibrary, views: Iterable[PrimView]) -> None:
    """Decompose the meshes that ask for it side by side; each alone keeps one processor busy.

    Args:
        context: of the stage.
        library: where the meshes keep their parts.
        views: mesh prims that collide.
    """
    wanted = {}
    for view in views:
        if view.value("physics:approximation", "none") == "convexDecomposition":
            mesh = library.read(view)
            if mesh is not None and not mesh.is_flat() and not mesh.is_convex():
                wanted[mesh.digest, _most_parts(context, view)] = mesh

    def decompose(entry: tuple[tuple[int, int], Mesh]) -> None:
        (_, most), mesh = entry
        # Told where the mesh is needed.
        with suppress(UsdsimError):
            mesh.decomposed(most)

    side_by_side(decompose, list(wanted.items()))


def _most_parts(context: ParseContext, view: PrimView) -> int:
    return _count(context, view, "max_hulls", 32)


def _count(context: ParseContext, view: PrimView, name: str, fallback: int) -> int:
    """Number that dialects state about cooking; only what is asked for counts as used."""
    value = context.quantities.read(view, "mesh", name)
    return int(value) if value is not None and value >= 1 else fallback


def _hull(job: _Job) -> list[MeshShape]:
    if job.mesh.is_flat():
        return _slab(job)
    key = job.add()
    return [MeshShape("mesh", mesh=key, mass=_mass(job, job.mesh.hull_solid))]


def _triangles(job: _Job) -> list[MeshShape]:
    """The triangles themselves, which engines of convex shapes have in disguise.

    Convex ones are their hull. Hollow ones that stand still keep their surface; hollow ones that
    move are their hull, as in other engines.
    """
    flat = job.mesh.is_flat()
    if not flat and job.mesh.is_convex():
        key = job.add()
        return [MeshShape("mesh", mesh=key, mass=_mass(job, job.mesh.solid))]
    if not job.moves:
        return _still(job)
    if flat:
        return _slab(job)
    job.context.report.warning(
        "approximated", job.view.path,
        "is a hollow triangle mesh on a body that moves; its convex hull collides. Author "
        "physics:approximation convexDecomposition or sdf to keep the hollow",
        attribute="physics:approximation",
    )  # fmt: skip
    shapes = _hull(job)
    shapes[0].mass = _mass(job, job.mesh.solid)
    return shapes


def _still(job: _Job) -> list[MeshShape]:
    """A surface that nothing moves: height fields, and convex solids behind its triangles."""
    closed = job.mesh.is_closed()
    surface = job.mesh.surface(job.linear, MOST_SOLIDS if closed else np.inf)
    count = len(surface.solids)
    if surface.crowded or (count > MOST_SOLIDS and closed):
        return _distance_field(job)
    if not surface.grids and (not count or (count == 1 and job.mesh.is_flat())):
        return _slab(job)
    many = count > MOST_SOLIDS
    report = job.context.report.warning if many else job.context.report.info
    report(
        "approximated", job.view.path,
        f"is hollow and stands still; it collides as height fields ({len(surface.grids)}) and "
        f"convex solids behind its triangles ({count})"
        + (". Simplify the mesh: each solid costs time in every step" if many else ""),
        attribute="physics:approximation",
    )  # fmt: skip
    shapes = []
    for i, grid in enumerate(surface.grids):
        part = f":{i}" if i else ""
        name = job.library.add_field(
            job.view.path + part, grid.elevation, grid.half_extents, surface.thickness
        )
        shapes.append(MeshShape("hfield", pose=grid.pose, mesh=name, part=part, shifted=True))
    blocks = boxes_of([points for points, _ in surface.solids])
    for (points, faces), block in zip(surface.solids, blocks, strict=True):
        part = f":{len(shapes)}" if shapes else ""
        if block is not None:
            half, pose = block
            shapes.append(MeshShape("box", half, pose, part=part, shifted=True))
            continue
        name = job.library.add(job.view.path, points, faces, linear=np.eye(3), part=part)
        shapes.append(MeshShape("mesh", mesh=name, part=part))
    return shapes


def _distance_field(job: _Job) -> list[MeshShape]:
    key = job.add()
    return [MeshShape("sdf", mesh=key, mass=_mass(job, job.mesh.solid))]


def _parts(job: _Job) -> list[MeshShape]:
    if job.mesh.is_flat():
        return _slab(job)
    if job.mesh.is_convex():
        return _triangles(job)
    try:
        parts = job.mesh.decomposed(_most_parts(job.context, job.view))
    except UsdsimError as error:
        if job.mesh.is_closed():
            job.context.report.info(
                "approximated", job.view.path,
                f"cannot be decomposed ({error}); it collides as a distance field",
                attribute="physics:approximation",
            )  # fmt: skip
            return _distance_field(job)
        parts = [part.convex() for part in job.mesh.components() if not part.is_flat()]
        job.context.report.warning(
            "approximated", job.view.path,
            f"cannot be decomposed ({error}); the hulls of its {len(parts)} pieces collide. "
            "Close the mesh, or author another approximation",
            attribute="physics:approximation",
        )  # fmt: skip
        if not parts:
            return _hull(job)
    shapes = []
    for i, (points, faces) in enumerate(parts):
        part = f":{i}" if i else ""
        shapes.append(MeshShape("mesh", mesh=job.add_part(points, faces, part), part=part))
    # Parts overlap and overhang: the solid itself is what weighs.
    shapes[0].mass = _mass(job, job.mesh.solid)
    return shapes


def _box(job: _Job) -> list[MeshShape]:
    points = job.mesh.points @ job.linear.T
    centre, half = bounding_box(points)
    half = np.maximum(half, 1e-4 * half.max())
    pose = Pose(centre)
    return [MeshShape("box", half, pose, mass=closed_form("box", half, pose), shifted=True)]


def _sphere(job: _Job) -> list[MeshShape]:
    centre, radius = bounding_sphere(job.mesh.points @ job.linear.T)
    size, pose = np.array([radius, 0.0, 0.0]), Pose(centre)
    return [MeshShape("sphere", size, pose, mass=closed_form("sphere", size, pose), shifted=True)]


def _spheres(job: _Job) -> list[MeshShape]:
    """Spheres inside the mesh, or inside its hull where it is open; the mesh is what weighs."""
    if job.mesh.is_flat():
        return _slab(job)
    closed = job.mesh.is_closed()
    points, faces = (job.mesh.points, job.mesh.faces) if closed else job.mesh.convex()
    if not closed:
        job.context.report.warning(
            "approximated", job.view.path,
            "encloses nothing that spheres could fill; they fill its convex hull. Close the mesh",
            attribute="physics:approximation",
        )  # fmt: skip
    most = _count(job.context, job.view, "max_spheres", 128)
    cells = _count(job.context, job.view, "sphere_cells", 50_000)
    centres, radii = fill_with_spheres(points @ job.linear.T, faces, most, cells)
    if not len(radii):
        return _hull(job)
    shapes = [
        MeshShape(
            "sphere", np.array([radius, 0.0, 0.0]), Pose(centre), part=f":{i}" if i else "",
            shifted=True,
        )
        for i, (centre, radius) in enumerate(zip(centres, radii, strict=True))
    ]  # fmt: skip
    shapes[0].mass = _mass(job, job.mesh.solid)
    return shapes


def _mass(job: _Job, of: Callable[[], MassProperties]) -> Callable[[], MassProperties]:
    return lambda: stretched(of(), job.linear)


def _slab(job: _Job) -> list[MeshShape]:
    """A flat mesh gets a back, on the side its faces do not look to."""
    points = job.mesh.points @ job.linear.T
    faces = job.mesh.faces
    a, b, c = (points[faces[:, i]] for i in range(3))
    normal = np.cross(b - a, c - a).sum(axis=0)
    length = float(np.linalg.norm(normal))
    if length == 0.0:
        # Faces on both sides: either may be the back.
        _, spread, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
        if len(spread) < 3 or spread[1] <= 1e-6 * spread[0]:
            job.context.report.repaired(
                "degenerate-mesh", job.view.path,
                "has all its points on a line: left out; points must span an area",
                attribute="points",
            )  # fmt: skip
            return []
        normal, length = axes[2], 1.0
    if np.linalg.det(job.linear) < 0.0:
        normal = -normal
    thickness = 0.01 * float(np.ptp(points, axis=0).max())
    solid = np.vstack([points, points - thickness * normal / length])
    mesh = Mesh(solid, np.zeros((0, 3), np.int32), 0)
    corners, triangles = mesh.convex()
    key = job.library.add(job.view.path, corners, triangles, linear=np.eye(3))
    message = f"is flat; it collides as a slab {thickness:.3g} m thick behind its faces"
    if job.moves:
        job.context.report.repaired("degenerate-mesh", job.view.path, message, attribute="points")
    else:
        # Whoever stands on a flat floor does not meet its back.
        job.context.report.info("approximated", job.view.path, message)
    return [MeshShape("mesh", mesh=key)]


APPROXIMATIONS: dict[str, Callable[[_Job], list[MeshShape]]] = {
    "none": _triangles,
    "convexHull": _hull,
    "convexDecomposition": _parts,
    "boundingCube": _box,
    "boundingSphere": _sphere,
    "meshSimplification": _triangles,
    "sdf": _distance_field,
    "sphereFill": _spheres,
}
"""Effect of each token of ``physics:approximation``."""
