"""Single prims of Isaac Sim: views of one prim, whose values have no axis of prims."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from pxr import Usd, UsdPhysics

from usdsim.usd.prims import define_prim
from usdsim.usd.queries import path_below
from usdsim.usd.schemas import apply_api
from usdsim.usd.stage import current_stage

from .backends import rows
from .bodies import RigidPrim
from .frames import XFormPrim
from .robots import ArticulationView

__all__ = [
    "Robot",
    "SingleArticulation",
    "SingleGeometryPrim",
    "SinglePrim",
    "SingleRigidPrim",
    "SingleXFormPrim",
]

_FRAMES = {
    "get_world_pose": ("get_world_poses",),
    "set_world_pose": ("set_world_poses", "position", "orientation"),
    "get_local_pose": ("get_local_poses",),
    "set_local_pose": ("set_local_poses", "translation", "orientation"),
    "get_local_scale": ("get_local_scales",),
    "set_local_scale": ("set_local_scales", "scale"),
    "get_visibility": ("get_visibilities",),
    "set_visibility": ("set_visibilities", "visible"),
    "set_default_state": (
        *("set_default_state", "position", "orientation"),
        *("linear_velocity", "angular_velocity"),
    ),
}
_BODIES = {
    "get_linear_velocity": ("get_linear_velocities",),
    "set_linear_velocity": ("set_linear_velocities", "velocity"),
    "get_angular_velocity": ("get_angular_velocities",),
    "set_angular_velocity": ("set_angular_velocities", "velocity"),
    "get_mass": ("get_masses",),
    "set_mass": ("set_masses", "mass"),
    "get_com": ("get_coms",),
}
_ROBOTS = {
    name: (name, "joint_indices")
    for name in (
        *("get_joint_positions", "get_joint_velocities", "get_applied_joint_efforts"),
        *("get_measured_joint_efforts", "get_gains", "get_max_efforts"),
    )
} | {
    "set_joint_positions": ("set_joint_positions", "positions", "joint_indices"),
    "set_joint_velocities": ("set_joint_velocities", "velocities", "joint_indices"),
    "set_joint_efforts": ("set_joint_efforts", "efforts", "joint_indices"),
    "set_gains": ("set_gains", "kps", "kds"),
    "set_max_efforts": ("set_max_efforts", "values", "joint_indices"),
    "set_joints_default_state": ("set_joints_default_state", "positions", "velocities"),
    "get_applied_action": ("get_applied_actions",),
    "get_joints_state": ("get_joints_state",),
    "get_dof_limits": ("get_dof_limits",),
}
"""Methods of one prim: that of views which each is, and its arguments."""

_IN_ORDER = ("position", "translation", "orientation", "scale", "visible")
"""Arguments of one prim after its name."""

_PLURALS = {
    "density": "densities",
    "mass": "masses",
    "orientation": "orientations",
    "position": "positions",
    "scale": "scales",
    "translation": "translations",
    "velocity": "velocities",
    "linear_velocity": "linear_velocities",
    "angular_velocity": "angular_velocities",
    "visible": "visibilities",
}
"""Arguments of views, by those of one prim."""

_HANDED_ON = (
    *("apply_action", "body_names", "dof_names", "initialize", "is_physics_handle_valid"),
    *("get_body_index", "get_dof_index", "get_joint_index", "get_link_index", "is_valid"),
    *("joint_names", "name", "num_bodies", "num_dof", "post_reset", "_physics_view"),
)
"""Members of views that are the same of one prim."""


class SinglePrim:
    """One prim, which is defined as a frame if there is none.

    Args:
        prim_path: its path.
        name: what it is called.
        **others: of `XFormPrim` and what is derived from it, in the singular: ``position``,
            ``orientation`` (wxyz), ``scale``, ``mass``, and so on.

    Attributes:
        prim_path: its path.
        view: the view of it.
    """

    view_class: ClassVar[type[XFormPrim]] = XFormPrim

    def __init__(self, prim_path: str, name: str | None = None, *args: Any, **others: Any):
        stage = current_stage()
        self.prim_path = path_below(stage, str(prim_path))
        if not stage.GetPrimAtPath(self.prim_path):
            define_prim(stage, self.prim_path, "Xform")
        if len(args) > len(_IN_ORDER):
            raise TypeError(
                f"{type(self).__name__} takes {', '.join(_IN_ORDER)} in this order after its name, "
                "and all else by name."
            )
        told = {**dict(zip(_IN_ORDER, args, strict=False)), **others}
        given = {
            _PLURALS.get(key, key): _of_one(key, value)
            for key, value in told.items()
            if value is not None
        }
        self._prepare(stage.GetPrimAtPath(self.prim_path), given)
        self.view = self.view_class(self.prim_path, name or type(self).__name__, **given)

    def _prepare(self, prim: Usd.Prim, given: dict[str, Any]) -> None:
        """Change the prim, and take out of the arguments what the view does not know."""

    @property
    def prim(self) -> Usd.Prim:
        """The prim."""
        return self.view.prims[0]

    def apply_visual_material(
        self, visual_material: Any, weaker_than_descendants: Any = None
    ) -> None:
        """Bind a visual material."""
        self.view.apply_visual_materials(visual_material)

    def apply_physics_material(
        self, physics_material: Any, weaker_than_descendants: Any = None
    ) -> None:
        """Bind a physics material."""
        self.view.apply_physics_materials(physics_material)

    def __getattr__(self, name: str) -> Any:
        """Members of the view that are the same of one prim."""
        if name in _HANDED_ON and "view" in vars(self):
            return getattr(self.view, name)
        raise AttributeError(f"{type(self).__name__} {vars(self).get('prim_path')} has no {name!r}")


class SingleXFormPrim(SinglePrim):
    """One frame."""


class SingleGeometryPrim(SinglePrim):
    """One shape; see `SinglePrim`.

    ``collision`` says whether it is a collider; None: as it is.
    """

    def _prepare(self, prim: Usd.Prim, given: dict[str, Any]) -> None:
        collides = given.pop("collision", None)
        for setting in ("track_contact_forces", "prepare_contact_sensor", "disable_stablization"):
            given.pop(setting, None)
        if collides is not None:
            self.set_collision_enabled(bool(collides), prim)

    def set_collision_enabled(self, enabled: bool, prim: Usd.Prim | None = None) -> None:
        """Say whether it is a collider."""
        apply_api(prim or self.prim, "PhysicsCollisionAPI")
        UsdPhysics.CollisionAPI(prim or self.prim).CreateCollisionEnabledAttr(enabled)

    def set_collision_approximation(self, approximation_type: str) -> None:
        """Say which shape a mesh collides as: ``convexHull``, ``none`` and so on."""
        UsdPhysics.MeshCollisionAPI.Apply(self.prim).CreateApproximationAttr(approximation_type)


class SingleRigidPrim(SinglePrim):
    """One body; see `RigidPrim`."""

    view_class = RigidPrim


class SingleArticulation(SinglePrim):
    """One robot, which is its own controller; see `ArticulationView`."""

    view_class = ArticulationView

    def _prepare(self, prim: Usd.Prim, given: dict[str, Any]) -> None:
        given.pop("articulation_controller", None)

    def get_articulation_controller(self) -> SingleArticulation:
        """Controller of the robot: itself."""
        return self


Robot = SingleArticulation
"""Its name among robots."""


def _of_one(name: str, value: Any) -> Any:
    """Values for a view of one prim."""
    if name in _PLURALS or name in ("positions", "velocities", "efforts", "values", "kps", "kds"):
        return np.asarray(rows(value))[None]
    return value


def _of_view(value: Any) -> Any:
    """Values of a view of one prim, without the axis of prims."""
    if isinstance(value, tuple):
        return tuple(_of_view(each) for each in value)
    if hasattr(value, "__dict__") and not hasattr(value, "shape"):
        for key, each in vars(value).items():
            setattr(value, key, _of_view(each))
        return value
    return value[0] if getattr(value, "ndim", 0) else value


def _method(name: str, plural: str, arguments: tuple[str, ...]) -> Callable[..., Any]:
    parameters = [
        inspect.Parameter(each, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)
        for each in arguments
    ]
    signature = inspect.Signature(parameters)

    def call(self: SinglePrim, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        told = {_PLURALS.get(k, k): _of_one(k, v) for k, v in given.items() if v is not None}
        return _of_view(getattr(self.view, plural)(**told))

    call.__name__, call.__doc__ = name, f"See `{plural}` of views; this has no axis of prims."
    return call


for _kind, _table in (
    (SinglePrim, _FRAMES),
    (SingleRigidPrim, _BODIES),
    (SingleArticulation, {**_BODIES, **_ROBOTS}),
):
    for _name, (_plural, *_arguments) in _table.items():
        setattr(_kind, _name, _method(_name, _plural, tuple(_arguments)))
