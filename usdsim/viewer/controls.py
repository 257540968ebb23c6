"""Controls beside a view: time, worlds, display, sliders, plots, editing and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from usdsim.render import GUIDES
from usdsim.render.png import png_bytes
from usdsim.scene import SceneModel

from .clocks import RecordingClock
from .editing import add_editing
from .plots import quantities

if TYPE_CHECKING:
    from .viewer import Viewer

__all__ = ["MOST_GHOSTS", "add_controls"]

_MOST = 64
"""Sliders of a kind, at most."""
MOST_GHOSTS = 63
"""Worlds besides the watched one with all their parts, at most."""
_NONE = "-"


def add_controls(viewer: Viewer, gui: Any) -> dict[str, Any]:
    """Add all controls to a page; returns those whose values others read, by name."""
    found = _add_time(viewer, gui)
    found["message"] = gui.add_markdown("")
    if viewer.clock.num_worlds > 1:
        found |= _add_worlds(viewer, gui)
    with gui.add_folder("display", expand_by_default=False):
        found |= _add_display(viewer, gui)
    model = viewer.clock.model
    if model is None:
        return found
    with gui.add_folder("actuators", expand_by_default=False):
        found |= _actuators(viewer, gui, model)
    with gui.add_folder("joints", expand_by_default=False):
        found |= _joints(viewer, gui, model)
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
        scrub = gui.add_slider("scrub [s]", 0.0, clock.duration, clock.timestep, 0.0)
        scrub.on_update(lambda _: viewer.ask(lambda: viewer.seek(float(scrub.value))))
        found["scrub"] = scrub
    if clock.model is not None and clock.model.num_keyframes:
        names = [key.name or f"keyframe {key.index}" for key in clock.model.keyframes]
        keyframe = gui.add_dropdown("keyframe", (_NONE, *names), initial_value=_NONE)

        def chosen(_: Any) -> None:
            if keyframe.value != _NONE:
                index = names.index(keyframe.value)
                viewer.ask(lambda: viewer.apply_keyframe(index))

        keyframe.on_update(chosen)
        found["keyframe"] = keyframe
    return found


def _add_worlds(viewer: Viewer, gui: Any) -> dict[str, Any]:
    last = viewer.clock.num_worlds - 1
    world = gui.add_slider("world", 0, last, 1, 0)
    ghosts = gui.add_slider("ghosts", 0, min(last, MOST_GHOSTS), 1, 0)
    points = gui.add_slider("as points", 0, last, 1, 0)
    spacing = gui.add_number("spacing [m]", 0.0, min=0.0, step=0.1)
    world.on_update(lambda _: viewer.show_world(int(world.value)))

    def others(_: Any) -> None:
        viewer.show_ghosts(int(ghosts.value), float(spacing.value), int(points.value))

    found = {"ghosts": ghosts, "as points": points, "spacing": spacing}
    for control in found.values():
        control.on_update(others)
    return found | {"world": world}


def _add_display(viewer: Viewer, gui: Any) -> dict[str, Any]:
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
    views = gui.add_folder("views", expand_by_default=True)

    def remember(event: Any) -> None:
        camera = event.client.camera
        place, target = np.array(camera.position), np.array(camera.look_at)
        with views:
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


def _actuators(viewer: Viewer, gui: Any, model: SceneModel) -> dict[str, Any]:
    found = {}
    for actuator in model.actuators[:_MOST]:
        limits = actuator.ctrl_range
        low, high = limits if limits is not None else (-1.0, 1.0)
        column = actuator.ctrl_slice.start
        if not low < high or actuator.ctrl_slice.stop != column + 1:
            continue
        name = actuator.name or actuator.path
        now = _within(viewer.watched.actuator_ctrls[column], low, high)
        slider = gui.add_slider(name, low, high, (high - low) / 200.0, now)

        def moved(_: Any, slider: Any = slider, column: int = column) -> None:
            viewer.ask(lambda: viewer.set_control(column, float(slider.value)))

        slider.on_update(moved)
        found[f"actuator {name}"] = slider
    return found


def _joints(viewer: Viewer, gui: Any, model: SceneModel) -> dict[str, Any]:
    found = {}
    joints = [joint for joint in model.joints if joint.num_dof_pos == 1]
    for joint in joints[:_MOST]:
        unit = "m" if joint.typ == "slide" else "rad"
        name, column = joint.name or joint.path, joint.dof_pos_index
        low, high = _limits(joint)
        now = _within(viewer.watched.dof_pos[column], low, high)
        slider = gui.add_slider(f"{name} [{unit}]", low, high, (high - low) / 200.0, now)

        def moved(_: Any, slider: Any = slider, column: int = column) -> None:
            if not viewer.playing:
                viewer.ask(lambda: viewer.set_joint(column, float(slider.value)))

        slider.on_update(moved)
        found[f"joint {name}"] = slider
    return found


def _within(value: Any, low: float, high: float) -> float:
    """Value within limits, which single precision would leave again."""
    return min(max(float(value), low), high)


def _limits(joint: Any) -> tuple[float, float]:
    """Limits of a joint, or a turn to either side."""
    low, high = map(float, joint.range[0])
    return (low, high) if np.isfinite([low, high]).all() and low < high else (-np.pi, np.pi)


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
