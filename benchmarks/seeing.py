"""Pixels per second of cameras in many worlds, and what a live view costs a loop of steps."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import usdsim
from usdsim._resources import resource_dir
from usdsim.render.views import Lens
from usdsim.scene.cameras.images import images_of

from .measure import Contender, alternate, median_time
from .registry import Row, Settings, Skip, benchmark

__all__ = ["cameras", "viewer"]

_ENVS, _EDGE = 64, 64
_STEPS = 20
"""Steps of a loop that is timed."""


@benchmark
def cameras(settings: Settings) -> Iterator[Row]:
    """Images of 64 by 64 pixels in 64 worlds of the quadruped, on all cores."""
    model = usdsim.load_model(resource_dir("assets") / "quadruped" / "scene.xml")
    data = usdsim.SceneData(model, batch=(_ENVS,))
    model.step(data)
    size = (_EDGE, _EDGE)
    lens = Lens.of_fovy(60.0, size, 0.01, 100.0)
    images = images_of(model, data, size)
    base = model.get_link_poses(data)[:, 0]
    poses = base.copy()
    poses[:, :3] += (1.0, -0.6, 0.4)
    poses[:, 3:] = usdsim_look()
    pixels = _ENVS * _EDGE * _EDGE / 1e6
    for kind, target in (("depth", 2.0), ("labels", None), ("colour", None)):
        seconds = median_time(lambda kind=kind: images.take(kind, poses, lens), settings.rounds(15))
        yield Row(f"{kind}, {_ENVS} worlds of {_EDGE} x {_EDGE}", pixels / seconds, "Mpixel/s",
                  target, at_least=True)  # fmt: skip


def usdsim_look() -> list[float]:
    """Orientation of a camera that looks at the origin from beside, xyzw."""
    from usdsim.render import look_at

    return look_at((1.0, -0.6, 0.4), (0.0, 0.0, 0.0))[3:].tolist()


@benchmark
def viewer(settings: Settings) -> Iterator[Row | Skip]:
    """What `Viewer.update` adds to a loop that steps 1024 moving worlds, poses sent 30 times/s.

    Updates and steps take turns in one loop; what the thread that sends takes from steps counts.
    """
    case = "update of a view, of a loop of 1024 worlds"
    try:
        import viser  # noqa: F401

        from usdsim.viewer import Viewer
    except ImportError:
        yield Skip(case, "viser is not installed")
        return
    model = usdsim.load_model(resource_dir("assets") / "quadruped" / "scene.xml")
    data = usdsim.SceneData(model, batch=(64 if settings.quick else 1024,))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    with Viewer(model, data, port=port) as view:

        def look() -> None:
            for _ in range(_STEPS):
                model.step(data)
                view.update()

        def step() -> None:
            for _ in range(_STEPS):
                model.step(data)

        result = alternate(Contender(data.reset, look), Contender(data.reset, step),
                           settings.rounds(31))  # fmt: skip
        updating = median_time(view._follow, settings.rounds(101))
    yield Row(case, 100.0 * (1.0 / result.ratio - 1.0), "%", 2.0,
              detail={"ms": 1e3 * result.second / _STEPS, "update_ms": 1e3 * updating})  # fmt: skip
