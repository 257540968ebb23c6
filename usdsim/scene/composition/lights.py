"""Lights and cameras of an editable world."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from usdsim.core.errors import UnsupportedError

from .elements import Field, HangingPart, kept, refused
from .fields import array, checked, listed, number, optional_name, turn
from .values import Case, Value, Variant

__all__ = [
    "Camera",
    "DirectionalLightDesc",
    "Light",
    "LightType",
    "PointLightDesc",
    "PositionTrack",
    "RectLightDesc",
    "RotationTrack",
    "Segmentation",
    "SpotLightDesc",
    "TrackMode",
]

_LIGHT, _MODE = mujoco.mjtLightType, mujoco.mjtCamLight


@dataclass
class DirectionalLightDesc(Value):
    """Light from afar."""

    illuminance: float = 100_000.0
    """Illuminance [lux]."""


@dataclass
class PointLightDesc(Value):
    """Light from a small sphere."""

    intensity: float = 4000.0
    """Luminous intensity [cd]."""
    radius: float = 0.0
    """Radius of the sphere [m]."""
    range: float = 20.0
    """Distance up to which it shines [m]."""
    shadow_map_near_z: float = 0.1
    """Distance from which on it casts shadows [m]; without effect here."""


@dataclass
class SpotLightDesc(Value):
    """Light in a cone."""

    intensity: float = 8000.0
    """Luminous intensity [cd]."""
    outer_angle: float = 45.0
    """Half angle of the cone [deg]."""
    inner_angle: float = 45.0
    """Half angle of full light [deg]; without effect here."""
    range: float = 20.0
    """Distance up to which it shines [m]."""
    shadow_map_near_z: float = 0.1
    """Distance from which on it casts shadows [m]; without effect here."""


@dataclass
class RectLightDesc(Value):
    """Light from a rectangle, which an editable world cannot hold here; a stage can."""

    intensity: float = 1000.0
    """Intensity [nit]."""
    normalize: bool = False
    """Whether the intensity is divided by the area."""
    width: float = 1.0
    """Width [m]."""
    height: float = 1.0
    """Height [m]."""
    width_axis: ArrayLike = (1.0, 0.0, 0.0)
    """Direction of the width."""
    height_axis: ArrayLike = (0.0, 1.0, 0.0)
    """Direction of the height."""
    range: float = 20.0
    """Distance up to which it shines [m]."""
    shadow_map_near_z: float = 0.1
    """Distance from which on it casts shadows [m]."""


class LightType(Variant):
    """Kind of a light, with what it is like."""

    directional = Case("value", kind=DirectionalLightDesc)
    spot = Case("value", kind=SpotLightDesc)
    point = Case("value", kind=PointLightDesc)
    rect = Case("value", kind=RectLightDesc)


class TrackMode(Variant):
    """Motion of a light: with its link, at its distance from it, or turned to another."""

    fixed = Case()
    track = Case()
    target_body = Case("value", kind=str)


class PositionTrack(Enum):
    """Motion of a camera's position."""

    Free = "free"
    FixedLocal = "fixed local"
    FixedWorld = "fixed world"


class RotationTrack(Enum):
    """Motion of a camera's orientation."""

    Free = "free"
    FixedLocal = "fixed local"
    FixedWorld = "fixed world"
    LookAtLink = "look at link"


class Segmentation(Enum):
    """Whether a camera tells shapes apart, instead of drawing them."""

    Disable = "disable"
    Colorful = "colorful"
    Id = "id"


def _light_type(owner: Any) -> LightType:
    light = owner.element
    if light.type == _LIGHT.mjLIGHT_DIRECTIONAL:
        return LightType.directional(DirectionalLightDesc(light.intensity))
    if light.type == _LIGHT.mjLIGHT_POINT:
        return LightType.point(PointLightDesc(light.intensity, light.bulbradius, light.range))
    angle = light.cutoff
    return LightType.spot(SpotLightDesc(light.intensity, angle, angle, light.range))


def _set_light_type(owner: Any, value: LightType) -> None:
    light, said = owner.element, value.value
    if value.variant == "rect":
        raise UnsupportedError("A rectangular light is a UsdLux.RectLight of the built stage here.")
    if value.variant == "directional":
        light.type, light.intensity = _LIGHT.mjLIGHT_DIRECTIONAL, said.illuminance
        return
    light.intensity, light.range = said.intensity, said.range
    if value.variant == "point":
        light.type, light.bulbradius = _LIGHT.mjLIGHT_POINT, said.radius
    else:
        light.type, light.cutoff = _LIGHT.mjLIGHT_SPOT, said.outer_angle


_MODES = {
    "fixed": (_MODE.mjCAMLIGHT_FIXED,),
    "track": (_MODE.mjCAMLIGHT_TRACK, _MODE.mjCAMLIGHT_TRACKCOM),
    "target_body": (_MODE.mjCAMLIGHT_TARGETBODY, _MODE.mjCAMLIGHT_TARGETBODYCOM),
}


def _light_mode(owner: Any) -> TrackMode:
    light = owner.element
    (variant,) = (name for name, modes in _MODES.items() if light.mode in modes)
    return TrackMode(variant, light.targetbody if variant == "target_body" else None)


