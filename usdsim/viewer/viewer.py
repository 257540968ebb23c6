"""Viewer: a running simulation in the browser, with controls."""

from __future__ import annotations

import queue
import socket
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from usdsim.core.errors import InvalidValueError, UnsupportedError
from usdsim.render.drawable import DrawableScene
from usdsim.render.framing import frame_points
from usdsim.render.sources import find_sources
from usdsim.render.tessellation import part_triangles
from usdsim.scene import SceneData, SceneModel

from .controls import add_controls

__all__ = ["Viewer"]

_FOVY = 40.0
"""Angle between the top and bottom of a new page's view [deg]."""
_RATE = 30.0
"""Poses are sent at most so often [1/s]."""


class Viewer:
    """Shows the worlds of a model on a page that browsers open while it lives.

    Controls act where the simulation is stepped: in `update` or `run`, never in between. Use it in
    a ``with`` block, or call `close`.

    Args:
        model: what is shown; it has a stage.
        data: its worlds; None: new ones.
        port: of the page.
        host: who may connect; the default is this machine alone.

    Raises:
        UnsupportedError: viser is not installed.
        InvalidValueError: the port is taken, or out of range.
        StageError: the model has no stage.

    Attributes:
        playing: whether `run` advances time.
        speed: simulated time per time that passes, in `run`.
        controls: what the page has, by name.
    """

    def __init__(
        self,
        model: SceneModel,
        data: SceneData | None = None,
        *,
        port: int = 8080,
        host: str = "127.0.0.1",
    ):
        viser = _import_viser()
        _check_port(host, port)
        self.model, self.data = model, SceneData(model) if data is None else data
        self.playing, self.speed = True, 1.0
        self._world, self._sent = 0, -np.inf
        self._asked: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        stage, self._readers, _ = find_sources(model, self.data, 0)
        self._scene = DrawableScene(stage)
        self.server: Any = viser.ViserServer(host=host, port=port, verbose=False)
        self.url = f"http://{host}:{port}"
        self.server.scene.set_up_direction("+z")
        self._handles = self._add_parts()
        self._aim()
        self.controls = add_controls(self, self.server.gui)
        self._follow()

    @property
    def watched(self) -> SceneData:
        """The world that is shown."""
        return self.data[self._world] if self.data.shape else self.data

    def update(self) -> None:
        """Do what the page asked for, and send poses if the last ones are old enough."""
        while not self._asked.empty():
            self._asked.get()()
        now = time.perf_counter()
        if now - self._sent >= 1.0 / _RATE:
            self._sent = now
            self._follow()

    def run(self, seconds: float = np.inf) -> None:
        """Step in real time, as the page says, until the time is over or the user interrupts."""
        start = last = time.perf_counter()
        timestep, due = float(self.model.low.opt.timestep), 0.0
        while (now := time.perf_counter()) - start < seconds:
            self.update()
            # What a slow machine cannot make up for is given up.
            due = min(due + (now - last) * self.speed, 0.1) if self.playing else 0.0
            last = now
            while due >= timestep:
                self.model.step(self.data)
                due -= timestep
            time.sleep(max(0.0, min(timestep, 1.0 / _RATE) - (time.perf_counter() - now)))

    def ask(self, action: Callable[[], None]) -> None:
        """Let `update` do something, from any thread."""
        self._asked.put(action)

    def step(self) -> None:
        """Advance all worlds by one time step."""
        self.model.step(self.data)
        self._follow()

    def reset(self) -> None:
        """Put all worlds back to where they began."""
        self.data.reset()
        self._follow()

    def show_world(self, world: int) -> None:
        """Choose the world that is shown, in the next `update`."""
        self.ask(lambda: self._show(world))

    def set_control(self, column: int, value: float) -> None:
        """Set a control of the world that is shown."""
        controls = np.array(self.watched.actuator_ctrls)
        controls[column] = value
        self.watched.actuator_ctrls = controls

    def set_joint(self, column: int, value: float) -> None:
        """Set a joint's position in the world that is shown [m or rad]."""
        positions = np.array(self.watched.dof_pos)
        positions[column] = value
        self.watched.dof_pos = positions
        self._follow()

    def close(self) -> None:
        """Close the page; the simulation goes on."""
        if self.server is not None:
            self.server.stop()
            self.server = None

    def __enter__(self) -> Viewer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # -- inside --------------------------------------------------------------------------------

    def _show(self, world: int) -> None:
        self._world = world
        _, self._readers, _ = find_sources(self.model, self.data, world)
        self._follow()

    def _aim(self) -> None:
        """Let pages open with all that moves in view."""
        points = self._scene.points
        camera = self.server.initial_camera
        camera.position = frame_points(points, fovy=_FOVY, aspect=1.0)[:3]
        camera.look_at = (points.min(axis=0) + points.max(axis=0)) / 2.0
        camera.fov = np.radians(_FOVY)

    def _add_parts(self) -> list[Any]:
        parts, handles = self._scene.parts, []
        for index, path in enumerate(parts.paths):
            points, faces = part_triangles(parts, index)
            rgba = parts.rgba[index]
            mesh = parts.mesh[index]
            both = mesh >= 0 and parts.meshes[mesh].two_sided
            handles.append(
                self.server.scene.add_mesh_simple(
                    f"/parts/{index}{path}",
                    points.astype(np.float32),
                    faces.astype(np.uint32),
                    color=tuple((rgba[:3].clip(0.0, 1.0) * 255.0).astype(int).tolist()),
                    opacity=None if rgba[3] >= 1.0 else float(rgba[3]),
                    flat_shading=parts.kind[index] in (0, 6),
                    side="double" if both else "front",
                )
            )
        return handles

    def _follow(self) -> None:
        """Send where parts are."""
        if self.server is None:
            return
        for reader in self._readers:
            self._scene.move(reader())
        pos, quat, _ = self._scene.poses()
        with self.server.atomic():
            for handle, at, turn in zip(self._handles, pos, quat, strict=True):
                handle.position, handle.wxyz = at, turn[[3, 0, 1, 2]]
            for mesh, points in self._scene.soft_points():
                for index in np.flatnonzero(self._scene.parts.mesh == mesh):
                    self._handles[index].vertices = points.astype(np.float32)
            self.controls["time"].value = f"{float(self.data.low.time[self._world]):.3f}"


def _import_viser() -> Any:
    try:
        import viser
    except ImportError as error:
        raise UnsupportedError(
            "The viewer needs viser. Install it with pip install 'usdsim[view]'."
        ) from error
    return viser


def _check_port(host: str, port: int) -> None:
    """Raise where nobody can listen: the library would take another port without a word."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 < port < 2**16:
        raise InvalidValueError("port", port, "1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise InvalidValueError(
                "port", port, "one that is free", f"{error.strerror}. Choose another."
            ) from error
