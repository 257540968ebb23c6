"""Suction cups on stand-ins: surface grippers, as the robots' files on the server have them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from .sources import write_source

__all__ = ["Suction"]

_ACROSS = {"X": "Z", "Y": "Z", "Z": "X"}
"""An axis about which half a turn reverses another."""


class _Robot(Protocol):
    def write(self, file: Path) -> str:
        """Make the file; returns its name."""
        ...


@dataclass(frozen=True)
class Suction:
    """A robot with a surface gripper below one of its links."""

    robot: _Robot
    """The robot without it."""
    link: str
    """The link that carries it."""
    axis: str
    """Axis of the link along which it grips: X, Y or Z."""
    places: Mapping[str, float]
    """Place on the axis [m] by variant of ``Gripper``; the first is chosen."""
    flipped: bool = False
    """Whether it grips against the axis."""
    source: str = ""
    """The file below the folder of shipped assets that the robot is; empty: it is built."""

    def write(self, file: Path) -> str:
        """Make the file, which refers to that of the robot; returns its name."""
        robot = Path(self.robot.write(file))
        target = robot.with_name(f"{robot.stem}_suction.usda")
        stage = Usd.Stage.CreateInMemory()
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        root = UsdGeom.Xform.Define(stage, "/Robot").GetPrim()
        root.GetReferences().AddReference(str(robot))
        stage.SetDefaultPrim(root)
        point = self._cup(stage, root.GetPath().AppendChild(self.link))
        choices = root.GetVariantSets().AddVariantSet("Gripper")
        for name, place in self.places.items():
            choices.AddVariant(name)
            choices.SetVariantSelection(name)
            with choices.GetVariantEditContext():
                self._put(point, place)
        choices.SetVariantSelection(next(iter(self.places)))
        return write_source(target, stage.GetRootLayer().ExportToString())

    def _cup(self, stage: Usd.Stage, link: Sdf.Path) -> UsdPhysics.Joint:
        """The gripper's prim and its attachment point, which is left to be placed."""
        path = link.AppendChild("SurfaceGripper")
        cup = stage.DefinePrim(path, "IsaacSurfaceGripper")
        point = UsdPhysics.Joint.Define(stage, path.AppendChild("point"))
        point.CreateBody0Rel().SetTargets([link])
        point.CreateExcludeFromArticulationAttr(True)
        prim = point.GetPrim()
        prim.AddAppliedSchema("IsaacAttachmentPointAPI")
        token = prim.CreateAttribute("isaac:forwardAxis", Sdf.ValueTypeNames.Token)
        token.Set(self.axis)
        cup.CreateRelationship("isaac:attachmentPoints").SetTargets([prim.GetPath()])
        return point

    def _put(self, point: UsdPhysics.Joint, place: float) -> None:
        axis = Gf.Vec3f(*(place * (self.axis == letter) for letter in "XYZ"))
        point.CreateLocalPos0Attr(axis)
        turned = Gf.Quatf(0.0, *(float(letter == _ACROSS[self.axis]) for letter in "XYZ"))
        point.CreateLocalRot0Attr(turned if self.flipped else Gf.Quatf(1.0))
