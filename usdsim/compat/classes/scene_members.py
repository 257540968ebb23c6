"""Members of simulations, scenes, assets and sensors that Isaac Lab's programs read or call."""

from __future__ import annotations

import warnings
from typing import Any

from usdsim.assets.common.base import AssetBase
from usdsim.compat.told import Told
from usdsim.sensors import ContactSensor, FrameTransformer, RayCaster
from usdsim.sensors.common.sensor import SensorBase
from usdsim.sim import InteractiveScene, SimulationContext
from usdsim.terrains import TerrainImporter
from usdsim.views.usable import usable
from usdsim.views.wrench.composer import WrenchComposer

__all__ = ["NOT_DRAWN", "scene_members"]


def _nothing(*_: Any, **__: Any) -> bool:
    """Nothing: markers are not drawn, and wrenches are composed when they are read; False."""
    return False


NOT_DRAWN: dict[str, Any] = {
    "has_debug_vis_implementation": False,
    "set_debug_vis": _nothing,
}
"""Members of what draws markers elsewhere."""

_FORMER = {
    "add_forces_and_torques": "add_forces_and_torques_index",
    "composed_force": "out_force_b",
    "composed_torque": "out_torque_b",
    "set_forces_and_torques": "set_forces_and_torques_index",
}
"""Newer names of members of composers by those that Isaac Lab 3.0 keeps, which warn."""


def _former(name: str, newer: str) -> property:
    """A member that warns and is the one of a newer name."""

    def read(self: Any) -> Any:
        message = f"{name} is deprecated since Isaac Lab 3.0; use {newer}."
        warnings.warn(message, DeprecationWarning, stacklevel=2)
        return getattr(self, newer)

    return property(read)


_STAGE = Told(lambda part: part._simulation.stage)


def scene_members() -> dict[type, dict[str, Any]]:
    """Classes and the members they get."""
    return {
        AssetBase: {"stage": _STAGE},
        SensorBase: {"stage": _STAGE},
        ContactSensor: {
            "filter_object_names": Told(lambda s: [p.rpartition("/")[2] for p in s._filters]),
            "num_filter_objects": Told(lambda s: len(s._filters)),
        },
        InteractiveScene: {
            "env_fmt": Told(lambda scene: f"{scene.env_ns}/env_{{}}"),
            "physics_backend": Told(lambda scene: scene.sim.physics_manager.__name__.lower()),
            "physics_scene_path": Told(lambda scene: scene.sim.cfg.physics_prim_path),
            "sim": Told(lambda scene: scene._simulation),
        },
        SimulationContext: {
            "backend": "torch",
            "can_render_rgb_array": lambda _: True,
            "get_physics_step_count": lambda simulation: simulation._steps,
            "has_active_visualizers": _nothing,
            "initialize_visualizers": _nothing,
            "resolve_visualizer_types": lambda _: [],
            "update_visualizers": _nothing,
        },
        RayCaster: {"ray_cast_drift": Told(lambda s: usable(s._cast_shift))},
        TerrainImporter: NOT_DRAWN,
        FrameTransformer: {"tells_apart": False},
        WrenchComposer: {
            **{name: _former(name, newer) for name, newer in _FORMER.items()},
            "composed_force_as_torch": Told(lambda composer: composer.out_force_b.torch),
            "composed_torque_as_torch": Told(lambda composer: composer.out_torque_b.torch),
            "compose_to_body_frame": _nothing,
            "num_envs": Told(lambda composer: composer.num_instances),
        },
    }
