"""Authoring of API schemas and attributes, straight into the edit target's layer.

One change block per prim, and no attribute look-up on the composed prim: writing ten values costs
one recomposition. The type of an attribute comes from its table row, never from the value, and
whether it may vary over time from the schemas of the prim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
from pxr import Sdf, Usd

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.usd.attributes import from_usd, to_usd, value_type
from usdsim.usd.prims import scene_path
from usdsim.usd.schemas import applied_schemas

from .result import Skipped

__all__ = ["Prepared", "Write", "prepare", "write_prim"]


def _single(value: float) -> float:
    """Round a number to single precision: what the stage will give back."""
    return float(np.float32(value))


_MOST = {"int": 2**31 - 1, "uint": 2**32 - 1}
_NUMBERS: dict[str, Callable[[Any], Any]] = {
    "float": _single,
    "double": float,
    "int": int,
    "uint": int,
}


_MISFIT = "{} is authored as {}, but is to become {}. Remove it first."
_type = cache(value_type)


@dataclass(frozen=True, slots=True)
class Write:
    """One value on its way to an attribute, or targets on their way to a relationship."""

    name: str
    type: str
    value: Any


@dataclass(frozen=True, slots=True)
class Prepared:
    """A `Write` in USD terms, to be authored on any number of prims."""

    name: str
    type: Sdf.ValueTypeName | None
    """None: a relationship."""
    value: Any


def prepare(write: Write, what: str = "") -> Prepared:
    """Convert a value to the type its row declares.

    Raises:
        InvalidValueError: the value does not fit the type.
    """
    if write.type == "rel":
        targets = [write.value] if isinstance(write.value, (str, Sdf.Path)) else write.value
        paths = [scene_path(str(target)) for target in targets]
        return Prepared(write.name, None, paths)
    value = _value(write, what)
    return Prepared(write.name, _type(write.type, "a table row"), value)


def write_prim(
    prim: Usd.Prim, apis: Iterable[str], writes: Sequence[Prepared]
) -> tuple[str, list[str], list[Skipped]]:
    """Apply API schemas and author values on one prim.

    Returns:
        Path of the prim, paths of the properties that changed, and what was not effective.
    """
    path = prim.GetPath()
    stage = prim.GetStage()
    target = stage.GetEditTarget()
    layer = target.GetLayer()
    spec_path = target.MapToSpecPath(path)
    applied = applied_schemas(prim)
    missing = tuple(dict.fromkeys([api for api in apis if api not in applied]))
    type_name, schemas = prim.GetTypeName(), (*applied, *missing)
    changed = []
    with Sdf.ChangeBlock():
        spec = layer.GetPrimAtPath(spec_path) or Sdf.CreatePrimInLayer(layer, spec_path)
        if missing:
            spec.SetInfo("apiSchemas", _with(spec.GetInfo("apiSchemas"), missing))
        # Asking for all names at once costs as much as asking for one attribute.
        present = spec.GetInfo("properties")
        for write in writes:
            if write.name in present:
                if _replace(spec, write):
                    changed.append(write.name)
                continue
            if write.type is None:
                relationship = Sdf.RelationshipSpec(spec, write.name, custom=False)
                relationship.targetPathList.explicitItems = write.value
            else:
                variability = _variability(type_name, schemas, write.name)
                attribute = Sdf.AttributeSpec(spec, write.name, write.type, variability)
                attribute.default = write.value
            present.append(write.name)
            changed.append(write.name)
    text = path.pathString
    paths = [f"{text}.{name}" for name in changed]
    session = stage.GetSessionLayer()
    strongest = stage.GetRootLayer() if session is None or session.empty else session
    return text, paths, [] if layer == strongest else _overridden(prim, writes)


@lru_cache(maxsize=4096)
def _variability(type_name: str, apis: tuple[str, ...], name: str) -> Sdf.Variability:
    """Whether schemas say that values of an attribute change over time; what none has, may."""
    definition = _definition(type_name, apis)
    spec = definition.GetSchemaAttributeSpec(name) if definition else None
    return spec.variability if spec else Sdf.VariabilityVarying


@lru_cache(maxsize=256)
def _definition(type_name: str, apis: tuple[str, ...]) -> Usd.PrimDefinition | None:
    registry = Usd.SchemaRegistry()
    if not apis:
        return registry.FindConcretePrimDefinition(type_name)
    return registry.BuildComposedPrimDefinition(type_name, apis)


# Many prims go through the same few lists of schemas, and a list costs more to edit than to find.
@lru_cache(maxsize=256)
def _with(current: Sdf.TokenListOp, apis: tuple[str, ...]) -> Sdf.TokenListOp:
    """A list of applied schemas with more of them."""
    if current.isExplicit:
        return Sdf.TokenListOp.CreateExplicit([*current.explicitItems, *apis])
    deleted = [item for item in current.deletedItems if item not in apis]
    return Sdf.TokenListOp.Create(
        [*current.prependedItems, *apis], list(current.appendedItems), deleted
    )


def _replace(spec: Sdf.PrimSpec, write: Prepared) -> bool:
    """Author a property that has a spec; whether its opinion in this layer changed."""
    value = write.value
    if write.type is None:
        relationship = spec.relationships.get(write.name)
        if relationship is None:
            name = f"{spec.path}.{write.name}"
            raise StageError(_MISFIT.format(name, "an attribute", "a relationship"))
        targets = relationship.targetPathList
        if list(targets.explicitItems) == value:
            return False
        targets.explicitItems = value
        return True
    attribute = spec.attributes.get(write.name)
    if attribute is None:
        name = f"{spec.path}.{write.name}"
        raise StageError(_MISFIT.format(name, "a relationship", "an attribute"))
    if attribute.typeName != write.type:
        # Another tool gave it another type; its type wins, or the stage would not compose.
        value = to_usd(from_usd(value), attribute.typeName, str(attribute.path))
    if attribute.HasInfo("default") and attribute.default == value:
        return False
    attribute.default = value
    return True


def _overridden(prim: Usd.Prim, writes: Sequence[Prepared]) -> list[Skipped]:
    """Values that a stronger layer hides."""
    hidden = []
    for write in writes:
        if write.type is not None and prim.GetAttribute(write.name).Get() != write.value:
            reason = "a stronger layer has another opinion"
            hidden.append(Skipped(f"{prim.GetPath()}.{write.name}", reason))
    return hidden


def _value(write: Write, what: str) -> Any:
    """The value in USD terms."""
    value, kind = write.value, write.type
    if kind == "bool":
        if not isinstance(value, (bool, np.bool_)):
            raise InvalidValueError(f"{what}{write.name}", value, "True or False")
        return bool(value)
    number = _NUMBERS.get(kind)
    if number is not None and isinstance(value, bool):
        raise InvalidValueError(f"{what}{write.name}", value, "a number")
    if (
        number is not None
        and isinstance(value, (int, float))
        and (number is not int or (np.isfinite(value) and value == int(value)))
    ):
        if abs(value) > _MOST.get(kind, np.inf):
            raise InvalidValueError(f"{what}{write.name}", value, f"at most {_MOST[kind]:,}")
        return number(value)
    return to_usd(value, _type(kind, "a table row"), f"{what}{write.name}")
