"""Drafts of layers: prims as text, which become a layer all at once.

A prim spec costs OpenUSD's Python bindings microseconds for every property, and an open stage
composes anew with every one that it hears of. Who writes many prims, as converters do, drafts them:
`write_draft` makes text of the draft, which OpenUSD reads in a third of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from numpy.typing import ArrayLike
from pxr import Sdf, Usd

from usdsim.math.transforms import Pose

from .attributes import value_type
from .names import SOURCE_NAME
from .schemas import INSTANCE_NAME
from .value_text import details_text, metadata_text, paths_text, quoted, value_text
from .xforms import OPERATIONS, transform_numbers

__all__ = [
    "LayerDraft",
    "PrimDraft",
    "apply",
    "connect",
    "declare",
    "define",
    "fill",
    "keep",
    "keep_source_name",
    "link",
    "place",
    "refer",
    "write",
]

_type = cache(value_type)
_ORDER = "xformOpOrder"


@dataclass(slots=True, eq=False)
class PrimDraft:
    """A prim."""

    path: str
    name: str
    type_name: str = ""
    specifier: Sdf.Specifier = Sdf.SpecifierDef
    schemas: list[str] = field(default_factory=list)
    """Names of the API schemas applied to it, ``PhysicsDriveAPI:angular``."""
    references: list[str] = field(default_factory=list)
    """Prims of the same layer that it has everything of."""
    kept: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Values it was converted from, see `usdsim.usd.converted`: types and texts by name."""
    metadata: dict[str, Any] = field(default_factory=dict)
    statements: dict[str, str] = field(default_factory=dict)
    """Text of its properties, by name."""
    values: dict[str, Any] = field(default_factory=dict)
    """Values of attributes that are no short text, by name, as OpenUSD's own."""
    children: list[PrimDraft] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class LayerDraft:
    """Prims of a layer, by path; the order of siblings is that of their definition."""

    prims: dict[str, PrimDraft] = field(default_factory=dict)
    roots: list[PrimDraft] = field(default_factory=list)
    default_prim: str = ""
    """Name of the default prim; empty: that which the layer has."""


def define(
    layer: LayerDraft,
    path: str,
    type_name: str = "",
    specifier: Sdf.Specifier = Sdf.SpecifierDef,
) -> PrimDraft:
    """Define a prim, and scopes above it where there is nothing.

    Args:
        layer: where to write.
        path: of the prim, ``/robot/arm``.
        type_name: its schema, ``Xform``; empty: none.
        specifier: ``def``, or ``class`` for what is only referenced.
    """
    prim = layer.prims.get(path)
    if prim is not None:
        prim.specifier, prim.type_name = specifier, type_name
        return prim
    parent, _, name = path.rpartition("/")
    siblings = layer.roots
    if parent:
        siblings = (layer.prims.get(parent) or define(layer, parent, "Scope")).children
    prim = layer.prims[path] = PrimDraft(path, name, type_name, specifier)
    siblings.append(prim)
    return prim


def apply(prim: PrimDraft, *schemas: str) -> None:
    """Apply API schemas, unless they are applied already; ``PhysicsDriveAPI:angular``."""
    for name in schemas:
        if name not in prim.schemas:
            prim.schemas.append(name)


