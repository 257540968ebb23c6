"""Readable and writable quantities of each kind of element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from usdsim.scene.cameras.camera import Camera
from usdsim.scene.elements.actuator import Actuator
from usdsim.scene.elements.body import Body
from usdsim.scene.elements.element import Element
from usdsim.scene.elements.floating_base import FloatingBase
from usdsim.scene.elements.frame_element import FrameElement
from usdsim.scene.elements.geom import Geom
from usdsim.scene.elements.geom_kinds import GeomMesh
from usdsim.scene.elements.joint import Joint
from usdsim.scene.elements.mocap import Mocap
from usdsim.scene.elements.tendon import Tendon
from usdsim.scene.elements.visual_geom import VisualGeom
from usdsim.scene.sensors.sensor import Sensor

from .query import FlatColumns

if TYPE_CHECKING:
    from usdsim.scene.model.scene_model import SceneModel

__all__ = ["readable", "writable"]

Table = dict[str, tuple[FlatColumns, ...]]

_XYZW = (1, 2, 3, 0)


def readable(model: SceneModel, element: Element | None) -> Table:
    """Quantities that a query may read of an element, or of the whole scene (None)."""
    if element is None:
        return {
            "actuator_ctrls": (FlatColumns("ctrl", model.control_columns),),
            "com": (FlatColumns("subtree_com", _block(3, 0)),),
            "dof_pos": _positions(model, slice(0, model.low.nq)),
            "dof_vel": _velocities(slice(0, model.low.nv)),
            "time": (FlatColumns("time", _block(1, 0)),),
        }
    if isinstance(element, GeomMesh | VisualGeom):
        return _authored_frame(element)
    if isinstance(element, Body):
        return _frame(model, element) | _joints_of(model, element)
    if isinstance(element, FrameElement):
        return _frame(model, element)
    if isinstance(element, Camera):
        return {"pose": (FlatColumns("", np.arange(7), getter=element.get_pose),)}
    if isinstance(element, Sensor):
        columns = model.sensor_layout.columns([element.engine_id])
        if element.engine_id in model.lidars:
            return {"value": (FlatColumns("", columns, getter=element.get_value),)}
        return {"value": (FlatColumns("sensordata", columns, sensor=element.engine_id),)}
    if isinstance(element, Tendon):
        place = _block(1, element.engine_id)
        return {
            "length": (FlatColumns("ten_length", place),),
            "velocity": (FlatColumns("ten_velocity", place),),
        }
    return {} if isinstance(element, Mocap) else writable(model, element)


def writable(model: SceneModel, element: Element | None) -> Table:
    """Quantities that a write may set of an element, or of the whole scene (None)."""
    if element is None:
        known = readable(model, None)
        return {name: known[name] for name in ("actuator_ctrls", "dof_pos", "dof_vel")}
    if isinstance(element, Joint):
        start, first = element.dof_pos_index, element.dof_vel_index
        return {
            "dof_pos": _positions(model, slice(start, start + element.num_dof_pos)),
            "dof_vel": _velocities(slice(first, first + element.num_dof_vel)),
        }
    if isinstance(element, FloatingBase):
        start, first = element.dof_pos_start, element.dof_vel_start
        return {
            "dof_pos": _positions(model, slice(start, start + 7)),
            "dof_vel": _velocities(slice(first, first + 6)),
        }
    if isinstance(element, Body):
        return _joints_of(model, element)
    if isinstance(element, Actuator):
        return {"ctrl": (FlatColumns("ctrl", model.control_columns[element.ctrl_slice]),)}
    if isinstance(element, Mocap):
        at = element.engine_id
        return {
            "pose": (
                FlatColumns("mocap_pos", _block(3, at)),
                FlatColumns("mocap_quat", _block(4, at, _XYZW)),
            )
        }
    return {}


def _block(width: int, index: int, order: Sequence[int] | None = None) -> NDArray[np.intp]:
    """Places of the numbers of one element."""
    return index * width + np.array(range(width) if order is None else order, dtype=np.intp)


def _positions(model: SceneModel, columns: slice) -> tuple[FlatColumns, ...]:
    return (FlatColumns("qpos", model.layout.engine_columns(columns)),)


def _velocities(columns: slice) -> tuple[FlatColumns, ...]:
    return (FlatColumns("qvel", np.arange(columns.start, columns.stop, dtype=np.intp)),)


def _joints_of(model: SceneModel, body: Body) -> Table:
    positions = model.layout.engine_columns(slice(None))[body.get_dof_pos_indices(False)]
    velocities = body.get_dof_vel_indices(False)
    return {
        "joint_dof_pos": (FlatColumns("qpos", positions),),
        "joint_dof_vel": (FlatColumns("qvel", velocities),),
    }


def _frame(model: SceneModel, element: FrameElement) -> Table:
    frames, low, index = element.frames, model.low, element.engine_id
    body = int(getattr(low, frames.body)[index]) if frames.body else index
    place, motion = _block(3, index), _block(6, body)
    centre = _block(3, int(low.body_rootid[body]))
    position = FlatColumns(frames.pos, place)
    rotation = FlatColumns(frames.quat, _block(4, index, _XYZW))
    linear = FlatColumns(frames.pos, place, frame=(motion, centre))
    angular = FlatColumns("cvel", motion[:3])
    found: Table = {
        "angular_velocity": (angular,),
        "linear_velocity": (linear,),
        "pose": (position, rotation),
        "position": (position,),
        "rotation": (rotation,),
        "rotation_mat": (FlatColumns(frames.mat, _block(9, index)),),
        "velocity": (linear, angular),
    }
    if element.kind == "link":
        found["com"] = (FlatColumns("xipos", place),)
    return found


def _authored_frame(geom: Geom) -> Table:
    """A frame that the engine does not keep: each value is computed by itself."""
    getters = {
        "angular_velocity": (geom.get_angular_velocity, 3),
        "linear_velocity": (geom.get_linear_velocity, 3),
        "pose": (geom.get_pose, 7),
        "position": (geom.get_position, 3),
        "rotation": (geom.get_rotation, 4),
    }
    found: Table = {
        name: (FlatColumns("", np.arange(width), getter=getter),)
        for name, (getter, width) in getters.items()
    }
    return found | {"velocity": found["linear_velocity"] + found["angular_velocity"]}
