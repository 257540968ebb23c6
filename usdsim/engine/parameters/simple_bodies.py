"""Simple bodies: the engine's shortcut for lone bodies, lifted where its values change."""

from __future__ import annotations

import copy

import mujoco
import numpy as np
from mujoco import batch as mjbatch
from numpy.typing import NDArray

from usdsim.engine.compile.pipeline import CompiledModel
from usdsim.engine.effects.optional import carry_effects
from usdsim.engine.fields import LAYOUT, STATE
from usdsim.engine.threads import ThreadedBatch

__all__ = ["LIFTING", "breaks_shortcut", "copy_shared", "is_loose", "loosened", "moved_to"]

_FRAMES = {"body_ipos": (0.0, 0.0, 0.0), "body_iquat": (1.0, 0.0, 0.0, 0.0)}
_JOINTS = frozenset({"jnt_axis", "jnt_pos"})
LIFTING = frozenset({*_FRAMES, *_JOINTS, "tendon_armature"})
"""Parameters whose values may lift it."""


def breaks_shortcut(model: mujoco.MjModel, field: str, values: NDArray[np.float64]) -> bool:
    """Whether a model cannot take values of a field for lack of room in its mass matrix.

    The engine stores only the diagonal for a lone body (one it calls simple) whose joints pass
    through its centre of mass along its principal axes.

    Args:
        model: the model that is stepped.
        field: what was written.
        values: all of it in each world, shape (worlds, elements, ...).
    """
    if field not in LIFTING:
        return False
    simple = model.body_simple != 0
    if not simple.any():
        return False
    if field in _FRAMES:
        return bool((np.abs(values[:, simple]) != _FRAMES[field]).any())
    if field in _JOINTS:
        joints = simple[model.jnt_bodyid]
        return bool((values[:, joints] != getattr(model, field)[joints]).any())
    return bool((values[:, model.tendon_armature == 0.0] != 0.0).any())


def is_loose(batch: ThreadedBatch, compiled: CompiledModel) -> bool:
    """Whether worlds have given up the shortcut for lone bodies since their model was compiled."""
    return not np.array_equal(batch.model.body_simple, compiled.mj.body_simple)


def loosened(batch: ThreadedBatch, compiled: CompiledModel) -> ThreadedBatch:
    """The same worlds on a model without the shortcut: state, parameters and threads alike."""
    return moved_to(batch, copy.copy(compiled.loose))


def moved_to(batch: ThreadedBatch, model: mujoco.MjModel) -> ThreadedBatch:
    """The same worlds on another compilation of their scene: state, parameters and threads alike.

    Args:
        batch: the worlds.
        model: the other compilation, which becomes the model of the result.
    """
    fields = [name for name in mjbatch.MODEL_FIELDS if not name.startswith(LAYOUT)]
    for name in fields:
        copy_shared(batch.model, model, name)
    new = ThreadedBatch(model, batch.nsim, batch.nthread, batch.persistent)
    carry_effects(batch, new)
    for name in fields:
        values = batch.expanded(name)
        if values is not None:
            new.expand(name)[...] = values
    for name in STATE:
        new.bind(name)[...] = batch.bind(name)
    return new


def copy_shared(source: mujoco.MjModel, target: mujoco.MjModel, name: str) -> None:
    """Copy a parameter that may have been edited since the model was compiled."""
    if name.startswith("opt."):
        setattr(target.opt, name[4:], getattr(source.opt, name[4:]))
    else:
        getattr(target, name)[...] = getattr(source, name)