def write(
    prim: PrimDraft,
    name: str,
    type_name: str,
    value: Any,
    *,
    uniform: bool = False,
    custom: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write an attribute's default value.

    Args:
        prim: the prim.
        name: of the attribute, ``newton:armature``.
        type_name: value type to create it with, ``double3`` or ``token[]``.
        value: numbers, strings, sequences or arrays; quaternions xyzw.
        uniform: whether its value cannot change over time.
        custom: whether it belongs to no schema.
        metadata: what else is said of it, such as ``interpolation``.
    """
    head = "custom " * custom + "uniform " * uniform + type_name
    _state(prim, name, _type(type_name, "an attribute"), head, value, metadata)


def declare(prim: PrimDraft, name: str, type_name: str) -> None:
    """Write an attribute without a value of its own, such as the output of a shader."""
    prim.statements[name] = f"{type_name} {name}"


def connect(prim: PrimDraft, name: str, type_name: str, source: str) -> None:
    """Connect an attribute, with or without a value of its own, to one of another prim."""
    prim.statements[f"{name}.connect"] = f"{type_name} {name}.connect = <{source}>"


def fill(
    prim: PrimDraft, schema: str, values: Mapping[str, Any] | None = None, instance: str = ""
) -> None:
    """Write attributes of one of OpenUSD's schemas; an API schema is applied with them.

    Args:
        prim: the prim.
        schema: ``Capsule`` or ``PhysicsMassAPI``.
        values: by full name of the attribute, ``physics:mass``; see `write`.
        instance: of a multiple-apply schema, ``angular``.
    """
    if _is_api(schema):
        apply(prim, f"{schema}:{instance}" if instance else schema)
    for name, value in (values or {}).items():
        _state(prim, name, *_declared(schema, name, instance), value)


def link(
    prim: PrimDraft,
    name: str,
    targets: Iterable[str],
    *,
    alone: bool = True,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write the targets of a relationship; none is a word, too.

    Args:
        prim: the prim.
        name: of the relationship.
        targets: paths; what is named twice counts once.
        alone: whether they are all; otherwise those of other layers come after them.
        metadata: what else is said of it, such as ``bindMaterialAs``.
    """
    head, once = "rel" if alone else "prepend rel", dict.fromkeys(targets)
    prim.statements[name] = f"{head} {name} = {paths_text(once)}{details_text(metadata)}"


def refer(prim: PrimDraft, path: str) -> None:
    """Add an internal reference of a prim to another one of the same layer."""
    prim.references.append(path)


def place(prim: PrimDraft, pose: Pose, scale: ArrayLike | None = None) -> None:
    """Write a prim's transform; see `usdsim.usd.xforms.set_local_pose`."""
    pos, (x, y, z, w), factors = transform_numbers(prim.path, pose, scale)
    values = [tuple(pos), (w, x, y, z), tuple(factors)][: 3 if factors else 2]
    for name in (*OPERATIONS, _ORDER):
        prim.statements.pop(name, None)
    names = list(OPERATIONS)[: len(values)]
    for name, value in zip(names, values, strict=True):
        prim.statements[name] = f"{OPERATIONS[name]} {name} = {value}"
    order = ", ".join(map(quoted, names))
    prim.statements[_ORDER] = f"uniform token[] {_ORDER} = [{order}]"


def keep(prim: PrimDraft, values: Mapping[str, Any]) -> None:
    """Add values [SI, radians] to those a prim was converted from; see `usdsim.usd.converted`."""
    for name, value in values.items():
        prim.kept[name] = metadata_text(value)


def keep_source_name(prim: PrimDraft, name: str) -> None:
    """Keep an element's name from its source file; see `usdsim.usd.names.set_source_name`."""
    write(prim, SOURCE_NAME, "string", name, uniform=True, custom=True)
    if name and name != prim.name:
        prim.metadata["displayName"] = name


def _state(
    prim: PrimDraft,
    name: str,
    type_name: Sdf.ValueTypeName,
    head: str,
    value: Any,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Record what a layer says of an attribute; `head` is what stands before its name."""
    text, made = value_text(value, type_name, prim.path, name)
    prim.values.pop(name, None)
    if made is not None:
        prim.values[name] = made
    equals = " = " if text else ""
    prim.statements[name] = f"{head} {name}{equals}{text}{details_text(metadata)}"


@cache
def _is_api(schema: str) -> bool:
    return Usd.SchemaRegistry().FindConcretePrimDefinition(schema) is None


@cache
def _declared(schema: str, name: str, instance: str) -> tuple[Sdf.ValueTypeName, str]:
    """Type that a schema gives an attribute, and what stands before its name in a layer."""
    registry = Usd.SchemaRegistry()
    definition = registry.FindConcretePrimDefinition(schema)
    definition = definition or registry.FindAppliedAPIPrimDefinition(schema)
    template = name.replace(f":{instance}:", f":{INSTANCE_NAME}:", 1) if instance else name
    attribute = definition.GetSchemaAttributeSpec(template)
    uniform = attribute.variability == Sdf.VariabilityUniform
    return attribute.typeName, "uniform " * uniform + str(attribute.typeName)
