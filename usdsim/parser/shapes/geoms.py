"""Shapes on bodies: from Gprims to geoms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import UsdGeom, UsdShade

from usdsim.core.dialects.mjc_tokens import MESH_INERTIA
from usdsim.core.errors import InvalidValueError
from usdsim.math.inertia import MassProperties
from usdsim.math.rotations import quat_multiply
from usdsim.math.transforms import Pose
from usdsim.parser.context import ParseContext
from usdsim.parser.description import GeomDescription, GeomKind
from usdsim.parser.mjc import COLOURS, MujocoReader, goes_first, hfield_of, mesh_of
from usdsim.parser.overrides import overrides_of
from usdsim.parser.prims import PrimView
from usdsim.parser.signs import with_sign
from usdsim.usd.attributes import is_authored
from usdsim.usd.converted import edited

from .approximations import MeshShape, approximate, decompose_ahead
from .colliders import Collider
from .gprims import AXIS_QUATS, SHAPES, Solid, read_solid
from .looks import plain_colour, surface_of
from .materials import Materials, own_friction, settle_softness, torsional_radius
from .meshes import Mesh, MeshLibrary, joined
from .sizes import exact_size
from .solids import closed_form, solid_mesh, stretched
from .walls import wall_of, walled

__all__ = ["GeomPass", "PlacedShape", "display_colour", "is_shape", "report_shapeless"]

Array = NDArray[np.float64]
_GEOMETRY = ("points", "faceVertexIndices", "physics:approximation")
_HULLS = (None, "convexHull", "sdf")
"""Approximations that the engine makes of its mesh assets."""
_LEAST_AREA = 1e-15
"""Area of the smallest mesh that the engine takes [m^2]."""
Weigh = Callable[[], MassProperties]


@dataclass(slots=True, eq=False)
class PlacedShape:
    """One shape in a body's frame, ready to be described and weighed."""

    kind: GeomKind
    size: Array
    pose: Pose
    mesh: str | None = None
    mass: Weigh = MassProperties
    """Mass properties at density 1 in the body's frame, computed when a body needs them."""
    part: str = ""
    """Suffix of its path behind the prim's."""


