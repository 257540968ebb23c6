"""Managed view: what runs in the browser with one call, from when somebody looks."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from usdsim.core.shipped import example_asset
from usdsim.scene import SceneData, SceneModel, load_model

from .clocks import ModelClock
from .viewer import Viewer

__all__ = ["launch", "run_watched"]

_DRAWN = 300_000
"""Triangles of all worlds that browsers draw at a good rate."""
_PATIENCE = 0.03
"""Time between two looks for a page [s]."""
_SHOWN = "quadruped/scene.xml"
"""Shipped scene that is shown where no model is given."""


def launch(
    model: SceneModel | None = None,
    data: SceneData | None = None,
    callback: Callable[[SceneModel, SceneData], object] | None = None,
    play: bool = False,
    *,
    seconds: float = np.inf,
    **options: Any,
) -> None:
    """Show a model in the browser and run it until the user interrupts.

    Args:
        model: what is shown, a model that has a stage; None: a shipped quadruped.
        data: its worlds, which are stepped; None: a new one.
        callback: called with the model and its worlds after each step.
        play: whether time runs as soon as a browser shows the page, or when the user presses play.
        seconds: real time after which it ends.
        **options: of `Viewer`, such as ``port``.

    Raises:
        UnsupportedError: viser is not installed.
        InvalidValueError: the port is taken.
        StageError: the model has no stage.
    """
    shown = load_model(example_asset(_SHOWN)) if model is None else model
    with Viewer(shown, data, **options) as viewer:
        if isinstance(viewer.clock, ModelClock):
            viewer.clock.callback = callback
        viewer.playing = play
        run_watched(viewer, seconds)


def run_watched(viewer: Viewer, seconds: float = np.inf) -> None:
    """Show all worlds, or as many as browsers draw well, and run from when a page is open.

    The user's interrupt is an end like any other.

    Args:
        viewer: the view.
        seconds: real time after which it ends, from now.
    """
    start = time.perf_counter()
    with suppress(KeyboardInterrupt):
        viewer.show_all(_DRAWN)
        while not viewer.server.get_clients() and time.perf_counter() - start < seconds:
            viewer.update()
            time.sleep(_PATIENCE)
        viewer.run(seconds - (time.perf_counter() - start))
