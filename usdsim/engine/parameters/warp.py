"""Model parameters of worlds on a Warp device."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import mujoco
import numpy as np
import warp as wp
from mujoco import batch as mjbatch
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import UnknownNameError, UnsupportedError
from usdsim.engine.compile.joints import UNLIMITED
from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.indices import assign
from usdsim.engine.threads import ThreadedBatch
from usdsim.engine.warp.pid import pid_actuators
from usdsim.engine.warp.worlds import WarpWorlds

from .cpu import MASKS, Parameters, model_value
from .inertial_gains import GAINS
from .static_geoms import PLACING, static_geoms

__all__ = ["WarpParameters"]

_FLAGGED: dict[str, str] = {
    "actuator_actlimited": "actuator_actrange",
    "actuator_ctrllimited": "actuator_ctrlrange",
    "actuator_forcelimited": "actuator_forcerange",
    "jnt_actfrclimited": "jnt_actfrcrange",
    "jnt_limited": "jnt_range",
    "tendon_actfrclimited": "tendon_actfrcrange",
    "tendon_limited": "tendon_range",
}
"""Flags the device has once for all worlds, and the ranges that stand in for them in each."""
_RANGES = {field: flag for flag, field in _FLAGGED.items()}

_BRANCHES = frozenset(
    {"actuator_armature", "actuator_biasprm", "actuator_damping", "actuator_dampingpoly"}
    | {"actuator_gainprm", "actuator_gear", "geom_fluid", "opt.density", "opt.viscosity"}
    | {"opt.wind", "tendon_armature", "tendon_damping", "tendon_dampingpoly", "tendon_stiffness"}
    | {"tendon_stiffnesspoly"}
)
"""Fields for which the device skips what zeros make needless, when it is set up."""

_OUTPUTS = frozenset(mujoco.MjModel._setconst_outputs)
_DERIVING = frozenset(mujoco.MjModel._setconst_inputs)
_DERIVED_ONCE = ("efm0_", "flexedge_", "geom_fluid")
"""Derived numbers that the device has once for all worlds."""
_UNUSED = frozenset({"dof_length"})
"""Derived numbers of sleeping, which worlds of their own parameters may share."""
_KEYFRAMES = "key_"
"""Prefix of fields of keyframes: the host has them, and brings rows to the device on a reset."""
_OPTION_OF = {"opt.impratio": "impratio_invsqrt"}
_LEAST_TOLERANCE = 1e-6


class WarpParameters:
    """Reads and writes model fields; see `parameters.Parameters`, which keeps them on the host.

    The host has everything in double precision, checks what is written and derives the constants
    that follow from it. The device gets what changed: into one row for all worlds as long as they
    agree, else into a row per world. What it has once for all worlds may change for all at once.

    Args:
        compiled: the model.
        worlds: the device's model and data.
        rebuild: sets the device up for another model, and calls `upload` when it is done.
        threads: number of threads for constants; 0: one per CPU.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        worlds: WarpWorlds,
        rebuild: Callable[[mujoco.MjModel], object],
        threads: int = 0,
    ):
        self._compiled, self._worlds, self._rebuild = compiled, worlds, rebuild
        self._threads = min(threads, worlds.num_envs)
        self._host: Parameters | None = None
        self._source = compiled.mj
        self._owned: set[str] = set()

    @property
    def batch(self) -> ThreadedBatch:
        """Worlds on the host that have the parameters; their state is not kept up to date."""
        return self._open().batch

    @property
    def written(self) -> bool:
        """Whether any parameter was ever written."""
        return self._host is not None

    def read(self, field: str) -> NDArray[Any]:
        """Values of all worlds, read-only, shape (num_envs, ...)."""
        if self._host is not None:
            return self._host.read(field)
        if field not in mjbatch.MODEL_FIELDS:
            raise UnknownNameError("model parameter", field, sorted(mjbatch.MODEL_FIELDS))
        return np.broadcast_to(
            shared := model_value(self._compiled.mj, field),
            (self._worlds.num_envs, *shared.shape),
        )

    def on_device(self, field: str) -> wp.array:
        """The device's array of a field: one row for all worlds, or one for each.

        Raises:
            UnknownNameError: it has none.
        """
        found = self._target(field)
        if not isinstance(found, wp.array):
            known = [n for n in mjbatch.MODEL_FIELDS if isinstance(self._target(n), wp.array)]
            raise UnknownNameError("parameter", field, sorted(known), "the model on the device")
        return found

    def write(
        self,
        field: str,
        values: ArrayLike,
        env_ids: NDArray[np.intp] | None,
        ids: ArrayLike | None,
    ) -> None:
        """Set values in some worlds, and everything that is derived from them.

        Raises:
            UnsupportedError: worlds would differ in what the device has once for all of them.
            SimulationError: the engine refuses the model; nothing is changed then.
        """
        host = self._open()
        self._require_uniform(field, values, env_ids, ids)
        before = np.array(host.read(field))
        host.write(field, values, env_ids, ids)
        fields = self._following(field)
        unequal = [f for f in fields[1:] if f.startswith(_DERIVED_ONCE) and not self._uniform(f)]
        if unequal:
            host.write(field, before, None, None)
            raise _once(unequal[0], self._compiled)
        self.push(fields)

    def push(self, fields: Iterable[str], own: bool = False) -> None:
        """Upload fields to the device, rebuilding it where it has them only once.

        Args:
            fields: as in `mujoco.MjModel`.
            own: give worlds a row each even where they agree.
        """
        names = tuple(fields)
        if self._source is not self.batch.model and self._host is not None:
            self._source = self.batch.model
            self._adopt(mjbatch.MODEL_FIELDS)
            self._rebuild(self._template())
            return
        if self._adopt(names):
            self._rebuild(self._template())
        else:
            self._upload(names, own)

    def upload(self) -> None:
        """Upload all fields to a device that was rebuilt."""
        if self._host is not None:
            self._upload([n for n in mjbatch.MODEL_FIELDS if self.batch.expanded(n) is not None])

    # -- host ----------------------------------------------------------------------------------

    def _open(self) -> Parameters:
        if self._host is None:
            batch = ThreadedBatch(self._compiled.mj, self._worlds.num_envs, self._threads)
            self._host = Parameters(batch, self._compiled)
            self._shared: dict[str, NDArray[Any]] = {}
        return self._host

    def _following(self, field: str) -> list[str]:
        """A field and those derived from it that now differ from the compiled model."""
        found = [field]
        if field == "geom_friction":
            found.append("pair_friction")
        elif field in MASKS:
            found.append("pair_margin")
        if field in _DERIVING or field.startswith("opt."):
            found += sorted(_OUTPUTS - {field})
            found.append(GAINS)
        known = [name for name in found if name not in _UNUSED]
        return [name for name in known if self.batch.expanded(name) is not None]

    def _require_uniform(
        self, field: str, values: ArrayLike, env_ids: NDArray[np.intp] | None, ids: ArrayLike | None
    ) -> None:
        if field in _FLAGGED or not self._has_once(field):
            return
        after = np.array(self.read(field))
        assign(field, after, values, env_ids, ids)
        if (after != after[:1]).any():
            raise _once(field, self._compiled)

    def _uniform(self, field: str) -> bool:
        values = self.batch.expanded(field)
        return values is None or bool((values == values[:1]).all())

    # -- device --------------------------------------------------------------------------------

    def _has_once(self, field: str) -> bool:
        """Whether the device has a field that worlds share."""
        target = self._target(field)
        return target is not None and not getattr(target, "_is_batched", False)

    def _target(self, field: str) -> Any:
        """The device's array or number of a field; None: it has none, or no use for it."""
        m = self._worlds.m
        if field.startswith(_KEYFRAMES):
            return None
        if field.startswith("opt."):
            return getattr(m.opt, _OPTION_OF.get(field, field[4:]), None)
        return getattr(m, field, None)

    def _adopt(self, fields: Iterable[str]) -> bool:
        """Collect what the device is to be rebuilt for; returns whether that changed."""
        changed = False
        for field in fields:
            values = self.batch.expanded(field) if self._host is not None else None
            if values is None or not (field in _BRANCHES or self._has_once(field)):
                continue
            now = self._shared.get(field)
            now = model_value(self._source, field) if now is None else now
            if field in _FLAGGED:
                wanted = values.any(axis=0).astype(values.dtype)
            elif field in _BRANCHES:
                wanted = now
                if ((values != 0).any(axis=0) & (now == 0)).any():
                    largest = np.abs(values).argmax(axis=0)[None]
                    wanted = np.take_along_axis(values, largest, axis=0)[0]
            else:
                # Derived indices say more where there is anything to refer to.
                wanted = values.max(axis=0)
            if (wanted != now).any():
                self._shared[field] = np.array(wanted)
                changed = True
        return changed

    def _template(self) -> mujoco.MjModel:
        """The host's model with what all worlds share on the device."""
        model = copy.copy(self._source)
        for field, values in self._shared.items():
            if field.startswith("opt."):
                setattr(model.opt, field[4:], values if values.ndim else values.item())
            else:
                getattr(model, field)[...] = values
        return model

    def _upload(self, fields: Iterable[str], own: bool = False) -> None:
        named = dict.fromkeys(_FLAGGED.get(field, field) for field in fields)
        for field in named:
            if not self._has_once(field) and self._target(field) is not None:
                self._put(field, self._values(field), own or field in self._owned)
        if PLACING.intersection(named):
            self._place()

    def _values(self, field: str) -> NDArray[Any]:
        """Values that the device is to have in each world."""
        values = self.read(field)
        if field in _RANGES:
            off = self.read(_RANGES[field]) == 0
            if off.any():
                values = np.array(values)
                values[off] = (-UNLIMITED, UNLIMITED)
        elif field == "actuator_gainprm":
            values = np.array(values)
            values[:, pid_actuators(self._source)] = np.eye(1, values.shape[2])
        elif field == "opt.impratio":
            values = 1.0 / np.sqrt(np.maximum(values, mujoco.mjMINVAL))
        elif field == "opt.tolerance":
            values = np.maximum(values, _LEAST_TOLERANCE)
        return values

    def _put(self, field: str, values: NDArray[Any], own: bool) -> None:
        array = self._target(field)
        if array.size == 0:
            return
        if own:
            self._owned.add(field)
        if array.shape[0] == 1 and self._worlds.num_envs > 1:
            if not own and (values == values[:1]).all():
                values = values[:1]
            else:
                shape = (self._worlds.num_envs, *array.shape[1:])
                array = wp.empty(shape, dtype=array.dtype, device=self._worlds.device)
                array._is_batched = True
                owner = self._worlds.m.opt if field.startswith("opt.") else self._worlds.m
                name = field.removeprefix("opt.")
                setattr(owner, _OPTION_OF.get(field, name), array)
                self._worlds.generation += 1
        like = array.numpy()
        array.assign(np.ascontiguousarray(values, dtype=like.dtype).reshape(like.shape))

    def _place(self) -> None:
        """Move the geoms that the device takes to stand still."""
        geoms, pos, mat = static_geoms(self._source, self.read)
        if not len(geoms):
            return
        for field, moved in (("geom_xpos", pos), ("geom_xmat", mat)):
            values = np.array(self._worlds.numpy(field))
            values[:, geoms] = moved
            self._worlds.upload(field, values)


def _once(field: str, compiled: CompiledModel) -> UnsupportedError:
    where = compiled.scene.name or "the model"
    return UnsupportedError(
        f"The Warp engine has {field!r} of {where} once for all worlds, so worlds cannot differ in "
        "it. Write the same values to all worlds, or simulate on the CPU. Nothing was changed."
    )
