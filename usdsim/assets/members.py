"""Asset members: what assets get from rows of the field table and from their parts.

Every writer of a row exists in three forms: plain, which takes positions too; ``_index``, by
keyword; and ``_mask``, which takes values of all instances and booleans. `usdsim.views.stubs`
writes the stub file beside this module.
"""

from __future__ import annotations

from usdsim.assets.articulation.ball_joints import BallJointWriters
from usdsim.assets.articulation.joint_friction_writers import JointFrictionWriters
from usdsim.assets.articulation.joint_writers import JointWriters
from usdsim.assets.articulation.names import ArticulationNames
from usdsim.assets.common.wrenches import ExternalWrenches
from usdsim.assets.tendons.writers import TendonWriters
from usdsim.core.facade import facade
from usdsim.views.binding import writers

__all__ = [
    "ArticulationMembers",
    "BodyMembers",
    "NodeMembers",
    "ObjectMembers",
    "RootMembers",
    "ThrusterMembers",
]

_ROOT = {
    "pose": "Set the pose of the root link in world.",
    "link_pose": "Set the pose of the root link in world.",
    "com_pose": "Set the pose of the root's centre of mass and principal axes in world.",
    "velocity": "Set the velocity of the root's centre of mass in world.",
    "com_velocity": "Set the velocity of the root's centre of mass in world.",
    "link_velocity": "Set the velocity of the root link's origin in world.",
    "state": "Set the pose of the root link and the velocity of its centre of mass in world.",
    "link_state": "Set pose and velocity of the root link in world.",
    "com_state": "Set pose and velocity of the root's centre of mass in world.",
}
_OBJECTS = {
    "pose": "Set the poses of the objects' links in world.",
    "link_pose": "Set the poses of the objects' links in world.",
    "com_pose": "Set the poses of the objects' centres of mass and principal axes in world.",
    "velocity": "Set the velocities of the objects' centres of mass in world.",
    "com_velocity": "Set the velocities of the objects' centres of mass in world.",
    "link_velocity": "Set the velocities of the objects' link origins in world.",
    "state": "Set poses of the objects' links and velocities of their centres of mass in world.",
    "link_state": "Set poses and velocities of the objects' links in world.",
    "com_state": "Set poses and velocities of the objects' centres of mass in world.",
}
_TENDON = {
    "stiffness": "Set the stiffness of tendons.",
    "damping": "Set the damping of tendons.",
    "limit_stiffness": "Set the stiffness of the limits of tendons; 0: as the solver allows.",
    "offset": "Set what is added to the lengths of tendons.",
}


def _of(prefix: str, rows: dict[str, str]) -> dict[str, str]:
    return {f"{prefix}_{name}": says for name, says in rows.items()}


@writers("write_{}_to_sim", _of("root", _ROOT))
class RootMembers:
    """Writers of poses and velocities of roots, in force at once.

    What is read afterwards is what was written, without a step between. The pose of a root that
    joints hold to the world is the one it has with those joints at zero; where it is follows from
    that and from their positions.
    """


@facade(wrenches=ExternalWrenches)
@writers(
    "set_{}",
    {
        "masses": "Set the masses of bodies; their inertia stays as it is.",
        "coms": "Set centres of mass and principal axes of bodies in their links' frames.",
        "inertias": "Set inertias of bodies about their centres of mass in their links' axes.",
        "material_properties": "Set static friction, dynamic friction and restitution of shapes.",
    },
)
class BodyMembers:
    """External forces, and writers of mass properties and of surfaces, in force at once.

    What a shape touches combines friction and restitution with its own, by the combine modes of the
    materials on the stage. In large scenes friction can be written only where the configuration
    says ``randomize_materials=True``; the error says so. The engine has one sliding coefficient,
    the dynamic one: static friction is kept and reported, but has no effect.
    """


@writers("write_{}_to_sim", _of("body", _OBJECTS))
@writers("write_{}_to_sim", _of("object", _OBJECTS))
class ObjectMembers:
    """Writers of poses and velocities of the objects of a collection, which are bodies too."""


@writers(
    "write_{}_to_sim",
    {
        "nodal_state": "Set positions and velocities of the vertices in world.",
        "nodal_pos": "Set positions of the vertices in world.",
        "nodal_velocity": "Set velocities of the vertices in world.",
        "nodal_kinematic_target": "Hold vertices at targets in world, or let go of them.",
    },
)
class NodeMembers:
    """Writers of positions, velocities and targets of vertices, in force at once.

    Vertices attached to the world stay where they are, whatever is written. A vertex that is held
    reaches its target within one step, whatever acts on it, and stays there until it is let go, the
    simulation is reset, or `reset` is called.
    """


@facade(
    names=ArticulationNames,
    joint_writers=JointWriters,
    joint_friction=JointFrictionWriters,
    ball_joint_writers=BallJointWriters,
    tendon_writers=TendonWriters,
)
@writers(
    "set_{}",
    _of(
        "fixed_tendon",
        _TENDON
        | {
            "position_limit": "Set limits of the length of tendons.",
            "rest_length": "Set the lengths without force of tendons.",
        },
    ),
)
@writers("set_{}", _of("spatial_tendon", _TENDON))
@writers(
    "write_{}_to_sim",
    {
        "joint_dynamic_friction_coefficient": "Set dynamic friction of joints.",
        "joint_viscous_friction_coefficient": "Set viscous friction of joints.",
    },
    plain_full_data=True,
)
@writers(
    "set_{}",
    {
        "joint_position_target": "Set position targets of joints.",
        "joint_velocity_target": "Set velocity targets of joints.",
        "joint_effort_target": "Set effort targets of joints.",
    },
)
@writers(
    "write_{}_to_sim",
    {
        "joint_position": "Set positions of joints.",
        "joint_velocity": "Set velocities of joints.",
        "joint_stiffness": "Set the stiffness of the drives of joints.",
        "joint_damping": "Set the damping of the drives of joints.",
        "joint_armature": "Set the armature of joints.",
        "joint_velocity_limit": "Set the largest speeds of joints; infinity is no limit.",
        "joint_effort_limit": "Set the largest efforts of the drives of joints; "
        "infinity is no limit.",
    },
)
class ArticulationMembers(RootMembers):
    """Names, and writers of joints and tendons.

    Joint state and joint properties act at once, targets when `write_data_to_sim` passes them
    through the actuators, and what is set of tendons when ``write_*_tendon_properties_to_sim``
    brings it to the simulation.
    """


@writers("set_{}", {"thrust_target": "Set the thrusts that thrusters shall give."})
class ThrusterMembers:
    """Writers of thrusts, which count from the next `write_data_to_sim` on.

    Thrusts beyond the range of a thruster count as its ends.
    """
