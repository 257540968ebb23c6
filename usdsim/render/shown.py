"""Shown worlds: a drawable scene that follows a simulation, a model, a stage or a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .animated_looks import AnimatedLooks
from .annotations.guides import INSIDE, Guides
from .annotations.marks import Marks
from .annotations.stage_marks import StageMarks
from .drawable import DrawableScene
from .recordings import Recording
from .sources import find_engine, find_reader, find_sources, world_indices
from .worlds.looks import world_looks
from .worlds.sizes import WorldSizes
from .worlds.visible import FirstNames

__all__ = ["ShownWorld"]


class ShownWorld:
    """World that pictures, films, pages and viewers draw, brought to the present.

    Args:
        source: a `SimulationContext`, a `SceneModel`, a `Recording`, a stage, or the path of one.
        data: of a `SceneModel` or stage, the worlds; None: the authored state.
        world: index of the world, or of several environments.
        guides: marks that are drawn, names of `GUIDES`.
        floor: whether a stage without ground gets a neutral floor.
        colliders: whether what collides is shown instead of what is seen.

    Raises:
        StageError: there is no stage.
        InvalidValueError: there is no such world, or no such guide.

    Attributes:
        scene: what is drawn.
        stage: where it is from.
        env_paths: prim paths of the environments; empty: there are none.
        colliders: whether what collides is shown.
    """

    def __init__(
        self,
        source: Any,
        data: Any = None,
        world: int | Sequence[int] = 0,
        *,
        guides: Sequence[str] = (),
        floor: bool = True,
        colliders: bool = False,
    ):
        self._source, self._data, self.colliders = source, data, colliders
        self.stage, self._readers, hidden = find_sources(source, data, world)
        self._built = ""
        self.scene = DrawableScene(self.stage, hidden, floor=floor, colliders=colliders)
        self._stage_marks = StageMarks(self.stage, self.scene.description)
        self._guides: list[Guides] = []
        self._worlds = world_indices(world)
        self.env_paths = tuple(getattr(source, "env_paths", ()))
        first = FirstNames(self.env_paths)
        named = [first(path) for path in self.scene.parts.paths]
        self._owner, self._bare = np.array([k for k, _ in named], np.intp), self.scene.parts
        self._part_names = tuple(name for _, name in named)
        self._looks_seen = 0
        self._sizes: WorldSizes | None = None
        self._sized = False
        recorded = self.recording
        self._animated = None if recorded is None else AnimatedLooks(self.stage, self._bare)
        self.guide(guides)

    @property
    def in_environments(self) -> NDArray[np.bool_]:
        """Whether each part is in an environment, shape (S,)."""
        return self._owner >= 0

    @property
    def recording(self) -> Recording | None:
        """The recording that is played; None: it is none."""
        return self._source if isinstance(self._source, Recording) else None

    @property
    def guides(self) -> tuple[str, ...]:
        """Names of the marks that are drawn."""
        return self._guides[0].names

    @property
    def has_marks(self) -> bool:
        """Whether there may be marks, of guides or of the stage."""
        return bool(self.guides) or len(self.scene.marks) > 0 or self._stage_marks.found

    def guide(self, names: Sequence[str]) -> None:
        """Choose the marks that are drawn; see `GUIDES`."""
        engine = find_engine(self._source, self._data)
        self.scene.faded = not INSIDE.isdisjoint(names)
        self._guides = [Guides(self.scene, engine, int(w), names) for w in self._worlds]

    def follow(self, world: int) -> None:
        """Follow another world of the same model, whose bodies go by the names of the first one.

        What stands still stays in the environment that was shown first.
        """
        shown = self.env_paths[self._worlds[0]] if self.env_paths else ""
        self._built = self._built or shown
        reader = find_reader(self._source, self._data, world, self._built)
        self._readers = self._readers if reader is None else [reader]
        self._worlds = [world]
        if self._looks_seen > 0 or self._sized:
            self._looks_seen = -1
        self.guide(self._guides[0].names)

    def move(self) -> None:
        """Update the poses of everything."""
        for reader in self._readers:
            self.scene.move(reader())
        self._dress()
        marks = [guides.read() for guides in self._guides]
        self.scene.marks = Marks.joined([*marks, self._stage_marks.read(self.scene.body_pose)])

    def _dress(self) -> None:
        """Update the scene's looks of single worlds, or of this time, where some have changed."""
        if self._animated is not None:
            parts = self._animated.at(self._source.code)
            if parts is not self.scene.parts:
                self.scene.dress(parts, self.scene.light)
        engine = find_engine(self._source, self._data)
        if engine is None:
            return
        if self._sizes is None:
            self._sizes = WorldSizes(self._bare, self._part_names, engine)
        looks, resized = world_looks(self.stage, engine), self._sizes.changed()
        self._sized |= resized
        if resized or looks.version != self._looks_seen:
            first = self._worlds[0]
            worlds = np.where(self._owner < 0, first, self._owner)
            if len(self._worlds) == 1:
                worlds[:] = first
            light = {name: rows[first : first + 1] for name, rows in looks.light.items()}
            parts = looks.dressed(self._bare, self._part_names, worlds)
            if self._sized:
                sizes = self._sizes.sizes
                own = sizes[worlds % len(sizes), np.arange(len(worlds))]
                parts = replace(parts, size=own)
            self.scene.dress(parts, light)
            self._looks_seen = looks.version
