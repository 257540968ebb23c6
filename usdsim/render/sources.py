"""Pose sources: poses of bodies to draw, by prim path, from simulations, models and stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pxr import Usd

from usdsim.core.errors import InvalidValueError, StageError
from usdsim.engine.base import Engine
from usdsim.parser.element import is_below
from usdsim.usd.stage import open_stage

from .engine_reader import EngineReader, vertex_slices
from .recordings import Recording

__all__ = [
    "DrawableModel",
    "DrawableSimulation",
    "DrawableWorlds",
    "PoseSource",
    "find_engine",
    "find_reader",
    "find_sources",
    "stage_of",
    "world_indices",
]

PoseSource = Callable[[], dict[str, NDArray[np.float64]]]
"""Poses of bodies in world [m, xyzw], shape (7,), by prim path; of deformable bodies, positions of
their vertices [m], shape (n, 3)."""


@runtime_checkable
class DrawableModel(Protocol):
    """Model read from a stage that can be drawn, such as a `SceneModel`."""

    @property
    def stage(self) -> Usd.Stage | None:
        """The stage; None: it has none."""
        ...

    @property
    def low(self) -> Any:
        """The engine's model."""
        ...


def stage_of(model: DrawableModel) -> Usd.Stage:
    """The stage of a model.

    Raises:
        StageError: it has none.
    """
    if model.stage is None:
        raise StageError("The model has no stage to show: it was copied without. Load it again.")
    return model.stage


class DrawableWorlds(Protocol):
    """Worlds of a model, such as `SceneData`."""

    @property
    def engine(self) -> Any:
        """The engine."""
        ...


class DrawableSimulation(Protocol):
    """A simulation of environments, such as a `SimulationContext`."""

    @property
    def stage(self) -> Usd.Stage:
        """The stage."""
        ...

    @property
    def env_paths(self) -> tuple[str, ...]:
        """Prim paths of the environments; empty if the stage has none."""
        ...

    @property
    def engine(self) -> Engine:
        """The engine."""
        ...

    def is_stopped(self) -> bool:
        """Whether there is no engine."""
        ...


def world_indices(world: int | Sequence[int]) -> list[int]:
    """Indices of the worlds to show, of one or several."""
    return [int(world)] if isinstance(world, int | np.integer) else list(world)


def find_sources(
    source: Any, data: Any, world: int | Sequence[int]
) -> tuple[Usd.Stage, list[PoseSource], list[str]]:
    """The stage to show, where its bodies are, and the environments to leave out.

    Args:
        source: a simulation, a model, a recording, a stage, or the path of one.
        data: worlds of a model or stage, or None.
        world: index of the world, or of several environments.

    Raises:
        StageError: the model has no stage.
        InvalidValueError: there is no such world, or several of what has no environments.
    """
    worlds = world_indices(world)
    if not worlds:
        raise InvalidValueError("world", worlds, "at least one index")
    if isinstance(source, Recording):
        if worlds != [0] or data is not None:
            raise InvalidValueError("world", worlds, "0, and no data: a recording has one world")
        return source.stage, [source.read], []
    if hasattr(source, "env_paths"):
        return _of_simulation(source, worlds)
    stage = stage_of(source) if isinstance(source, DrawableModel) else open_stage(source)
    if len(worlds) != 1:
        raise InvalidValueError(
            "world", worlds, "one index: only a simulation with environments shows several"
        )
    if data is None:
        if worlds != [0]:
            raise InvalidValueError("world", worlds[0], "0 without data")
        return stage, [], []
    return stage, [_reader(find_engine(source, data), int(worlds[0]))], []


def find_engine(source: Any, data: Any) -> Engine | None:
    """The engine that simulates what `find_sources` shows; None: nothing does."""
    if hasattr(source, "env_paths"):
        return None if source.is_stopped() else source.engine
    engine: Engine | None = None if data is None else getattr(data, "engine", data)
    return engine


def find_reader(source: Any, data: Any, world: int, path: str) -> PoseSource | None:
    """Poses of a world under the names of an environment; None: nothing is simulated.

    Args:
        source: what `find_sources` shows.
        data: likewise.
        world: index of the world.
        path: of the environment whose bodies are moved; empty: there are none.
    """
    engine = find_engine(source, data)
    paths = getattr(source, "env_paths", ())
    return None if engine is None else _reader(engine, world, paths[0] if paths else "", path)


def _of_simulation(
    simulation: DrawableSimulation, worlds: Sequence[int]
) -> tuple[Usd.Stage, list[PoseSource], list[str]]:
    paths = simulation.env_paths
    count = max(len(paths), 1)
    if not all(0 <= index < count for index in worlds) or len(set(worlds)) != len(worlds):
        raise InvalidValueError("world", worlds, f"different indices from 0 to {count - 1}")
    hidden = [path for i, path in enumerate(paths) if i not in worlds]
    if simulation.is_stopped():
        return simulation.stage, [], hidden
    engine = simulation.engine
    if not paths:
        return simulation.stage, [_reader(engine, 0)], []
    # What is outside environments is in every world; the last of these readers has the last word.
    readers = [_reader(engine, int(i), paths[0], paths[i]) for i in reversed(worlds)]
    return simulation.stage, readers, hidden


def _reader(engine: Any, world: int, first: str = "", path: str = "") -> PoseSource:
    """Poses of one world, with the prims of its environment instead of the first one's."""
    reader = EngineReader(engine, world)
    compiled = engine.compiled

    def placed(paths: Iterable[str]) -> list[str]:
        return [
            path + own[len(first) :] if first and is_below(own, first) else own for own in paths
        ]

    bodies = placed(body.path for body in compiled.scene.bodies)
    soft = placed(vertex_slices(compiled))

    def read() -> dict[str, NDArray[np.float64]]:
        poses = dict(zip(bodies, reader.body_poses(), strict=True))
        return poses | dict(zip(soft, reader.deformable_points(), strict=True))

    return read
