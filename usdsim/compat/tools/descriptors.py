"""Descriptors of what terms read and write: shape, joints, units, as policies are deployed by."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = [
    "GenericActionIODescriptor",
    "GenericObservationIODescriptor",
    "described",
    "generic_io_descriptor",
    "record_body_names",
    "record_dtype",
    "record_joint_names",
    "record_joint_pos_offsets",
    "record_joint_vel_offsets",
    "record_shape",
]

_FIELDS = ("name", "full_path", "description", "shape", "dtype")
_MARK = "_described"
"""Attribute of functions that were decorated: their descriptor, and what completes it."""


class GenericActionIODescriptor(SimpleNamespace):
    """Descriptor of a term of actions; more attributes may be added.

    Args:
        **values: values by name.
    """

    def __init__(self, **values: Any):
        plain = dict.fromkeys((*_FIELDS, "action_type"))
        super().__init__(**{**plain, "mdp_type": "Action", "extras": {}, "export": True, **values})


class GenericObservationIODescriptor(SimpleNamespace):
    """Descriptor of a term of observations; more attributes may be added.

    Args:
        **values: values by name; those that are no field are among its `extras`.
    """

    def __init__(self, **values: Any):
        plain = {**dict.fromkeys((*_FIELDS, "observation_type")), "mdp_type": "Observation"}
        extras = {name: v for name, v in values.items() if name not in (*plain, "extras")}
        own = {name: v for name, v in values.items() if name not in extras}
        super().__init__(**{**plain, "extras": extras, **own})


Hook = Callable[..., None]


def generic_io_descriptor(
    _func: Any = None, *, on_inspect: Hook | list[Hook] | None = None, **values: Any
) -> Any:
    """Decorator of a term of observations, with or without arguments; the term stays as it is.

    Args:
        _func: the term, or its descriptor.
        on_inspect: what completes the descriptor when it is asked for, called with the names
            ``output``, ``descriptor`` and the term's arguments.
        **values: of the descriptor.
    """
    hooks = [on_inspect] if callable(on_inspect) else [*(on_inspect or ())]
    given = isinstance(_func, GenericObservationIODescriptor)
    descriptor = _func if given else GenericObservationIODescriptor(**values)

    def mark(function: Any) -> Any:
        setattr(function, _MARK, (descriptor, hooks))
        return function

    return mark if given or _func is None else mark(_func)


def described(function: Any, env: Any, params: dict[str, Any]) -> GenericObservationIODescriptor:
    """Descriptor of a term of observations in an environment, completed.

    Args:
        function: the term: a function, or an object that is called as one.
        env: the environment.
        params: of the term.
    """
    named = function if hasattr(function, "__name__") else type(function)
    descriptor, hooks = getattr(function, _MARK, None) or known_term(named.__name__)
    found = GenericObservationIODescriptor(**vars(descriptor))
    found.extras = dict(found.extras)
    found.name, found.full_path = named.__name__, f"{named.__module__}.{named.__name__}"
    found.description = found.description or " ".join((named.__doc__ or "").split())
    output = function(env, **params)
    arguments = inspect.signature(function).bind(env, **params)
    arguments.apply_defaults()
    for hook in hooks:
        hook(output=output, descriptor=found, **{**arguments.arguments, "env": env})
    return found


def record_shape(output: Any, descriptor: Any, **_: Any) -> None:
    """Note the shape of what a term returns for an environment."""
    descriptor.shape = (output.shape[-1],)


def record_dtype(output: Any, descriptor: Any, **_: Any) -> None:
    """Note the type of the numbers that a term returns."""
    descriptor.dtype = str(output.dtype)


def record_joint_names(output: Any, descriptor: Any, **arguments: Any) -> None:
    """Note the names of the joints of the term's `asset_cfg`."""
    asset, ids = _chosen(arguments, "joint_ids")
    descriptor.joint_names = _of(asset.joint_names, ids)


def record_body_names(output: Any, descriptor: Any, **arguments: Any) -> None:
    """Note the names of the bodies of the term's `asset_cfg`."""
    asset, ids = _chosen(arguments, "body_ids")
    descriptor.body_names = _of(asset.body_names, ids)


def record_joint_pos_offsets(output: Any, descriptor: Any, **arguments: Any) -> None:
    """Note default positions of these joints in the first environment [m or rad]."""
    asset, ids = _chosen(arguments, "joint_ids")
    descriptor.joint_pos_offsets = asset.data.default_joint_pos.torch[0, ids]


def record_joint_vel_offsets(output: Any, descriptor: Any, **arguments: Any) -> None:
    """Note default velocities of these joints in the first environment [m/s or rad/s]."""
    asset, ids = _chosen(arguments, "joint_ids")
    descriptor.joint_vel_offsets = asset.data.default_joint_vel.torch[0, ids]


def _chosen(arguments: dict[str, Any], what: str) -> tuple[Any, Any]:
    entity = arguments["asset_cfg"]
    return arguments["env"].scene[entity.name], getattr(entity, what)


def _of(names: list[str], ids: Any) -> list[str]:
    return list(names[ids]) if isinstance(ids, slice) else [names[int(i)] for i in ids]


_SIZE = [record_shape, record_dtype]
_JOINTS = [record_joint_names, *_SIZE]
_AXES = ["X", "Y", "Z"]
_ROOT = {
    "base_pos_z": ("m", ["Z"]),
    "base_lin_vel": ("m/s", _AXES),
    "base_ang_vel": ("rad/s", _AXES),
    "projected_gravity": ("m/s^2", _AXES),
    "root_pos_w": ("m", _AXES),
    "root_quat_w": ("unit", ["X", "Y", "Z", "W"]),
    "root_lin_vel_w": ("m/s", _AXES),
    "root_ang_vel_w": ("rad/s", _AXES),
}
_OF_JOINTS: dict[str, tuple[str | None, list[Hook]]] = {
    "joint_pos": ("rad", []),
    "joint_pos_rel": ("rad", [record_joint_pos_offsets]),
    "joint_pos_limit_normalized": (None, []),
    "joint_vel": ("rad/s", []),
    "joint_vel_rel": ("rad/s", [record_joint_vel_offsets]),
    "joint_effort": ("N.m", []),
}
_OTHERS = {
    **dict.fromkeys(("body_pose_w", "body_projected_gravity_b"), "BodyState"),
    "last_action": "Action",
    "generated_commands": "Command",
}


def known_term(name: str) -> tuple[GenericObservationIODescriptor, list[Hook]]:
    """Descriptor of a term of the library, and what completes it; of others, what any has."""
    if name in _ROOT:
        units, axes = _ROOT[name]
        values: dict[str, Any] = {"observation_type": "RootState", "units": units, "axes": axes}
        return GenericObservationIODescriptor(**values), _SIZE
    if name in _OF_JOINTS:
        unit, more = _OF_JOINTS[name]
        values = {"observation_type": "JointState", **({"units": unit} if unit else {})}
        return GenericObservationIODescriptor(**values), [*_JOINTS, *more]
    kind = _OTHERS.get(name)
    hooks = [*_SIZE, record_body_names] if kind == "BodyState" else _SIZE
    return GenericObservationIODescriptor(observation_type=kind), hooks
