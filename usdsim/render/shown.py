"""Shown worlds: a drawable scene that follows a simulation, a model, a stage or a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .annotations.guides import INSIDE, Guides
from .annotations.marks import Marks
from .annotations.stage_marks import StageMarks
from .drawable import DrawableScene
from .recordings import Recording
from .sources import find_engine, find_sources

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
        self._source, self._data = source, data
        stage, self._readers, hidden = find_sources(source, data, world)
        self.scene = DrawableScene(stage, hidden, floor=floor, colliders=colliders)
        self._stage_marks = StageMarks(stage, self.scene.description)
        self._guides: list[Guides] = []
        self._worlds = [world] if isinstance(world, int) else list(world)
        self.guide(guides)

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

    def show(self, world: int) -> None:
        """Follow another world of the same model."""
        _, self._readers, _ = find_sources(self._source, self._data, world)
        self._worlds = [world]
        self.guide(self._guides[0].names)

    def move(self) -> None:
        """Bring everything to where it is now."""
        for reader in self._readers:
            self.scene.move(reader())
        marks = [guides.read() for guides in self._guides]
        self.scene.marks = Marks.joined([*marks, self._stage_marks.read(self.scene.body_poses())])
