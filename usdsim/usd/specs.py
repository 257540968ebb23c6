"""Prim specs: prims of one layer, written without a stage that composes along.

An open stage composes anew with every prim and schema that it hears of, which takes ten times as
long as writing them. Who writes many prims, as converters do, writes specs: into a layer that no
stage has open, or inside one `Sdf.ChangeBlock`, where stages hear of everything at its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from numpy.typing import ArrayLike
from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError
from usdsim.math.transforms import Pose

from .attributes import to_usd
from .converted import KEY, as_metadata
from .names import SOURCE_NAME
from .xforms import operations, transform_specs

__all__ = [
    "add_target",
    "applied",
    "apply",
    "connect",
    "define",
    "fill",
    "keep",
    "keep_source_name",
    "link",
    "place",
    "refer",
    "write",
]

_INSTANCE = "__INSTANCE_NAME__"
"""Stand-in for the instance in names of multiple-apply schemas."""


def define(
    layer: Sdf.Layer, path: str, type_name: str = "", specifier: Sdf.Specifier = Sdf.SpecifierDef
) -> Sdf.PrimSpec:
    """Define a prim, and prims without a type above it where there are none.

    Args:
        layer: where to write.
        path: of the prim, ``/robot/arm``.
        type_name: its schema, ``Xform``; empty: none.
        specifier: ``def``, or ``class`` for what is only referenced.
    """
    spec = layer.GetPrimAtPath(path)
    if spec is not None:
        spec.specifier, spec.typeName = specifier, type_name
        return spec
    parent, _, name = path.rpartition("/")
    owner = (layer.GetPrimAtPath(parent) or define(layer, parent)) if parent else layer
    return Sdf.PrimSpec(owner, name, specifier, type_name)


def applied(spec: Sdf.PrimSpec) -> list[str]:
    """Names of the API schemas that a layer applies to a prim."""
    return list(spec.GetInfo("apiSchemas").prependedItems)


def apply(spec: Sdf.PrimSpec, *schemas: str) -> None:
    """Apply API schemas, unless they are applied already; ``PhysicsDriveAPI:angular``."""
    names = applied(spec)
    new = [name for name in dict.fromkeys(schemas) if name not in names]
    if new:
        spec.SetInfo("apiSchemas", Sdf.TokenListOp.Create([*names, *new]))


def write(
    spec: Sdf.PrimSpec,
    name: str,
    type_name: str,
    value: Any,
    *,
    uniform: bool = False,
    custom: bool = False,
) -> Sdf.AttributeSpec:
    """Write an attribute's default value.

    Args:
        spec: the prim.
        name: of the attribute, ``newton:armature``.
        type_name: value type to create it with, ``double3`` or ``token[]``.
        value: numbers, strings, sequences or arrays; quaternions xyzw.
        uniform: whether its value cannot change over time.
        custom: whether it belongs to no schema.
    """
    variability = Sdf.VariabilityUniform if uniform else Sdf.VariabilityVarying
    return _write(spec, name, _value_type(type_name), variability, value, custom)


def fill(
    spec: Sdf.PrimSpec, schema: str, values: Mapping[str, Any] | None = None, instance: str = ""
) -> None:
    """Write attributes of one of OpenUSD's schemas; an API schema is applied with them.

    Args:
        spec: the prim.
        schema: ``Capsule`` or ``PhysicsMassAPI``.
        values: by full name of the attribute, ``physics:mass``; see `write`.
        instance: of a multiple-apply schema, ``angular``.
    """
    if _is_api(schema):
        apply(spec, f"{schema}:{instance}" if instance else schema)
    for name, value in (values or {}).items():
        type_name, variability = _declared(schema, name, instance)
        _write(spec, name, type_name, variability, value)


def link(spec: Sdf.PrimSpec, name: str, targets: Iterable[str]) -> Sdf.RelationshipSpec:
    """Write the targets of a relationship; none is a word, too."""
    relation = _relation(spec, name)
    paths = [Sdf.Path(target) for target in targets]
    if paths:
        relation.targetPathList.explicitItems = paths
    else:
        relation.targetPathList.ClearEditsAndMakeExplicit()
    return relation


def add_target(spec: Sdf.PrimSpec, name: str, target: str) -> None:
    """Add a target to a relationship, after those that a layer gives it."""
    targets = _relation(spec, name).targetPathList.prependedItems
    if target not in targets:
        targets.append(Sdf.Path(target))


def connect(spec: Sdf.PrimSpec, name: str, type_name: str, source: str) -> None:
    """Connect an attribute, which is created where there is none, to one of another prim."""
    attribute = spec.attributes.get(name)
    if attribute is None:
        attribute = Sdf.AttributeSpec(spec, name, _value_type(type_name))
    attribute.connectionPathList.explicitItems = [Sdf.Path(source)]


def refer(spec: Sdf.PrimSpec, path: str) -> None:
    """Let a prim have what another one of the same layer has."""
    spec.referenceList.prependedItems.append(Sdf.Reference("", path))


def place(spec: Sdf.PrimSpec, pose: Pose, scale: ArrayLike | None = None) -> None:
    """Write a prim's transform; see `usdsim.usd.xforms.set_local_pose`."""
    path = spec.path
    translation, rotation, factors = operations(path, pose, scale)
    translate, orient = transform_specs(spec.layer, path, factors)
    translate.default, orient.default = translation, rotation


