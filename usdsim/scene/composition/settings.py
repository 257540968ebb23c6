"""Settings of an editable world: of the solver, of its pictures, and its states by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from numbers import Real
from typing import Any

import mujoco
import numpy as np

from usdsim.core.arguments import real
from usdsim.core.errors import UnsupportedError
from usdsim.scene.checks import require_finite

from .elements import Field, WorldPart, kept, refused
from .fields import checked
from .values import LiveArray, LiveList, Value, vector

__all__ = [
    "AmbientLight",
    "CompileOptions",
    "FreeCamera",
    "HeadLight",
    "Keyframe",
    "LidarPointCloudVisual",
    "SceneStatistic",
    "SensorVisual",
    "ShapeFit",
    "SimulateOption",
    "SolverType",
    "ToneMapping",
    "ToneMappingMethod",
    "Visual",
]

_SOLVER, _DISABLE = mujoco.mjtSolver, mujoco.mjtDisableBit
_FREE, _BALL = mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL


class SolverType(Enum):
    """Solver of constraints."""

    PGS = "PGS"
    PGSIMPR = "PGS improved"
    Newton = "Newton"


class ToneMappingMethod(Enum):
    """Curve from light to colours."""

    None_ = "none"
    Aces = "ACES"


class ShapeFit(Enum):
    """Shape that is fitted to a mesh: to its bounding box, or to its inertia."""

    Aabb = "aabb"
    InertiaBox = "inertia box"


def _at(path: str, kind: type = float, size: int = 0, factor: Any = None) -> Field:
    """Field of a setting of MuJoCo's editor.

    Args:
        path: from the editor's world.
        kind: what a number is.
        size: how many numbers there are; 0: one.
        factor: what it is divided by there, of the world.
    """
    *way, last = path.split(".")

    def place(owner: Any) -> Any:
        found = owner.home.spec
        for step in way:
            found = getattr(found, step)
        return found

    def read(owner: Any) -> Any:
        value = getattr(place(owner), last)
        if size:
            return LiveList(float(v) for v in value[:size])
        return kind(value) * factor(owner.home.spec) if factor else kind(value)

    def write(owner: Any, value: Any) -> None:
        if size:
            setattr(place(owner), last, vector(value, size, f"{last} of the world"))
            return
        number = checked(kind, f"{last} of the world", value)
        setattr(place(owner), last, number / factor(owner.home.spec) if factor else number)

    return Field(read, write)


def _disabled(*bits: Any) -> Field:
    """Field of whether parts of the dynamics are left out."""
    mask = sum(int(bit) for bit in bits)

    def write(owner: Any, value: bool) -> None:
        option = owner.home.spec.option
        option.disableflags = option.disableflags | mask if value else option.disableflags & ~mask

    return Field(lambda owner: owner.home.spec.option.disableflags & mask == mask, write)


_SOLVERS = {
    SolverType.PGS: _SOLVER.mjSOL_PGS,
    SolverType.PGSIMPR: _SOLVER.mjSOL_PGS,
    SolverType.Newton: _SOLVER.mjSOL_NEWTON,
}


def _solver(owner: Any) -> SolverType:
    pgs = owner.home.spec.option.solver == _SOLVER.mjSOL_PGS
    return SolverType.PGS if pgs else SolverType.Newton


def _set_solver(owner: Any, value: SolverType) -> None:
    owner.home.spec.option.solver = int(_SOLVERS[value])


class SimulateOption(WorldPart):
    """Settings of the dynamics of an editable world."""

    timestep = _at("option.timestep")
    gravity = _at("option.gravity", size=3)
    constraint_solver_iterations = _at("option.iterations", int)
    constraint_solver_tolerance = _at("option.tolerance")
    solver_type = Field(_solver, _set_solver, SolverType)
    disable_constraints = _disabled(_DISABLE.mjDSBL_CONSTRAINT)
    disable_contacts = _disabled(_DISABLE.mjDSBL_CONTACT)
    disable_actuators = _disabled(_DISABLE.mjDSBL_ACTUATION)
    disable_frictionloss = _disabled(_DISABLE.mjDSBL_FRICTIONLOSS)
    disable_equality = _disabled(_DISABLE.mjDSBL_EQUALITY)
    disable_limit = _disabled(_DISABLE.mjDSBL_LIMIT)
    disable_damping = _disabled(_DISABLE.mjDSBL_DAMPER)
    disable_gravity = _disabled(_DISABLE.mjDSBL_GRAVITY)
    safty_damping_clamp = kept(lambda: True)
    friction_model = kept(lambda: 2)
    override_contact_force = refused(None, "World.spec.option has o_solref and o_solimp")
    override_friction = refused(None, "World.spec.option has o_friction")
    override_contact_margin = refused(None, "World.spec.option has o_margin")
    sdf_iterations = _at("option.sdf_iterations", int)
    sdf_initpoints = _at("option.sdf_initpoints", int)
    runtime_max_convex_hulls_per_mesh = kept(lambda: 64)


@dataclass
class AmbientLight(Value):
    """Light from everywhere."""

    brightness: float = 2000.0
    """Brightness [cd/m^2]; without effect here, where colours are shares of full light."""
    color: list[float] = field(default_factory=lambda: [1.0] * 3)
    """Colour."""


@dataclass
class HeadLight(Value):
    """Light from where the camera is."""

    luminous_power: float = 1000.0
    """Power [lm]; without effect here, where colours are shares of full light."""
    color: list[float] = field(default_factory=lambda: [1.0] * 3)
    """Colour."""


@dataclass
class LidarPointCloudVisual(Value):
    """Look of the points of lidars; without effect here, where they are drawn as points."""

    point_size_px: float = 3.0
    """Size [pixels]."""
    max_color_distance: float = 50.0
    """Range of the last colour [m]."""


@dataclass
class SensorVisual(Value):
    """Look of what sensors measure."""

    lidar_point_cloud: LidarPointCloudVisual = field(default_factory=LidarPointCloudVisual)
    """Points of lidars."""


@dataclass
class ToneMapping(Value):
    """Curve from light to colours; without effect here."""

    method: ToneMappingMethod = ToneMappingMethod.Aces
    """Curve."""


def _light(kind: type[Any], attribute: str) -> Field:
    """Field of a light of the camera, whose colour MuJoCo has and whose power the handle keeps."""
    power = "brightness" if kind is AmbientLight else "luminous_power"

    def read(owner: Any) -> Any:
        headlight = owner.home.spec.visual.headlight
        said = owner.__dict__.get(attribute, kind().__dict__[power])
        return kind(said, [float(v) for v in getattr(headlight, attribute)])

    def write(owner: Any, value: Any) -> None:
        owner.__dict__[attribute] = getattr(value, power)
        colour = vector(value.color, 3, f"color of the {kind.__name__}")
        setattr(owner.home.spec.visual.headlight, attribute, colour)

    return Field(read, write, kind)


def _extent(spec: Any) -> float:
    """Size of the world by which MuJoCo measures planes of cameras [m]."""
    extent = float(spec.stat.extent)
    return extent if np.isfinite(extent) and extent > 0.0 else 1.0


_HAZE_UNSAID = np.ones(4)


def _haze(owner: Any) -> list[float] | None:
    said = owner.__dict__.get("_haze", False)
    return LiveList(float(v) for v in owner.home.spec.visual.rgba.haze) if said else None


def _set_haze(owner: Any, value: Any) -> None:
    owner.__dict__["_haze"] = value is not None
    colour = _HAZE_UNSAID if value is None else vector(value, 4, "haze of the world")
    owner.home.spec.visual.rgba.haze = colour


class Visual(WorldPart):
    """Settings of the pictures of an editable world."""

    ambient_light = _light(AmbientLight, "ambient")
    head_light = _light(HeadLight, "diffuse")
    fog_start = _at("visual.map.fogstart", factor=_extent)
    fog_end = _at("visual.map.fogend", factor=_extent)
    fog_color = _at("visual.rgba.fog", size=4)
    z_near = _at("visual.map.znear", factor=_extent)
    z_far = _at("visual.map.zfar", factor=_extent)
    dir_shadow_size = _at("visual.quality.shadowsize", int)
    point_shadow_size = kept(lambda: 512)
    haze = Field(_haze, _set_haze)
    probes = refused([], "probes belong to another renderer")
    ssao = kept(bool)
    oit = kept(bool)
    env_map_intensity = kept(lambda: 1000.0)
    joint_color = _at("visual.rgba.joint", size=4)
    bv_color = _at("visual.rgba.bv", size=4)
    contact_force_color = _at("visual.rgba.contactforce", size=4)
    no_frustum_cull = kept(bool)
    disable_near_clip = kept(bool)
    tonemapping = kept(lambda: ToneMapping(ToneMappingMethod.None_))
    sensor = kept(SensorVisual)


class FreeCamera(WorldPart):
    """View of the world that a window begins with."""

    orthographic = _at("visual.global_.orthographic", bool)
    fovy = _at("visual.global_.fovy")
    azimuth = _at("visual.global_.azimuth")
    elevation = _at("visual.global_.elevation")


def _statistic_extent(owner: Any) -> LiveList | None:
    extent = float(owner.home.spec.stat.extent)
    return LiveList([extent] * 3) if np.isfinite(extent) else None


def _set_extent(owner: Any, value: Any) -> None:
    # MuJoCo has one number for the size of the world: the largest holds all of it.
    size = np.nan if value is None else float(vector(value, 3, "extent of the world").max())
    owner.home.spec.stat.extent = size


def _centre(owner: Any) -> LiveList | None:
    centre = [float(v) for v in owner.home.spec.stat.center]
    return LiveList(centre) if np.isfinite(centre).all() else None


def _set_centre(owner: Any, value: Any) -> None:
    unsaid = [np.nan, 0.0, 0.0]
    owner.home.spec.stat.center = unsaid if value is None else vector(value, 3, "center")


class SceneStatistic(WorldPart):
    """Size of the world and where its middle is; None: computed."""

    extent = Field(_statistic_extent, _set_extent)
    center = Field(_centre, _set_centre)


class CompileOptions(WorldPart):
    """Settings of how a world is built."""

    shape_fit = Field(
        lambda owner: ShapeFit.Aabb if owner.home.spec.compiler.fitaabb else ShapeFit.InertiaBox,
        lambda owner, value: setattr(owner.home.spec.compiler, "fitaabb", value is ShapeFit.Aabb),
        ShapeFit,
    )


def _quaternions(spec: Any) -> list[int]:
    """First place of each quaternion among the positions of a world."""
    places, place = [], 0
    for body in spec.bodies:
        for joint in body.joints:
            if joint.type in (_FREE, _BALL):
                places.append(place + 3 * (joint.type == _FREE))
            place += 7 if joint.type == _FREE else 4 if joint.type == _BALL else 1
    return places


def _turned(spec: Any, values: Any, by: int) -> np.ndarray:
    """Positions with their quaternions rolled by a number of places."""
    turned = np.array(values, np.float64).ravel()
    for place in _quaternions(spec):
        if place + 4 <= len(turned):
            turned[place : place + 4] = np.roll(turned[place : place + 4], by)
    return turned


def _key_positions(owner: Any) -> LiveArray:
    key, spec = owner.element, owner.home.spec
    if not len(key.qpos) and not owner.home.free:
        # States of a world that was attached are there once the whole is compiled.
        spec.compile()
    return _turned(spec, key.qpos, -1).astype(np.float32).view(LiveArray)


def _set_key_positions(owner: Any, value: Any) -> None:
    row = _row("dof_pos", owner, value)
    owner.element.qpos = _turned(owner.home.spec, row, 1).tolist()


def _key_numbers(attribute: str) -> Field:
    return Field(
        lambda owner: np.array(getattr(owner.element, attribute), np.float32).view(LiveArray),
        lambda owner, value: setattr(
            owner.element, attribute, _row(attribute, owner, value).tolist()
        ),
    )


def _row(what: str, owner: Any, value: Any) -> np.ndarray:
    array = real(f"{what} of {owner!r}", value).ravel()
    require_finite(array, array.shape, f"{what} of {owner!r}")
    return array


def _set_key_name(owner: Any, value: str | None) -> None:
    for key in list(owner.home.spec.keys):
        if key is not owner.element and value and key.name == value:
            # The state of an attached world, which another takes the place of.
            owner.home.spec.delete(key)
    owner.element.name = value or ""


def _set_time(owner: Any, value: float | None) -> None:
    if value is not None and not np.isfinite(value):
        raise UnsupportedError(f"time of {owner!r} is {value}; it is a finite number or None.")
    owner.element.time = 0.0 if value is None else float(value)


class Keyframe(WorldPart):
    """State by name. Of two with one name, the later stands."""

    name = Field(lambda owner: owner.element.name or None, _set_key_name, str | None)
    time = Field(lambda owner: float(owner.element.time) or None, _set_time, Real | None)
    dof_pos = Field(_key_positions, _set_key_positions)
    dof_vel = _key_numbers("qvel")
    ctrl = _key_numbers("ctrl")

    @staticmethod
    def _add(spec: mujoco.MjSpec) -> Any:
        return spec.add_key()
