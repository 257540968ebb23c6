"""Our part of the PhysX schemas against NVIDIA's own, attribute by attribute, where installed.

``pip install physx-usd-schemas`` somewhere; its licence lets nobody depend on it. Name the folder
of the package in ``USDSIM_PHYSX_SCHEMAS`` if it is in another environment.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from pxr import Sdf

ROOT = Path(__file__).resolve().parents[2]
RETIRED = {
    "physxJoint:armature",
    "physxJoint:jointFriction",
    "physxJoint:maxJointVelocity",
}
"""Spellings of older assets, which are still read; upstream has them per axis now."""


def upstream() -> Path | None:
    named = os.environ.get("USDSIM_PHYSX_SCHEMAS")
    if named:
        return Path(named)
    found = importlib.util.find_spec("physx_usd_schemas")
    return Path(found.submodule_search_locations[0]) if found else None


def attributes(folder: Path, pattern: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Type and fallback of every property by schema and name."""
    found = {}
    for file in sorted(folder.glob(pattern)):
        layer = Sdf.Layer.FindOrOpen(str(file))
        for prim in layer.rootPrims:
            for spec in prim.properties:
                is_attribute = isinstance(spec, Sdf.AttributeSpec)
                kind = str(spec.typeName) if is_attribute else "rel"
                found[prim.name, spec.name] = kind, str(spec.default if is_attribute else None)
    return found


@pytest.mark.nightly
def test_our_physx_schemas_are_those_of_nvidia():
    folder = upstream()
    if folder is None:
        pytest.skip("physx-usd-schemas is not installed")
    theirs = attributes(folder, "**/generatedSchema.usda")
    ours = attributes(ROOT / "schemas", "physx*/generatedSchema.usda")
    assert len(theirs) > 500
    assert {name for _, name in set(ours) - set(theirs)} == RETIRED
    common = ours.keys() & theirs.keys()
    assert {key: ours[key] for key in common} == {key: theirs[key] for key in common}
