"""Interactive scene: many environments with assets and sensors."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray
from pxr import Usd

from usdsim.assets.common.spawning import ensure_prims
from usdsim.assets.participation import Simulation, current_simulation
from usdsim.core.arguments import whole
from usdsim.core.errors import InvalidValueError, NamesAbsent, StageError, UnknownNameError
from usdsim.engine.device import init
from usdsim.math.rotations import quat_apply, quat_conjugate
from usdsim.parser.report import Report
from usdsim.parser.units import stage_units
from usdsim.spawners import ENV_REGEX_NS, clone_environments, filter_collisions, grid_origins
from usdsim.spawners.clone import copy_children
from usdsim.usd.prims import define_prim
from usdsim.usd.queries import find_prims
from usdsim.views.copies.device_selection import lives_on
from usdsim.views.selection import Indices, Mask, selected, selected_either
from usdsim.views.usable import UsableArray, usable

from .cfg import InteractiveSceneCfg
from .state import instances, read_state, write_state
from .step_graphs import StepGraphs
from .variety import chosen_paths, keep_structure

__all__ = ["Extra", "InteractiveScene"]

_NAMESPACE = "{ENV_REGEX_NS}"
_ABILITIES = (
    ("articulations", "write_joint_state_to_sim"),
    ("rigid_object_collections", "write_body_link_pose_to_sim"),
    ("deformable_objects", "write_nodal_state_to_sim"),
    ("rigid_objects", "write_root_link_pose_to_sim"),
    ("surface_grippers", "set_grippers_command"),
    ("terrains", "terrain_origins"),
)
"""Groups of assets and what only the assets of a group, or of those before it, have."""
_ASSETS = ("articulations", "rigid_object_collections", "deformable_objects", "rigid_objects")


@dataclasses.dataclass(frozen=True)
class Extra:
    """Prims of a scene that are only spawned: ground, lights, props."""

    prim_path: str
    """Prim path, or expression that matches all of them."""
    stage: Usd.Stage = dataclasses.field(repr=False)
    """The stage they are on."""

    @property
    def prims(self) -> list[Usd.Prim]:
        """The prims there are now."""
        return find_prims(self.stage, self.prim_path)


class InteractiveScene(NamesAbsent):
    """Environments on a grid, with copies of the same assets and sensors.

    It takes part in the current simulation: what it consists of is spawned at once, and can be read
    and written from the next ``sim.reset()`` on.

    Args:
        cfg: what it consists of; it stays as it is.

    Raises:
        StageError: there is no simulation, or there are environments already.
        InvalidValueError: a value of a configuration is not allowed.

    Attributes:
        cfg: a copy of the configuration, with prim paths in full.
        articulations: by name.
        rigid_objects: by name.
        rigid_object_collections: by name.
        deformable_objects: by name.
        surface_grippers: by name.
        sensors: by name.
        extras: what is only spawned, by name.
        terrain: what says where environments are on uneven ground; None: the grid does.
    """

    def __init__(self, cfg: InteractiveSceneCfg):
        cfg.validate()
        self.cfg = copy.deepcopy(cfg)
        self._simulation: Simulation = current_simulation()
        init()
        self.articulations: dict[str, Any] = {}
        self.rigid_objects: dict[str, Any] = {}
        self.rigid_object_collections: dict[str, Any] = {}
        self.deformable_objects: dict[str, Any] = {}
        self.surface_grippers: dict[str, Any] = {}
        self.sensors: dict[str, Any] = {}
        self.extras: dict[str, Extra] = {}
        self.terrain: Any = None
        self._entities: dict[str, Any] = {}
        self._global_paths: list[str] = []
        self._origins: wp.array | None = None
        self._steps: StepGraphs | None = None
        first = f"{self.env_ns}/env_0"
        present = [str(prim.GetPath()) for prim in find_prims(self.stage, f"{self.env_ns}/env_.*")]
        if set(present) - {first}:
            raise StageError(
                f"There are environments below {self.env_ns} already. Create the scene on a stage "
                "without any but the first, and let it clone them."
            )
        define_prim(self.stage, first, "Xform")
        several = any([*chosen_paths(entity)] for entity in self.cfg.entities().values())
        apart = several or not self.cfg.replicate_physics
        if apart:
            self._clone(first, copied=True)
        for name, entity in self.cfg.entities().items():
            self._add(name, _expanded(entity, self.env_regex_ns))
            for path in chosen_paths(entity):
                keep_structure(self.stage, path, self.env_prim_paths)
        if not apart:
            self._clone(first, copied=False)

    def __str__(self) -> str:
        """Environments in numbers, and what is in them, one in a line."""
        head = f"{self.num_envs} environments, {self.cfg.env_spacing:g} m apart"
        named = (f"{name}: {entity}" for name, entity in self._named().items())
        return "\n  ".join((f"{type(self).__name__}: {head}", *named))

    # -- what it consists of -------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """An asset, sensor or extra by its name in the configuration or in its group.

        Raises:
            UnknownNameError: there is none.
        """
        known = self._named()
        if name not in known:
            raise UnknownNameError("scene entity", name, known, type(self.cfg).__name__)
        return known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._named()

    def _absent(self, name: str) -> tuple[str, str]:
        known = name in vars(self).get("_entities", {})
        remedy = f"Take what the configuration names with scene[{name!r}]." if known else ""
        return type(self).__name__, remedy

    def keys(self) -> list[str]:
        """Names of all assets, sensors and extras, in the order of the configuration.

        Those put into a group since, by ``scene.articulations["robot"] = robot``, come last.
        """
        return list(self._named())

    def _named(self) -> dict[str, Any]:
        parts = (self.surface_grippers, self.sensors, self.extras)
        groups = (*self._groups().values(), *parts)
        return {**self._entities, **{k: v for group in groups for k, v in group.items()}}

    @property
    def stage(self) -> Any:
        """The stage."""
        return self._simulation.stage

    @property
    def device(self) -> str:
        """Device of arrays."""
        return self._simulation.device

    @property
    def physics_dt(self) -> float:
        """Time step of the simulation [s]."""
        return self._simulation.physics_dt

    @property
    def num_envs(self) -> int:
        """Number of environments."""
        return int(self.cfg.num_envs)

    @property
    def env_ns(self) -> str:
        """Prim path the environments are below."""
        return ENV_REGEX_NS.rpartition("/")[0]

    @property
    def env_regex_ns(self) -> str:
        """Expression for the prim paths of all environments."""
        return ENV_REGEX_NS

    @property
    def env_prim_paths(self) -> list[str]:
        """Prim paths of the environments."""
        return [f"{self.env_ns}/env_{i}" for i in range(self.num_envs)]

    @property
    def env_origins(self) -> UsableArray:
        """Origins of the environments in world [m], float32, shape (num_envs, 3)."""
        if self.terrain is not None:
            return self.terrain.env_origins
        if self._origins is None:
            origins = np.asarray(self._simulation.env_origins, dtype=np.float32)
            self._origins = usable(wp.array(origins, dtype=wp.float32, device=self.device))
        return self._origins

    # -- time ----------------------------------------------------------------------------------

    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Forget what was commanded and measured; the state of the simulation stays.

        Args:
            env_ids: environments, as indices, a slice or a mask; None: all.
            env_mask: which environments, instead of `env_ids`. Assets take what is on the device
                of the arrays without a look at it, be it indices or a mask.
        """
        entities = (*self._assets(), *self.sensors.values())
        if lives_on(env_ids if env_mask is None else env_mask, self.device) and all(
            entity.num_instances == self.num_envs for entity in entities
        ):
            for entity in entities:
                entity.reset(env_ids=env_ids, env_mask=env_mask)
            return
        ids = selected_either("env", env_ids, env_mask, self.num_envs)
        for entity in entities:
            entity.reset(instances(entity, ids, self.num_envs))

    def write_data_to_sim(self) -> None:
        """Write what was set on assets to the engine; call it before each step."""
        for asset in self._assets():
            asset.write_data_to_sim()

    def update(self, dt: float) -> None:
        """Update sensors and assets; call it after each step.

        Args:
            dt: time since the last call [s].
        """
        for entity in (*self._assets(), *self.sensors.values()):
            entity.update(dt)

    def simulate(self, num_steps: int = 1) -> None:
        """Make steps of which each is `write_data_to_sim`, a step of all worlds, and `update`.

        The results are those of the three calls. On a device the launches of a step, from the
        targets of actuators to the measurements of sensors, are recorded and repeated as one graph;
        it is recorded anew where what they are launched on changes: parameters that worlds no
        longer share, external forces that begin or end, more room for contacts. What cannot be part
        of a recording runs by itself, in the same place: assets before it if torch evaluates a
        network or a subclass redefines `write_data_to_sim`, sensors after it. With physics
        callbacks, or ``on_overflow="grow"``, and after a change of parameters, a step is made by
        the three calls.

        On the CPU, all steps but the last one are one call of the engine where inputs are held:
        all actuators are implicit, no external wrench acts, no sensor samples at every step, there
        are no physics callbacks, and no class redefines these methods. The results are those of
        single steps, bit for bit; if worlds fail, the others make all steps before it is raised.

        Args:
            num_steps: number of time steps, such as those between two decisions of a policy.

        Raises:
            StageError: the simulation was not started, or is paused.
            InvalidValueError: the number is negative or not whole.
            SimulationError: worlds failed, and the configuration says to raise.
        """
        count = whole("num_steps", num_steps)
        if self._steps is None or not self._steps.engine_is_current:
            self._steps = StepGraphs(self._simulation)
        assets, sensors = self._assets(), list(self.sensors.values())
        self._steps.steps(count, assets, sensors)

    # -- state ---------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, dict[str, dict[str, wp.array]]]:
        """State of all assets in world; see `get_state`."""
        return self.get_state()

    def get_state(self, is_relative: bool = False) -> dict[str, dict[str, dict[str, wp.array]]]:
        """A copy of the state of all assets.

        Args:
            is_relative: whether positions are relative to the environments' origins.

        Returns:
            By kind (``articulation``, ``rigid_object``, ``rigid_object_collection``,
            ``deformable_object``), name of the asset, and quantity, such as ``root_pose``,
            ``root_velocity``, ``joint_position`` and ``joint_velocity``, and those of ball joints
            where there are any; of deformable objects ``nodal_position``, ``nodal_velocity`` and
            ``nodal_kinematic_target``.
        """
        origins = self._numpy_origins() if is_relative else None
        return read_state(self._groups(), origins)

    def reset_to(
        self,
        state: Mapping[str, Mapping[str, Mapping[str, Any]]],
        env_ids: Indices = None,
        is_relative: bool = False,
    ) -> None:
        """Set the state of assets, and command them to stay there.

        Args:
            state: as `get_state` returns it, with rows for `env_ids` alone; assets that are not in
                it stay as they are. Without targets of vertices, none is held.
            env_ids: environments, as indices, a slice or a mask; None: all.
            is_relative: whether positions are relative to the environments' origins.

        Raises:
            UnknownNameError: the scene has no such asset.
            ShapeError: there is not one row for each instance in `env_ids`.
            InvalidValueError: a value is not finite, or a quaternion has not unit length; nothing
                is written then.
        """
        ids = self._checked(env_ids)
        origins = self._numpy_origins() if is_relative else None
        write_state(self._groups(), state, ids, self.num_envs, origins)
        for asset in self._assets():
            asset.write_data_to_sim()

    # -- environments --------------------------------------------------------------------------

    def filter_collisions(self, global_prim_paths: Sequence[str] | None = None) -> list[str]:
        """Author collision groups that keep environments apart in engines with a single world.

        Here they are apart without.

        Args:
            global_prim_paths: prims that collide with all environments, besides the assets whose
                collision group is -1.

        Returns:
            Paths of the groups.
        """
        paths = dict.fromkeys((*self._global_paths, *(global_prim_paths or ())))
        return filter_collisions(self.env_prim_paths, list(paths), stage=self.stage)

    def clone_environments(self, copy_from_source: bool = False) -> None:
        """Copy what was spawned in the first environment since the scene was created to the others.

        Those that refer to the first one have it already. The others, and all of them if
        `copy_from_source`, get copies of the prims they lack.

        Args:
            copy_from_source: whether environments shall have prims of their own, which can be
                edited one by one, instead of referring to the first one.

        Raises:
            StageError: the first environment is not authored in the layer that is edited.
        """
        copy_children(self.stage, *self.env_prim_paths, copied=copy_from_source)

    def _clone(self, first: str, *, copied: bool) -> None:
        units = stage_units(self.stage, Report())
        grid = grid_origins(self.num_envs, float(self.cfg.env_spacing))
        origins = quat_apply(quat_conjugate(units.to_z_up), grid) / units.length
        clone_environments(first, self.num_envs, origins=origins, copy=copied, stage=self.stage)

    # -- inside --------------------------------------------------------------------------------

    def _add(self, name: str, entity: Any) -> None:
        setattr(self.cfg, name, entity)
        if getattr(entity, "collision_group", 0) == -1:
            self._global_paths += _prim_paths(entity)
        class_type = getattr(entity, "class_type", None)
        if class_type is None:
            self.extras[name] = self._entities[name] = self._spawn(name, entity)
            return
        if hasattr(entity, "terrain_type"):
            # Ground says where environments are, so it has to know how many there are.
            entity.num_envs, entity.env_spacing = self.num_envs, float(self.cfg.env_spacing)
        built = self._entities[name] = class_type(entity)
        for group, ability in _ABILITIES:
            if hasattr(type(built), ability):
                if group == "terrains":
                    self.terrain = built
                else:
                    getattr(self, group)[name] = built
                return
        self.sensors[name] = built

    def _spawn(self, name: str, entity: Any) -> Extra:
        path = getattr(entity, "prim_path", None)
        if not isinstance(path, str) or not hasattr(entity, "spawn"):
            raise InvalidValueError(
                f"{type(self.cfg).__name__}.{name}",
                entity,
                "the configuration of an asset or sensor, or None",
            )
        ensure_prims(self.stage, entity, repr(name))
        return Extra(path, self.stage)

    def _groups(self) -> dict[str, dict[str, Any]]:
        return {group: getattr(self, group) for group in _ASSETS}

    def _assets(self) -> list[Any]:
        groups = (*self._groups().values(), self.surface_grippers)
        return [asset for group in groups for asset in group.values()]

    def _numpy_origins(self) -> NDArray[np.float32]:
        return np.asarray(self.env_origins.numpy())

    def _checked(self, env_ids: Indices) -> NDArray[np.intp] | None:
        return selected("env_ids", env_ids, self.num_envs)


def _expanded(value: Any, namespace: str) -> Any:
    """A copy of a configuration with the namespace of environments written out in all of it."""
    if isinstance(value, str):
        return value.replace(_NAMESPACE, namespace)
    if isinstance(value, dict):
        return {key: _expanded(entry, namespace) for key, entry in value.items()}
    if isinstance(value, list | tuple) and type(value) in (list, tuple):
        return type(value)(_expanded(entry, namespace) for entry in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        twin = copy.copy(value)
        for entry in dataclasses.fields(value):
            old = getattr(value, entry.name)
            new = _expanded(old, namespace)
            if new is not old:
                object.__setattr__(twin, entry.name, new)
        return twin
    return value


def _prim_paths(entity: Any) -> list[str]:
    """Prim paths of an asset, if it is or will be outside environments."""
    path = getattr(entity, "prim_path", "")
    return [path] if path and not path.startswith(ENV_REGEX_NS) else []
