"""Deformable bodies: which prims they are, and what they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np
from pxr import UsdPhysics

from usdsim.core.dialects.deformable import BODY_APIS, SIM_APIS, SURFACE_API, VOLUME_API
from usdsim.core.units import DEFAULT_DENSITY
from usdsim.math.deformable.elements import embed_points, measures
from usdsim.parser.context import ParseContext
from usdsim.parser.description import (
    CollisionGroupDescription,
    DeformableDescription,
    DeformableVisual,
)
from usdsim.parser.element import at_and_above
from usdsim.parser.prims import PrimView
from usdsim.parser.shapes.geoms import display_colour
from usdsim.parser.shapes.meshes import MeshLibrary
from usdsim.parser.soft_description import DeformableKind
from usdsim.usd.names import DRAWS

from .attachments import Attachments
from .curves import curve_width
from .materials import SoftMaterial, soft_material
from .meshes import SimMesh, bind_points, old_mesh, placed, sim_mesh

__all__ = ["DeformablePass"]

_OWNERS = ("omniphysics:simulationOwner", "physxDeformable:simulationOwner")
_FILTER_DISTANCES = (
    "physxDeformableBody:selfCollisionFilterDistance",
    "physxDeformable:selfCollisionFilterDistance",
)
_SIMULATED = "DeformableSimAPI"
"""End of the names of schemas of what is simulated as deformable, of any kind."""
_TYPES = {"volume": "TetMesh", "surface": "Mesh", "curves": "BasisCurves"}
"""Type of simulation meshes of each kind."""
_SPEEDS = ("physxDeformableBody:maxLinearVelocity", "physxDeformableSurface:maxVelocity")


@dataclass(frozen=True, slots=True, eq=False)
class _Record:
    """A deformable body as authored."""

    view: PrimView
    mesh: PrimView
    kind: DeformableKind
    old: bool
    """Whether it is of the older dialect."""
    drawn: tuple[PrimView, ...]
    """Meshes that follow it."""
    colliders: tuple[PrimView, ...]


class DeformablePass:
    """Finds the deformable bodies of a stage, and describes them.

    Attributes:
        claimed: prims that belong to deformable bodies and are no rigid colliders.
        found: the descriptions.
    """

    def __init__(self, context: ParseContext, library: MeshLibrary):
        self._context, self._library = context, library
        self.claimed: set[str] = set()
        self.found: list[DeformableDescription] = []
        self._filters: set[tuple[int, int]] = set()
        # What shows an element of the MuJoCo dialect is no shape of its own.
        self.claimed |= {view.path for view in context.views if DRAWS in view.names}
        self._records = [record for view in context.views if (record := self._record(view))]

    def describe(self, shapes: Mapping[str, Sequence[int]], geoms: Sequence[Any]) -> None:
        """Describe them all; bodies must have their final numbers.

        Args:
            shapes: geoms by prim path.
            geoms: the scene's geoms.
        """
        for record in self._records:
            body = self._describe(record)
            if body is not None:
                self.found.append(body)
        attachments = Attachments(self._context, self.found, shapes, geoms, self._library.found)
        self.found = [replace(body, pins=attachments.of(i)) for i, body in enumerate(self.found)]
        self._filters = attachments.filters

    def grouped(
        self, groups: tuple[CollisionGroupDescription, ...]
    ) -> tuple[CollisionGroupDescription, ...]:
        """Collision groups with the deformable bodies that are in them."""
        if not self.found or not groups:
            return groups
        result = []
        for group in groups:
            prim = self._context.by_path[group.path].prim
            collection = UsdPhysics.CollisionGroup(prim).GetCollidersCollectionAPI()
            query = collection.ComputeMembershipQuery()
            inside = [i for i, body in enumerate(self.found) if query.IsPathIncluded(body.mesh)]
            result.append(replace(group, deformables=tuple(inside)))
        return tuple(result)

    def filters(
        self, geoms: Mapping[str, Sequence[int]], owners: Sequence[int]
    ) -> frozenset[tuple[int, int]]:
        """Pairs of FilteredPairsAPI with a deformable body, and those attachments keep apart."""
        found = set(self._filters)
        if not self.found:
            return frozenset()
        for view in self._context.views:
            if "physics:filteredPairs" not in view.names:
                continue
            own = self._at(view.path)
            for target in view.targets("physics:filteredPairs"):
                other = self._at(target.pathString)
                for i in own:
                    found |= {(i, g) for g in self._geoms(target.pathString, geoms, owners)}
                    found |= {(min(i, j), -1 - max(i, j)) for j in other if i != j}
                for i in other:
                    found |= {(i, g) for g in self._geoms(view.path, geoms, owners)}
        return frozenset(found)

    def owns(self, path: str) -> bool:
        """Whether a prim is, or has below it, a deformable body."""
        return bool(self._at(path))

    def _at(self, path: str) -> list[int]:
        """Deformable bodies at and below a prim, and the one whose mesh it is."""
        return [
            i
            for i, body in enumerate(self.found)
            if path == body.mesh or f"{body.path}/".startswith(path.rstrip("/") + "/")
        ]

    def _geoms(
        self, path: str, geoms: Mapping[str, Sequence[int]], owners: Sequence[int]
    ) -> list[int]:
        """Geoms of a prim: its own, those of the body it is, or all below it."""
        if path in self._context.bodies:
            body = self._context.bodies[path]
            return [i for i, owner in enumerate(owners) if owner == body]
        below = path.rstrip("/") + "/"
        return [i for p, ids in geoms.items() if f"{p}/".startswith(below) for i in ids]

    # -- finding -------------------------------------------------------------------------------

    def _record(self, view: PrimView) -> _Record | None:
        old = VOLUME_API in view.apis or SURFACE_API in view.apis
        if not old and not _is_body(view) and not self._is_alone(view):
            return None
        if "PhysicsRigidBodyAPI" in view.apis:
            self._refuse(view, "is a rigid body too; remove PhysicsRigidBodyAPI from it")
            return None
        below = self._below(view)
        meshes = [v for v in below if v.type_name in _TYPES.values()]
        colliders = tuple(v for v in meshes if "PhysicsCollisionAPI" in v.apis)
        self.claimed |= {v.path for v in meshes}
        if self._read(view, "enabled") is False:
            self._context.report.info("disabled-body", view.path, "does not deform: disabled")
            for mesh in meshes:
                mesh.read.update(name for name in mesh.names if "physics:" in name)
            return None
        return self._old(view, colliders) if old else self._new(view, below, colliders)

    def _is_alone(self, view: PrimView) -> bool:
        """Whether a prim is to be simulated as deformable, but no prim says to be its body."""
        if not any(api.endswith(_SIMULATED) for api in view.apis):
            return False
        above = (self._context.by_path.get(path) for path in at_and_above(view.path))
        return not any(other is not None and _is_body(other) for other in above)

    def _old(self, view: PrimView, colliders: tuple[PrimView, ...]) -> _Record | None:
        """A body in the spelling before OmniPhysics: the mesh that is drawn."""
        if view.type_name != "Mesh":
            self._refuse(view, f"is a {view.type_name or 'prim without type'}, not a Mesh")
            return None
        kind: DeformableKind = "volume" if VOLUME_API in view.apis else "surface"
        return _Record(view, view, kind, True, (view,), colliders or (view,))

    def _new(
        self, view: PrimView, below: list[PrimView], colliders: tuple[PrimView, ...]
    ) -> _Record | None:
        """A body of OmniPhysics, with a simulation mesh at or below it and meshes that show it."""
        sims = [v for v in below if any(api in v.apis for api in SIM_APIS)]
        if not sims and self._is_other(below):
            return None
        if len(sims) != 1:
            names = ", ".join(v.path for v in sims) or "none"
            self._refuse(
                view,
                f"needs exactly one simulation mesh at or below it, and has {names}; apply "
                "OmniPhysicsVolumeDeformableSimAPI to a TetMesh, "
                "OmniPhysicsSurfaceDeformableSimAPI to a Mesh, or "
                "OmniPhysicsCurvesDeformableSimAPI to BasisCurves",
            )
            return None
        mesh = sims[0]
        kind = self._kind(mesh)
        wanted = _TYPES[kind]
        if mesh.type_name != wanted:
            self._refuse(
                mesh, f"is the simulation mesh of a {kind} and a {mesh.type_name}, not a {wanted}"
            )
            return None
        drawn = tuple(v for v in below if v.type_name == "Mesh" and v is not mesh)
        if kind == "curves" and drawn:
            self._context.report.warning(
                "unsupported", drawn[0].path,
                f"does not follow the curves of {view.path}, which are drawn themselves; author "
                "their widths, and move the mesh elsewhere",
            )  # fmt: skip
            drawn = ()
        return _Record(view, mesh, kind, False, drawn, colliders)

    def _is_other(self, below: list[PrimView]) -> bool:
        """Whether a body is simulated as something else than elements, which is reported."""
        for view in below:
            for api in view.apis:
                if api.endswith(_SIMULATED):
                    self._context.report.warning(
                        "unsupported", view.path,
                        f"has {api}, but only volumes of tetrahedra (TetMesh), surfaces of "
                        "triangles (Mesh) and linear curves (BasisCurves) deform",
                    )  # fmt: skip
                    return True
        return False

    def _below(self, view: PrimView) -> list[PrimView]:
        """The prim and all below it in stage order, but for rigid bodies and what they have."""
        views, start = self._context.views, view.index
        end, prefix = start + 1, view.path + "/"
        while end < len(views) and views[end].path.startswith(prefix):
            end += 1
        found: list[PrimView] = []
        apart = ""
        for other in views[start:end]:
            if apart and other.path.startswith(apart):
                continue
            if "PhysicsRigidBodyAPI" in other.apis:
                apart = other.path + "/"
                continue
            found.append(other)
        return found

    @staticmethod
    def _kind(mesh: PrimView) -> DeformableKind:
        kinds = {SIM_APIS[api] for api in mesh.apis if api in SIM_APIS}
        return next(kind for kind in get_args(DeformableKind) if kind in kinds)

    def _refuse(self, view: PrimView, message: str) -> None:
        self._context.report.error("invalid-deformable", view.path, message)

    # -- describing ----------------------------------------------------------------------------

    def _describe(self, record: _Record) -> DeformableDescription | None:
        view, context = record.view, self._context
        mesh = self._mesh(record)
        if mesh is None:
            return None
        material = soft_material(context, [record.mesh, view], record.kind, self._width(record))
        mass = self._mass(record, mesh, material)
        damping = self._read(view, "linear_damping")
        if damping is None:
            damping = 0.005 if record.old else 0.0
        if not 0.0 <= damping < np.inf:
            view.invalid("linearDamping", damping, "a number >= 0")
            return None
        self_collision = bool(self._read(view, "self_collision"))
        self._skip_idle(view, self_collision)
        rest, contact = self._offsets(record)
        seen = (record.mesh,) if record.kind == "curves" else record.drawn
        collides = any([v.flag("physics:collisionEnabled", True) for v in record.colliders])
        return DeformableDescription(
            path=view.path,
            name=view.source_name,
            kind=record.kind,
            mesh=record.mesh.path,
            rest_points=mesh.rest,
            points=mesh.points,
            velocities=mesh.velocities,
            elements=mesh.elements,
            mass=mass,
            youngs_modulus=material.youngs_modulus,
            poissons_ratio=material.poissons_ratio,
            elasticity_damping=material.elasticity_damping,
            thickness=material.thickness,
            bend_modulus=material.bend_modulus,
            twist_modulus=material.twist_modulus,
            friction=material.friction,
            collides=bool(record.colliders) and collides,
            self_collision=self_collision,
            kinematic=bool(self._read(view, "kinematic")),
            gravity_scale=0.0 if self._read(view, "disable_gravity") else 1.0,
            linear_damping=float(damping),
            rest_offset=rest,
            contact_offset=contact,
            rgba=next((c for v in seen if (c := display_colour(v)) is not None), None),
            visuals=self._visuals(record, mesh),
        )

    @staticmethod
    def _skip_idle(view: PrimView, self_collision: bool) -> None:
        """Take as read what would change nothing here, whatever became of it."""
        view.read.update(_OWNERS)
        if not self_collision:
            view.read.update(_FILTER_DISTANCES)
        for name in _SPEEDS:
            if name in view.names and view.prim.GetAttribute(name).Get() == np.inf:
                view.read.add(name)

    def _mesh(self, record: _Record) -> SimMesh | None:
        context, library = self._context, self._library
        if context.frames.singular[record.mesh.index]:
            self._refuse(record.mesh, "has a transform that is flat or not finite")
            return None
        if not record.old:
            return sim_mesh(context, library, record.mesh, record.kind)
        cells = self._read(record.view, "resolution")
        return old_mesh(context, library, record.mesh, record.kind, cells)

    def _read(self, view: PrimView, quantity: str) -> Any:
        return self._context.quantities.read(view, "deformable", quantity)

    def _mass(self, record: _Record, mesh: SimMesh, material: SoftMaterial) -> float:
        """Authored mass, else a density, else that of water.

        That of the material goes before the body's own, but for bodies of the draft.
        """
        view = record.view
        mass = self._read(view, "mass")
        if mass is not None and not 0.0 <= mass < np.inf:
            view.invalid("omniphysics:mass", mass, "a number >= 0; 0: from the density")
            mass = None
        if mass:
            return float(mass)
        drafted = view.has_api("PhysicsDeformableBodyAPI")
        own = 0.0
        if drafted or view.has_api("PhysicsMassAPI"):
            own = _density(view) * self._context.units.factor("kg/m^3")
        density = (own or material.density) if drafted else (material.density or own)
        if not density:
            density = DEFAULT_DENSITY
            self._context.report.default(view.path, "omniphysics:density", DEFAULT_DENSITY)
        size = float(np.abs(measures(mesh.rest, mesh.elements)).sum())
        across = {"volume": 1.0, "surface": material.thickness}
        return density * size * across.get(record.kind, np.pi * material.thickness**2 / 4.0)

    def _width(self, record: _Record) -> float | None:
        """Width that curves are drawn with [m]; None: none, or it is no curve."""
        width = curve_width(record.mesh) if record.kind == "curves" else None
        if width is None:
            return None
        linear = self._context.frames.linear[record.mesh.index]
        return width * self._context.units.length * float(np.cbrt(abs(np.linalg.det(linear))))

    def _offsets(self, record: _Record) -> tuple[float, float | None]:
        """Rest and contact offset [m] of the collider, or of the body."""
        rest = contact = None
        for view in dict.fromkeys((*record.colliders, record.mesh, record.view)):
            for quantity in ("rest_offset", "contact_offset"):
                value = self._context.quantities.read(view, "geom", quantity)
                if value is None or not np.isfinite(value):
                    continue
                if quantity == "rest_offset" and rest is None:
                    rest = float(value)
                elif quantity == "contact_offset" and contact is None:
                    contact = float(value)
        return rest or 0.0, contact

    def _visuals(self, record: _Record, mesh: SimMesh) -> tuple[DeformableVisual, ...]:
        visuals = []
        for view in record.drawn:
            points = bind_points(view)
            if points is None:
                continue
            bound = placed(self._context, view, points)
            vertices, weights, heights = embed_points(mesh.rest, mesh.elements, bound)
            visuals.append(
                DeformableVisual(
                    path=view.path, vertices=vertices, weights=weights, heights=heights
                )
            )
        return tuple(visuals)


def _is_body(view: PrimView) -> bool:
    return any(api in view.apis for api in BODY_APIS)


def _density(view: PrimView) -> float:
    """Density of a body in the stage's unit; 0: not specified."""
    value = view.number("physics:density", 0.0)
    if not 0.0 <= value < np.inf:
        view.invalid("physics:density", value, "a positive number, or 0 for unspecified")
        return 0.0
    return float(value)
