"""The shape of a definition: one `Schema` per class, one `Attr` per attribute."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["INF", "POSITIVE", "Attr", "Plugin", "Schema"]

INF = float("inf")
POSITIVE = "[0, inf)"
"""Range of what is zero or more."""
Kind = Literal["singleApplyAPI", "multipleApplyAPI", "concreteTyped"]


@dataclass(frozen=True)
class Attr:
    """One attribute, or a relationship where `type` is ``rel``."""

    type: str
    name: str
    """Without the schema's prefix; in full, and a colon before it, where it has another."""
    fallback: Any
    doc: str
    range: str = ""
    """As an interval, ``[0, inf)``."""
    unit: str = ""
    tokens: tuple[str, ...] = ()
    uniform: bool = False
    method: str = ""
    """Its name in methods of classes, where that is not the last part of its name."""


@dataclass(frozen=True)
class Schema:
    """One schema class."""

    name: str
    """Identifier, ``PhysxRigidBodyAPI``."""
    prefix: str
    """Namespace of the attributes, with ``__INSTANCE_NAME__`` for multiple-apply schemas."""
    doc: str
    attributes: list[Attr] = field(default_factory=list)
    kind: Kind = "singleApplyAPI"
    builtins: tuple[str, ...] = ()
    """Schemas applied together with this one."""
    only_on: tuple[str, ...] = ()
    """Prim types it may be applied to; empty: any."""
    base: str = ""
    """TfType of the base class."""
    class_name: str = ""
    """Name of its class, where that is not the identifier."""


@dataclass(frozen=True)
class Plugin:
    """One folder with ``plugInfo.json`` and ``generatedSchema.usda``.

    A plugin carries the name its vendor gives it: OpenUSD keeps the first plugin of a name, so
    where the vendor's own library is found first, this one steps aside without a clash.
    """

    name: str
    type_prefix: str
    """Put before an identifier to make the TfType name."""
    doc: str
    schemas: list[Schema] = field(default_factory=list)
    strip: str = ""
    """Leading part of identifiers left out of the TfType name."""
