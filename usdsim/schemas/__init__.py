"""Authoring physics on prims: configurations and the functions that write and read them.

`define_*` makes a prim something and sets its properties; `modify_*` changes what is there already,
at and below a prim; `read_*` gives the configuration back. A field that is None stays as authored.
"""

from __future__ import annotations

from usdsim.schemas.authoring.family import SchemaConflictError
from usdsim.schemas.authoring.result import SchemaResult, Skipped

from . import (
    actuator,
    articulation,
    collision,
    deformable,
    deformable_cfg,
    deprecated,
    fix_root,
    joint,
    joint_drive,
    joint_state,
    mass,
    material,
    mesh_collision,
    mimic,
    rigid_body,
    scene,
    site,
    tendon,
)
from .actuator import *
from .articulation import *
from .cfg import SchemaCfg
from .collision import *
from .contact_sensor import activate_contact_sensors
from .deformable import *
from .deformable_cfg import *
from .deprecated import *
from .fix_root import *
from .joint import *
from .joint_drive import *
from .joint_state import *
from .mass import *
from .material import *
from .mesh_collision import *
from .mimic import *
from .rigid_body import *
from .scene import *
from .site import *
from .tendon import *
from .validation import Finding, Rule, Severity, validate_stage, validation_rules

__all__ = [
    *actuator.__all__,
    *articulation.__all__,
    *collision.__all__,
    *deformable.__all__,
    *deformable_cfg.__all__,
    *deprecated.__all__,
    *fix_root.__all__,
    *joint.__all__,
    *joint_drive.__all__,
    *joint_state.__all__,
    *mass.__all__,
    *material.__all__,
    *mesh_collision.__all__,
    *mimic.__all__,
    *rigid_body.__all__,
    *scene.__all__,
    *site.__all__,
    *tendon.__all__,
    "Finding",
    "Rule",
    "SchemaCfg",
    "SchemaConflictError",
    "SchemaResult",
    "Severity",
    "Skipped",
    "activate_contact_sensors",
    "validate_stage",
    "validation_rules",
]
