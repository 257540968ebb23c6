"""Scene state: that of all assets as arrays by name, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from usdsim.core.errors import InvalidValueError, ShapeError, UnknownNameError
from usdsim.math.rotations import quat_apply, quat_conjugate, quat_multiply
from usdsim.views.fields.parameters import unit_quaternions
from usdsim.views.values import broadcast, to_numpy

__all__ = ["instances", "read_state", "write_state"]

Write = Callable[[Any, dict[str, NDArray[Any]], Any], None]
Origins = NDArray[np.float32]


@dataclass(frozen=True)
class _AssetKind:
    """Assets of one kind."""

    name: str
    """Name in states."""
    values: Mapping[str, str]
    """Quantities by attribute of the asset's data."""
    write: Write
    """Writes quantities to instances of an asset."""


def _write_root(asset: Any, values: dict[str, NDArray[Any]], ids: Any) -> None:
    asset.write_root_link_pose_to_sim(values["root_pose"], env_ids=ids)
    asset.write_root_com_velocity_to_sim(values["root_velocity"], env_ids=ids)


def _write_articulation(asset: Any, values: dict[str, NDArray[Any]], ids: Any) -> None:
    position, velocity = values["joint_position"], values["joint_velocity"]
    asset.write_joint_state_to_sim(position, velocity, env_ids=ids)
    if "ball_joint_orientation" in values:
        balls = values["ball_joint_orientation"], values["ball_joint_velocity"]
        asset.write_ball_joint_state_to_sim(*balls, env_ids=ids)
    if asset.is_fixed_base:
        _place_base(asset, values["root_pose"], ids)
    else:
        _write_root(asset, values, ids)
    asset.set_joint_position_target(position, env_ids=ids)
    asset.set_joint_velocity_target(velocity, env_ids=ids)


def _place_base(asset: Any, pose: NDArray[Any], ids: Any) -> None:
    """Move a base that does not float to where its root is in the pose, joints as they are."""
    if _same_poses(_root_pose(asset, ids), pose):
        return
    asset.write_root_link_pose_to_sim(pose, env_ids=ids)
    found = _root_pose(asset, ids)
    if _same_poses(found, pose):
        return
    # It stands where its joints took it from the pose: write the one they take to the pose.
    quat = quat_multiply(pose[:, 3:], quat_conjugate(found[:, 3:]))
    pos = pose[:, :3] + quat_apply(quat, pose[:, :3] - found[:, :3])
    base = np.concatenate([pos, quat_multiply(quat, pose[:, 3:])], axis=-1)
    asset.write_root_link_pose_to_sim(base, env_ids=ids)


def _root_pose(asset: Any, ids: Any) -> NDArray[Any]:
    poses = to_numpy(asset.data.root_link_pose_w)
    return np.array(poses if ids is None else poses[ids])


def _same_poses(a: NDArray[Any], b: NDArray[Any]) -> bool:
    sign = np.sign((a[:, 3:] * b[:, 3:]).sum(axis=-1, keepdims=True))
    return np.allclose(a[:, :3], b[:, :3], 0.0, _NEAR) and np.allclose(
        a[:, 3:] * sign, b[:, 3:], 0.0, _NEAR
    )


def _write_bodies(asset: Any, values: dict[str, NDArray[Any]], ids: Any) -> None:
    asset.write_body_link_pose_to_sim(values["body_pose"], env_ids=ids)
    asset.write_body_com_velocity_to_sim(values["body_velocity"], env_ids=ids)


def _write_nodes(asset: Any, values: dict[str, NDArray[Any]], ids: Any) -> None:
    asset.write_nodal_pos_to_sim(values["nodal_position"], env_ids=ids)
    asset.write_nodal_velocity_to_sim(values["nodal_velocity"], env_ids=ids)
    targets = values.get("nodal_kinematic_target")
    if targets is None:
        asset.reset(env_ids=ids)
    else:
        asset.write_nodal_kinematic_target_to_sim(targets, env_ids=ids)


_ROOT = {"root_pose": "root_link_pose_w", "root_velocity": "root_com_vel_w"}
_JOINTS = {"joint_position": "joint_pos", "joint_velocity": "joint_vel"}
_BALLS = {"ball_joint_orientation": "ball_joint_quat", "ball_joint_velocity": "ball_joint_ang_vel"}
_BODIES = {"body_pose": "body_link_pose_w", "body_velocity": "body_com_vel_w"}
_NODES = {
    "nodal_position": "nodal_pos_w",
    "nodal_velocity": "nodal_vel_w",
    "nodal_kinematic_target": "nodal_kinematic_target",
}
_OPTIONAL = "nodal_kinematic_target"
"""The quantity that states may leave out."""
_NEAR = 1e-5
"""Distance of a base that does not float from a pose within which it is not moved [m]."""
_POSES = ("root_pose", "body_pose")
"""Quantities of a position and a quaternion."""
_TURNED = (*_POSES, "ball_joint_orientation")
"""Quantities that end with a quaternion."""
_PLACED = (*_POSES, "nodal_position", "nodal_kinematic_target")
"""Quantities that begin with a position in world."""

_KINDS: Mapping[str, _AssetKind] = {
    "articulations": _AssetKind("articulation", {**_ROOT, **_JOINTS}, _write_articulation),
    "rigid_objects": _AssetKind("rigid_object", _ROOT, _write_root),
    "rigid_object_collections": _AssetKind("rigid_object_collection", _BODIES, _write_bodies),
    "deformable_objects": _AssetKind("deformable_object", _NODES, _write_nodes),
}


