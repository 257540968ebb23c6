"""The models that are measured."""

from __future__ import annotations

from pathlib import Path

from pxr import Gf, Usd, UsdGeom, UsdPhysics

from .measure import ROOT
from .registry import Settings

__all__ = ["ARM", "ARM7", "QUADRUPED", "corpus_files", "corpus_robot", "crowd", "model_file"]

QUADRUPED = ROOT / "assets" / "quadruped" / "scene.xml"
ARM = ROOT / "assets" / "arm" / "arm.urdf"
ARM7 = ROOT / "assets" / "arm7" / "arm7.xml"


def corpus_files(settings: Settings, kind: str) -> list[Path]:
    """Files of the corpus that MuJoCo loads, of kind ``mjcf`` or ``urdf``; empty without corpus."""
    if settings.corpus is None:
        return []
    import json

    entries = json.loads((settings.corpus / "manifest.json").read_text())
    return [
        settings.corpus / entry["path"]
        for entry in entries
        if entry["kind"] == kind and entry.get("loads_in_mujoco_4") is not False
    ]


def corpus_robot(settings: Settings, name: str) -> Path | None:
    """The MJCF file of the corpus whose folder has this name; None if there is none."""
    for path in corpus_files(settings, "mjcf"):
        if name in (path.parent.name, path.parent.parent.name):
            return path
    return None


def model_file(settings: Settings, name: str) -> tuple[str, Path]:
    """A model of the corpus whose folder has this name, or the shipped quadruped in its place."""
    path = corpus_robot(settings, name)
    return ("quadruped", QUADRUPED) if path is None else (name, path)


def crowd(robots: int = 64, links: int = 9) -> Usd.Stage:
    """A stage of many small articulations: 4,032 prims and 576 bodies by default."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/PhysicsScene")
    UsdGeom.Xform.Define(stage, "/World")
    for number in range(robots):
        _robot(stage, f"/World/Robot_{number}", links, Gf.Vec3d(number % 8, number // 8, 1.0))
    return stage


def _robot(stage: Usd.Stage, path: str, links: int, position: Gf.Vec3d) -> None:
    root = UsdGeom.Xform.Define(stage, path)
    root.AddTranslateOp().Set(position)
    UsdPhysics.ArticulationRootAPI.Apply(root.GetPrim())
    for link in range(links):
        body = UsdGeom.Xform.Define(stage, f"{path}/link_{link}")
        body.AddTranslateOp().Set(Gf.Vec3d(0.2 * link, 0.0, 0.0))
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        collider = UsdGeom.Capsule.Define(stage, f"{path}/link_{link}/collider")
        collider.CreateAxisAttr("X")
        collider.CreateRadiusAttr(0.03)
        collider.CreateHeightAttr(0.12)
        UsdPhysics.CollisionAPI.Apply(collider.GetPrim())
        UsdPhysics.MassAPI.Apply(body.GetPrim()).CreateMassAttr(0.5)
        for part in range(4):
            shape = UsdGeom.Cube.Define(stage, f"{path}/link_{link}/visual_{part}")
            shape.CreateSizeAttr(0.04)
            shape.AddTranslateOp().Set(Gf.Vec3d(0.03 * part, 0.0, 0.03))
        if link:
            _hinge(stage, path, link)


def _hinge(stage: Usd.Stage, path: str, link: int) -> None:
    joint = UsdPhysics.RevoluteJoint.Define(stage, f"{path}/joint_{link}")
    joint.CreateAxisAttr("Y")
    joint.CreateBody0Rel().SetTargets([f"{path}/link_{link - 1}"])
    joint.CreateBody1Rel().SetTargets([f"{path}/link_{link}"])
    joint.CreateLocalPos0Attr(Gf.Vec3f(0.1, 0.0, 0.0))
    joint.CreateLocalPos1Attr(Gf.Vec3f(-0.1, 0.0, 0.0))
    joint.CreateLowerLimitAttr(-60.0)
    joint.CreateUpperLimitAttr(60.0)
    drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
    drive.CreateStiffnessAttr(1.0)
    drive.CreateDampingAttr(0.1)
