"""Application of a program that steps a model in its own loop and shows it."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from usdsim.core.errors import InvalidValueError
from usdsim.math.rotations import quat_to_wxyz
from usdsim.render import Marks
from usdsim.scene import Camera, SceneData, SceneModel
from usdsim.scene.data.given import check_data

from .app_page import AppPage
from .cameras import RenderCamera, SystemCamera, aim_pages
from .errors import InvalidArgumentError, OtherRenderError, RenderClosedError
from .gizmos import RenderGizmos
from .images import CaptureTask, Image
from .panel import Input, RenderOpt, RenderUI
from .values import RenderSettings
from .widgets import RenderWidgets

__all__ = ["RenderApp"]


_PORT = 8080
_TRIES = 5
"""Free ports that are tried: programs that start together find the same one."""
_SITE = 0.1
"""Length of the axes of sites [m]."""


class RenderApp:
    """Shows worlds of a model on a page that browsers open, or takes images without one.

    The program steps; `sync` brings the page to the present, hands on what its users pressed, and
    takes the images that were asked for. Use it in a ``with``
    block, or call `close`.

    Args:
        log_level: kept for programs that give it.
        headless: whether there is no page, but images only.
        fps: kept for programs that give it; a page shows 30 pictures a second at most.
        enable_render_diagnostics: likewise.
        port: of the page; None: 8080, or one that is free.

    Attributes:
        gizmos: what is drawn for one picture.
        opt: options.
        system_camera: view that no camera of the model has.
        main_camera: camera of the model that pages look through; None: `system_camera`.
        offsets: places of the worlds [m], shape (worlds, 3).
        visible: indices of the worlds that are shown.
    """

    def __init__(
        self,
        log_level: str = "WARN",
        headless: bool = False,
        fps: int | None = None,
        enable_render_diagnostics: bool = False,
        *,
        port: int | None = None,
    ):
        self._headless, self._port, self._closed = headless, port, False
        self._page: AppPage | None = None
        self._model: SceneModel | None = None
        self._data: SceneData | None = None
        self._tasks: list[tuple[CaptureTask, Callable[[SceneData], NDArray[Any]]]] = []
        self.gizmos, self.opt = RenderGizmos(), RenderOpt()
        self.system_camera = SystemCamera(self)
        self.main_camera: Camera | None = None
        self.offsets: NDArray[np.float64] = np.zeros((1, 3))
        self.visible: NDArray[np.intp] = np.zeros(1, np.intp)
        self._set_up(None)

    # -- what is shown -------------------------------------------------------------------------

    @property
    def model(self) -> SceneModel:
        """The model that is shown.

        Raises:
            OtherRenderError: none is yet.
        """
        if self._model is None:
            raise OtherRenderError("Nothing is shown yet. Call launch(model) first.")
        return self._model

    @property
    def server(self) -> Any:
        """Server of the page; None: there is none."""
        return None if self._page is None else self._page.viewer.server

    @property
    def url(self) -> str | None:
        """Address of the page; None: there is none."""
        return None if self._page is None else self._page.viewer.url

    @property
    def watched(self) -> bool:
        """Whether a browser shows the page."""
        return self.server is not None and bool(self.server.get_clients())

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, by the program or on the page."""
        return self._closed

    @property
    def input(self) -> Input:
        """Keys and mouse."""
        return self._input

    @property
    def ui(self) -> RenderUI:
        """Controls of the program."""
        return self._ui

    @property
    def widgets(self) -> RenderWidgets:
        """Pictures beside the view."""
        return self._widgets

    def launch(
        self,
        model: SceneModel,
        batch: int = 1,
        render_offset: ArrayLike | None = None,
        render_settings: RenderSettings | None = None,
    ) -> None:
        """Show a model in place of the one before.

        Args:
            model: the model, which has a stage.
            batch: number of worlds.
            render_offset: place of each world [m], shape (batch, 3); None: all in one place.
            render_settings: kept for programs that give them.

        Raises:
            RenderClosedError: it is closed.
            InvalidArgumentError: an argument is not allowed.
            UnsupportedError: viser is not installed.
            StageError: the model has no stage.
        """
        self._check_open()
        if not isinstance(model, SceneModel):
            raise InvalidArgumentError("model", type(model).__name__, "a SceneModel")
        if isinstance(batch, bool) or not isinstance(batch, int | np.integer) or batch < 1:
            raise InvalidArgumentError("batch", batch, "a whole number above 0")
        offsets = (
            np.zeros((batch, 3)) if render_offset is None else np.asarray(render_offset, float)
        )
        if offsets.shape != (batch, 3) or not np.isfinite(offsets).all():
            raise InvalidArgumentError("render_offset", offsets.shape, f"({batch}, 3), finite")
        if self._page is not None:
            self._page.viewer.close()
            self._page = None
        self._model, self._data = model, None
        self.offsets, self.visible = offsets, np.arange(batch)
        if not self._headless:
            self._page = self._open(model, self._new_data())
            self._place()
        self._set_up(self.server)

    def _open(self, model: SceneModel, data: SceneData) -> AppPage:
        """Serve the page, at a free port unless one was asked for."""
        if self._port:
            return AppPage(model, data, self._port)
        for _ in range(_TRIES - 1):
            try:
                return AppPage(model, data, _free_port())
            except InvalidValueError:
                continue
        return AppPage(model, data, _free_port())

    def sync(self, data: SceneData | ArrayLike | None = None, wait: bool = False) -> None:
        """Show the present, and do what was asked for since the last call.

        Args:
            data: worlds of the model, as many as are shown; or poses of its links [m, xyzw], shape
                (batch, num_links, 7); None: as before.
            wait: whether images are to be there afterwards, which they always are.

        Raises:
            RenderClosedError: it is closed.
            InvalidArgumentError: `data` have another number of worlds or links.
        """
        self._check_open()
        poses = None
        if isinstance(data, SceneData):
            check_data(data, self.model)
            if (data.shape or (1,)) != (len(self.offsets),):
                raise InvalidArgumentError("shape of data", data.shape, f"({len(self.offsets)},)")
            self._data = data
        elif data is not None:
            poses = self._link_poses(data)
        for task, take in self._tasks:
            taken = take(self._shown_data())
            # A single world needs no axis, even where data have one.
            task.finish(taken[0] if taken.ndim == 4 and len(taken) == 1 else taken)
        self._tasks.clear()
        if self._page is not None:
            self._show(self._page, poses)
        self._input.advance()

    def set_main_camera(self, camera: Camera | None) -> None:
        """Set the camera of the model that pages look through; None: as their users please."""
        self.main_camera = camera

    def get_camera(self, index: int) -> RenderCamera | None:
        """A camera of the model, to take images with; None: there is none of that index."""
        there = isinstance(index, int | np.integer) and 0 <= index < len(self.model.cameras)
        return RenderCamera(self, self.model.cameras[index]) if there else None

    def set_all_scene_vis(self, visible: bool) -> None:
        """Show or hide all worlds."""
        self.set_scene_vis(range(len(self.offsets)), visible)

    def set_scene_vis(self, indices: Sequence[int], visible: bool) -> None:
        """Show or hide worlds.

        Raises:
            InvalidArgumentError: there is no such world.
        """
        count = len(self.offsets)
        chosen = np.asarray(indices, dtype=np.intp).reshape(-1)
        if ((chosen < 0) | (chosen >= count)).any():
            raise InvalidArgumentError("indices", chosen.tolist(), f"0 to {count - 1}")
        change = np.union1d if visible else np.setdiff1d
        self.visible = change(self.visible, chosen).astype(np.intp)
        self._place()

    def create_image(
        self, pixels: NDArray[np.uint8], is_srgb: bool = True, keep_in_cpu: bool = True
    ) -> Image:
        """Make an image of pixels, uint8, shape (height, width, 3 or 4).

        Raises:
            InvalidArgumentError: they are of another type or shape.
        """
        return Image(pixels)

    def get_texture_image(self, name: str) -> Image:
        """Refuse: textures are those of the stage.

        Raises:
            OtherRenderError: always.
        """
        raise OtherRenderError(f"Texture {name!r} cannot be changed: textures are the stage's.")

    def capture(self, take: Callable[[SceneData], NDArray[Any]]) -> CaptureTask:
        """Queue a function of the worlds that takes an image at the next `sync`."""
        self._check_open()
        task = CaptureTask()
        self._tasks.append((task, take))
        return task

    def close(self) -> None:
        """Close the page; closing twice is closing once."""
        self._closed = True
        if self._page is not None:
            self._page.viewer.close()

    def __enter__(self) -> RenderApp:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    # -- inside --------------------------------------------------------------------------------

    def _set_up(self, server: Any) -> None:
        self._input = Input(server)
        ask = (lambda action: None) if self._page is None else self._page.viewer.ask
        self._ui, self._widgets = RenderUI(server, self._input, ask), RenderWidgets(self)
        if server is not None:
            server.gui.add_button("Close").on_click(lambda _: ask(self.close))

    def _check_open(self) -> None:
        if self._closed:
            raise RenderClosedError("The application is closed. Make another one.")

    def _place(self) -> None:
        """Put the shown worlds, which are any of the engine's, in their places."""
        if self._page is not None:
            worlds = self._shown_data().all_worlds.reshape(-1)[self.visible]
            self._page.place(worlds.tolist(), self.offsets[self.visible].tolist())

    def _shown_data(self) -> SceneData:
        if self._data is None:
            if self._page is not None:
                return self._page.viewer.data
            self._data = self._new_data()
        return self._data

    def _new_data(self) -> SceneData:
        """Worlds of the model, as many as are shown."""
        count = len(self.offsets)
        return SceneData(self.model, batch=(count,)) if count > 1 else SceneData(self.model)

    def _link_poses(self, poses: ArrayLike) -> NDArray[np.float64]:
        """Poses of bodies by engine index [m, wxyz], shape (worlds, bodies, 7)."""
        given = np.asarray(poses, np.float64)
        wanted = (len(self.offsets), self.model.num_links, 7)
        if given.shape != wanted:
            raise InvalidArgumentError("shape of poses", given.shape, f"{wanted}, or SceneData")
        found = np.zeros((len(given), self.model.low.nbody, 7))
        found[..., 3] = 1.0
        ids = [link.engine_id for link in self.model.links]
        found[:, ids, :3], found[:, ids, 3:] = given[..., :3], quat_to_wxyz(given[..., 3:])
        return found

    def _show(self, page: AppPage, poses: NDArray[np.float64] | None) -> None:
        viewer = page.viewer
        if self._data is not None:
            viewer.show_data(self._data)
            self._place()
        there = len(self.visible) > 0
        viewer.show_poses(poses[self.visible] if poses is not None and there else None)
        page.guide(self.gizmos.draw_collider, self.gizmos.draw_joint)
        viewer.update()
        if self._closed:
            return
        page.draw(Marks.joined([self.gizmos.take(), *self._site_marks()]))
        page.show_points(self._lidar_points() if self.opt.is_lidar_point_vis() else None)
        self._widgets.refresh(self._shown_data())
        if self.main_camera is not None and there:
            data = self._shown_data()
            pose = self.main_camera.get_pose(data[int(self.visible[0])] if data.shape else data)
            aim_pages(viewer.server, np.asarray(pose, np.float64))

    def _site_marks(self) -> Sequence[Marks]:
        data, sites = self._shown_data(), self.model.sites
        if not self.gizmos.draw_site or not sites:
            return ()
        poses = np.stack([site.get_pose(data).reshape(-1, 7)[0] for site in sites])
        return (Marks.frames(poses[:, :3], poses[:, 3:], _SITE),)

    def _lidar_points(self) -> NDArray[np.float32]:
        """Points that lidars of the shown worlds see, in the worlds' places [m], shape (n, 3)."""
        data = self._shown_data()
        points = [np.zeros((0, 3), np.float32)]
        for sensor in self.model.sensors:
            if sensor.typ == "lidar" and sensor.name:
                seen = self.model.get_sensor_value(sensor.name, data)
                seen = seen.reshape(len(self.offsets), -1, 3)
                hit = (seen != 0.0).any(axis=-1)
                placed = (seen + self.offsets[:, None])[self.visible]
                points.append(placed[hit[self.visible]].astype(np.float32))
        return np.concatenate(points)


def _free_port() -> int:
    for port in (_PORT, 0):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise OtherRenderError("No port is free for the page.")
