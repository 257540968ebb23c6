"""Checksums of converted values tell what was edited, whatever file the stage was saved to."""

from __future__ import annotations

import pytest
from pxr import Gf, Sdf, Usd

from usdsim.usd.converted import edited, keep_checksums

VALUES = {
    "vector": ("Point3f", Gf.Vec3f(-0.0, 0.1, 0.2)),
    "whole": ("Point3f", Gf.Vec3f(-0.0, 1.0, 2.0)),
    "turn": ("Quatf", Gf.Quatf(1.0, -0.0, 0.0, 0.0)),
    "list": ("DoubleArray", [-0.0, 3.0]),
    "number": ("Float", -0.0),
    "count": ("Int", 3),
    "flag": ("Bool", False),
}


@pytest.mark.parametrize("suffix", ["usda", "usdc"])
def test_saving_a_stage_edits_nothing(tmp_path, suffix):
    """Binary files write equal values once, of which zeros with and without a sign are some."""
    stage = Usd.Stage.CreateInMemory()
    twin, prim = stage.DefinePrim("/a"), stage.DefinePrim("/b")
    twin.CreateAttribute("vector", Sdf.ValueTypeNames.Point3f).Set(Gf.Vec3f(0.0, 0.1, 0.2))
    for name, (kind, value) in VALUES.items():
        prim.CreateAttribute(name, getattr(Sdf.ValueTypeNames, kind)).Set(value)
    keep_checksums(stage, [("/b", VALUES)])
    stage.Export(str(tmp_path / f"saved.{suffix}"))
    again = Usd.Stage.Open(str(tmp_path / f"saved.{suffix}"))
    assert edited(again.GetPrimAtPath("/b"), *VALUES) == ()
    again.GetPrimAtPath("/b").GetAttribute("vector").Set(Gf.Vec3f(0.0, 0.1, 0.3))
    assert edited(again.GetPrimAtPath("/b"), *VALUES) == ("vector",)
