"""Prims that schema configurations are written to."""

from __future__ import annotations

from pxr import Usd, UsdGeom, UsdPhysics


def rigid_bodies(stage: Usd.Stage, *paths: str) -> None:
    for path in paths:
        UsdGeom.Xform.Define(stage, path)
        UsdPhysics.RigidBodyAPI.Apply(stage.GetPrimAtPath(path))
