"""Validation of the physics on a stage, with repairs where they are safe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from pxr import Usd

from . import attributes, bodies, joints
from .finding import Finding, Rule, Severity

__all__ = ["Finding", "Rule", "Severity", "validate_stage", "validation_rules"]

_OPENUSD = (
    "usdPhysicsValidators:RigidBodyChecker",
    "usdPhysicsValidators:ColliderChecker",
    "usdPhysicsValidators:ArticulationChecker",
    "usdPhysicsValidators:PhysicsJointChecker",
)
_ORDER = {"error": 0, "warning": 1, "info": 2}


def validation_rules() -> tuple[Rule, ...]:
    """Usdsim's own rules; OpenUSD's physics rules come on top."""
    return (*bodies.RULES, *joints.RULES, *attributes.RULES)


def validate_stage(stage: Usd.Stage, fix: bool = False, *, openusd: bool = True) -> list[Finding]:
    """Check the physics on a stage.

    Args:
        stage: the stage.
        fix: whether to repair, in the layer that is edited, what can be repaired without changing
            what the stage means. Repaired findings are in the result, marked `fixed`.
        openusd: whether OpenUSD's own physics rules are checked too.

    Returns:
        What is wrong or worth knowing, errors first.
    """
    found = list(_openusd(stage)) if openusd else []
    for rule in validation_rules():
        for finding in rule.check(stage):
            found.append(dataclasses.replace(finding, code=rule.code, severity=rule.severity))
    if fix:
        found = [_fixed(finding) for finding in found]
    return sorted(found, key=lambda finding: _ORDER[finding.severity])


def _fixed(finding: Finding) -> Finding:
    if finding.repair is None:
        return finding
    finding.repair()
    return dataclasses.replace(finding, fixed=True)


def _openusd(stage: Usd.Stage) -> Iterator[Finding]:
    from pxr import UsdValidation

    registry = UsdValidation.ValidationRegistry()
    validators = [v for name in _OPENUSD if (v := registry.GetOrLoadValidatorByName(name))]
    for error in UsdValidation.ValidationContext(validators).Validate(stage):
        severity: Severity = "warning"
        if error.GetType() == UsdValidation.ValidationErrorType.Error:
            severity = "error"
        prims = [site.GetPrim() for site in error.GetSites() if site.GetPrim()]
        path = str(prims[0].GetPath()) if prims else "/"
        yield Finding(str(error.GetName()), severity, path, " ".join(error.GetMessage().split()))