class GeomPass:
    """Turns Gprims into geoms.

    Attributes:
        found: descriptions so far.
        by_path: indices of the geoms of a prim.
        volumes: per collider prim path, its parts' mass properties at density 1 in the body frame.
    """

    def __init__(
        self,
        context: ParseContext,
        materials: Materials,
        reader: MujocoReader,
        library: MeshLibrary,
    ):
        self._context = context
        self._materials, self._reader, self._library = materials, reader, library
        self.found: list[GeomDescription] = []
        self.by_path: dict[str, list[int]] = {}
        self.volumes: dict[str, list[Weigh]] = {}

    def run(self, views: Iterable[PrimView], colliders: Mapping[str, Collider]) -> None:
        """Describe Gprims.

        Args:
            views: the prims, in stage order.
            colliders: by path of the prims that collide.
        """
        views = list(views)
        if not views:
            return
        context = self._context
        bodies = [context.body_above(view.path) for view in views]
        prims = [context.body_prims[body] if body >= 0 else -1 for body in bodies]
        places = context.frames.relative([view.index for view in views], prims)
        decompose_ahead(self._context, self._library, self._meshes(views, colliders))
        for i, (view, body) in enumerate(zip(views, bodies, strict=True)):
            if context.frames.singular[view.index]:
                context.report.error(
                    "invalid-transform", view.path,
                    "has a transform that is flat or not finite; allowed: finite xformOps, and "
                    "scales other than 0",
                )  # fmt: skip
                continue
            collider = colliders.get(view.path)
            pose, scale = places.pose(i), places.scale[i]
            if collider is not None and collider.merged:
                shapes = self._merged(view, collider, pose)
            else:
                sheared = places.linear[i] if places.sheared[i] else None
                shapes = self._shapes(view, pose, scale, sheared, collides=collider is not None)
            self._describe(view, body, collider, shapes)

    def _meshes(
        self, views: Iterable[PrimView], colliders: Mapping[str, Collider]
    ) -> Iterator[PrimView]:
        """Mesh prims whose own triangles collide, each by itself."""
        for view in views:
            collider = colliders.get(view.path)
            if (
                view.type_name == "Mesh"
                and collider is not None
                and not collider.merged
                and mesh_of(view) is None
                and not self._context.frames.singular[view.index]
            ):
                yield view

    def _shapes(
        self, view: PrimView, pose: Pose, scale: Array, sheared: Array | None, *, collides: bool
    ) -> list[PlacedShape]:
        target = mesh_of(view)
        if target is not None and _shows(view, target):
            kind: GeomKind = "sdf" if view.value("physics:approximation") == "sdf" else "mesh"
            return [PlacedShape(kind, np.zeros(3), pose, target)]
        target = hfield_of(view)
        if target is not None and not edited(view.prim, *_GEOMETRY):
            view.read.add("physics:approximation")
            return [PlacedShape("hfield", np.zeros(3), pose, target)]
        if view.type_name == "Points":
            return _points(view, pose, scale)
        solid = read_solid(view)
        if solid is None and view.type_name == "Mesh":
            return self._mesh(view, pose, scale, sheared, collides=collides)
        if solid is None:
            if collides:
                report_shapeless(self._context, view)
            return []
        if solid.is_empty:
            self._context.report.repaired(
                "size-zero", view.path,
                f"is a {view.type_name} without extent: left out; author a positive size",
            )  # fmt: skip
            return []
        try:
            return [self._solid(view, solid, pose, scale, sheared, collides=collides)]
        except InvalidValueError as error:
            self._context.report.error(
                "invalid-mesh", view.path, f"is a {view.type_name} with no usable hull: {error}"
            )
            return []

    def _solid(
        self,
        view: PrimView,
        solid: Solid,
        pose: Pose,
        scale: Array,
        sheared: Array | None,
        *,
        collides: bool,
    ) -> PlacedShape:
        scaled = None if sheared is not None and solid.kind != "plane" else solid.scaled(scale)
        if scaled is None:
            return self._as_mesh(view, solid, pose, scale, sheared)
        kind, size, rough = scaled
        if rough:
            self._context.report.warning(
                "approximated", view.path,
                f"is a {view.type_name} with a scale of {np.round(np.abs(scale), 9).tolist()} that "
                f"no {kind} has; the larger radius is used. Scale the radii alike, or author a "
                "Mesh",
            )  # fmt: skip
        axis = solid.axis
        if kind == "plane":
            turn = AXIS_QUATS[axis]
            if scale[2 if axis == "Z" else "XY".index(axis)] < 0.0:
                turn = quat_multiply(turn, np.array([1.0, 0.0, 0.0, 0.0]))
            # UsdPhysics' plane has no edge; sizes are for display.
            size = np.zeros(3) if collides else size
            return PlacedShape(kind, size, Pose(pose.pos, quat_multiply(pose.quat, turn)))
        if axis != "Z" and kind in ("capsule", "cylinder"):
            pose = Pose(pose.pos, quat_multiply(pose.quat, AXIS_QUATS[axis]))
        return PlacedShape(kind, size, pose, None, closed_form(kind, size, pose))

    def _as_mesh(
        self, view: PrimView, solid: Solid, pose: Pose, scale: Array, sheared: Array | None
    ) -> PlacedShape:
        """A convex mesh; its mass stays that of the smooth solid."""
        points, faces = solid_mesh(solid.points())
        linear, at = (np.diag(scale), pose) if sheared is None else (sheared, Pose(pose.pos))
        digest = hash((solid.kind, solid.axis, solid.size.tobytes()))
        key = self._library.add(view.path, points, faces, digest=digest, linear=linear)
        return PlacedShape(
            "mesh", np.zeros(3), at, key, lambda: stretched(solid.mass, linear).moved(at)
        )

    def _mesh(
        self, view: PrimView, pose: Pose, scale: Array, sheared: Array | None, *, collides: bool
    ) -> list[PlacedShape]:
        mesh = self._library.read(view)
        if mesh is None:
            return []
        linear, at = (np.diag(scale), pose) if sheared is None else (sheared, Pose(pose.pos))
        if not collides:
            if mesh.area(linear) < _LEAST_AREA:
                self._context.report.repaired(
                    "degenerate-mesh", view.path,
                    "spans no area: left out, as nothing of it is seen; author its points apart",
                )  # fmt: skip
                return []
            key = self._library.add(
                view.path, mesh.points, mesh.faces, digest=mesh.digest, linear=linear
            )
            return [PlacedShape("mesh", np.zeros(3), at, key)]
        return self._approximated(view, mesh, linear, at)

    def _merged(self, view: PrimView, collider: Collider, pose: Pose) -> list[PlacedShape]:
        """Several meshes as one, in metres along the axes of the prim that merges them."""
        parts = []
        for member in collider.merged:
            mesh = self._library.read(member)
            if mesh is not None:
                at = self._context.frames.relative([member.index], [view.index])
                parts.append(mesh.moved(at.linear[0], at.pos[0]))
        return self._approximated(view, joined(parts), np.eye(3), pose) if parts else []

    def _approximated(
        self, view: PrimView, mesh: Mesh, linear: Array, at: Pose
    ) -> list[PlacedShape]:
        moves = self._context.body_above(view.path) >= 0
        parts = approximate(self._context, self._library, view, mesh, linear, moves=moves)
        placed = [_placed_part(part, at) for part in parts]
        rule = view.value("mjc:inertia")
        if rule in MESH_INERTIA:
            # The rule is about the mesh, in however many parts it collides.
            for number, shape in enumerate(placed):
                shape.mass = MassProperties if number else _by_rule(mesh, rule, linear, at)
        elif rule is not None:
            view.invalid("mjc:inertia", rule, ", ".join(MESH_INERTIA), code="unknown-token")
        return placed

    def _walled(self, shape: PlacedShape, wall: float) -> Weigh:
        mesh = self._library.found.get(shape.mesh) if shape.mesh else None
        return lambda: walled(shape.kind, shape.size, wall, mesh).moved(shape.pose)

    def _describe(
        self, view: PrimView, body: int, collider: Collider | None, shapes: list[PlacedShape]
    ) -> None:
        if not shapes:
            return
        collides = collider is not None and collider.enabled
        if collider is not None:
            view.flag("physics:collisionEnabled")
            view.read.add("physics:simulationOwner")
            wall = wall_of(self._context, view)
            self.volumes[view.path] = [
                shape.mass if wall is None else self._walled(shape, wall) for shape in shapes
            ]
        rest, gap = _offsets(self._context, view)
        overrides = overrides_of(self._reader, view, "geom")
        if collider is None:
            _report_masks(self._context, view, overrides)
        material = self._materials.of(collider) if collider is not None else None
        if not collides:
            for mask in ("contype", "conaffinity"):
                overrides.pop(mask, None)
        surface = None if material is None else self._materials.found[material]
        if surface is not None:
            settle_softness(self._context, view, surface, overrides)
        friction = overrides.pop("friction", None)
        native = friction is not None
        if surface is not None and native and collides:
            friction = own_friction(self._context, view, friction, surface)
        given = native or (surface is not None and surface.torsional_friction is not None)
        radius = torsional_radius(self._context, view, {s.kind for s in shapes}, given=given)
        common: dict[str, Any] = {
            "name": view.source_name,
            "overrides": overrides,
            "body": body,
            "collides": collides,
            "material": material,
            "friction": friction,
            "native_mixing": native,
            "torsional_radius": radius,
            "rest_offset": rest,
            "contact_gap": gap,
            "rgba": settled_colour(self._context, view, overrides),
            "purpose": str(UsdGeom.Imageable(view.prim).ComputePurpose()),
        }
        if self._context.exact:
            common |= _look(view, common)
        for shape in shapes:
            self.by_path.setdefault(view.path, []).append(len(self.found))
            self.found.append(
                GeomDescription(
                    path=view.path + shape.part,
                    kind=shape.kind,
                    pose=with_sign(view, shape.pose),
                    size=exact_size(self._context, view, shape.kind, shape.size),
                    mesh=shape.mesh,
                    **common,
                )
            )


