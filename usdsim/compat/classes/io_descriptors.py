"""Descriptors of environments: what policies read and write, as a mapping and as YAML."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch

from usdsim.compat.refusals import MissingValuesError
from usdsim.compat.tools.descriptors import GenericActionIODescriptor, described
from usdsim.core.extras import library
from usdsim.core.transaction import replace_file

__all__ = ["action_descriptor", "export_io_descriptors", "io_descriptors"]

_OVERLOADS = ("scale", "clip", "history_length", "flatten_history_dim")
"""Attributes of the configurations of terms that change what policies read."""
_EXTRAS = ("modifiers", "description", "units")
_JOINT_DATA = {
    "default_joint_pos": "default_joint_pos",
    "default_joint_vel": "default_joint_vel",
    "default_joint_pos_limits": "default_joint_pos_limits",
    "default_joint_damping": "joint_damping",
    "default_joint_stiffness": "joint_stiffness",
    "default_joint_friction": "joint_friction_coeff",
    "default_joint_armature": "joint_armature",
}
"""Quantities of articulations by what they are called in descriptors."""


def io_descriptors(env: Any) -> dict[str, Any]:
    """Observations, actions, articulations and times of an environment, as plain values.

    Args:
        env: an environment with managers.

    Returns:
        ``observations``: terms of the group ``policy``, in order; ``actions``: terms; then
        ``articulations``: defaults and gains of joints by name; ``scene``: times [s].
    """
    articulations = {
        name: {
            "joint_names": [*asset.joint_names],
            **{key: _plain(getattr(asset.data, of).torch[0]) for key, of in _JOINT_DATA.items()},
        }
        for name, asset in env.scene.articulations.items()
    }
    return {
        "observations": {
            group: terms
            for group, terms in observation_descriptors(env).items()
            if group == "policy"
        },
        "actions": action_descriptors(env.action_manager),
        "articulations": articulations,
        "scene": {
            "physics_dt": env.physics_dt,
            "dt": env.step_dt,
            "decimation": env.cfg.decimation,
        },
    }


def observation_descriptors(env: Any) -> dict[str, list[dict[str, Any]]]:
    """Observations of an environment by group: terms in order, as plain values."""
    groups = env.observation_manager._group_obs_term_cfgs
    return {group: [_observation(env, cfg) for cfg in cfgs] for group, cfgs in groups.items()}


def action_descriptors(actions: Any) -> list[dict[str, Any]]:
    """Terms of a manager of actions, as plain values."""
    found = [actions.get_term(name).IO_descriptor for name in actions.active_terms]
    return [_action(descriptor) for descriptor in found if descriptor.export]


def export_io_descriptors(env: Any, output_dir: str | None = None) -> None:
    """Write the descriptors of an environment to ``IO_descriptors.yaml``.

    Args:
        env: an environment with managers.
        output_dir: the folder; None: ``io_descriptors`` in ``env.cfg.log_dir``.

    Raises:
        MissingValuesError: there is neither.
    """
    log_dir = getattr(env.cfg, "log_dir", None)
    if output_dir is not None:
        folder = Path(output_dir)
    elif log_dir is not None:
        folder = Path(log_dir, "io_descriptors")
    else:
        raise MissingValuesError(
            "There is no folder for descriptors: set cfg.log_dir, or name one."
        )
    folder.mkdir(parents=True, exist_ok=True)
    text = library("yaml").safe_dump(io_descriptors(env))
    replace_file(folder / "IO_descriptors.yaml", text)


def action_descriptor(term: Any) -> GenericActionIODescriptor:
    """Descriptor of a term of actions, which classes of terms may complete.

    Args:
        term: the term.
    """
    found: GenericActionIODescriptor = vars(term).setdefault(
        "_IO_descriptor", GenericActionIODescriptor()
    )
    kind = type(term)
    found.name = re.sub(r"([a-z])([A-Z])", r"\1_\2", kind.__name__).lower()
    found.full_path = f"{kind.__module__}.{kind.__name__}"
    found.description = " ".join((kind.__doc__ or "").split())
    found.export = getattr(term, "_export_IO_descriptor", True)
    found.shape, found.dtype = (term.action_dim,), str(term.raw_actions.dtype)
    joints = getattr(term, "_joint_names", None)
    found.action_type = kind.__name__ if joints is None else "JointAction"
    if joints is not None:
        clip = getattr(term, "_clip", None)
        found.joint_names, found.clip = joints, clip if clip is None else torch.stack(clip, -1)
    for name in ("scale", "offset"):
        if hasattr(term, f"_{name}"):
            value = getattr(term, f"_{name}")
            rows = isinstance(value, torch.Tensor) and value.ndim > 1
            setattr(found, name, value[0] if rows else value)
    return found


def _observation(env: Any, cfg: Any) -> dict[str, Any]:
    values = vars(described(cfg.func, env, cfg.params))
    values.update({name: getattr(cfg, name) for name in (*_OVERLOADS, "modifiers")})
    return {
        "overloads": {name: _plain(values.pop(name)) for name in _OVERLOADS},
        "extras": _plain(values.pop("extras"))
        | {name: _plain(values.pop(name)) for name in _EXTRAS if name in values},
        **_plain(values),
    }


def _action(descriptor: GenericActionIODescriptor) -> dict[str, Any]:
    values = {name: value for name, value in vars(descriptor).items() if name != "export"}
    extras = {**values.pop("extras"), "description": values.pop("description")}
    return {"extras": _plain(extras), **_plain(values)}


def _plain(value: Any) -> Any:
    """Numbers, text, lists and mappings, as YAML has them; of others, their text."""
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
