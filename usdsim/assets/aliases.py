"""Aliases: second names of quantities in the data of assets, from one table.

``python -m usdsim.views.stubs usdsim.assets.aliases`` writes what editors and type checkers read of
them.
"""

from __future__ import annotations

from usdsim.views.aliases import aliases

__all__ = [
    "BodyAliases",
    "DeformableAliases",
    "JointAliases",
    "ObjectAliases",
    "RootAliases",
    "TendonAliases",
]

_VELOCITIES = ("vel", "lin_vel", "ang_vel")
_POSES = ("pose", "pos", "quat")
_ACCELERATIONS = ("acc", "lin_acc", "ang_acc")


def _short(kind: str, frame: str, names: tuple[str, ...], suffix: str) -> dict[str, str]:
    """Names that leave out the frame which the full names have."""
    return {f"{kind}_{name}_{suffix}": f"{kind}_{frame}_{name}_{suffix}" for name in names}


_BODY_B = _short("body", "com", _VELOCITIES[1:], "b")
_OF_OBJECTS = (
    *(f"link_{name}_w" for name in (*_POSES, *_VELOCITIES, "state")),
    *(f"link_{name}_b" for name in _VELOCITIES),
    *(f"com_{name}_w" for name in (*_POSES, *_VELOCITIES, *_ACCELERATIONS, "state")),
    *(f"com_{name}_b" for name in (*_POSES, *_VELOCITIES)),
    *(f"{name}_w" for name in (*_POSES, *_VELOCITIES, *_ACCELERATIONS, "state")),
    *(f"{name}_b" for name in _VELOCITIES[1:]),
    *("mass", "inertia"),
)
_ELEMENTS = ("deform_gradient_w", "quat_w", "stress_w")

_ALIASES: dict[str, dict[str, str]] = {
    "RootAliases": {
        **_short("root", "link", _POSES, "w"),
        **_short("root", "com", _VELOCITIES, "w"),
        **_short("root", "com", _VELOCITIES[1:], "b"),
    },
    "BodyAliases": {
        **_short("body", "link", _POSES, "w"),
        **_short("body", "com", (*_VELOCITIES, *_ACCELERATIONS), "w"),
        "com_pos_b": "body_com_pos_b",
        "com_quat_b": "body_com_quat_b",
    },
    "ObjectAliases": {
        **_BODY_B,
        **{f"object_{name}": f"body_{name}" for name in _OF_OBJECTS},
        **{f"default_object_{name}": f"default_body_{name}" for name in ("state", "pose", "vel")},
    },
    "JointAliases": {
        "joint_limits": "joint_pos_limits",
        "joint_velocity_limits": "joint_vel_limits",
        "joint_friction": "joint_friction_coeff",
        "default_joint_limits": "default_joint_pos_limits",
        "default_joint_friction": "default_joint_friction_coeff",
    },
    "TendonAliases": {
        "fixed_tendon_limit": "fixed_tendon_pos_limits",
        "default_fixed_tendon_limit": "default_fixed_tendon_pos_limits",
    },
    "DeformableAliases": {f"collision_element_{n}": f"sim_element_{n}" for n in _ELEMENTS},
}
"""Names and what they stand for, by class."""


@aliases(_ALIASES["RootAliases"])
class RootAliases:
    """Names of roots' quantities without the frame: poses of links, velocities of masses."""


@aliases(_ALIASES["BodyAliases"])
class BodyAliases:
    """Names of bodies' quantities without the frame: poses of links, velocities of masses."""


@aliases(_ALIASES["ObjectAliases"])
class ObjectAliases:
    """Names of a collection's quantities by its objects: ``object_`` for ``body_``."""


@aliases(_ALIASES["JointAliases"])
class JointAliases:
    """Other names of limits and friction of joints."""


@aliases(_ALIASES["TendonAliases"])
class TendonAliases:
    """Other names of limits of tendons."""


@aliases(_ALIASES["DeformableAliases"])
class DeformableAliases:
    """Names of elements as those of the collision mesh, which is the simulation mesh."""
