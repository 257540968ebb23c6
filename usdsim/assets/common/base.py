"""Asset base class: spawning, taking part in a simulation, and what all assets offer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from usdsim.assets.participation import Simulation, current_simulation
from usdsim.core.errors import NamesAbsent
from usdsim.parser.description import SceneDescription
from usdsim.spawners.place import expand
from usdsim.usd.guides import hide_frames, show_frames
from usdsim.usd.visibility import set_visibility
from usdsim.views import AssetLayout, AssetView
from usdsim.views.copies.device_selection import DeviceSelection, device_instances
from usdsim.views.selection import Indices, Mask, selected, selected_either

from .cfg import AssetBaseCfg
from .checks import NotInitializedError, require_array
from .data import AssetData
from .matching import instance_paths, matching_prims
from .root_view import RootView
from .spawning import ensure_prims

__all__ = ["AssetBase", "Rows"]

Rows = NDArray[np.intp] | DeviceSelection | None
"""Instances: indices, what is known on the device alone, or all."""


class AssetBase(NamesAbsent, ABC):
    """Base class of assets: prims that are read and written while they are simulated.

    It spawns its prims at once, if it is to, and takes part in the current simulation from its next
    `reset` on; until then, nothing about its state can be read or written.

    Args:
        cfg: the configuration, which is copied.

    Attributes:
        cfg: the copy.

    Raises:
        StageError: there is no simulation, no prim path, or no prim at it.
        InvalidValueError: a value of the configuration is not allowed.
    """

    data_class: ClassVar[type[AssetData]] = AssetData
    """Class of `data`."""
    kind: ClassVar[str] = "asset"
    """Kind of asset, in messages."""

    def __init__(self, cfg: AssetBaseCfg):
        cfg.validate()
        self.cfg = cfg.copy()
        self._simulation = current_simulation()
        self._bound: AssetView | None = None
        self._data: Any = None
        self._prims: tuple[str, ...] = ()
        for part in self._parts():
            ensure_prims(self._simulation.stage, part, f"the {self.kind}")
        if self.cfg.debug_vis:
            self.set_debug_vis(True)
        self._simulation.register(self)

    def _absent(self, name: str) -> tuple[str, str]:
        return self._title if "cfg" in vars(self) else type(self).__name__, ""

    def __str__(self) -> str:
        """The kind of asset, where it is and how many there are."""
        count = "not initialized" if self._bound is None else self.num_instances
        return f"{type(self).__name__}, {self._title}: instances {count}"

    # -- what it is ----------------------------------------------------------------------------

    @property
    def is_initialized(self) -> bool:
        """Whether the simulation it takes part in was started."""
        return self._bound is not None

    @property
    def num_instances(self) -> int:
        """Number of instances: matches of the prim path in one world times the worlds."""
        return self._view.layout.num_instances

    @property
    def device(self) -> str:
        """Device of its arrays."""
        return self._simulation.device

    @property
    def data(self) -> Any:
        """State and parameters of the asset.

        Raises:
            StageError: the simulation was not started.
        """
        if self._bound is None:
            self._require()
        return self._data

    @property
    def has_debug_vis_implementation(self) -> bool:
        """Whether `set_debug_vis` does anything: always."""
        return True

    # -- time ----------------------------------------------------------------------------------

    def update(self, dt: float) -> None:
        """Accept that time went by; data need no update to be current.

        Args:
            dt: time since the last call [s].
        """
        self.data.update(dt)

    @abstractmethod
    def reset(self, env_ids: Indices = None, env_mask: Mask = None) -> None:
        """Forget what was commanded; the state stays as it is.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            env_mask: which instances, instead of `env_ids`.
        """

    @abstractmethod
    def write_data_to_sim(self) -> None:
        """Bring what was set, but not written yet, to the engine."""

    # -- the stage -----------------------------------------------------------------------------

    def set_visibility(self, visible: bool, env_ids: Indices = None) -> None:
        """Show or hide instances on the stage.

        Args:
            visible: whether they are seen.
            env_ids: instances, as indices or a slice; None: all.

        Raises:
            StageError: the prims cannot be edited, because they are inside an instance.
        """
        self._require()
        sim = self._simulation
        paths = instance_paths(self._prims, sim.env_paths, sim.num_envs)
        rows = selected("env_ids", env_ids, self.num_instances)
        each = len(paths) // self.num_instances
        if rows is not None:
            paths = [path for i in rows for path in paths[i * each : (i + 1) * each]]
        set_visibility(sim.stage, dict.fromkeys(paths), visible)

    def set_debug_vis(self, debug_vis: bool) -> bool:
        """Draw the frames of the links on the stage, or stop drawing them.

        They are guides: lines along the axes of each link, x red, y green, z blue, which any viewer
        of the stage shows when told to show guides.

        Args:
            debug_vis: whether they are drawn.

        Returns:
            Whether there was anything to draw them on.
        """
        patterns = [expand(part.prim_path) for part in self._parts()]
        draw = show_frames if debug_vis else hide_frames
        return any([draw(self._simulation.stage, pattern) for pattern in patterns])

    # -- checks --------------------------------------------------------------------------------

    def assert_shape_and_dtype(
        self, tensor: Any, shape: tuple[int, ...], dtype: Any, name: str = ""
    ) -> None:
        """Raise unless an array has the shape and type a writer needs; numbers pass.

        Args:
            tensor: Warp, NumPy or torch array, or a number.
            shape: leading sizes, such as (num_instances, num_bodies).
            dtype: Warp type of an element; ``wp.transformf`` stands for seven numbers as well.
            name: what it is, for messages.

        Raises:
            ShapeError: the shape is another.
            InvalidValueError: the type is another.
        """
        require_array(tensor, tuple(shape), dtype, name or "array")

    def assert_shape_and_dtype_mask(
        self,
        tensor: Any,
        masks: tuple[Any, ...],
        dtype: Any,
        name: str = "",
        trailing_dims: tuple[int, ...] = (),
    ) -> None:
        """Raise unless an array has a value for each entry of some masks, set or not.

        Args:
            tensor: Warp, NumPy or torch array, or a number.
            masks: masks whose lengths are the leading sizes.
            dtype: Warp type of an element.
            name: what it is, for messages.
            trailing_dims: sizes after those.

        Raises:
            ShapeError: the shape is another.
            InvalidValueError: the type is another.
        """
        shape = (*(int(mask.shape[0]) for mask in masks), *trailing_dims)
        require_array(tensor, shape, dtype, name or "array")

    # -- taking part ---------------------------------------------------------------------------

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Add what this asset needs to the scene; see `Participant.prepare`."""
        return scene

    def initialize(self, simulation: Simulation) -> None:
        """Bind to the engine; see `Participant.initialize`.

        Raises:
            StageError: what the prim path matches is not an asset of this kind.
        """
        self._simulation = simulation
        self._prims = self._match(simulation)
        layout = self._layout(simulation, self._prims)
        self._bound = self._window(simulation, layout)
        try:
            # The acceleration over a step is known only to who asked before it.
            simulation.engine.track_acceleration()
            self._data = self.data_class(self._bound, self._initial())
            if isinstance(self._bound, RootView):
                self._bound.attach(self._data, self._prims, simulation.env_paths)
            self._start()
        except Exception:
            self.invalidate()
            raise
        self._data.is_primed = True

    def invalidate(self) -> None:
        """Forget the engine; see `Participant.invalidate`."""
        self._bound = self._data = None

    @abstractmethod
    def _layout(self, simulation: Simulation, prims: tuple[str, ...]) -> AssetLayout:
        """Engine elements of the matches."""

    @abstractmethod
    def _initial(self) -> NDArray[np.float64]:
        """State each root starts with in its environment's frame, shape (num_roots, 13)."""

    @abstractmethod
    def _start(self) -> None:
        """Complete the start, once the view and the data exist."""

    def _window(self, simulation: Simulation, layout: AssetLayout) -> AssetView:
        return RootView(simulation.engine, layout, self.data_class)

    def _match(self, simulation: Simulation) -> tuple[str, ...]:
        """Prims of one world that are instances."""
        scene = simulation.engine.compiled.scene
        return matching_prims(scene, self.cfg.prim_path, simulation.env_paths)

    def _parts(self) -> Sequence[AssetBaseCfg]:
        """Configurations of what is spawned."""
        return (self.cfg,)

    @property
    def _view(self) -> AssetView:
        bound = self._bound
        return self._require() if bound is None else bound

    @property
    def _title(self) -> str:
        """The asset in messages."""
        return f"{self.kind} {self.cfg.prim_path!r}"

    def _require(self) -> AssetView:
        if self._bound is None:
            raise NotInitializedError(self._title)
        return self._bound

    def _rows(self, env_ids: Indices, env_mask: Mask) -> NDArray[np.intp] | None:
        """Instances by indices or by mask, which goes first; None: all."""
        return selected_either("env", env_ids, env_mask, self.num_instances)

    def _selection(self, env_ids: Indices, env_mask: Mask) -> Rows:
        """The same; what is on the device of the arrays is not looked at."""
        view, found = self._view, None
        if view.copies.by_kernels:
            found = device_instances(env_ids, env_mask, self.num_instances, view.device)
        return self._rows(env_ids, env_mask) if found is None else found
