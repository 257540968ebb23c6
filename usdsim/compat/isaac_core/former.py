"""Former names of Isaac Sim before 4.5: of single prims, which have other names now."""

from __future__ import annotations

from .bodies import RigidPrimView
from .frames import XFormPrimView
from .robots import ArticulationView
from .singles import SingleArticulation, SingleGeometryPrim, SingleRigidPrim, SingleXFormPrim

__all__ = [
    "Articulation",
    "ArticulationView",
    "GeometryPrim",
    "RigidPrim",
    "RigidPrimView",
    "XFormPrim",
    "XFormPrimView",
]

Articulation, GeometryPrim = SingleArticulation, SingleGeometryPrim
RigidPrim, XFormPrim = SingleRigidPrim, SingleXFormPrim
