"""Validation of the physics on a stage, with repairs where they are safe."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

from pxr import Usd

from usdsim.core.boundary import reason

from . import attributes, bodies, joints
from .finding import Finding, Rule, Severity

__all__ = [
    "Finding",
    "Rule",
    "Severity",
    "checked",
    "openusd_findings",
    "validate_stage",
    "validation_rules",
]

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
    found = list(openusd_findings(stage, _OPENUSD)) if openusd else []
    for rule in validation_rules():
        found += checked(rule, stage)
    if fix:
        found = [_fixed(finding) for finding in found]
    return sorted(found, key=lambda finding: _ORDER[finding.severity])


def checked(rule: Rule, stage: Usd.Stage) -> Iterator[Finding]:
    """Findings of a rule; where it stumbles over what it reads, that is one more."""
    try:
        for finding in rule.check(stage):
            yield dataclasses.replace(finding, code=rule.code, severity=rule.severity)
    except Exception as error:  # Values of any type may be authored anywhere.
        yield _not_run(rule.code, error)


def _own(validator: Any) -> bool:
    """Whether a validator is one of usdsim's rules, registered for other programs."""
    return str(validator.GetMetadata().name).startswith("usdsim.")


def _not_run(code: str, error: Exception) -> Finding:
    message = f"This rule could not run to its end: {type(error).__name__}: {reason(error)}."
    return Finding("error", code, "/", message)


def _fixed(finding: Finding) -> Finding:
    if finding.repair is None:
        return finding
    try:
        finding.repair()
    except Exception as error:  # What cannot be repaired stays a finding.
        message = f"{finding.message} It cannot be repaired: {reason(error)}."
        return dataclasses.replace(finding, message=message)
    return dataclasses.replace(finding, fixed=True)


def openusd_findings(stage: Usd.Stage, names: Sequence[str] = ()) -> Iterator[Finding]:
    """Findings of the validators that come with OpenUSD.

    Args:
        stage: the stage.
        names: which validators; none: all there are.
    """
    from pxr import UsdValidation

    kinds = UsdValidation.ValidationErrorType
    severities: dict[Any, Severity] = {kinds.Error: "error", kinds.Warn: "warning"}
    registry = UsdValidation.ValidationRegistry()
    every = (
        [v for name in names if (v := registry.GetOrLoadValidatorByName(name))]
        if names
        else [v for v in registry.GetOrLoadAllValidators() if not _own(v)]
    )
    errors: list[Any] = []
    try:
        errors += UsdValidation.ValidationContext(every).Validate(stage)
    except Exception:  # One that cannot read the stage keeps nothing from the others.
        for validator in every:
            try:
                errors += UsdValidation.ValidationContext([validator]).Validate(stage)
            except Exception as stumbled:
                yield _not_run(str(validator.GetMetadata().name), stumbled)
    for error in errors:
        prims = [site.GetPrim() for site in error.GetSites() if site.GetPrim()]
        path = str(prims[0].GetPath()) if prims else "/"
        severity = severities.get(error.GetType(), "info")
        try:
            message = " ".join(error.GetMessage().split())
        except UnicodeDecodeError as unreadable:  # It quotes what the stage says.
            message = reason(unreadable)
        yield Finding(severity, str(error.GetName()), path, message)
