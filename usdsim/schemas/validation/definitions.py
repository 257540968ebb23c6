"""Schema definitions, whether or not they are registered with OpenUSD."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pxr import Plug, Sdf

from usdsim._plugins import plugin_dirs
from usdsim.usd.schemas import INSTANCE_NAME

__all__ = ["Definition", "find_definitions", "known_names"]


@dataclass(frozen=True, slots=True)
class Definition:
    """One property of one schema class."""

    schema: str
    name: str
    """With ``__INSTANCE_NAME__`` where the schema is multiple-apply."""
    type: str
    """Sdf value type name; ``rel`` for a relationship."""
    tokens: tuple[str, ...]
    low: float
    high: float
    typed: bool
    """Whether the schema is a prim type."""


def _files() -> Iterator[str]:
    for folder in plugin_dirs():
        yield from sorted(map(str, folder.rglob("generatedSchema.usda")))
    plugin = Plug.Registry().GetPluginWithName("usdPhysics")
    if plugin is not None:
        yield f"{plugin.resourcePath}/generatedSchema.usda"


def _property(schema: Sdf.PrimSpec, spec: Sdf.PropertySpec) -> Definition:
    typed = bool(schema.typeName)
    if isinstance(spec, Sdf.RelationshipSpec):
        return Definition(schema.name, spec.name, "rel", (), -float("inf"), float("inf"), typed)
    hard = (spec.GetInfo("limits") or {}).get("hard", {})
    return Definition(
        schema.name,
        spec.name,
        str(spec.typeName),
        tuple(spec.allowedTokens or ()),
        float(hard.get("minimum", -float("inf"))),
        float(hard.get("maximum", float("inf"))),
        typed,
    )


@cache
def _table() -> tuple[dict[str, list[Definition]], list[tuple[re.Pattern[str], Definition]]]:
    """Definitions by name, and those of multiple-apply schemas by pattern."""
    plain: dict[str, list[Definition]] = {}
    patterns = []
    for path in _files():
        layer = Sdf.Layer.FindOrOpen(path)
        if layer is None:
            continue
        for schema in layer.rootPrims:
            for spec in schema.properties:
                found = _property(schema, spec)
                if INSTANCE_NAME in found.name:
                    pattern = re.escape(found.name).replace(INSTANCE_NAME, r"\w+")
                    patterns.append((re.compile(pattern), found))
                else:
                    plain.setdefault(found.name, []).append(found)
    return plain, patterns


def find_definitions(name: str) -> list[Definition]:
    """Every definition of a property name, instances of multiple-apply schemas included."""
    plain, patterns = _table()
    return plain.get(name, []) + [d for pattern, d in patterns if pattern.fullmatch(name)]


def known_names() -> list[str]:
    """Every property name that some schema defines."""
    plain, patterns = _table()
    return [*plain, *(d.name for _, d in patterns)]
