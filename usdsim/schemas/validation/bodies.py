"""Rules about the stage, bodies and mass."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics

from usdsim.usd.attributes import authored
from usdsim.usd.queries import find_ancestor, traverse
from usdsim.usd.schemas import has_api

from .finding import Finding, Rule, found

__all__ = ["RULES"]

_BODY = "PhysicsRigidBodyAPI"
_COLLIDER = "PhysicsCollisionAPI"
_MASS = "PhysicsMassAPI"


def _units(stage: Usd.Stage) -> Iterator[Finding]:
    if not any(has_api(prim, _BODY) or has_api(prim, _COLLIDER) for prim in traverse(stage)):
        return
    if not stage.HasAuthoredMetadata("metersPerUnit"):
        yield found(
            "/",
            "metersPerUnit is not authored, so one unit counts as 1 cm.",
            "metersPerUnit",
            UsdGeom.GetStageMetersPerUnit(stage),
        )
    if not stage.HasAuthoredMetadata("upAxis"):
        yield found(
            "/",
            "upAxis is not authored, so Y counts as up.",
            "upAxis",
            str(UsdGeom.GetStageUpAxis(stage)),
        )


def _default_prim(stage: Usd.Stage) -> Iterator[Finding]:
    if stage.HasDefaultPrim():
        return
    roots = [prim for prim in stage.GetPseudoRoot().GetChildren() if prim.IsDefined()]
    models = [prim for prim in roots if prim.IsA(UsdGeom.Xformable)]
    repair = None
    if len(models) == 1:

        def repair() -> None:
            stage.SetDefaultPrim(models[0])

    yield found(
        "/",
        "There is no default prim, so other stages cannot refer to this one.",
        "defaultPrim",
        None,
        repair,
    )


def _own(body: Usd.Prim) -> Iterator[Usd.Prim]:
    """A body's prim and those below it that belong to no nested body."""
    prims = iter(Usd.PrimRange(body, Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)))
    for prim in prims:
        if prim != body and has_api(prim, _BODY):
            prims.PruneChildren()
            continue
        yield prim


def _mass_missing(stage: Usd.Stage) -> Iterator[Finding]:
    for body in traverse(stage):
        if not has_api(body, _BODY) or authored(body, "physics:kinematicEnabled", False):
            continue
        if authored(body, "physics:rigidBodyEnabled", True) is False:
            continue
        if authored(body, "physics:mass", 0.0) > 0.0 or authored(body, "mjc:mass") is not None:
            continue
        parts = list(_own(body))
        if any(has_api(prim, _COLLIDER) for prim in parts):
            continue
        if any(prim != body and authored(prim, "physics:mass", 0.0) > 0.0 for prim in parts):
            continue
        yield found(
            str(body.GetPath()),
            "The body has neither a mass nor a collider to compute one from. Author physics:mass.",
        )


def _inertia(stage: Usd.Stage) -> Iterator[Finding]:
    for prim in traverse(stage):
        if not has_api(prim, _MASS):
            continue
        inertia = authored(prim, "physics:diagonalInertia")
        if inertia is None or not np.any(inertia):
            continue
        largest = float(np.max(inertia))
        if np.min(inertia) < 0.0 or largest > (np.sum(inertia) - largest) * (1.0 + 1e-3):
            yield found(
                str(prim.GetPath()),
                f"No body has principal inertias {np.asarray(inertia).tolist()}: each is at most "
                "the sum of the other two.",
                "physics:diagonalInertia",
                inertia,
            )


def _collider_in_collider(stage: Usd.Stage) -> Iterator[Finding]:
    for prim in traverse(stage):
        if has_api(prim, _COLLIDER) and not _has_shapes(prim):
            yield found(
                str(prim.GetPath()),
                f"A {prim.GetTypeName() or 'typeless prim'} without shapes below it has nothing to "
                f"collide with. Put {_COLLIDER} on shapes, or on a prim above them.",
            )


def _has_shapes(prim: Usd.Prim) -> bool:
    if prim.IsA(UsdGeom.PointInstancer):
        return True
    below = Usd.PrimRange(prim, Usd.TraverseInstanceProxies())
    return any(shape.IsA(UsdGeom.Gprim) for shape in below)


def _nested_roots(stage: Usd.Stage) -> Iterator[Finding]:
    api = "PhysicsArticulationRootAPI"
    for prim in traverse(stage):
        if not has_api(prim, api):
            continue
        outer = find_ancestor(prim, lambda p: has_api(p, api))
        if outer is not None:
            yield found(
                str(prim.GetPath()),
                f"The articulation root lies inside another one, {outer.GetPath()}.",
            )


def _scene(stage: Usd.Stage) -> Iterator[Finding]:
    prims = list(traverse(stage))
    if any(prim.IsA(UsdPhysics.Scene) for prim in prims):
        return
    if any(has_api(prim, _BODY) for prim in prims):
        yield found("/", "There is no PhysicsScene; default gravity and options act.")


RULES = (
    Rule("units", "warning", "Length unit and up axis of a stage are authored.", _units),
    Rule("default-prim", "warning", "A stage has a default prim.", _default_prim),
    Rule("no-scene", "info", "A stage with bodies has a physics scene.", _scene),
    Rule("mass-missing", "warning", "The mass of a dynamic body can be computed.", _mass_missing),
    Rule("inertia-not-physical", "error", "Principal inertias belong to a body.", _inertia),
    Rule("collider-without-shape", "warning", "Colliders have a shape.", _collider_in_collider),
    Rule("nested-articulation", "error", "Articulations do not nest.", _nested_roots),
)
