"""What tests of assets put on their stages."""

from __future__ import annotations

from usdsim.schemas import CollisionBaseCfg, MassPropertiesCfg, RigidBodyBaseCfg
from usdsim.spawners import CuboidCfg

__all__ = ["G", "cuboid"]

G = 9.81


def cuboid(size=(0.2, 0.3, 0.4), mass=2.0, com=None, kinematic=None, gravity=True, **values):
    """A box that is a rigid body."""
    values.setdefault("collision_props", CollisionBaseCfg())
    return CuboidCfg(
        size=size,
        mass_props=MassPropertiesCfg(mass=mass, center_of_mass=com),
        rigid_props=RigidBodyBaseCfg(
            kinematic_enabled=kinematic, disable_gravity=None if gravity else True
        ),
        **values,
    )
