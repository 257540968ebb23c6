"""Controls beside a view: time, worlds, display, sliders, plots, editing and findings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from usdsim.render import GUIDES
from usdsim.render.png import png_bytes

from .clocks import RecordingClock
from .editing import add_editing
from .plots import quantities
from .sliders import Slider, actuator_sliders, joint_sliders

if TYPE_CHECKING:
    from .viewer import Viewer

__all__ = ["MOST_GHOSTS", "add_controls"]

MOST_GHOSTS = 63
"""Worlds besides the watched one with all their parts, at most."""
_NONE = "-"


def add_controls(viewer: Viewer, gui: Any) -> dict[str, Any]:
    """Add all controls to a page; returns those whose values others read, by name."""
    found = _add_time(viewer, gui)
    found["message"] = gui.add_markdown("")
    if viewer.clock.num_worlds > 1:
        found |= _add_worlds(viewer, gui)
    with gui.add_folder("display", expand_by_default=False) as display:
        found |= _add_display(viewer, gui, display)
    model = viewer.clock.model
    if model is None:
        return found
    for folder, sliders in (("actuators", actuator_sliders), ("joints", joint_sliders)):
        found |= viewer.sliders.add(gui, sliders(viewer, model), folder)
    with gui.add_folder("plot", expand_by_default=False) as folder:
        found |= _add_plot(viewer, gui, folder)
    return found | add_editing(viewer, gui)


def _add_time(viewer: Viewer, gui: Any) -> dict[str, Any]:
    play = gui.add_button("Pause" if viewer.playing else "Play")
    step, reset = gui.add_button("Step"), gui.add_button("Reset")
    speed = gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0)
    time = gui.add_text("time [s]", "0.000", disabled=True)
    found = {"play": play, "step": step, "reset": reset, "speed": speed, "time": time}

    def toggle(_: Any) -> None:
        viewer.playing = not viewer.playing

    play.on_click(toggle)
    step.on_click(lambda _: viewer.ask(viewer.step))
    reset.on_click(lambda _: viewer.ask(viewer.reset))
    speed.on_update(lambda _: setattr(viewer, "speed", float(speed.value)))
    clock = viewer.clock
    if isinstance(clock, RecordingClock) and clock.duration > 0.0:
        ends, label = (0.0, clock.duration), "scrub [s]"
        read, frame = partial(clock.time, 0), clock.timestep
        scrub = Slider("scrub", label, ends, read, viewer.seek, frame, live=True)
        found |= viewer.sliders.add(gui, [scrub])
    if clock.model is not None and clock.model.num_keyframes:
        names = [key.name or f"keyframe {key.index}" for key in clock.model.keyframes]
        keyframe = gui.add_dropdown("keyframe", (_NONE, *names), initial_value=_NONE)

        def chosen(_: Any) -> None:
            if keyframe.value != _NONE:
                index = names.index(keyframe.value)
                viewer.ask(lambda: viewer.apply_keyframe(index))
                keyframe.value = _NONE  # so that it can be chosen again

        keyframe.on_update(chosen)
        found["keyframe"] = keyframe
    return found


def _add_worlds(viewer: Viewer, gui: Any) -> dict[str, Any]:
    last = viewer.clock.num_worlds - 1

    def slider(name: str, label: str, of: str, most: float, step: float = 1) -> Slider:
        def choose(value: float) -> None:
            change: dict[str, Any] = {of: type(step)(value)}
            viewer.choose(replace(viewer.display.choice, **change))

        read = partial(_chosen, viewer, of)
        return Slider(name, label, (0, most), read, choose, step, live=True)

    sliders = [
        slider("world", "world", "watched", last),
        slider("ghosts", "ghosts", "ghosts", min(last, MOST_GHOSTS)),
        slider("as points", "as points", "points", last),
        slider("spacing", "spacing [m]", "spacing", np.inf, 0.1),
    ]
    return viewer.sliders.add(gui, sliders)


def _chosen(viewer: Viewer, of: str) -> float:
    return float(getattr(viewer.display.choice, of))


def _add_display(viewer: Viewer, gui: Any, folder: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"views": []}

    def marked(_: Any) -> None:
        names = [name for name in GUIDES if found[f"mark {name}"].value]
        viewer.ask(lambda: viewer.guide(names))

    for name in GUIDES:
        box = gui.add_checkbox(name, initial_value=name in viewer.guides)
        box.on_update(marked)
        found[f"mark {name}"] = box
    names = gui.add_checkbox("names", initial_value=False)
    names.on_update(lambda _: viewer.ask(lambda: viewer.show_names(bool(names.value))))
    colliders = gui.add_checkbox("colliders", initial_value=False)
    colliders.on_update(lambda _: viewer.ask(lambda: viewer.show_colliders(bool(colliders.value))))
    follow = gui.add_checkbox("follow", initial_value=viewer.following)
    follow.on_update(lambda _: setattr(viewer, "following", bool(follow.value)))
    picture = gui.add_button("Screenshot")
    picture.on_click(_send_picture)
    keep = gui.add_button("Remember view")

    def remember(event: Any) -> None:
        camera = event.client.camera
        place, target = np.array(camera.position), np.array(camera.look_at)
        with folder:
            back = gui.add_button(f"View {len(found['views']) + 1}")
        found["views"].append(back)

        def go(other: Any) -> None:
            other.client.camera.position, other.client.camera.look_at = place, target

        back.on_click(go)

    keep.on_click(remember)
    return found | {"names": names, "colliders": colliders, "follow": follow}


def _send_picture(event: Any) -> None:
    """Download what a browser shows as a picture."""
    camera = event.client.camera
    image = camera.get_render(camera.image_height, camera.image_width)
    picture = png_bytes(np.asarray(image)[..., :3])
    event.client.send_file_download("view.png", picture, save_immediately=True)


def _add_plot(viewer: Viewer, gui: Any, folder: Any) -> dict[str, Any]:
    names = (_NONE, *quantities(viewer))
    chosen = [gui.add_dropdown(f"quantity {k + 1}", names, initial_value=_NONE) for k in range(3)]

    def choose() -> None:
        wanted = dict.fromkeys(c.value for c in chosen if c.value != _NONE)
        with folder:
            viewer.plots.choose(tuple(wanted), gui)

    for dropdown in chosen:
        dropdown.on_update(lambda _: viewer.ask(choose))
    return {f"quantity {k + 1}": dropdown for k, dropdown in enumerate(chosen)}
