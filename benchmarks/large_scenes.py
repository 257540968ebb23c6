"""Large scenes: boxes in stacks, many arms, and a room of props that a robot drives through."""

from __future__ import annotations

from itertools import cycle, product

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from usdsim.engine import compile_scene
from usdsim.parser import parse_stage

from .measure import Contender

__all__ = [
    "BALL",
    "HEIGHT",
    "ROVER",
    "arms",
    "environments",
    "heap",
    "loading",
    "partners",
    "room",
    "stacks",
]

HEIGHT = 8
"""Boxes on top of each other."""
ROVER = "/World/rover"
"""Prim path of the chassis."""
BALL = 0.04
"""Radius of the balls of a heap [m]."""
_HALF = 0.05
_SPACING = 0.35
"""Between props of a room [m]."""
_WHEEL = 0.08
"""Radius of the wheels of the rover [m]."""


def stacks(count: int, *, awake: bool = False) -> Usd.Stage:
    """Boxes of 0.1 m and 1 kg in stacks of eight on a plane.

    Args:
        count: of the boxes.
        awake: none may sleep, here and in PhysX.
    """
    stage = _floor()
    side = int(np.ceil(np.sqrt(count / HEIGHT)))
    for i in range(count):
        stack, level = divmod(i, HEIGHT)
        box = UsdGeom.Cube.Define(stage, f"/World/box_{i}")
        box.CreateSizeAttr(2 * _HALF)
        _place(box, 0.3 * (stack % side), 0.3 * (stack // side), _HALF + 2 * _HALF * level, 1.0)
        if awake:
            prim = box.GetPrim()
            prim.AddAppliedSchema("PhysxRigidBodyAPI")
            threshold = Sdf.ValueTypeNames.Float
            prim.CreateAttribute("physxRigidBody:sleepThreshold", threshold).Set(0.0)
    return stage


def heap(count: int) -> Usd.Stage:
    """Balls of 0.2 kg above a bin of 0.6 m, in layers of 25, each a little beside its place."""
    stage, rng, across = _floor(), np.random.default_rng(0), 5
    for i, (side, axis) in enumerate(product((-1.0, 1.0), (0, 1))):
        place, half = [0.0, 0.0, 1.0], [0.4, 0.4, 1.0]
        place[axis], half[axis] = side * 0.35, 0.05
        wall = UsdGeom.Cube.Define(stage, f"/World/wall_{i}")
        wall.AddTranslateOp().Set(Gf.Vec3d(*place))
        wall.AddScaleOp().Set(Gf.Vec3f(*half))
        UsdPhysics.CollisionAPI.Apply(wall.GetPrim())
    for i in range(count):
        layer, cell = divmod(i, across**2)
        place = 0.115 * (np.array(divmod(cell, across)) - across // 2)
        x, y = place + rng.uniform(-0.008, 0.008, 2)
        ball = UsdGeom.Sphere.Define(stage, f"/World/ball_{i}")
        ball.CreateRadiusAttr(BALL)
        _place(ball, x, y, 2 * BALL + 0.11 * layer, 0.2)
    return stage


def room(count: int) -> Usd.Stage:
    """Boxes, balls, cylinders and capsules in rows, and a rover that drives into them at 1 m/s."""
    stage = _floor()
    side = int(np.ceil(np.sqrt(count)))
    kinds = cycle(("Cube", "Sphere", "Cylinder", "Cube", "Capsule"))
    places = product(range(side), repeat=2)
    for i, kind, (column, row) in zip(range(count), kinds, places, strict=False):
        prop = UsdGeom.Gprim(stage.DefinePrim(f"/World/prop_{i}", kind))
        for name, value in (("size", 2 * _HALF), ("radius", _HALF), ("height", 2 * _HALF)):
            if prop.GetPrim().HasAttribute(name):
                prop.GetPrim().GetAttribute(name).Set(value)
        height = 2 * _HALF if kind == "Capsule" else _HALF
        _place(prop, 1.0 + _SPACING * column, _SPACING * (row - side // 2), height, 0.2)
    _rover(stage)
    return stage


def arms(count: int) -> Usd.Stage:
    """Articulations of four boxes on driven hinges, each on a base that stands."""
    stage = _floor()
    side = int(np.ceil(np.sqrt(count)))
    for i in range(count):
        robot = f"/World/arm_{i}"
        UsdPhysics.ArticulationRootAPI.Apply(UsdGeom.Xform.Define(stage, robot).GetPrim())
        for link in range(5):
            box = UsdGeom.Cube.Define(stage, f"{robot}/link_{link}")
            box.CreateSizeAttr(_HALF)
            _place(box, 0.6 * (i % side), 0.6 * (i // side), _HALF + 2 * _HALF * link, 0.1)
            joint_type = UsdPhysics.RevoluteJoint if link else UsdPhysics.FixedJoint
            joint = joint_type.Define(stage, f"{robot}/joint_{link}")
            joint.CreateBody1Rel().SetTargets([box.GetPath()])
            if not link:
                joint.CreateLocalPos0Attr(box.GetLocalTransformation().ExtractTranslation())
                continue
            joint.CreateBody0Rel().SetTargets([f"{robot}/link_{link - 1}"])
            joint.CreateLocalPos0Attr(Gf.Vec3f(0.0, 0.0, _HALF))
            joint.CreateLocalPos1Attr(Gf.Vec3f(0.0, 0.0, -_HALF))
            drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
            drive.CreateStiffnessAttr(1.0)
            drive.CreateDampingAttr(0.1)
    return stage


def environments(count: int) -> Usd.Stage:
    """Arms of environments in one world: each in a group that collides with no other group."""
    stage = arms(count)
    paths = [Sdf.Path(f"/World/groups/env_{i}") for i in range(count)]
    for i, path in enumerate(paths):
        group = UsdPhysics.CollisionGroup.Define(stage, path)
        group.GetCollidersCollectionAPI().CreateIncludesRel().SetTargets([f"/World/arm_{i}"])
        group.CreateFilteredGroupsRel().SetTargets([other for other in paths if other != path])
    return stage


def partners(count: int) -> Usd.Stage:
    """Bodies of two boxes, each of which ignores one box of one other body."""
    stage = _floor()
    side = int(np.ceil(np.sqrt(count)))
    for i in range(count):
        body = UsdGeom.Xform.Define(stage, f"/World/body_{i}")
        body.AddTranslateOp().Set(Gf.Vec3d(0.5 * (i % side), 0.5 * (i // side), _HALF))
        UsdPhysics.RigidBodyAPI.Apply(body.GetPrim())
        for name, x in (("left", -_HALF), ("right", _HALF)):
            box = UsdGeom.Cube.Define(stage, f"{body.GetPath()}/{name}")
            box.CreateSizeAttr(2 * _HALF)
            box.AddTranslateOp().Set(Gf.Vec3d(x, 0.0, 0.0))
            UsdPhysics.CollisionAPI.Apply(box.GetPrim())
        if i % 2:
            pairs = UsdPhysics.FilteredPairsAPI.Apply(stage.GetPrimAtPath(f"{body.GetPath()}/left"))
            pairs.CreateFilteredPairsRel().SetTargets([f"/World/body_{i - 1}/right"])
    return stage


def loading(stage: Usd.Stage) -> Contender:
    """From a stage to the engine's model."""
    return Contender(lambda: None, lambda: compile_scene(parse_stage(stage).scene))


def _floor() -> Usd.Stage:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.Scene.Define(stage, "/physicsScene")
    ground = UsdGeom.Plane.Define(stage, "/World/ground")
    UsdPhysics.CollisionAPI.Apply(ground.GetPrim())
    return stage


def _place(shape: UsdGeom.Gprim, x: float, y: float, z: float, mass: float) -> None:
    """Make a shape a rigid body of a mass [kg] at a place [m]."""
    shape.AddTranslateOp().Set(Gf.Vec3d(x, y, z))
    prim = shape.GetPrim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    UsdPhysics.CollisionAPI.Apply(prim)
    UsdPhysics.MassAPI.Apply(prim).CreateMassAttr(mass)


def _rover(stage: Usd.Stage) -> None:
    """A chassis of 20 kg on four driven wheels."""
    chassis = UsdGeom.Cube.Define(stage, ROVER)
    chassis.CreateSizeAttr(1.0)
    _place(chassis, 0.0, 0.0, 0.12, 20.0)
    chassis.AddScaleOp().Set(Gf.Vec3f(0.5, 0.3, 0.12))
    for i, (x, y) in enumerate(product((-0.17, 0.17), (-0.2, 0.2))):
        wheel = UsdGeom.Cylinder.Define(stage, f"/World/wheel_{i}")
        wheel.CreateAxisAttr("Y")
        wheel.CreateRadiusAttr(_WHEEL)
        wheel.CreateHeightAttr(0.05)
        _place(wheel, x, y, _WHEEL, 1.0)
        joint = UsdPhysics.RevoluteJoint.Define(stage, f"/World/robot/axle_{i}")
        joint.CreateBody0Rel().SetTargets([ROVER])
        joint.CreateBody1Rel().SetTargets([wheel.GetPath()])
        # The frame of a body is scaled with it.
        joint.CreateLocalPos0Attr(Gf.Vec3f(x / 0.5, y / 0.3, (_WHEEL - 0.12) / 0.12))
        joint.CreateAxisAttr("Y")
        drive = UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular")
        drive.CreateTargetVelocityAttr(float(np.degrees(1.0 / _WHEEL)))
        drive.CreateDampingAttr(float(np.radians(20.0)))
