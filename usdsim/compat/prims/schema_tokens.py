"""Tokens of PhysX's schemas, by the names that OpenUSD's generator gives them."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

from usdsim.usd.schemas import INSTANCE_NAME

from .schema_forms import PropertyForm, schema_forms

__all__ = ["schema_tokens"]

_WORDS = (
    *("brakes0", "brakes1", "clothConstaint", "collisionmeshes", "convexDecomposition"),
    *("convexHull", "drive", "physxCollisionCustomGeometry", "quasistaticactors", "sdf"),
    *("sphereFill", "steer", "triangleMesh"),
)
"""Names of instances, of approximations and of metadata, which no property states."""
_NAMED = {"referenceFrameIsCenterOfMass": "physxVehicle:referenceFrameIsCenterOfMass"}


@cache
def schema_tokens() -> SimpleNamespace:
    """Names of schemas and properties, and allowed values, as attributes."""
    found = {word: word for word in _WORDS} | _NAMED
    for form in schema_forms().values():
        found[form.schema] = form.schema
        for known in form.properties.values():
            found |= {token: token for token in known.tokens} | _names(known)
    return SimpleNamespace(**found)


def _names(known: PropertyForm) -> dict[str, str]:
    first, _, rest = known.name.partition(f":{INSTANCE_NAME}:")
    words = rest.split(":") if rest else first.split(":")[1:]
    above = first if rest else first.partition(":")[0]
    last = "".join(word[:1].upper() + word[1:] for word in words)
    if rest:
        return {above: above, f"{above}_MultipleApplyTemplate_{last}": known.name}
    return {above + last: known.name}
