"""The smallest stages the parser's tests need."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.converters.mjcf import convert_mjcf
from usdsim.parser import parse_stage
from usdsim.usd.stage import create_stage


def new_stage(up="Z", meters=1.0, kilograms=1.0):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, meters)
    UsdPhysics.SetStageKilogramsPerUnit(stage, kilograms)
    return stage


def stage_from(text):
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString("#usda 1.0\n" + text)
    return Usd.Stage.Open(layer)


def converted(mjcf):
    """MJCF text as a stage."""
    stage = create_stage()
    convert_mjcf(mjcf, stage)
    return stage


def prim_named(stage, name):
    return next(prim for prim in stage.Traverse() if prim.GetName() == name)


def quat(xyzw, cls=Gf.Quatd):
    x, y, z, w = (float(v) for v in xyzw)
    return cls(w, x, y, z)


def place(prim, pos=(0, 0, 0), turn=None, scale=None):
    xform = UsdGeom.Xformable(prim)
    xform.ClearXformOpOrder()
    precision = UsdGeom.XformOp.PrecisionDouble
    xform.AddTranslateOp(precision).Set(Gf.Vec3d(*map(float, pos)))
    if turn is not None:
        xform.AddOrientOp(precision).Set(quat(turn))
    if scale is not None:
        xform.AddScaleOp(precision).Set(Gf.Vec3d(*map(float, scale)))
    return prim


def body(stage, path, pos=(0, 0, 0), turn=None, scale=None, mass=1.0):
    prim = UsdGeom.Xform.Define(stage, path).GetPrim()
    place(prim, pos, turn, scale)
    UsdPhysics.RigidBodyAPI.Apply(prim)
    if mass is not None:
        UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(mass)
    return prim


def shape(stage, path, kind="Cube", pos=(0, 0, 0), turn=None, scale=None, collides=True, **sizes):
    prim = stage.DefinePrim(path, kind)
    place(prim, pos, turn, scale)
    for name, value in sizes.items():
        prim.GetAttribute(name).Set(value)
    if collides:
        UsdPhysics.CollisionAPI.Apply(prim)
    return prim


def joint(stage, path, kind="Revolute", body0=None, body1=None, **values):
    """A joint; values by attribute name without ``physics:``, quaternions xyzw."""
    cls = getattr(UsdPhysics, f"{kind}Joint")
    prim = cls.Define(stage, path).GetPrim()
    for name, target in (("physics:body0", body0), ("physics:body1", body1)):
        if target:
            prim.GetRelationship(name).SetTargets([target])
    for name, value in values.items():
        if name.startswith("localRot"):
            value = quat(value, Gf.Quatf)
        elif name.startswith("localPos"):
            value = Gf.Vec3f(*map(float, value))
        prim.GetAttribute(f"physics:{name}").Set(value)
    return prim


def about(axis, degrees):
    """Rotation about an axis, xyzw."""
    half = np.radians(degrees) / 2
    axis = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    return np.append(np.sin(half) * axis, np.cos(half))


def parse(stage, **options):
    return parse_stage(stage, **options).scene


def by_path(items):
    return {item.path: item for item in items}