def _look(view: PrimView, geom: Mapping[str, Any]) -> dict[str, Any]:
    """Display material of a shape, and its colour where the shape itself has no look."""
    material, _ = UsdShade.MaterialBindingAPI(view.prim).ComputeBoundMaterial()
    if not material:
        return {}
    found: dict[str, Any] = {"visual_material": str(material.GetPath())}
    shader = surface_of(material)
    if shader is not None and geom["rgba"] is None and "material" not in geom["overrides"]:
        found["rgba"] = plain_colour(shader)
    return found


def _offsets(context: ParseContext, view: PrimView) -> tuple[float, float | None]:
    """Distances at which surfaces rest and how much farther contacts are generated [m].

    PhysX counts the latter from the surface, the others from where surfaces rest.
    """
    stated = context.quantities.stated(view, "geom", "rest_offset")
    stated = [statement for statement in stated if np.isfinite(statement.value)]
    rest = float(context.quantities.settle(view, "rest_offset", stated) or 0.0)
    gaps = [
        statement
        for statement in context.quantities.stated(view, "geom", "contact_gap")
        if np.isfinite(statement.value) and (statement.value >= 0.0 or statement.dialect == "mjc")
    ]
    gaps += [
        replace(statement, value=max(statement.value - rest, 0.0))
        for statement in context.quantities.stated(view, "geom", "contact_offset")
        if np.isfinite(statement.value)
    ]
    gap = context.quantities.settle(view, "contact_gap", gaps)
    return rest, None if gap is None else float(gap)


