"""Schema forms: what the classes of PhysX's schemas are made from, read from their definitions.

They are read from the files that OpenUSD's registry reads too, so that classes are complete where
registration came too late.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pxr import Sdf

from usdsim._resources import resource_dir
from usdsim.usd.schemas import INSTANCE_NAME

__all__ = ["SEVERAL", "PropertyForm", "SchemaForm", "schema_forms"]

SEVERAL = "multipleApplyAPI"
"""Kind of schemas that prims may have several times."""

_PLUGINS = {"physxSchema": "PhysxSchema", "physxSchemaAddition": "PhysxSchemaAddition"}
"""Folders of definitions, and what precedes names of classes in names of types."""


@dataclass(frozen=True, slots=True)
class PropertyForm:
    """An attribute, or a relationship."""

    name: str
    type: Any
    """Sdf value type; None: a relationship."""
    uniform: bool = False
    tokens: tuple[str, ...] = ()

    def of(self, instance: str) -> str:
        """Its name in an instance."""
        return self.name.replace(INSTANCE_NAME, instance)


@dataclass(frozen=True, slots=True)
class SchemaForm:
    """A class of a schema."""

    name: str
    """Of the class."""
    schema: str
    """Of the schema, as prims have it."""
    kind: str
    """``singleApplyAPI``, ``multipleApplyAPI`` or ``concreteTyped``."""
    base: str
    """Type that it is made of."""
    properties: Mapping[str, PropertyForm]
    """By their names in methods: ``LinearDamping``."""
    collections: tuple[str, ...] = ()
    """Collections that prims have by it."""


def _property(spec: Any) -> tuple[str, PropertyForm]:
    word = spec.customData.get("apiName", spec.name.rpartition(":")[2])
    word = word[:1].upper() + word[1:]
    if isinstance(spec, Sdf.RelationshipSpec):
        return word, PropertyForm(spec.name, None)
    uniform = spec.variability == Sdf.VariabilityUniform
    tokens = tuple(spec.allowedTokens or ())
    return word, PropertyForm(spec.name, spec.typeName, uniform, tokens)


_SEMANTICS = SchemaForm(
    "SemanticsAPI",
    "SemanticsAPI",
    SEVERAL,
    "UsdAPISchemaBase",
    {
        f"Semantic{word}": PropertyForm(
            f"semantic:{INSTANCE_NAME}:params:semantic{word}", Sdf.ValueTypeNames.String
        )
        for word in ("Type", "Data")
    },
)
"""The one schema that is not among the definitions; OpenUSD has another in its place."""


@cache
def schema_forms() -> Mapping[str, SchemaForm]:
    """Forms by the name of the class."""
    found = {_SEMANTICS.name: _SEMANTICS}
    for plugin, prefix in _PLUGINS.items():
        folder = resource_dir("schemas") / plugin
        layer = Sdf.Layer.FindOrOpen(str(folder / "generatedSchema.usda"))
        types = json.loads((folder / "plugInfo.json").read_text())["Plugins"][0]["Info"]["Types"]
        for full, entry in types.items():
            name, schema = full.removeprefix(prefix), entry["schemaIdentifier"]
            spec = layer.GetPrimAtPath(f"/{schema}")
            applied = spec.GetInfo("apiSchemas").GetAppliedItems()
            collections = [api.partition(":") for api in applied]
            found[name] = SchemaForm(
                name, schema, entry["schemaKind"], entry["bases"][0],
                dict(map(_property, spec.properties)),
                tuple(instance for api, _, instance in collections if api == "CollectionAPI"),
            )  # fmt: skip
    return found
