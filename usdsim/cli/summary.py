"""Scene summary, as plain values for people and machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from usdsim.core.dialects.mjc_tokens import JOINT_VELOCITIES

if TYPE_CHECKING:
    from usdsim.parser.description import (
        BodyDescription,
        DriveDescription,
        JointDescription,
        SceneDescription,
    )

__all__ = ["body_record", "joint_record", "summarize"]


def summarize(scene: SceneDescription) -> dict[str, Any]:
    """Counts and totals of a scene."""
    free = [b for b in scene.bodies if not b.joints and not b.kinematic and not b.fixed]
    dofs = [dof for joint in scene.joints if joint.in_tree for dof in joint.dofs]
    return {
        "num_bodies": len(scene.bodies),
        "num_joints": len(scene.joints),
        "num_dofs": sum(JOINT_VELOCITIES[dof.kind] for dof in dofs) + 6 * len(free),
        "num_drives": sum((dof.drive is not None) + len(dof.ball_drives) for dof in dofs),
        "num_actuators": len(scene.actuators),
        "num_geoms": len(scene.geoms),
        "num_colliders": sum(geom.collides for geom in scene.geoms),
        "num_sites": len(scene.sites),
        "num_articulations": len(scene.articulations),
        "num_deformables": len(scene.deformables),
        "mass": float(sum(b.mass for b in scene.bodies) + sum(d.mass for d in scene.deformables)),
        "gravity": scene.gravity.tolist(),
        "timestep": scene.timestep,
        "meters_per_unit": scene.meters_per_unit,
    }


def body_record(scene: SceneDescription, body: BodyDescription) -> dict[str, Any]:
    """One body."""
    return {
        **_picked(body, "path", "name"),
        "parent": scene.bodies[body.parent].path if body.parent >= 0 else None,
        **_picked(body, "mass", "mass_source", "com", "inertia", "kinematic"),
        "joints": [scene.joints[j].path for j in body.joints],
    }


def joint_record(joint: JointDescription) -> dict[str, Any]:
    """One joint with its axes."""
    dofs = [
        {
            **_picked(dof, "path", "kind", "lower", "upper"),
            "drive": _drive_record(dof.drive),
            "ball_drives": {d.path: _drive_record(d.drive) for d in dof.ball_drives},
        }
        for dof in joint.dofs
    ]
    return {**_picked(joint, "path", "name", "kind", "in_tree"), "dofs": dofs}


def _drive_record(drive: DriveDescription | None) -> dict[str, float] | None:
    return None if drive is None else _picked(drive, "stiffness", "damping", "max_force")


def _picked(description: Any, *fields: str) -> dict[str, Any]:
    """Some fields of a description, by name."""
    return {field: getattr(description, field) for field in fields}
