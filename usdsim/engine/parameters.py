"""Model parameters that may differ between worlds."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError, UnknownNameError, UnsupportedError

from .compile import CompiledModel
from .indices import assign
from .materials import mix

__all__ = ["Parameters"]

_DERIVING = frozenset(mujoco.MjModel._setconst_inputs)
_STRUCTURE = ("adr", "num", "id", "type")
_POSITIVE = frozenset({"opt.timestep", "opt.impratio"})
_NOT_NEGATIVE = frozenset(
    {"body_inertia", "body_mass", "dof_armature", "dof_damping", "dof_frictionloss"}
    | {"geom_friction", "jnt_stiffness", "tendon_stiffness", "tendon_damping"}
)


class Parameters:
    """Reads and writes model fields of a batch of worlds.

    A field is shared by all worlds until it is first written.
    """

    def __init__(self, batch: mjbatch.Batch, compiled: CompiledModel):
        self._batch, self._compiled = batch, compiled

    def read(self, field: str) -> NDArray[Any]:
        """Values of all worlds, read-only, shape (num_envs, ...)."""
        self._known(field)
        values = self._batch.expanded(field)
        if values is None:
            shared = self._shared(field)
            values = np.broadcast_to(shared, (self._batch.nsim, *shared.shape))
        view = values.view()
        view.flags.writeable = False
        return view

    def write(
        self,
        field: str,
        values: ArrayLike,
        env_ids: NDArray[np.intp] | None,
        ids: ArrayLike | None,
    ) -> None:
        """Set values in some worlds, and everything the engine derives from them."""
        self._known(field)
        self._check(field, values)
        assign(field, self._batch.expand(field), values, env_ids, ids)
        if field == "geom_friction":
            self._mix_friction()
        if field in _DERIVING or field.startswith("opt."):
            self._batch.set_const(None if env_ids is None else np.unique(env_ids))

    def _mix_friction(self) -> None:
        """Pass friction on to the contact pairs that combine materials."""
        model, rows = self._compiled.mj, self._compiled.mixed_pairs
        if not rows:
            return
        friction, pairs = self._batch.expand("geom_friction"), self._batch.expand("pair_friction")
        for pair, mode in rows:
            a, b = friction[:, model.pair_geom1[pair]], friction[:, model.pair_geom2[pair]]
            sliding, torsional, rolling = mix(mode, a, b).T
            pairs[:, pair] = np.stack([sliding, sliding, torsional, rolling, rolling], axis=1)

    def _shared(self, field: str) -> NDArray[Any]:
        model = self._compiled.mj
        if field.startswith("opt."):
            return np.asarray(getattr(model.opt, field[4:]))
        return np.asarray(getattr(model, field))

    def _known(self, field: str) -> None:
        if field not in mjbatch.MODEL_FIELDS:
            raise UnknownNameError("model parameter", field, sorted(mjbatch.MODEL_FIELDS))

    def _check(self, field: str, values: ArrayLike) -> None:
        structural = field.endswith(_STRUCTURE) and field != "geom_contype"
        if structural and self._shared(field).dtype.kind in "iu":
            raise UnsupportedError(
                f"{field!r} is structure: it is the same in every world. "
                "Change the stage and compile it again."
            )
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidValueError(field, values, "numbers") from error
        # Range ends and the like may be infinite; nothing may be NaN.
        if np.isnan(numbers).any():
            raise InvalidValueError(field, values, "numbers that are not NaN")
        if field in _POSITIVE and (numbers <= 0.0).any():
            raise InvalidValueError(field, values, "numbers > 0")
        if field in _NOT_NEGATIVE and (numbers < 0.0).any():
            raise InvalidValueError(field, values, "numbers >= 0")
