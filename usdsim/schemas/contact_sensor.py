"""Contact reporting."""

from __future__ import annotations

from pxr import Usd

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.schemas.authoring.family import resolve
from usdsim.schemas.authoring.result import SchemaResult, Skipped
from usdsim.schemas.authoring.scope import plain_scope
from usdsim.schemas.authoring.table import unit_factor
from usdsim.schemas.authoring.walk import candidates
from usdsim.schemas.authoring.write import Write, prepare, write_prim
from usdsim.usd.schemas import has_api

__all__ = ["activate_contact_sensors"]


def activate_contact_sensors(
    prim_path: str, threshold: float = 0.0, stage: Usd.Stage | None = None
) -> SchemaResult:
    """Make every rigid body at and below a prim report its contacts.

    Bodies nested in other bodies are included; bodies that report contacts never sleep.

    Args:
        prim_path: where to begin.
        threshold: contacts with less force are not reported [N].
        stage: where the prim is; None: the current stage.

    Returns:
        The bodies, and the instances that were skipped.

    Raises:
        ValueError: there is no such prim, it has no rigid body, or the threshold is negative.
    """
    if not threshold >= 0.0:
        raise InvalidValueError("threshold", threshold, "a force of 0 N or more")
    root = resolve(prim_path, stage)
    scope = plain_scope(root)
    force = threshold * unit_factor("force", scope.meters_per_unit, scope.kilograms_per_unit)
    writes = [
        prepare(Write("physxRigidBody:sleepThreshold", "float", 0.0)),
        prepare(Write("physxContactReport:threshold", "float", force)),
    ]
    skipped: list[Skipped] = []
    bodies: list[str] = []
    changed: list[str] = []
    for prim, _ in candidates(root, skipped):
        if has_api(prim, "PhysicsRigidBodyAPI"):
            bodies.append(str(prim.GetPath()))
            changed += write_prim(prim, ("PhysxRigidBodyAPI", "PhysxContactReportAPI"), writes)[1]
    if not bodies:
        hint = f" Instances were skipped: {', '.join(s.path for s in skipped)}." if skipped else ""
        raise StageError(
            f"No rigid body at or below {root.GetPath()} can report contacts.{hint} "
            "Define a rigid body first."
        )
    return SchemaResult(bodies, changed, skipped)
