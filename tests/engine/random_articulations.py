"""Random articulations on a stage, for `test_physx_referee`: what PhysX and we understand alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from scipy.spatial.transform import Rotation

_FLOAT = Sdf.ValueTypeNames.Float
_KINDS = {
    "angular": UsdPhysics.RevoluteJoint,
    "linear": UsdPhysics.PrismaticJoint,
    "ball": UsdPhysics.SphericalJoint,
    "fixed": UsdPhysics.FixedJoint,
}


@dataclass(frozen=True)
class Link:
    """A rigid body at its start: position [m] and orientation in the world."""

    path: str
    position: np.ndarray
    rotation: Rotation


class Articulations:
    """Writes trees of links, none of which collides, far enough apart.

    Args:
        stage: in metres, z up.
        seed: of all random numbers.
    """

    def __init__(self, stage: Usd.Stage, seed: int):
        self.stage, self.rng = stage, np.random.default_rng(seed)

    def add(self, root: str, at: np.ndarray) -> None:
        """Add a tree of two to five links, on the world or floating, perhaps with a loop."""
        rng, prim = self.rng, UsdGeom.Xform.Define(self.stage, root).GetPrim()
        links = [self._link(f"{root}/link_0", at + rng.uniform(-0.2, 0.2, 3))]
        if self._chance(0.6):
            self._joint(f"{root}/post", "fixed", None, links[0])
        else:
            prim = self.stage.GetPrimAtPath(links[0].path)
            body = UsdPhysics.RigidBodyAPI(prim)
            body.CreateVelocityAttr(Gf.Vec3f(*rng.uniform(-1.0, 1.0, 3).tolist()))
            body.CreateAngularVelocityAttr(Gf.Vec3f(*rng.uniform(-90.0, 90.0, 3).tolist()))
        UsdPhysics.ArticulationRootAPI.Apply(prim)
        for number in range(1, int(rng.integers(2, 6))):
            parent = links[int(rng.integers(len(links)))]
            place = parent.position + rng.uniform(-0.6, 0.6, 3)
            links.append(self._link(f"{root}/link_{number}", place))
            kind = str(rng.choice(["angular", "angular", "linear", "ball", "fixed"]))
            joint = self._joint(f"{root}/joint_{number}", kind, parent, links[-1])
            if kind in ("angular", "linear"):
                self._dress(joint.GetPrim(), kind)
        if len(links) > 2 and self._chance(0.3):
            closing = self._joint(f"{root}/closing", "ball", links[0], links[-1])
            closing.CreateExcludeFromArticulationAttr(True)

    def _chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def _between(self, low: float, high: float) -> float:
        """A positive number whose logarithm is uniform."""
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def _rotation(self) -> Rotation:
        return Rotation.from_quat(self.rng.standard_normal(4))

    def _link(self, path: str, at: np.ndarray) -> Link:
        """A body whose inertia is that of a box, turned against its frame and away from it."""
        rng, rotation = self.rng, self._rotation()
        xform = UsdGeom.Xform.Define(self.stage, path)
        xform.AddTranslateOp().Set(Gf.Vec3d(*at.tolist()))
        xform.AddOrientOp().Set(_quat(rotation))
        UsdPhysics.RigidBodyAPI.Apply(xform.GetPrim())
        mass, squares = self._between(0.3, 5.0), rng.uniform(0.1, 0.4, 3) ** 2
        api = UsdPhysics.MassAPI.Apply(xform.GetPrim())
        api.CreateMassAttr(mass)
        inertia = mass / 12.0 * (squares.sum() - squares)
        api.CreateDiagonalInertiaAttr(Gf.Vec3f(*inertia.tolist()))
        api.CreateCenterOfMassAttr(Gf.Vec3f(*rng.uniform(-0.1, 0.1, 3).tolist()))
        api.CreatePrincipalAxesAttr(_quat(self._rotation()))
        # PhysX damps rotations, and puts bodies to sleep, unless it is told otherwise.
        for name in ("angularDamping", "linearDamping", "sleepThreshold"):
            _set(xform.GetPrim(), "PhysxRigidBodyAPI", f"physxRigidBody:{name}", 0.0)
        return Link(path, at, rotation)

    def _joint(self, path: str, kind: str, parent: Link | None, child: Link) -> UsdPhysics.Joint:
        """A joint whose frames coincide at the start, anywhere near the child."""
        joint = _KINDS[kind].Define(self.stage, path)
        position = child.position + self.rng.uniform(-0.3, 0.3, 3)
        rotation = self._rotation()
        for index, link in enumerate((parent, child)):
            end = link or Link("", np.zeros(3), Rotation.identity())
            place = end.rotation.inv().apply(position - end.position)
            getattr(joint, f"CreateLocalPos{index}Attr")(Gf.Vec3f(*place.tolist()))
            getattr(joint, f"CreateLocalRot{index}Attr")(_quat(end.rotation.inv() * rotation))
            if link is not None:
                getattr(joint, f"CreateBody{index}Rel")().SetTargets([link.path])
        if kind in ("angular", "linear"):
            joint.CreateAxisAttr("XYZ"[int(self.rng.integers(3))])
        return joint

    def _dress(self, prim: Usd.Prim, kind: str) -> None:
        """Some of limits, a drive, armature, frictions, a speed limit and a speed to start with."""
        angle, rng = np.pi / 180.0 if kind == "angular" else 1.0, self.rng
        if self._chance(0.4):
            joint = _KINDS[kind](prim)
            reach = (0.6 if kind == "angular" else 0.2) / angle
            joint.CreateLowerLimitAttr(-float(rng.uniform(0.1, 1.0)) * reach)
            joint.CreateUpperLimitAttr(float(rng.uniform(0.1, 1.0)) * reach)
        if self._chance(0.5):
            self._drive(prim, kind, angle)
        axis = f"physxJointAxis:{kind}"
        values = {
            "armature": rng.uniform(0.0, 0.3),
            "viscousFrictionCoefficient": rng.uniform(0.02, 0.5) * angle,
            "maxJointVelocity": rng.uniform(0.3, 3.0) / angle,
        }
        for name, value in values.items():
            if self._chance(0.4):
                _set(prim, f"PhysxJointAxisAPI:{kind}", f"{axis}:{name}", float(value))
        if self._chance(0.4):
            effort = float(rng.uniform(0.02, 0.5))
            for name in ("staticFrictionEffort", "dynamicFrictionEffort"):
                _set(prim, f"PhysxJointAxisAPI:{kind}", f"{axis}:{name}", effort)
        if self._chance(0.3) and not prim.HasAttribute(f"{axis}:maxJointVelocity"):
            speed = float(rng.uniform(-2.0, 2.0)) / angle
            name = f"state:{kind}:physics:velocity"
            _set(prim, f"PhysicsJointStateAPI:{kind}", name, speed)

    def _drive(self, prim: Usd.Prim, kind: str, angle: float) -> None:
        """A drive towards a position and a speed, some with little force."""
        drive, rng = UsdPhysics.DriveAPI.Apply(prim, kind), self.rng
        drive.CreateTypeAttr("force")
        drive.CreateStiffnessAttr(self._between(1.0, 60.0) * angle)
        drive.CreateDampingAttr(self._between(0.05, 4.0) * angle)
        drive.CreateTargetPositionAttr(float(rng.uniform(-0.5, 0.5)) / angle)
        drive.CreateTargetVelocityAttr(float(rng.uniform(-1.0, 1.0)) / angle)
        if self._chance(0.4):
            drive.CreateMaxForceAttr(self._between(0.5, 10.0))


def _quat(rotation: Rotation) -> Gf.Quatf:
    x, y, z, w = rotation.as_quat().tolist()
    return Gf.Quatf(w, x, y, z)


def _set(prim: Usd.Prim, schema: str, name: str, value: float) -> None:
    if schema not in prim.GetAppliedSchemas():
        prim.AddAppliedSchema(schema)
    prim.CreateAttribute(name, _FLOAT, False).Set(value)
