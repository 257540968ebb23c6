"""Scenes of many loose bodies and robots, which are compiled in parts."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from engine_scenes import body, dof, geom, ground, joint, pose, scene

from usdsim.engine.compile import pipeline
from usdsim.engine.compile.parts import join, plan
from usdsim.math.meshes.hull import convex_hull
from usdsim.parser.description import (
    WORLD,
    ArticulationDescription,
    BallDriveDescription,
    DriveDescription,
    GenericDescription,
    MeshDescription,
    MimicDescription,
)

MANY = 220
"""Bodies whose memory is sized from the scene."""
SHAPES = {
    "box": (0.1, 0.2, 0.05),
    "sphere": (0.1, 0.0, 0.0),
    "capsule": (0.1, 0.2, 0.0),
    "cylinder": (0.1, 0.2, 0.0),
    "mesh": (0.0, 0.0, 0.0),
}


@contextmanager
def watched_joins(size):
    """Numbers of parts that were joined, for scenes of any size in parts of one."""
    found = []

    def watched(parts, *others):
        result = join.joined(parts, *others)
        found.append(len(parts))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("usdsim.engine.compile.parts.compile.joined", watched)
        patch.setattr(plan, "LEAST", 1)
        patch.setattr(plan, "SIZE", size)
        yield found


def both(description, exact=False, **values):
    """A scene compiled in parts, and as a whole."""
    return [
        pipeline._compile(description, exact, divisible=divisible, **values)[0]
        for divisible in (True, False)
    ]


class Chance:
    """A scene drawn at random: loose bodies of all kinds, and robots among them."""

    def __init__(self, seed, count=MANY):
        self.random = np.random.default_rng(seed)
        self.bodies, self.joints, self.robots, self.geoms = [], [], [], [ground()]
        self.meshes = {path: self.mesh(path) for path in ("/stone", "/shard")}
        self.looks = [
            GenericDescription(kind="material", path=f"/{name}", overrides={"rgba": [*rgb, 1.0]})
            for name, rgb in (("red", (0.8, 0.1, 0.1)), ("blue", (0.1, 0.1, 0.8)))
        ]
        share = self.random.uniform(0.0, 0.6)
        while len(self.bodies) < count:
            if self.often(share):
                self.robot()
            else:
                self.loose()
        many = int(self.random.choice([0, 0, 10, 60])) if count > 10 else 0
        self.filters = self.pairs(many, len(self.bodies)), self.pairs(many, len(self.geoms))

    def pairs(self, most, count):
        """Pairs of neighbours, and a few of any two, of which none is the first."""
        first = self.random.integers(1, count - 1, most)
        near = self.random.random(most) < 0.9
        second = np.where(near, first + 1, self.random.integers(1, count, most))
        pairs = {tuple(sorted(pair)) for pair in zip(first.tolist(), second.tolist(), strict=True)}
        return frozenset(pair for pair in pairs if pair[0] != pair[1])

    def scene(self, **values):
        looks, robots = tuple(self.looks), tuple(self.robots)
        values = {"meshes": self.meshes, "elements": looks, "articulations": robots} | values
        values = dict(zip(("body_filters", "geom_filters"), self.filters, strict=True)) | values
        return scene(self.bodies, self.joints, self.geoms, **values)

    def mesh(self, path):
        points, faces = convex_hull(0.1 * self.random.normal(size=(12, 3)))
        return MeshDescription(path=path, points=points, faces=faces)

    def place(self, spread):
        random = self.random
        return pose(spread * random.normal(size=3), random.normal(size=3), random.uniform(0, 3))

    def often(self, share):
        return bool(self.random.random() < share)

    def weight(self):
        random = self.random
        turn = self.place(0.0).quat if self.often(0.5) else np.array([0.0, 0.0, 0.0, 1.0])
        return {
            "mass": random.uniform(0.1, 3.0),
            "inertia": random.uniform(0.5, 1.0, 3),
            "com": random.normal(size=3) * 0.02 * self.often(0.3),
            "inertia_quat": turn,
        }

    def loose(self):
        index, random = len(self.bodies), self.random
        values = self.weight() | {
            "kinematic": self.often(0.1),
            "fixed": self.often(0.05),
            "gravity_compensation": float(self.often(0.1)),
            "starts_asleep": self.often(0.1),
            "sleep_threshold": 0.0 if self.often(0.1) else None,
            "surface_velocity": random.normal(size=6) * self.often(0.05),
            "angular_damping": float(self.often(0.1)),
        }
        self.bodies.append(body(f"/b{index}", self.place(5.0), **values))
        for i in range(random.integers(0, 4) if self.often(0.3) else 1):
            self.shape(f"/b{index}/g{i}", index, collides=i == 0 or self.often(0.7))

    def shape(self, path, index, **values):
        kind = str(self.random.choice(list(SHAPES)))
        look = str(self.random.choice(["/red", "/blue"]))
        values |= {
            "mesh": str(self.random.choice(list(self.meshes))) if kind == "mesh" else None,
            "pose": self.place(0.1) if self.often(0.5) else pose(),
            "rgba": self.random.uniform(size=4) if self.often(0.3) else None,
            "overrides": {"material": look} if self.often(0.3) else {},
        }
        self.geoms.append(geom(path, index, kind, SHAPES[kind], **values))

    def robot(self):
        """A tree of links: loose, or held by other things than its joints in some places."""
        free, first, joints = self.often(0.5), len(self.bodies), len(self.joints)
        count = int(self.random.integers(1, 7))
        for index in range(first, first + count):
            parent = int(self.random.integers(first, index)) if index > first else WORLD
            at = self.place(0.3) if index > first else self.place(5.0)
            values = self.weight()
            if index > first or not free:
                values |= {"parent": parent, "joints": (len(self.joints),)}
                self.joints.append(self.joint(index, parent))
            self.bodies.append(body(f"/b{index}", at, **values))
            if self.often(0.9):
                self.geoms.append(geom(f"/b{index}/g", index, "capsule", (0.05, 0.1, 0.0)))
        self.robots.append(
            ArticulationDescription(
                path=f"/b{first}",
                root=first,
                bodies=tuple(range(first, first + count)),
                joints=tuple(range(joints, len(self.joints))),
                fixed_base=not free,
                self_collision=self.often(0.5),
            )
        )

    def joint(self, index, parent):
        kind = str(self.random.choice(["revolute", "prismatic", "spherical", "fixed"]))
        path, random = f"/j{index}", self.random
        values = {"path": path, "kind": kind, "parent": parent, "child": index}
        if kind == "fixed":
            return joint(**values, collision_enabled=self.often(0.3))
        axis = {
            "axis": np.eye(3)[random.integers(3)],
            "armature": 0.1 * self.often(0.3),
            "friction": 0.1 * self.often(0.3),
            "damping": 0.1 * self.often(0.3),
        }
        if kind == "spherical":
            drives = tuple(
                BallDriveDescription(path=f"{path}:rot{letter}", axis=own, drive=self.drive())
                for letter, own in zip("XYZ", np.eye(3), strict=True)
                if self.often(0.5)
            )
            return joint(dof(path, "ball", ball_drives=drives, **axis), **values)
        axis["drive"] = self.drive() if self.often(0.7) else None
        locked = False
        if self.often(0.5):
            locked = self.often(0.1)
            axis |= {"lower": -0.5 * (not locked), "upper": 0.5 * (not locked)}
            axis["limit_stiffness"] = 50.0 if self.often(0.3) else None
        near = 0 if self.often(0.1) else -3
        leaders = [one.dofs[0].path for one in self.joints[near:] if one.kind == kind]
        if leaders and self.often(0.01 if locked else 0.2):
            values["mimic"] = MimicDescription(joint=str(random.choice(leaders)))
        kind = "hinge" if kind == "revolute" else "slide"
        return joint(dof(path, kind, **axis), **values, collision_enabled=self.often(0.2))

    def drive(self):
        return DriveDescription(
            stiffness=float(self.random.choice([10.0, 1e6], p=[0.95, 0.05])),
            damping=1.0,
            target_position=0.1 * self.often(0.5),
            max_force=5.0 if self.often(0.3) else np.inf,
            acceleration=self.often(0.1),
        )
