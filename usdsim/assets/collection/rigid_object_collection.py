"""Rigid object collections: several rigid bodies in each environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.assets.common.body_asset import BodyAsset
from usdsim.assets.common.cfg import root_states
from usdsim.assets.common.matching import matching_prims
from usdsim.assets.common.varied_surfaces import vary_prims
from usdsim.assets.members import ObjectMembers
from usdsim.assets.participation import Simulation
from usdsim.assets.rigid.rows import rigid_layout
from usdsim.core.errors import InvalidValueError, ShapeError, StageError
from usdsim.parser.description import SceneDescription
from usdsim.views import AssetLayout, AssetView
from usdsim.views.selection import Indices, Mask, selected_either
from usdsim.views.usable import usable
from usdsim.views.values import Values

from .data import RigidObjectCollectionData
from .view import CollectionView

if TYPE_CHECKING:
    from .cfg import RigidObjectCollectionCfg

__all__ = ["RigidObjectCollection"]


class RigidObjectCollection(BodyAsset, ObjectMembers):
    """Rigid objects by name, the same in each environment.

    Arrays have an axis for instances and one for objects, in the order of the configuration. What
    is called ``object`` and what is called ``body`` are the same things.

    Args:
        cfg: the configuration, which is copied.
    """

    cfg: RigidObjectCollectionCfg  # type: ignore[assignment]
    data: RigidObjectCollectionData
    data_class: ClassVar[type[RigidObjectCollectionData]] = RigidObjectCollectionData
    kind: ClassVar[str] = "rigid object collection"
    _noun = "object"

    def __init__(self, cfg: RigidObjectCollectionCfg):
        super().__init__(cfg)  # type: ignore[arg-type]

    # -- what it is ----------------------------------------------------------------------------

    @property
    def num_objects(self) -> int:
        """Number of objects of an instance."""
        return len(self.cfg.rigid_objects)

    @property
    def object_names(self) -> list[str]:
        """Names of the objects, in the order of arrays."""
        return list(self.cfg.rigid_objects)

    body_names = object_names
    find_objects = BodyAsset.find_bodies

    def set_external_force_and_torque(
        self,
        forces: Values,
        torques: Values,
        positions: Values = None,
        body_ids: Indices = None,
        env_ids: Indices = None,
        is_global: bool = False,
        object_ids: Indices = None,
    ) -> None:
        """Replace what acts on some objects; see `ExternalWrenches`.

        Args:
            forces: forces [N], shape (len(env_ids), len(object_ids), 3).
            torques: torques [N m], shape (len(env_ids), len(object_ids), 3).
            positions: points of action [m], same shape: from the link's origin in its frame, or in
                world; None: the centres of mass.
            body_ids: another name of `object_ids`.
            env_ids: instances, as indices or a slice; None: all.
            is_global: whether the values are in world rather than in the links' frames.
            object_ids: objects, as indices or a slice; None: all.

        Raises:
            InvalidValueError: a value is not finite, an index is out of range, or objects are
                given under both names.
            ShapeError: an array does not fit the selection.
        """
        if body_ids is not None and object_ids is not None:
            raise InvalidValueError("object_ids", object_ids, "None where body_ids are given")
        chosen = object_ids if body_ids is None else body_ids
        super().set_external_force_and_torque(
            forces, torques, positions, chosen, env_ids, is_global
        )

    # -- time ----------------------------------------------------------------------------------

    def reset(  # type: ignore[override]
        self,
        env_ids: Indices = None,
        object_ids: Indices = None,
        env_mask: Mask = None,
        object_mask: Mask = None,
    ) -> None:
        """Forget external forces and torques on some objects; the state stays as it is.

        Args:
            env_ids: instances, as indices or a slice; None: all.
            object_ids: objects, as indices or a slice; None: all.
            env_mask: which instances, instead of `env_ids`.
            object_mask: which objects, instead of `object_ids`.
        """
        if object_ids is None and object_mask is None:
            self._acting.forget(self._selection(env_ids, env_mask))
            return
        rows = self._rows(env_ids, env_mask)
        columns = selected_either("object", object_ids, object_mask, self.num_objects)
        for composer in (self.permanent_wrench_composer, self.instantaneous_wrench_composer):
            if composer.active:
                zero = np.zeros(3, np.float32)
                composer.set_forces_and_torques_index(zero, zero, None, columns, rows)

    # -- order ---------------------------------------------------------------------------------

    def reshape_data_to_view(self, data: Values) -> Any:
        """Values in one row per object and instance: those of the first object first.

        Args:
            data: Warp, NumPy or torch array, shape (num_instances, num_objects, ...).

        Returns:
            An array of the same kind, shape (num_objects * num_instances, ...).

        Raises:
            ShapeError: it has another shape.
        """
        if isinstance(data, wp.array):
            return _warp(self.reshape_data_to_view(data.numpy()), data)
        shape = (self.num_instances, self.num_objects)
        if tuple(data.shape[:2]) != shape:
            raise ShapeError("data", data.shape, f"{shape} and further axes")
        return data.swapaxes(0, 1).reshape(-1, *data.shape[2:])

    def reshape_view_to_data(self, data: Values) -> Any:
        """The inverse of `reshape_data_to_view`.

        Args:
            data: Warp, NumPy or torch array, shape (num_objects * num_instances, ...).

        Returns:
            An array of the same kind, shape (num_instances, num_objects, ...).

        Raises:
            ShapeError: it has another shape.
        """
        if isinstance(data, wp.array):
            return _warp(self.reshape_view_to_data(data.numpy()), data)
        count = self.num_instances * self.num_objects
        if data.shape[0] != count:
            raise ShapeError("data", data.shape, f"({count}, ...)")
        rows = data.reshape(self.num_objects, self.num_instances, *data.shape[1:])
        return rows.swapaxes(0, 1)

    def reshape_data_to_view_2d(self, data: Values, device: str | None = None) -> Any:
        """`reshape_data_to_view` under another name; the result stays on its device."""
        return self.reshape_data_to_view(data)

    def reshape_data_to_view_3d(
        self, data: Values, data_dim: int, device: str | None = None
    ) -> Any:
        """`reshape_data_to_view` under another name, of `data_dim` numbers each."""
        return self.reshape_data_to_view(data)

    def reshape_view_to_data_2d(self, data: Values, device: str | None = None) -> Any:
        """`reshape_view_to_data` under another name; the result stays on its device."""
        return self.reshape_view_to_data(data)

    def reshape_view_to_data_3d(
        self, data: Values, data_dim: int, device: str | None = None
    ) -> Any:
        """`reshape_view_to_data` under another name, of `data_dim` numbers each."""
        return self.reshape_view_to_data(data)

    # -- taking part ---------------------------------------------------------------------------

    def _parts(self) -> Sequence[Any]:
        return tuple(self.cfg.rigid_objects.values())

    @property
    def _title(self) -> str:
        return f"{self.kind} of {', '.join(self.cfg.rigid_objects)}"

    def prepare(self, scene: SceneDescription) -> SceneDescription:
        """Request changeable materials for the objects; see `Participant.prepare`."""
        for cfg in self.cfg.rigid_objects.values():
            if cfg.randomize_materials:
                prims = matching_prims(scene, cfg.prim_path, self._simulation.env_paths)
                scene = vary_prims(scene, prims)
        return scene

    def _match(self, simulation: Simulation) -> tuple[str, ...]:
        scene = simulation.engine.compiled.scene
        found = {
            name: matching_prims(scene, cfg.prim_path, simulation.env_paths)
            for name, cfg in self.cfg.rigid_objects.items()
        }
        counts = {name: len(prims) for name, prims in found.items()}
        if len(set(counts.values())) > 1:
            raise StageError(
                f"The objects of the {self._title} match {counts} prims. Each needs as many as the "
                "others, one for each instance of the collection."
            )
        return tuple(prim for instance in zip(*found.values(), strict=True) for prim in instance)

    def _layout(self, simulation: Simulation, prims: tuple[str, ...]) -> AssetLayout:
        names = tuple(self.cfg.rigid_objects)
        rows = [prims[i : i + len(names)] for i in range(0, len(prims), len(names))]
        layout = rigid_layout(simulation, self._title, rows, names)
        if len(np.unique(layout.bodies)) < len(prims):
            raise StageError(
                f"Two objects of the {self._title} are one prim: {', '.join(prims)}. Give each "
                "its own prim path."
            )
        return layout

    def _window(self, simulation: Simulation, layout: AssetLayout) -> AssetView:
        return CollectionView(simulation.engine, layout, self.data_class, flat=False)

    def _initial(self) -> NDArray[np.float64]:
        return root_states([cfg.init_state for cfg in self.cfg.rigid_objects.values()])


def _warp(rows: NDArray[Any], like: wp.array) -> wp.array:
    return usable(wp.array(np.ascontiguousarray(rows), dtype=like.dtype, device=like.device))
