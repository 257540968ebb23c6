"""Viewer: a running simulation, or a recording, in the browser, with controls."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.arguments import number, table, whole
from usdsim.core.errors import UnsupportedError, UsdsimError
from usdsim.scene import SceneData, SceneModel, load_model
from usdsim.scene.data.given import check_data
from usdsim.usd.edits import StageEdits

from .clocks import ModelClock, clock_of
from .controls import MOST_GHOSTS, add_controls
from .opening import roams, room
from .page_display import PageDisplay
from .plots import Plots
from .pulling import Pull
from .serving import aside, check_port, import_viser, stop
from .sliders import Sliders
from .worlds import ShownWorlds

__all__ = ["Viewer"]

_RATE = 30.0
"""Poses are sent at most so often [1/s]."""
_READ = 0.2
"""Time from which a number is replaced [s]: it takes as long to send as all poses of a shape."""


class Viewer(AbstractContextManager["Viewer"]):
    """Shows worlds on a page that browsers open while it lives.

    Controls act where the simulation is stepped: in `update` or `run`, never in between. With the
    control key held, the mouse pulls bodies of the world that is watched. Use it in a ``with``
    block, or call `close`.

    Args:
        source: what is shown: a model that has a stage, a `SimulationContext`, an
            `InteractiveScene`, a `SimulationClock`, or a `Recording`.
        data: worlds of a model; None: new ones.
        port: of the page.
        host: who may connect; the default is this machine alone.
        guides: marks that are drawn at first, names of `GUIDES`.
        triangles: of all meshes together, at most; more are decimated.

    Raises:
        UnsupportedError: viser is not installed.
        InvalidValueError: the port is taken, or out of range; there is no such guide.
        StageError: the model has no stage.

    Attributes:
        speed: simulated time per time that passes, in `run`.
        following: whether cameras go along with the selected body, else with the middle of all;
            at first, where all that moves hangs on one free body.
        controls: what the page has, by name.
        sliders: those of them that show and set quantities.
        display: what is drawn on it.
        plots: quantities that are plotted.
    """

    def __init__(
        self,
        source: Any,
        data: SceneData | None = None,
        *,
        port: int = 8080,
        host: str = "127.0.0.1",
        guides: Sequence[str] = (),
        triangles: int = 300_000,
    ):
        viser = import_viser()
        check_port(host, port)
        self.clock = clock_of(source, data)
        self.controls: dict[str, Any] = {}
        self.sliders = Sliders(self)
        self._playing, self.speed = True, 1.0
        self._sent = self._controls_read = -np.inf
        self._queue: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._pull: Pull | None = None
        self._selected = self._complaint = ""
        self.display = PageDisplay(self.clock, guides, triangles)
        self.following = roams(self.display.scene)
        with aside():
            self.server: Any = viser.ViserServer(host=host, port=port, verbose=False)
        self.url = f"http://{host}:{port}"
        self.plots = Plots()
        self.display.open(self.server, self._picked, self._dragged)
        self.controls = add_controls(self, self.server.gui)
        self._follow()
        # Pages that open in a pause show the present too.
        self.server.on_client_connect(lambda _: self.display.worlds.catch_up())

    @property
    def playing(self) -> bool:
        """Whether `run` advances time."""
        return self._playing

    @playing.setter
    def playing(self, value: bool) -> None:
        self._playing = value
        if "play" in self.controls:
            self.controls["play"].label = "Pause" if value else "Play"
        self.sliders.enable(value)

    @property
    def model(self) -> SceneModel:
        """The model; another one after an edit.

        Raises:
            UnsupportedError: a simulation or recording is shown.
        """
        if self.clock.model is None:
            raise UnsupportedError("The viewer shows no model of the scene door.")
        return self.clock.model

    @property
    def data(self) -> SceneData:
        """Worlds of `model`; others after an edit."""
        if self.clock.data is None:
            raise UnsupportedError("The viewer shows no data of the scene door.")
        return self.clock.data

    @property
    def watched(self) -> SceneData:
        """The world of `data` that is watched."""
        return self.data[self.display.choice.watched] if self.data.shape else self.data

    @property
    def guides(self) -> tuple[str, ...]:
        """Names of the marks that are drawn."""
        return self.display.shown.guides

    @property
    def selected(self) -> str:
        """Prim path that was clicked or chosen last; empty: none."""
        return self._selected

    def poses(self) -> dict[str, NDArray[np.float64]]:
        """Positions [m] and wxyz of bodies of the watched world as last sent, by prim path."""
        return self.display.bodies

    def update(self) -> None:
        """Handle what the page asked for, and send poses if the last ones are old enough."""
        while not self._queue.empty():
            self._carry_out(self._queue.get())
        if self._pull is not None:
            self._pull.apply()
        now = time.perf_counter()
        if now - self._sent >= 1.0 / _RATE:
            self._sent = now
            told = now - self._controls_read >= _READ
            self._controls_read = now if told else self._controls_read
            self._follow(told)

    def run(self, seconds: float = np.inf) -> None:
        """Step in real time, as the page says, until the time is over or the user interrupts."""
        start = last = time.perf_counter()
        due = 0.0
        while (now := time.perf_counter()) - start < seconds:
            self.update()
            timestep = self.clock.timestep
            # What a slow machine cannot make up for is given up.
            due = min(due + (now - last) * self.speed, 0.1) if self.playing else 0.0
            last = now
            while due >= timestep:
                self.clock.step()
                due -= timestep
                if self._pull is not None and due >= timestep:
                    self._pull.apply()
            time.sleep(max(0.0, min(timestep, 1.0 / _RATE) - (time.perf_counter() - now)))

    def ask(self, action: Callable[[], None]) -> None:
        """Queue a function for `update`, from any thread."""
        self._queue.put(action)

    def say(self, text: str) -> None:
        """Show a message on the page."""
        if "message" in self.controls:
            self.controls["message"].content = text

    def step(self) -> None:
        """Advance all worlds by one time step."""
        self.clock.step()
        self._follow()

    def reset(self) -> None:
        """Put all worlds back to where they began."""
        self._let_go()
        self.clock.reset()
        self._follow()
        self.sliders.follow(False)

    def seek(self, seconds: float) -> None:
        """Go to a time of a recording [s].

        Raises:
            InvalidValueError: it is no finite number.
        """
        recording, seconds = self.display.shown.recording, number("seconds", seconds, -np.inf)
        if recording is not None:
            recording.seek(seconds)
            self._follow()

    def apply_keyframe(self, index: int) -> None:
        """Put all worlds into a state that the model has.

        Raises:
            InvalidValueError: the model has no state of this index.
        """
        states = self.model.keyframes
        states[whole("index", index, 0, len(states) - 1)].apply(self.data)
        self._follow()
        self.sliders.follow(False)

    def show_world(self, world: int) -> None:
        """Choose the world that is watched, in the next `update`.

        Raises:
            InvalidValueError: there is no such world.
        """
        whole("world", world, 0, self.clock.num_worlds - 1)
        self.ask(lambda: self.choose(replace(self.display.choice, watched=world)))

    def show_ghosts(self, count: int, spacing: float = 0.0, points: int = 0) -> None:
        """Show the next worlds too, in the next `update`.

        Args:
            count: how many with all their parts, translucent.
            spacing: distance at which worlds are put side by side [m].
            points: how many more with a point for each body, which may be thousands.

        Raises:
            InvalidValueError: a number is negative, not finite, or no number.
        """
        shown: dict[str, Any] = {"ghosts": count, "points": points, "spacing": spacing}
        ShownWorlds(**shown)
        self.ask(lambda: self.choose(replace(self.display.choice, **shown)))

    def show_all(self, triangles: int) -> None:
        """Show worlds side by side, as many as have no more triangles, all in view of new pages.

        Raises:
            InvalidValueError: the number is negative, or no whole number.
        """
        of_each = self.display.worlds.scenery.num_triangles
        fitting = whole("triangles", triangles, 0) // max(of_each, 1)
        count = min(self.clock.num_worlds, fitting, MOST_GHOSTS + 1) - 1
        if count > 0:
            # Worlds of a model lie in one place, environments of a simulation beside each other.
            spacing = room(self.display.scene) if self.clock.model is not None else 0.0
            self.choose(replace(self.display.choice, ghosts=count, spacing=spacing))
            self.display.aim()

    def choose(self, choice: ShownWorlds) -> None:
        """Show other worlds of the engine, at once.

        Raises:
            InvalidValueError: there is no such world.
        """
        self._let_go()
        self.display.show(choice)
        self._follow()
        self.sliders.follow(False)

    def show_data(self, data: SceneData) -> None:
        """Show other worlds of the same model; which of them, `choose` says.

        Raises:
            InvalidValueError: they are of another model.
        """
        check_data(data, self.model)
        if data.engine is not self.data.engine:
            self._let_go()
            self.clock = clock_of(self.model, data)
            self.show_colliders(False)

    def show_poses(self, poses: NDArray[np.float64] | None) -> None:
        """Show bodies elsewhere than where they are simulated.

        Args:
            poses: of the engine's bodies in the shown worlds, position [m] and wxyz, shape
                (worlds, bodies, 7); None: where they are.
        """
        self.display.poses = poses

    def set_control(self, column: int, value: float) -> None:
        """Set a control of the world that is watched.

        Raises:
            InvalidValueError: there is no such control, or the value is no finite number.
        """
        self._set("actuator_ctrls", column, value)

    def set_joint(self, column: int, value: float) -> None:
        """Set a joint's position in the world that is watched [m or rad].

        Raises:
            InvalidValueError: there is no such joint, or the value is no finite number.
        """
        self._set("dof_pos", column, value)
        self._follow()

    def guide(self, names: Sequence[str]) -> None:
        """Choose the marks that are drawn; see `GUIDES`."""
        self.display.guide(names)
        self._follow()

    def show_colliders(self, shown: bool) -> None:
        """Show what collides instead of what is seen."""
        self.display.remake(self.clock, shown)
        self._follow()

    def show_names(self, shown: bool) -> None:
        """Write the names of bodies beside them."""
        self.display.show_names(shown)
        self._follow()

    def select(self, path: str) -> None:
        """Choose a prim, whose attributes can be edited."""
        changed, self._selected = path != self._selected, path
        if changed and "select" in self.controls:
            self.controls["select"](path)

    def pull(self, path: str, point: ArrayLike, target: ArrayLike | None) -> None:
        """Hold a body of the watched world on a spring.

        Args:
            path: of the body.
            point: where it is held, in world [m], shape (3,).
            target: where the other end of the spring is, in world [m]; None: it is let go.

        Raises:
            UnknownNameError: there is no such body.
            UnsupportedError: a recording is shown.
            InvalidValueError: a place is no finite numbers.
            ShapeError: it has another shape.
        """
        if target is None:
            self._let_go()
            return
        point, target = table("point", point, (3,)), table("target", target, (3,))
        display = self.display
        engine, bodies = display.engine, display.worlds.bodies
        if engine is None or bodies is None:
            raise UnsupportedError("Bodies of a recording cannot be pulled: nothing simulates it.")
        if self._pull is None:
            body = int(bodies[display.scene.body(path)])
            self._pull = Pull.at(engine, display.choice.watched, body, point)
        self._pull.target = target

    def attributes(self, path: str) -> dict[str, str]:
        """Physics attributes of a prim and their values as text."""
        return {} if self.clock.model is None else self._edited.attributes(path)

    def edit(self, path: str, name: str, text: str) -> None:
        """Set an attribute of a prim and go on with the model of the changed stage.

        Positions, velocities and controls stay, if there are as many of them. What the stage says
        is changed in a layer of its own; see `save_edits`.

        Raises:
            InvalidValueError: there is no such attribute, or it does not take the value.
            ParseError: the stage is invalid with it; it is taken back.
        """
        edits, clock = self._edited, self.clock
        edits.set(path, name, text)
        try:
            model = load_model(edits.stage)
        except UsdsimError:
            edits.clear(path, name)
            raise
        if isinstance(clock, ModelClock):
            self._let_go()
            self.clock = clock.edited(model)
            self.show_colliders(False)

    def save_edits(self, path: str) -> None:
        """Write the edits as a layer over the stage.

        Raises:
            FileError: the file cannot be written.
        """
        self._edited.save(path)

    def close(self) -> None:
        """Close the page; the simulation goes on."""
        self._let_go()
        if self.server is not None:
            self.display.worlds.close()
            stop(self.server)
            self.server = None

    def __exit__(self, *raised: object) -> None:
        self.close()

    # -- inside --------------------------------------------------------------------------------

    def _carry_out(self, action: Callable[[], None]) -> None:
        """Do what was asked for; the page shows why it failed until something succeeds."""
        complaint = ""
        try:
            action()
        except UsdsimError as error:
            complaint = str(error)
        if complaint or (self._complaint and self.controls["message"].content == self._complaint):
            self.say(complaint)
        self._complaint = complaint

    def _set(self, name: str, column: int, value: float) -> None:
        values = np.array(getattr(self.watched, name))
        values[whole("column", column, 0, values.size - 1)] = number("value", value, -np.inf)
        setattr(self.watched, name, values)

    def _let_go(self) -> None:
        if self._pull is not None:
            self._pull.release()
            self._pull = None

    @cached_property
    def _edited(self) -> StageEdits:
        return StageEdits(self.model.stage)

    def _picked(self, frame: int) -> None:
        self.ask(lambda: self.select(self.display.scene.body_path(frame)))

    def _dragged(self, frame: int, event: Any) -> None:
        if self.display.engine is None:
            return
        start = event.start_position
        target = None if event.phase == "end" else event.end_position
        self.ask(lambda: self.pull(self.display.scene.body_path(frame), start, target))

    def _follow(self, told: bool = True) -> None:
        """Send where everything is, and the time if it is told."""
        if self.server is None:
            return
        held = () if self._pull is None else (self._pull.marks(),)
        self.display.follow(self._selected if self.following else None, *held)
        if "time" in self.controls:
            now = self.clock.time(self.display.choice.watched)
            self.plots.add(self, now)
            if told:
                self.controls["time"].value = f"{now:.3f}"
                self.sliders.follow(self.playing)
