"""Pixels per second of cameras in many worlds, and what a live view costs a loop of steps."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import mujoco

import usdsim
from usdsim.core.processors import set_default_threads
from usdsim.math.rotations import quat_to_wxyz
from usdsim.render import look_at
from usdsim.render.views import Lens
from usdsim.render.worlds.views import WorldViews
from usdsim.scene.cameras.images import images_of

from .measure import Contender, alternate, median_time
from .models import QUADRUPED, corpus_robot
from .registry import Row, Settings, Skip, benchmark

__all__ = ["camera_kernels", "cameras", "viewer", "viewer_meshes"]

_ENVS, _EDGE = 64, 64
_STEPS = 20
"""Steps of a loop that is timed."""


@benchmark
def cameras(settings: Settings) -> Iterator[Row]:
    """Images of 64 by 64 pixels in 64 worlds of the quadruped, on all cores."""
    model = usdsim.load_model(QUADRUPED)
    data = usdsim.SceneData(model, batch=(_ENVS,))
    model.step(data)
    size = (_EDGE, _EDGE)
    lens = Lens.of_fovy(60.0, size, 0.01, 100.0)
    images = images_of(model, data, size)
    base = model.get_link_poses(data)[:, 0]
    poses = base.copy()
    poses[:, :3] += (1.0, -0.6, 0.4)
    poses[:, 3:] = look_at((1.0, -0.6, 0.4), (0.0, 0.0, 0.0))[3:]
    pixels = _ENVS * _EDGE * _EDGE / 1e6
    for kind, target in (("depth", 2.0), ("labels", None), ("colour", None)):
        seconds = median_time(lambda kind=kind: images.take(kind, poses, lens), settings.rounds(15))
        yield Row(f"{kind}, {_ENVS} worlds of {_EDGE} x {_EDGE}", pixels / seconds, "Mpixel/s",
                  target, at_least=True)  # fmt: skip


@benchmark
def camera_kernels(settings: Settings) -> Iterator[Row | Skip]:
    """Images on a device over bare `mujoco_warp.render`: the same worlds, camera and pixels.

    Without a GPU both run on one thread of Warp's CPU device, which says little about GPUs.
    """
    if find_spec("mujoco_warp") is None:
        yield Skip("images over bare mujoco_warp.render", "mujoco-warp is not installed")
        return
    import mujoco_warp
    import warp as wp

    wp.init()
    device = "cuda:0" if wp.is_cuda_available() else "cpu"
    set_default_threads(1 if device == "cpu" else 0)
    count, size = 4 if settings.quick else _ENVS, (_EDGE, _EDGE)
    pose = look_at((1.0, -0.6, 0.6), (0.0, 0.0, 0.2))
    views = _views(count, size, pose, device.replace("cpu", "warp:cpu"))
    spec = mujoco.MjSpec.from_file(str(QUADRUPED))
    spec.worldbody.add_camera(name="eye", pos=pose[:3], quat=quat_to_wxyz(pose[3:]), fovy=60.0)
    model = spec.compile()
    state = mujoco.MjData(model)
    mujoco.mj_forward(model, state)
    with wp.ScopedDevice(device):
        bare = mujoco_warp.put_model(model)
        worlds = mujoco_warp.put_data(model, state, nworld=count)
        for kind in ("depth", "colour"):
            context = mujoco_warp.create_render_context(
                model, count, size, render_rgb=kind == "colour", render_depth=kind == "depth",
                use_shadows=True, cam_active=["eye"],
            )  # fmt: skip

            def ours(kind: str = kind) -> None:
                views.render(colours=kind == "colour", everything=kind == "colour")
                wp.synchronize()

            def theirs(context: Any = context) -> None:
                mujoco_warp.refit_bvh(bare, worlds, context)
                mujoco_warp.render(bare, worlds, context)
                wp.synchronize()

            pair = (Contender(lambda: None, run) for run in (ours, theirs))
            ratio = alternate(*pair, settings.rounds(11)).ratio
            target = 0.95 if device != "cpu" else None
            yield Row(f"{kind}, rate over bare render on {device}", ratio, "x", target, True)
    set_default_threads(0)


def _views(count: int, size: tuple[int, int], pose: Any, device: str) -> WorldViews:
    """A view into each of so many worlds of the quadruped, from one place."""
    model = usdsim.load_model(QUADRUPED)
    data = usdsim.SceneData(model, batch=(count,), device=device)
    if model.stage is None:
        raise RuntimeError("the quadruped was loaded without its stage")
    views = WorldViews(model.stage, data.engine, size, range(count))
    lens = Lens.of_fovy(60.0, size, 0.01, 100.0)
    views.tracer.aim(pose[:3], pose[3:], lens.focal, lens.centre, 0, lens.near, lens.far)
    return views


@benchmark
def viewer(settings: Settings) -> Iterator[Row | Skip]:
    """What `Viewer.update` adds to a loop that steps 1024 moving worlds, poses sent 30 times/s.

    Updates and steps take turns in one loop; what the threads that send take from steps counts.
    """
    case = "update of a view, of a loop of 1024 worlds"
    if find_spec("viser") is None:
        yield Skip(case, "viser is not installed")
        return
    from usdsim.viewer import Viewer

    model = usdsim.load_model(QUADRUPED)
    data = usdsim.SceneData(model, batch=(64 if settings.quick else 1024,))
    with Viewer(model, data, port=_free_port()) as view:

        def look() -> None:
            for _ in range(_STEPS):
                model.step(data)
                view.update()

        def step() -> None:
            for _ in range(_STEPS):
                model.step(data)

        def row(name: str, limit: float | None) -> Row:
            result = alternate(Contender(data.reset, look), Contender(data.reset, step),
                               settings.rounds(31))  # fmt: skip
            updating = median_time(view._follow, settings.rounds(101))
            detail = {"ms": 1e3 * result.second / _STEPS, "update_ms": 1e3 * updating}
            return Row(name, 100.0 * (1.0 / result.ratio - 1.0), "%", limit, detail=detail)

        yield row(f"{case}, nobody looking", None)
        with _page(view):
            yield row(case, 2.0)


@contextmanager
def _page(view: Any) -> Iterator[None]:
    """A process that is sent all that a browser would be."""
    command = [sys.executable, "-c", _PAGE, view.url.removeprefix("http")]
    page = subprocess.Popen(command)
    try:
        deadline = time.perf_counter() + 60.0
        while not view.server.get_clients():
            if page.poll() is not None or time.perf_counter() > deadline:
                raise RuntimeError("the page could not be opened")
            time.sleep(0.05)
        yield
    finally:
        page.kill()
        page.wait()


_PAGE = """
import asyncio, sys
import msgspec, viser, websockets
from viser._messages import ViewerCameraMessage

