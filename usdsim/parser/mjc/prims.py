"""Prim types of the MuJoCo dialect."""

from __future__ import annotations

from usdsim.parser.prims import PrimView

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


def is_body(view: PrimView) -> bool:
    """Whether the prim is a body of the MuJoCo dialect (``MjcBodyAPI``)."""
    return "MjcBodyAPI" in view.apis


def is_site(view: PrimView) -> bool:
    """Whether the prim is a site (``MjcSiteAPI``)."""
    return "MjcSiteAPI" in view.apis


def is_library(view: PrimView) -> bool:
    """Whether the prim holds assets that are only used by reference (``MjcLibraryAPI``)."""
    return "MjcLibraryAPI" in view.apis


def is_derived(view: PrimView) -> bool:
    """Whether the prim only repeats the MuJoCo dialect for tools that do not read it."""
    return view.flag("mjc:derived")


def is_free_joint(view: PrimView) -> bool:
    """Whether the prim is a free joint: all six axes, with a name and parameters."""
    return bool(view.value("mjc:type") == "free")


def equality_api(view: PrimView) -> str | None:
    """Kind of the equality constraint applied to a joint prim, or None."""
    return next((_EQUALITIES[name] for name in view.apis if name in _EQUALITIES), None)


def mesh_of(view: PrimView) -> str | None:
    """Path of the mesh asset a geom or site uses."""
    return _target(view, "mjc:mesh")


def hfield_of(view: PrimView) -> str | None:
    """Path of the height field asset a geom uses."""
    return _target(view, "mjc:hfield")


def library_of(view: PrimView) -> str | None:
    """Path of the asset library of a model's root prim."""
    return _target(view, "mjc:library")


def _target(view: PrimView, name: str) -> str | None:
    targets = view.targets(name)
    return str(targets[0]) if targets else None
