"""Applied API schemas, whether or not their definitions are registered.

``prim.HasAPI`` and ``prim.GetAppliedSchemas`` leave out schemas the process has no definition of
(PhysX, MuJoCo, Newton); the composed type information does not.
"""

from __future__ import annotations

from pxr import Usd

from usdsim.core.boundary import reason
from usdsim.core.errors import StageError

__all__ = [
    "INSTANCE_NAME",
    "api_instances",
    "applied_schemas",
    "apply_api",
    "has_api",
    "remove_api",
]

INSTANCE_NAME = "__INSTANCE_NAME__"
"""Placeholder of the instance in names of attributes of multiple-apply schemas."""


def applied_schemas(prim: Usd.Prim) -> tuple[str, ...]:
    """Names of the applied API schemas, multiple-apply ones as ``PhysicsDriveAPI:angular``.

    Raises:
        StageError: one is no text, as in a damaged file.
    """
    try:
        return tuple(prim.GetPrimTypeInfo().GetAppliedAPISchemas())
    except UnicodeDecodeError as error:
        raise StageError(
            f"{prim.GetPath()}: the name of an applied schema cannot be read: {reason(error)}."
        ) from error


def has_api(prim: Usd.Prim, name: str, instance: str | None = None) -> bool:
    """Whether an API schema is applied; without `instance`, any instance counts."""
    applied = applied_schemas(prim)
    if instance is not None:
        return f"{name}:{instance}" in applied
    return name in applied or any(entry.startswith(f"{name}:") for entry in applied)


def api_instances(prim: Usd.Prim, name: str) -> list[str]:
    """Instance names of a multiple-apply API schema, in application order."""
    prefix = f"{name}:"
    return [
        entry.removeprefix(prefix) for entry in applied_schemas(prim) if entry.startswith(prefix)
    ]


def apply_api(prim: Usd.Prim, name: str, instance: str | None = None) -> None:
    """Apply an API schema, unless it is applied already."""
    if not has_api(prim, name, instance):
        prim.AddAppliedSchema(name if instance is None else f"{name}:{instance}")


def remove_api(prim: Usd.Prim, name: str, instance: str | None = None) -> None:
    """Take an API schema off a prim; its attributes stay."""
    prim.RemoveAppliedSchema(name if instance is None else f"{name}:{instance}")
