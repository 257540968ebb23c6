"""Legacy schema names: types and APIs that OpenUSD does not know but once did, or nearly does."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from pxr import Plug, Tf, Usd

from .context import ParseContext

__all__ = ["report_legacy"]

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z0-9]*|[A-Z]+")
_PHYSICS = "Physics"


def report_legacy(context: ParseContext) -> None:
    """Report prims of unknown types, and unknown schemas, that are names of physics in other words.

    Drafts of UsdPhysics had ``DistancePhysicsJoint`` for PhysicsDistanceJoint and ``RigidBodyAPI``
    for PhysicsRigidBodyAPI. Nothing on such a prim acts, so it is one finding, not one a property.
    """
    unknown: dict[str, str] = {}
    for view in context.views:
        names = [view.type_name, *(api.partition(":")[0] for api in view.apis)]
        for name in names:
            if name and name not in unknown:
                unknown[name] = _suggestion(name)
            if not unknown.get(name):
                continue
            is_type = name == view.type_name
            if is_type:
                view.read.update(view.names)
            context.report.warning(
                "unknown-type", view.path,
                f"{'is of the type' if is_type else 'has the schema'} {name}, which OpenUSD does "
                f"not know, so it has no effect; did you mean {unknown[name]}?",
            )  # fmt: skip


def _suggestion(name: str) -> str:
    """The physics schema that a name means; empty if it is known, or means none."""
    known = _physics_schemas()
    if name in known.values() or Usd.SchemaRegistry.GetTypeFromSchemaTypeName(name):
        return ""
    return known.get(_words(name), "")


@functools.cache
def _physics_schemas() -> Mapping[frozenset[str], str]:
    """Names of physics schemas by their words without ``Physics``."""
    found = {}
    for kind in Plug.Registry.GetAllDerivedTypes(Tf.Type.FindByName("UsdSchemaBase")):
        name = Usd.SchemaRegistry.GetSchemaTypeName(kind)
        if name.startswith(_PHYSICS):
            found[_words(name)] = name
    return found


def _words(name: str) -> frozenset[str]:
    return frozenset(_WORD.findall(name)) - {_PHYSICS}