def instances(asset: Any, env_ids: NDArray[np.intp] | None, num_envs: int) -> Any:
    """Instances of an asset in some environments; None: all.

    Instances are numbered world by world, and an asset may have several in each.
    """
    each = max(int(getattr(asset, "num_instances", num_envs)) // num_envs, 1)
    if env_ids is None or each == 1:
        return env_ids
    return (env_ids[:, None] * each + np.arange(each)).ravel()


def _values(kind: _AssetKind, asset: Any) -> Mapping[str, str]:
    """Quantities of an asset by attribute of its data."""
    return {**kind.values, **_BALLS} if getattr(asset, "ball_joint_names", ()) else kind.values


def read_state(
    groups: Mapping[str, Mapping[str, Any]], origins: Origins | None
) -> dict[str, dict[str, dict[str, wp.array]]]:
    """Copies of the state of assets.

    Args:
        groups: assets by group and name.
        origins: what positions are relative to [m], shape (num_envs, 3); None: the world.
    """
    state: dict[str, dict[str, dict[str, wp.array]]] = {}
    for group, assets in groups.items():
        kind = _KINDS[group]
        state[kind.name] = {
            name: {
                quantity: _copied(getattr(asset.data, attribute), quantity, origins)
                for quantity, attribute in _values(kind, asset).items()
            }
            for name, asset in assets.items()
        }
    return state


def _copied(values: Any, quantity: str, origins: Origins | None) -> wp.array:
    if origins is None or quantity not in _PLACED:
        return wp.clone(values)
    numbers = np.array(to_numpy(values))
    numbers[..., :3] -= _of_each(origins, len(numbers), numbers.ndim)
    return wp.array(numbers, dtype=values.dtype, device=values.device)


def write_state(
    groups: Mapping[str, Mapping[str, Any]],
    state: Mapping[str, Mapping[str, Mapping[str, Any]]],
    env_ids: NDArray[np.intp] | None,
    num_envs: int,
    origins: Origins | None,
) -> None:
    """Set the state of assets; everything is checked before anything is written.

    Args:
        groups: assets by group and name.
        state: as `read_state` returns it, with rows for `env_ids` alone.
        env_ids: environments; None: all.
        num_envs: number of environments.
        origins: what positions are relative to [m], shape (num_envs, 3); None: the world.

    Raises:
        UnknownNameError: there is no such kind of asset, asset or quantity.
        ShapeError: an array has not one row for each instance.
        InvalidValueError: a value is not finite, or a quaternion has not unit length.
    """
    by_kind = {kind.name: group for group, kind in _KINDS.items()}
    pending: list[tuple[Write, Any, dict[str, NDArray[Any]], Any]] = []
    for name, entries in state.items():
        if name not in by_kind:
            raise UnknownNameError("kind of asset", name, by_kind)
        group = by_kind[name]
        for asset_name, values in entries.items():
            if asset_name not in groups[group]:
                raise UnknownNameError(name, asset_name, groups[group], "the scene")
            asset, kind = groups[group][asset_name], _KINDS[group]
            ids = instances(asset, env_ids, num_envs)
            rows = len(ids) if ids is not None else max(asset.num_instances, 1)
            own = None if origins is None else origins if env_ids is None else origins[env_ids]
            numbers = {}
            for quantity, attribute in _values(kind, asset).items():
                if quantity == _OPTIONAL and quantity not in values:
                    continue
                shape = (rows, *to_numpy(getattr(asset.data, attribute)).shape[1:])
                what = f"{asset_name}.{quantity}"
                numbers[quantity] = _numbers(what, values, quantity, shape, own)
            pending.append((kind.write, asset, numbers, ids))
    for write, asset, numbers, ids in pending:
        write(asset, numbers, ids)


def _numbers(
    what: str,
    values: Mapping[str, Any],
    quantity: str,
    shape: tuple[int, ...],
    origins: Origins | None,
) -> NDArray[np.float32]:
    if quantity not in values:
        raise UnknownNameError("quantity of the state", quantity, values, what.partition(".")[0])
    given = to_numpy(values[quantity])
    if given.shape != shape:
        raise ShapeError(what, given.shape, f"{shape}: one row for each instance")
    numbers = np.array(broadcast(what, given, shape), dtype=np.float32)
    if quantity in _TURNED:
        unit_quaternions(numbers[..., -4:], what)
    if quantity == _OPTIONAL:
        _check_flags(what, numbers[..., 3])
    if origins is not None and quantity in _PLACED:
        numbers[..., :3] += _of_each(origins, len(numbers), numbers.ndim)
    return numbers


def _check_flags(what: str, flags: NDArray[np.float32]) -> None:
    odd = np.argwhere((flags != 0.0) & (flags != 1.0))
    if len(odd):
        row, vertex = (int(i) for i in odd[0])
        raise InvalidValueError(
            f"flag of {what}[{row}, {vertex}]", float(flags[row, vertex]),
            "0.0 for a vertex that is held, 1.0 for one that is free",
        )  # fmt: skip


def _of_each(origins: Origins, rows: int, ndim: int) -> NDArray[np.float32]:
    """The origin of each instance, to be broadcast over what an instance has."""
    each = np.repeat(origins, rows // len(origins), axis=0)
    return np.asarray(each.reshape(rows, *(1,) * (ndim - 2), 3))