def _set_light_mode(owner: Any, value: TrackMode) -> None:
    owner.element.mode = _MODES[value.variant][0]
    owner.element.targetbody = value.value or ""


class Light(HangingPart):
    """Light of an editable world, in the frame of what it belongs to."""

    name = optional_name("name")
    type_ = Field(_light_type, _set_light_type, LightType)
    position = array("pos", 3)
    direction = array("dir", 3)
    cast_shadows = number("castshadow", bool)
    color = listed("diffuse", 3)
    mode = Field(_light_mode, _set_light_mode, TrackMode)

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_light(diffuse=[1, 1, 1], intensity=8000.0, range=20.0)


_P, _R = PositionTrack, RotationTrack
_TRACKS = {
    (_P.FixedLocal, _R.FixedLocal): _MODE.mjCAMLIGHT_FIXED,
    (_P.Free, _R.Free): _MODE.mjCAMLIGHT_FIXED,
    (_P.FixedWorld, _R.FixedWorld): _MODE.mjCAMLIGHT_TRACK,
    (_P.FixedLocal, _R.LookAtLink): _MODE.mjCAMLIGHT_TARGETBODY,
    (_P.Free, _R.LookAtLink): _MODE.mjCAMLIGHT_TARGETBODY,
}
"""Modes of MuJoCo. A camera of the world itself is as fixed as a free one."""
_TRACK_OF = {int(mode): pair for pair, mode in reversed(_TRACKS.items())}
_TRACK_OF[int(_MODE.mjCAMLIGHT_TRACKCOM)] = (_P.FixedWorld, _R.FixedWorld)
_TRACK_OF[int(_MODE.mjCAMLIGHT_TARGETBODYCOM)] = (_P.FixedLocal, _R.LookAtLink)


def _tracks(owner: Any) -> tuple[PositionTrack, RotationTrack]:
    said = owner.__dict__.get("_tracks")
    known = _TRACK_OF[int(owner.element.mode)]
    return said if said is not None and _TRACKS.get(said) in (None, owner.element.mode) else known


def _track(place: int) -> Field:
    """Field of how a position, 0, or an orientation, 1, moves."""

    def write(owner: Any, value: Any) -> None:
        pair: Any = list(_tracks(owner))
        pair[place] = value
        owner.__dict__["_tracks"] = tuple(pair)
        # Of a pair that MuJoCo has not, as between two assignments, the orientation decides.
        turns = pair[1] in (_R.FixedWorld, _R.LookAtLink)
        lone = _MODES["track" if pair[1] is _R.FixedWorld else "target_body"][0]
        owner.element.mode = _TRACKS.get(tuple(pair), lone if turns else _MODE.mjCAMLIGHT_FIXED)

    return Field(lambda owner: _tracks(owner)[place], write, (_P, _R)[place])


def _resolution(place: int) -> Field:
    """Field of the width, 0, or the height, 1, of pictures [pixels]."""

    def write(owner: Any, value: int) -> None:
        owner.element.resolution[place] = checked(int, f"resolution of {owner!r}", value, 1)

    return Field(lambda owner: int(owner.element.resolution[place]), write)


_PERSPECTIVE = mujoco.mjtProjection.mjPROJ_PERSPECTIVE
_ORTHOGRAPHIC = mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC


def _set_orthographic(owner: Any, value: bool) -> None:
    owner.element.proj = _ORTHOGRAPHIC if value else _PERSPECTIVE


class Camera(HangingPart):
    """Camera of an editable world, in the frame of what it belongs to.

    Args:
        name: its name.
        position: where it is [m].
        orientation: how it is turned, xyzw; it looks along -z.
        options: any other attribute.
    """

    name = optional_name("name")
    position = array("pos", 3)
    orientation = turn()
    position_track = _track(0)
    rotation_track = _track(1)
    track_target = optional_name("targetbody")
    orthographic = Field(lambda owner: owner.element.proj == _ORTHOGRAPHIC, _set_orthographic)
    fovy = number("fovy")
    depth_only = kept(bool)
    segmentation = kept(lambda: Segmentation.Disable)
    znear = refused(0.0, "World.visual.z_near is that of all cameras")
    zfar = refused(0.0, "World.visual.z_far is that of all cameras")
    track_position_speed = kept(float)
    track_rotation_speed = kept(float)
    resolution_x = _resolution(0)
    resolution_y = _resolution(1)
    auto_batch_render = kept(bool)

    def __init__(
        self,
        name: str | None = None,
        position: ArrayLike = (0.0, 0.0, 1.0),
        orientation: ArrayLike = (0.0, 0.0, 0.0, 1.0),
        **options: Any,
    ):
        super().__init__()
        self.name = name
        self.position = np.asarray((0, 0, 1) if position is None else position)
        self.orientation = np.asarray((0, 0, 0, 1) if orientation is None else orientation)
        for option, value in options.items():
            setattr(self, option, value)

    @staticmethod
    def _hang(body: Any) -> Any:
        return body.add_camera()
