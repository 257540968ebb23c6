"""Rules about single attributes: known, of the right type, inside their range."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any

import numpy as np
from pxr import Gf, Usd

from usdsim.core.dialects.base import NAMESPACES
from usdsim.usd.attributes import from_usd
from usdsim.usd.queries import traverse
from usdsim.usd.schemas import INSTANCE_NAME, applied_schemas, apply_api

from .definitions import Definition, find_definitions, known_names
from .finding import Finding, Rule, found

__all__ = ["RULES"]

_NAMESPACES = (*NAMESPACES, "usdsim:", "deformablePose:")
_LOWEST = {
    "physics:density": (0.0, np.inf),
    "physics:dynamicFriction": (0.0, np.inf),
    "physics:gravityMagnitude": (-np.inf, np.inf),
    "physics:mass": (0.0, np.inf),
    "physics:restitution": (0.0, 1.0),
    "physics:staticFriction": (0.0, np.inf),
}
"""Ranges that UsdPhysics states in its documentation only."""

_QUATERNIONS = (Gf.Quatd, Gf.Quatf, Gf.Quath)


def _authored(stage: Usd.Stage) -> Iterator[tuple[Usd.Prim, Usd.Attribute]]:
    """Attributes of physics namespaces with an authored value."""
    for prim in traverse(stage):
        for name in prim.GetAuthoredPropertyNames():
            if name.startswith(_NAMESPACES):
                attribute = prim.GetAttribute(name)
                if attribute and attribute.HasAuthoredValue():
                    yield prim, attribute


def _unknown(stage: Usd.Stage) -> Iterator[Finding]:
    names = None
    for prim, attribute in _authored(stage):
        name = attribute.GetName()
        if attribute.IsCustom() or find_definitions(name):
            continue
        if prim.GetPrimDefinition().GetPropertyDefinition(name):
            continue
        names = names if names is not None else known_names()
        close = difflib.get_close_matches(name, names, n=2, cutoff=0.75)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        yield found(str(prim.GetPath()), f"No schema defines {name!r}.{hint}", name)


def _types(stage: Usd.Stage) -> Iterator[Finding]:
    for prim, attribute in _authored(stage):
        known = _fitting(prim, attribute.GetName())
        kinds = {d.type for d in known}
        kind = str(attribute.GetTypeName())
        if kinds and kind not in kinds:
            wanted = " or ".join(sorted(kinds))
            yield found(
                str(prim.GetPath()),
                f"{attribute.GetName()} is of type {kind}; its schema says {wanted}.",
                attribute.GetName(),
                kind,
            )


def _fitting(prim: Usd.Prim, name: str) -> list[Definition]:
    """The definitions of a property that concern a prim."""
    every = find_definitions(name)
    if len({definition.schema for definition in every}) < 2:
        return every
    own = {str(prim.GetTypeName()), *(a.split(":")[0] for a in applied_schemas(prim))}
    return [definition for definition in every if definition.schema in own]


def _tokens(stage: Usd.Stage) -> Iterator[Finding]:
    for prim, attribute in _authored(stage):
        allowed = [t for d in _fitting(prim, attribute.GetName()) for t in d.tokens]
        if not allowed:
            continue
        value = attribute.Get()
        given = [value] if isinstance(value, str) else list(value or ())
        for token in given:
            # PhysX adds words of its own to this UsdPhysics attribute.
            if token not in allowed and (attribute.GetName(), token) != (
                "physics:approximation",
                "sdf",
            ):
                yield found(
                    str(prim.GetPath()),
                    f"{attribute.GetName()} is {token!r}; allowed: {', '.join(allowed)}.",
                    attribute.GetName(),
                    value,
                )


def _numbers(value: Any) -> np.ndarray | None:
    plain = from_usd(value)
    if isinstance(plain, bool) or not isinstance(plain, (int, float, np.ndarray)):
        return None
    array = np.asarray(plain)
    return array if array.dtype.kind in "iuf" else None


def _ranges(stage: Usd.Stage) -> Iterator[Finding]:
    for prim, attribute in _authored(stage):
        name = attribute.GetName()
        low, high = _LOWEST.get(name, (-np.inf, np.inf))
        for known in _fitting(prim, name):
            low, high = max(low, known.low), min(high, known.high)
        if low == -np.inf and high == np.inf:
            continue
        numbers = _numbers(attribute.Get())
        # An infinite value means "none" or "not specified" wherever a schema uses it as fallback.
        if numbers is None or not np.isfinite(numbers).all():
            continue
        if (numbers < low).any() or (numbers > high).any():
            yield found(
                str(prim.GetPath()),
                f"{name} is {attribute.Get()}; allowed: {low:g} to {high:g}.",
                name,
                attribute.Get(),
            )


def _finite(stage: Usd.Stage) -> Iterator[Finding]:
    for prim in traverse(stage):
        for name in prim.GetAuthoredPropertyNames():
            if not name.startswith((*_NAMESPACES, "xformOp:")):
                continue
            attribute = prim.GetAttribute(name)
            numbers = _numbers(attribute.Get()) if attribute else None
            if numbers is not None and np.isnan(numbers).any():
                yield found(
                    str(prim.GetPath()),
                    f"{name} is not a number.",
                    name,
                    attribute.Get(),
                )


def _quaternions(stage: Usd.Stage) -> Iterator[Finding]:
    for prim, attribute in _authored(stage):
        value = attribute.Get()
        if not isinstance(value, _QUATERNIONS):
            continue
        length = value.GetLength()
        unspecified = attribute.GetName() == "physics:principalAxes" and length == 0.0
        if unspecified or abs(length - 1.0) < 1e-3:
            continue

        def normalise(target: Usd.Attribute = attribute, quat: Any = value) -> None:
            target.Set(quat.GetNormalized())

        yield found(
            str(prim.GetPath()),
            f"{attribute.GetName()} has length {length:g}; a rotation has length 1.",
            attribute.GetName(),
            value,
            normalise if length > 1e-6 and not prim.IsInstanceProxy() else None,
        )


def _missing_apis(stage: Usd.Stage) -> Iterator[Finding]:
    for prim, attribute in _authored(stage):
        name = attribute.GetName()
        if name.startswith(("mjc:", "usdsim:", "physics:")):
            continue
        definitions = find_definitions(name)
        # Schemas that come with others are among those that OpenUSD lists.
        listed = (*applied_schemas(prim), *prim.GetAppliedSchemas())
        applied = {entry.split(":")[0] for entry in listed}
        owners = {d.schema for d in definitions if not d.typed}
        typed = {d.schema for d in definitions if d.typed}
        if not owners or owners & applied or str(prim.GetTypeName()) in typed:
            continue
        owner = sorted(owners)[0]
        single = len(owners) == 1 and all(INSTANCE_NAME not in d.name for d in definitions)

        def apply(target: Usd.Prim = prim, api: str = owner) -> None:
            apply_api(target, api)

        yield found(
            str(prim.GetPath()),
            f"{name} belongs to {' or '.join(sorted(owners))}, which is not applied.",
            name,
            None,
            apply if single and not prim.IsInstanceProxy() else None,
        )


def _targets(stage: Usd.Stage) -> Iterator[Finding]:
    for prim in traverse(stage):
        for name in prim.GetAuthoredPropertyNames():
            if not name.startswith(_NAMESPACES):
                continue
            relationship = prim.GetRelationship(name)
            for target in relationship.GetForwardedTargets() if relationship else ():
                if not stage.GetObjectAtPath(target):
                    yield found(
                        str(prim.GetPath()),
                        f"{name} refers to {target}, which does not exist.",
                        name,
                        str(target),
                    )


RULES = (
    Rule("unknown-attribute", "warning", "Physics attributes are ones a schema defines.", _unknown),
    Rule("attribute-type", "warning", "Attributes have the type their schema gives them.", _types),
    Rule("attribute-token", "error", "Tokens are among those their schema allows.", _tokens),
    Rule("attribute-range", "error", "Values are inside the range their schema gives.", _ranges),
    Rule("not-a-number", "error", "No value is NaN.", _finite),
    Rule("quaternion-length", "warning", "Rotations have length 1.", _quaternions),
    Rule("missing-api", "warning", "The schema an attribute belongs to is applied.", _missing_apis),
    Rule("dangling-target", "error", "Physics relationships refer to what exists.", _targets),
)
