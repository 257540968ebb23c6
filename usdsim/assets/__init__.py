"""Assets: what is on the stage, read and written while it is simulated.

Articulations, multirotors, rigid objects and collections of them, and deformable objects.
"""

from .articulation import Articulation
from .articulation_cfg import ArticulationCfg
from .articulation_data import ArticulationData
from .asset_cfg import AssetBaseCfg
from .base import AssetBase
from .collection import RigidObjectCollection
from .collection_cfg import RigidObjectCollectionCfg
from .collection_data import RigidObjectCollectionData
from .data import AssetData
from .deformable_object import DeformableObject
from .deformable_object_cfg import DeformableObjectCfg
from .deformable_object_data import DeformableObjectData
from .multirotor import Multirotor
from .multirotor_cfg import MultirotorCfg
from .multirotor_data import MultirotorData
from .rigid_object import RigidObject
from .rigid_object_cfg import RigidObjectCfg
from .rigid_object_data import RigidObjectData
from .simulation import current_simulation, set_current_simulation

__all__ = [
    "Articulation",
    "ArticulationCfg",
    "ArticulationData",
    "AssetBase",
    "AssetBaseCfg",
    "AssetData",
    "DeformableObject",
    "DeformableObjectCfg",
    "DeformableObjectData",
    "Multirotor",
    "MultirotorCfg",
    "MultirotorData",
    "RigidObject",
    "RigidObjectCfg",
    "RigidObjectCollection",
    "RigidObjectCollectionCfg",
    "RigidObjectCollectionData",
    "RigidObjectData",
    "current_simulation",
    "set_current_simulation",
]