def settled_colour(
    context: ParseContext, view: PrimView, overrides: dict[str, Any]
) -> Array | None:
    """Colour of a shape: the dialect's own, taken from the overrides, until the other is edited."""
    own, colour = overrides.pop("rgba", None), display_colour(view)
    if own is not None and np.size(own) != 4:
        message = f"has {np.size(own)} numbers; allowed: red, green, blue and opacity"
        context.report.error("invalid-value", view.path, message, attribute="mjc:rgba")
        own = None
    shown = colour is not None and goes_first(view.prim, COLOURS, ("mjc:rgba",), context.report)
    return colour if own is None or shown else np.asarray(own, np.float64)


def _report_masks(context: ParseContext, view: PrimView, overrides: dict[str, Any]) -> None:
    """Report collision masks of a shape that is no collider, which MuJoCo's own reader skips."""
    for name in ("contype", "conaffinity"):
        if overrides.get(name):
            context.report.unsupported(
                view.path, f"mjc:{name}", overrides[name],
                "is authored, but the shape collides with nothing; apply PhysicsCollisionAPI to it",
            )  # fmt: skip


def _shows(view: PrimView, asset: str) -> bool:
    """Whether a geom still shows its mesh asset, as it was converted or as the asset is now."""
    changed = edited(view.prim, *_GEOMETRY)
    if "physics:approximation" in changed and view.value("physics:approximation") not in _HULLS:
        return False
    changed = tuple(name for name in changed if name != "physics:approximation")
    source = view.prim.GetStage().GetPrimAtPath(asset)
    if not changed or not source:
        return True
    if is_authored(source, "mjc:vertices"):
        return False
    return all(
        source.GetAttribute(name).Get() == view.prim.GetAttribute(name).Get() for name in changed
    )


def report_shapeless(context: ParseContext, view: PrimView) -> None:
    """Report a collider on a prim that has no shape."""
    view.read.add("physics:collisionEnabled")
    context.report.warning(
        "unsupported", view.path,
        f"is a {view.type_name or 'prim without type'} with a collider, but neither has a shape "
        f"nor is one below it, so nothing collides; move PhysicsCollisionAPI to a shape: "
        f"{', '.join([*SHAPES, 'Mesh', 'Points'])}",
    )  # fmt: skip


def is_shape(view: PrimView) -> bool:
    """Whether a prim is something that can be seen or touched."""
    return view.type_name in SHAPES or view.type_name == "Mesh" or "mjc:hfield" in view.names


def _placed_part(part: MeshShape, at: Pose) -> PlacedShape:
    pose = at @ part.pose if part.shifted else at
    return PlacedShape(
        part.kind, part.size, pose, part.mesh, lambda: part.mass().moved(at), part.part
    )


def _by_rule(mesh: Mesh, rule: str, linear: Array, at: Pose) -> Weigh:
    return lambda: mesh.weighed(rule, linear).moved(at)


def _points(view: PrimView, pose: Pose, scale: Array) -> list[PlacedShape]:
    """Every point is a sphere."""
    points, widths = view.array("points", 3), view.array("widths")
    if points is None or not len(points):
        view.invalid("points", None, "at least one point")
        return []
    if widths is None or len(widths) not in (1, len(points)):
        view.invalid("widths", None if widths is None else len(widths), "a width per point")
        return []
    radii = np.broadcast_to(0.5 * widths * np.abs(scale).max(), (len(points),))
    shapes = []
    for i, (point, radius) in enumerate(zip(points * scale, radii, strict=True)):
        at = Pose(pose.apply(point), pose.quat)
        size = np.array([radius, 0.0, 0.0])
        mass = closed_form("sphere", size, at)
        shapes.append(PlacedShape("sphere", size, at, None, mass, f":{i}" if i else ""))
    return shapes


def display_colour(view: PrimView) -> Array | None:
    """Authored display colour, shape (4,)."""
    colour = view.array("primvars:displayColor", 3, 4)
    opacity = view.array("primvars:displayOpacity")
    if (colour is None or not len(colour)) and (opacity is None or not len(opacity)):
        return None
    rgba = np.array([0.5, 0.5, 0.5, 1.0])
    if colour is not None and len(colour):
        rgba[:3] = colour[0, :3]
    if opacity is not None and len(opacity):
        rgba[3] = opacity[0]
    return rgba
