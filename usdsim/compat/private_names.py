"""Names that programs use of classes and that these do not have: there while the layer is.

Most are private names of assets and sensors; `InteractiveScene.get_state` gives torch tensors.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
import warp as wp
from pxr import UsdGeom

from usdsim.actuators import ActuatorBase
from usdsim.actuators.limits import UNLIMITED_EFFORT
from usdsim.actuators.values import resolve_joint_parameter
from usdsim.assets import SurfaceGripper
from usdsim.assets.articulation.joint_data import JointData
from usdsim.assets.common.base import AssetBase
from usdsim.core.configuration import Configuration
from usdsim.sensors import Camera, ContactSensorData, FrameTransformerData, RayCaster
from usdsim.sim import InteractiveScene, SimulationContext
from usdsim.spawners.place import expand
from usdsim.usd.queries import find_prims
from usdsim.views.usable import UsableArray, usable

from .app import windows
from .classes.accepted_attributes import accepted_attributes, complete_cfg, rename_spaces
from .classes.application_members import application_members
from .classes.array_device import ArrayDevice
from .classes.finite_limits import finite_limits
from .classes.gripper_views import GripperView
from .classes.io_descriptors import export_io_descriptors, io_descriptors
from .classes.manager_names import manager_names
from .classes.physics_events import PhysxManager
from .classes.physics_views import PhysicsSimView
from .classes.scene_members import scene_members
from .cloner import scene_plan
from .simulation_cfg import SimulationCfg, tell_settings
from .tables import update_class_from_dict
from .tasks.presets import resolve_presets
from .timer import Timer
from .told import Told
from .tools.quaternion_hints import quaternion_hints

__all__ = ["add_private_names", "remove_private_names"]

logger = logging.getLogger("usdsim")


class _Indices(UsableArray):
    """Indices that tensors take between brackets: to torch they are a sequence of numbers."""

    def __getitem__(self, key: Any) -> Any:
        """A part, where it is one index as a number."""
        found = super().__getitem__(key)
        return int(found) if isinstance(key, int) else found


def _all_indices(asset: Any) -> Any:
    """Indices of all instances, int32, shape (num_instances,)."""
    rows = np.arange(asset.num_instances, dtype=np.int32)
    indices = wp.array(rows, dtype=wp.int32, device=asset.device)
    indices.__class__ = _Indices
    return indices


def _joint_vel(model: Any) -> Any:
    """Velocities given to `compute` last [rad/s or m/s], shape (num_envs, num_joints)."""
    return model.inputs[4]


def _parse_joint_parameter(model: Any, cfg_value: Any, default_value: Any = None) -> Any:
    """Values of a configuration for each joint, as a torch tensor, shape (num_envs, num_joints)."""
    default = 0.0 if default_value is None else default_value
    values = resolve_joint_parameter(cfg_value, default, model.joint_names, model._num_envs)
    return usable(wp.array(values, dtype=wp.float32, device=model._device)).torch


def _set_debug_vis(env: Any, debug_vis: bool) -> bool:
    """Nothing: markers are not drawn, so that none need to be brought up to date; False."""
    return False


def _sensor_prims(camera: Camera) -> list[UsdGeom.Camera]:
    """Camera prims of a sensor."""
    simulation = SimulationContext.instance()
    found = find_prims(simulation.stage, expand(camera.cfg.prim_path)) if simulation else []
    return [UsdGeom.Camera(prim) for prim in found]


def _set_clone_plan(simulation: Any, plan: Any) -> None:
    """Say which prims were copied to which environments; None: what the stage tells."""
    simulation._clone_plan = plan


def _clone_plan(simulation: Any) -> Any:
    """Plan of the clones: what was said of it, else what the stage tells; None: there are none."""
    said = getattr(simulation, "_clone_plan", None)
    return scene_plan(simulation.stage, simulation.device) if said is None else said


class _Answer(int):
    """A truth value that is a property in 3.x and a method in 1.x and 2.x."""

    def __call__(self) -> bool:
        """The truth value."""
        return bool(self)


_START = SimulationContext.__init__


def _start(self: SimulationContext, cfg: Any = None, *args: Any, **kwargs: Any) -> None:
    """Begin a simulation, or take the one there is, whatever it is asked to be."""
    if SimulationContext.instance() is None:
        _START(self, SimulationCfg() if cfg is None else cfg, *args, **kwargs)
        tell_settings(self)
    elif cfg is not None:
        logger.warning("There is a simulation already, which keeps its configuration.")


_RENDERS = "/isaaclab/render/rtx_sensors"
_CAMERA = Camera.__init__


def _renders(simulation: SimulationContext) -> bool:
    """Whether a camera takes pictures of a simulation."""
    return bool(simulation.get_setting(_RENDERS))


def _camera(self: Camera, *args: Any, **kwargs: Any) -> None:
    """Begin a camera, and say in the settings that there is one."""
    _CAMERA(self, *args, **kwargs)
    self._simulation.set_setting(_RENDERS, True)  # type: ignore[attr-defined]


def _begin(env: Any, cfg: Any, *args: Any, **kwargs: Any) -> None:
    """Begin an environment with the default of what its configuration lets choose."""
    envs = import_module("usdsim.envs")
    start = _REPLACED[envs.SimulatedEnv, "__init__"]
    rename_spaces(cfg)
    chosen = resolve_presets(cfg)
    if isinstance(env, envs.ManagerBasedRLEnv):
        complete_cfg(chosen, envs.ManagerBasedRLEnvCfg)
    start(env, chosen, *args, **kwargs)
    if getattr(chosen, "export_io_descriptors", False):
        export_io_descriptors(env)


def _timed(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function whose time is measured under a name, where programs ask for it."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with Timer(name=name):
            return function(*args, **kwargs)

    return run


_STATE = InteractiveScene.get_state


def _state(scene: InteractiveScene, is_relative: bool = False) -> Any:
    """Copies of the state in torch tensors; see `InteractiveScene.get_state`."""

    def tensors(part: Any) -> Any:
        if isinstance(part, dict):
            return {name: tensors(inner) for name, inner in part.items()}
        return wp.to_torch(part).clone() if isinstance(part, wp.array) else part

    return tensors(_STATE(scene, is_relative))


def _pose(kind: str, frame: str = "w") -> Told:
    """Poses of sensors in a frame as one array [m], transformf, of positions and orientations."""

    def tell(data: Any) -> Any:
        pos, quat = getattr(data, f"{kind}pos_{frame}"), getattr(data, f"{kind}quat_{frame}")
        if pos is None:
            return None
        both = np.concatenate([pos.numpy(), quat.numpy()], axis=-1)
        return usable(wp.array(both, dtype=wp.transformf, device=str(pos.device)))

    return Told(tell)


_NAMES: dict[type, dict[str, Any]] = {
    AssetBase: {
        "_ALL_ENV_INDICES": Told(_all_indices),
        "_ALL_INDICES": Told(_all_indices),
        "_instantaneous_wrench_composer": Told(lambda a: a.instantaneous_wrench_composer),
        "_physics_sim_view": Told(lambda a: PhysicsSimView(a._simulation)),
        "_permanent_wrench_composer": Told(lambda a: a.permanent_wrench_composer),
        "_root_physx_view": Told(lambda a: a.root_physx_view),
        "_root_view": Told(lambda a: a.root_view),
    },
    ActuatorBase: {
        "_DEFAULT_MAX_EFFORT_SIM": UNLIMITED_EFFORT,
        "_parse_joint_parameter": _parse_joint_parameter,
        "_joint_vel": Told(_joint_vel),
    },
    UsableArray: {"device": ArrayDevice()},
    Configuration: {"from_dict": update_class_from_dict},
    Camera: {"__init__": _camera, "_sensor_prims": Told(_sensor_prims)},
    ContactSensorData: {"pose_w": _pose("")},
    FrameTransformerData: {
        "source_pose_w": _pose("source_"),
        "target_pose_source": _pose("target_", "source"),
        "target_pose_w": _pose("target_"),
    },
    InteractiveScene: {
        "__init__": _timed(InteractiveScene.__init__, "scene_creation"),
        "clone_plan": Told(lambda scene: _clone_plan(scene._simulation)),
        "get_state": _state,
        **{
            f"_{group}": Told(attrgetter(group))
            for group in (
                *("articulations", "deformable_objects", "rigid_objects"),
                *("rigid_object_collections", "sensors"),
            )
        },
    },
    SurfaceGripper: {"gripper_view": Told(GripperView)},
    RayCaster: {"yaw_turns_directions": False, "offset_turns_starts": False},
    SimulationContext: {
        "__init__": _start,
        "reset": _timed(SimulationContext.reset, "simulation_start"),
        "get_clone_plan": _clone_plan,
        "set_clone_plan": _set_clone_plan,
        "has_gui": _Answer(False),
        "has_offscreen_render": False,
        "holds_participants": False,
        "has_rtx_sensors": _renders,
        "physics_manager": PhysxManager,
        "physics_sim_view": Told(PhysicsSimView),
        "visualizers": Told(lambda _: windows()),
    },
}


def _named() -> dict[type, dict[str, Any]]:
    """Classes and the names they get; those that need torch only where it is."""
    if find_spec("torch") is None:
        return _merged(_NAMES, scene_members(), application_members(), quaternion_hints())
    envs, managers = import_module("usdsim.envs"), import_module("usdsim.envs.managers")
    of_envs: dict[type, dict[str, Any]] = {
        JointData: finite_limits(),
        envs.SimulatedEnv: {
            "__init__": _begin,
            "_is_closed": Told(attrgetter("_closed")),
            "_physics_handles_decimation": False,
            "_sim_step_counter": Told(attrgetter("_sim_steps")),
            "_window": None,
            "has_rtx_sensors": Told(lambda env: _renders(env.sim)),
            "render_enabled": True,
            "video_recorder": None,
            "viewport_camera_controller": None,
        },
        envs.ManagerBasedEnv: {
            "get_IO_descriptors": property(io_descriptors),
            "export_IO_descriptors": export_io_descriptors,
        },
        envs.DirectRLEnv: {"checks_observations": False, "set_debug_vis": _set_debug_vis},
        import_module("usdsim.controllers").LeeControllerBase: {
            "_read": import_module("usdsim.compat.classes.lee_robots").read_quantity
        },
    }
    records = import_module("usdsim.envs.demonstrations")
    of_envs[managers.RecorderManagerBaseCfg] = {
        "dataset_file_handler_class_type": records.HDF5DatasetFileHandler,
        "dataset_export_dir_path": "/tmp/isaaclab/logs",
        "export_in_close": False,
    }
    accepted = accepted_attributes(envs, import_module("usdsim.envs.mdp"))
    every = _NAMES, scene_members(), application_members(), quaternion_hints()
    return _merged(*every, of_envs, accepted, manager_names(managers))


def _merged(*tables: dict[type, dict[str, Any]]) -> dict[type, dict[str, Any]]:
    """Classes and the names they get in any of several tables."""
    merged: dict[type, dict[str, Any]] = {}
    for owner, names in chain.from_iterable(table.items() for table in tables):
        merged.setdefault(owner, {}).update(names)
    return merged


_REPLACED: dict[tuple[type, str], Any] = {}
"""Members that classes have themselves under these names."""


def add_private_names() -> None:
    """Give classes the names."""
    for owner, names in _named().items():
        for name, value in names.items():
            if name in vars(owner):
                _REPLACED[owner, name] = vars(owner)[name]
            setattr(owner, name, value)


def remove_private_names() -> None:
    """Take the names away."""
    for owner, names in _named().items():
        for name in names:
            delattr(owner, name)
    for (owner, name), value in _REPLACED.items():
        setattr(owner, name, value)
    _REPLACED.clear()