async def main():
    protocol = "viser-v" + viser.__version__
    async with websockets.connect("ws" + sys.argv[1], subprotocols=[protocol],
                                  max_size=None, compression=None) as page:
        camera = ViewerCameraMessage(
            wxyz=(1.0, 0.0, 0.0, 0.0), position=(3.0, 0.0, 1.0), fov=0.7, near=0.01, far=100.0,
            image_height=600, image_width=800, look_at=(0.0, 0.0, 0.0),
            up_direction=(0.0, 0.0, 1.0))
        await page.send(msgspec.msgpack.encode(camera.as_serializable_dict()))
        async for _ in page:
            pass

asyncio.run(main())
"""


@benchmark
def viewer_meshes(settings: Settings) -> Iterator[Row | Skip]:
    """Frames per second that a server sends of 16 robots of large meshes, simulated in between."""
    case = "16 robots with 418,402 triangles each"
    robot = corpus_robot(settings, "mjlab_go1")
    if robot is None or find_spec("viser") is None:
        yield Skip(case, "not without the corpus and viser")
        return
    from usdsim.viewer import Viewer

    model = usdsim.load_model(robot)
    data = usdsim.SceneData(model, batch=(16,))
    steps = round(1.0 / 30.0 / model.options.timestep)
    with Viewer(model, data, port=_free_port()) as view:
        view.show_ghosts(15, 1.0)
        view.update()

        def look() -> None:
            model.step_n(data, steps)
            view._follow()
            view.display.worlds.catch_up()

        with _page(view):
            seconds = median_time(look, settings.rounds(31))
    yield Row(case, 1.0 / seconds, "1/s", 30.0, at_least=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
