"""Simulation for the length of a block, on a stage of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pxr import Usd

from usdsim.core.errors import InvalidValueError
from usdsim.spawners import DomeLightCfg, GroundPlaneCfg
from usdsim.usd.stage import create_stage

from .cfg import SimulationCfg
from .context import SimulationContext

__all__ = ["build_simulation_context"]


@contextmanager
def build_simulation_context(
    cfg: SimulationCfg | bool | None = None,
    stage: Usd.Stage | None = None,
    *,
    create_new_stage: bool = True,
    gravity_enabled: bool = True,
    device: str | None = None,
    dt: float | None = None,
    sim_cfg: SimulationCfg | None = None,
    add_ground_plane: bool = False,
    add_lighting: bool = False,
    auto_add_lighting: bool = False,
    visualizers: Any = None,
) -> Iterator[SimulationContext]:
    """A simulation for the length of a ``with`` block, on a new stage unless one is given.

    A simulation left over from before is ended first.

    Args:
        cfg: how to simulate; None: as authored, or as the other arguments say. True and False
            stand for `create_new_stage`.
        stage: the stage; None: a new one.
        create_new_stage: whether the stage is a new one, rather than the current one if there is.
        gravity_enabled: whether there is gravity, if no configuration is given.
        device: where to simulate, likewise.
        dt: time step [s], likewise; None: 0.01 if one of these three is given.
        sim_cfg: another name of `cfg`.
        add_ground_plane: whether there is a ground plane at ``/World/defaultGroundPlane``.
        add_lighting: whether there is a light at ``/World/defaultDomeLight``.
        auto_add_lighting: accepted, without effect: it is for windows, of which there are none.
        visualizers: accepted, without effect.

    Raises:
        InvalidValueError: two configurations are given.
    """
    if isinstance(cfg, bool):
        create_new_stage = cfg
        cfg = None
    if cfg is not None and sim_cfg is not None:
        raise InvalidValueError("sim_cfg", sim_cfg, "None, as cfg is given")
    chosen = cfg if cfg is not None else sim_cfg
    if chosen is None and (device is not None or dt is not None or not gravity_enabled):
        gravity = (0.0, 0.0, -9.81 if gravity_enabled else 0.0)
        step = 0.01 if dt is None else dt
        chosen = SimulationCfg(device=device or "cpu", dt=step, gravity=gravity)
    before = SimulationContext.instance()
    if stage is None and create_new_stage:
        stage = create_stage()
    elif stage is None and before is not None:
        stage = before.stage
    SimulationContext.clear_instance()
    with SimulationContext(chosen, stage) as simulation:
        if add_ground_plane:
            ground = GroundPlaneCfg()
            ground.func("/World/defaultGroundPlane", ground, stage=stage)
        if add_lighting:
            light = DomeLightCfg(intensity=3000.0)
            light.func("/World/defaultDomeLight", light, stage=stage)
        yield simulation
