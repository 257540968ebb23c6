"""Composition of models in code: `World`, of parts, from files and from texts."""

from usdsim.scene.composition import (
    actuators,
    assets,
    constraints,
    geoms,
    lidar_sensors,
    lights,
    links,
    looks,
    sensors,
    settings,
    world,
)
from usdsim.scene.composition.actuators import *
from usdsim.scene.composition.assets import *
from usdsim.scene.composition.constraints import *
from usdsim.scene.composition.contact_values import (
    ConstraintForceModel,
    FrequencyDampingRatio,
    Impedance,
    ImpedanceDamping,
    ImpedanceSpring,
    Range,
    SpringDampCoeff,
    SpringDamper,
    StiffnessDamping,
)
from usdsim.scene.composition.geoms import *
from usdsim.scene.composition.lidar_sensors import *
from usdsim.scene.composition.lights import *
from usdsim.scene.composition.links import *
from usdsim.scene.composition.looks import *
from usdsim.scene.composition.sensors import *
from usdsim.scene.composition.settings import *
from usdsim.scene.composition.world import *
from usdsim.scene.elements.actuator import DampingType

__all__ = [
    *actuators.__all__,
    *assets.__all__,
    *constraints.__all__,
    *geoms.__all__,
    *lidar_sensors.__all__,
    *lights.__all__,
    *links.__all__,
    *looks.__all__,
    *sensors.__all__,
    *settings.__all__,
    *world.__all__,
    "ConstraintForceModel",
    "DampingType",
    "FrequencyDampingRatio",
    "Impedance",
    "ImpedanceDamping",
    "ImpedanceSpring",
    "Range",
    "SpringDampCoeff",
    "SpringDamper",
    "StiffnessDamping",
]
