"""Assets: what is on the stage, read and written while it is simulated.

Articulations, multirotors, rigid objects and collections of them, deformable objects, and surface
grippers.
"""

from usdsim.assets.articulation.articulation import Articulation
from usdsim.assets.articulation.cfg import ArticulationCfg
from usdsim.assets.articulation.data import ArticulationData
from usdsim.assets.collection.cfg import RigidObjectCollectionCfg
from usdsim.assets.collection.data import RigidObjectCollectionData
from usdsim.assets.collection.rigid_object_collection import RigidObjectCollection
from usdsim.assets.common.base import AssetBase
from usdsim.assets.common.cfg import AssetBaseCfg
from usdsim.assets.common.data import AssetData
from usdsim.assets.deformable.cfg import DeformableObjectCfg
from usdsim.assets.deformable.data import DeformableObjectData
from usdsim.assets.deformable.deformable_object import DeformableObject
from usdsim.assets.gripper.cfg import SurfaceGripperCfg
from usdsim.assets.gripper.surface_gripper import SurfaceGripper
from usdsim.assets.multirotor.cfg import MultirotorCfg
from usdsim.assets.multirotor.data import MultirotorData
from usdsim.assets.multirotor.multirotor import Multirotor
from usdsim.assets.rigid.cfg import RigidObjectCfg
from usdsim.assets.rigid.data import RigidObjectData
from usdsim.assets.rigid.rigid_object import RigidObject

from .participation import current_simulation, set_current_simulation

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
    "SurfaceGripper",
    "SurfaceGripperCfg",
    "current_simulation",
    "set_current_simulation",
]