def keep(spec: Sdf.PrimSpec, values: Mapping[str, Any]) -> None:
    """Add values [SI, radians] to those a prim was converted from; see `usdsim.usd.converted`."""
    kept = spec.GetInfo("customData")
    added = {name: as_metadata(value) for name, value in values.items()}
    spec.SetInfo("customData", {**kept, KEY: {**kept.get(KEY, {}), **added}})


def keep_source_name(spec: Sdf.PrimSpec, name: str) -> None:
    """Keep an element's name from its source file; see `usdsim.usd.names.set_source_name`."""
    write(spec, SOURCE_NAME, "string", name, uniform=True, custom=True)
    if name and name != spec.name:
        spec.SetInfo("displayName", name)


def _write(
    spec: Sdf.PrimSpec,
    name: str,
    type_name: Sdf.ValueTypeName,
    variability: Sdf.Variability,
    value: Any,
    custom: bool = False,
) -> Sdf.AttributeSpec:
    attribute = spec.attributes.get(name)
    if attribute is None:
        attribute = Sdf.AttributeSpec(spec, name, type_name, variability, custom)
    attribute.default = to_usd(value, type_name, attribute.path)
    return attribute


def _relation(spec: Sdf.PrimSpec, name: str) -> Sdf.RelationshipSpec:
    found = spec.relationships.get(name)
    return Sdf.RelationshipSpec(spec, name, custom=False) if found is None else found


@cache
def _value_type(name: str) -> Sdf.ValueTypeName:
    found = Sdf.ValueTypeNames.Find(name)
    if not found:
        raise InvalidValueError("type of an attribute", name, "an Sdf value type")
    return found


@cache
def _is_api(schema: str) -> bool:
    return Usd.SchemaRegistry().FindConcretePrimDefinition(schema) is None


@cache
def _declared(schema: str, name: str, instance: str) -> tuple[Sdf.ValueTypeName, Sdf.Variability]:
    """Type and variability that a schema gives an attribute."""
    registry = Usd.SchemaRegistry()
    definition = registry.FindConcretePrimDefinition(schema)
    definition = definition or registry.FindAppliedAPIPrimDefinition(schema)
    template = name.replace(f":{instance}:", f":{_INSTANCE}:", 1) if instance else name
    attribute = definition.GetSchemaAttributeSpec(template)
    return attribute.typeName, attribute.variability
