"""Prim types of the MuJoCo dialect."""

from __future__ import annotations

from pxr import Usd

from usdsim.usd.schemas import applied_schemas

__all__ = [
    "equality_api",
    "hfield_of",
    "is_body",
    "is_derived",
    "is_free_joint",
    "is_library",
    "is_site",
    "library_of",
    "mesh_of",
]

_EQUALITIES = {
    "MjcEqualityConnectAPI": "connect",
    "MjcEqualityWeldAPI": "weld",
    "MjcEqualityJointAPI": "joint",
}


def _applied(prim: Usd.Prim) -> list[str]:
    return list(applied_schemas(prim))


def is_body(prim: Usd.Prim) -> bool:
    """Whether the prim is a body of the MuJoCo dialect (``MjcBodyAPI``)."""
    return "MjcBodyAPI" in _applied(prim)


def is_site(prim: Usd.Prim) -> bool:
    """Whether the prim is a site (``MjcSiteAPI``)."""
    return "MjcSiteAPI" in _applied(prim)


def is_library(prim: Usd.Prim) -> bool:
    """Whether the prim holds assets that are only used by reference (``MjcLibraryAPI``)."""
    return "MjcLibraryAPI" in _applied(prim)


def is_derived(prim: Usd.Prim) -> bool:
    """Whether the prim only repeats the MuJoCo dialect for tools that do not read it."""
    attribute = prim.GetAttribute("mjc:derived")
    return bool(attribute) and bool(attribute.Get())


def is_free_joint(prim: Usd.Prim) -> bool:
    """Whether the prim is a free joint: all six axes, with a name and parameters."""
    return prim.HasAttribute("mjc:type") and prim.GetAttribute("mjc:type").Get() == "free"


def equality_api(prim: Usd.Prim) -> str | None:
    """Kind of the equality constraint applied to a joint prim, or None."""
    for name in _applied(prim):
        if name in _EQUALITIES:
            return _EQUALITIES[name]
    return None


def mesh_of(prim: Usd.Prim) -> str | None:
    """Path of the mesh asset a geom or site uses."""
    return _target(prim, "mjc:mesh")


def hfield_of(prim: Usd.Prim) -> str | None:
    """Path of the height field asset a geom uses."""
    return _target(prim, "mjc:hfield")


def library_of(prim: Usd.Prim) -> str | None:
    """Path of the asset library of a model's root prim."""
    return _target(prim, "mjc:library")


def _target(prim: Usd.Prim, name: str) -> str | None:
    targets = prim.GetRelationship(name).GetTargets() if prim.HasRelationship(name) else ()
    return str(targets[0]) if targets else None
