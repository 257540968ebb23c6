"""Validators for OpenUSD's validation framework: usdsim's rules where others run theirs.

OpenUSD imports this module when a program such as ``usdchecker`` asks for the validators that the
plugin ``schemas/usdsimValidators`` announces; every rule is one validator.
"""

from __future__ import annotations

from typing import Any

from pxr import Usd, UsdValidation

from .validation import Finding, Rule, checked, validation_rules

__all__ = ["PLUGIN", "register", "validator_name"]

PLUGIN = __name__
"""Name of the plugin, which for OpenUSD is the module to import."""

_KINDS = {
    "error": UsdValidation.ValidationErrorType.Error,
    "warning": UsdValidation.ValidationErrorType.Warn,
    "info": UsdValidation.ValidationErrorType.Info,
}


def validator_name(rule: Rule) -> str:
    """Name of a rule's validator, ``usdsim.schemas.validators:JointLimits``."""
    return f"{PLUGIN}:{''.join(word.capitalize() for word in rule.code.split('-'))}"


def register() -> None:
    """Register every rule that a plugin announces and that OpenUSD does not have yet."""
    registry = UsdValidation.ValidationRegistry()
    announced = {str(metadata.name) for metadata in registry.GetAllValidatorMetadata()}
    for rule in validation_rules():
        name = validator_name(rule)
        if name in announced and not registry.HasValidator(name):
            registry.RegisterPluginStageValidator(name, _task(rule), [])


def _task(rule: Rule) -> Any:
    def validate(stage: Usd.Stage, time_range: Any) -> list[Any]:
        return [_error(stage, finding) for finding in checked(rule, stage)]

    return validate


def _error(stage: Usd.Stage, finding: Finding) -> Any:
    site = UsdValidation.ValidationErrorSite(stage, finding.path)
    return UsdValidation.ValidationError(
        finding.code, _KINDS[finding.severity], [site], str(finding)
    )


register()
