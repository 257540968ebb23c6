"""Controls beside a live view: time, worlds, joints, actuators and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from usdsim.scene import SceneData, SceneModel

if TYPE_CHECKING:
    from .viewer import Viewer

__all__ = ["add_controls"]

_MOST = 64
"""Sliders of a kind, at most."""


def add_controls(viewer: Viewer, gui: Any) -> dict[str, Any]:
    """Add all controls to a page; returns those whose values others read, by name."""
    model, data = viewer.model, viewer.data
    found = _add_time(viewer, gui)
    if data.shape and data.shape[0] > 1:
        slider = gui.add_slider("world", 0, data.shape[0] - 1, 1, 0)
        slider.on_update(lambda _: viewer.show_world(int(slider.value)))
        found["world"] = slider
    with gui.add_folder("actuators", expand_by_default=False):
        found |= _actuators(viewer, gui, model, data)
    with gui.add_folder("joints", expand_by_default=False):
        found |= _joints(viewer, gui, model, data)
    if model.report is not None and model.report.findings:
        with gui.add_folder("findings", expand_by_default=False):
            lines = [f"- `{f.path}` {f.message}" for f in model.report.findings[:_MOST]]
            found["findings"] = gui.add_markdown("\n".join(lines))
    return found


def _add_time(viewer: Viewer, gui: Any) -> dict[str, Any]:
    play = gui.add_button("Pause" if viewer.playing else "Play")
    step, reset = gui.add_button("Step"), gui.add_button("Reset")
    speed = gui.add_slider("speed", 0.1, 4.0, 0.1, 1.0)
    time = gui.add_text("time [s]", "0.000", disabled=True)

    def toggle(_: Any) -> None:
        viewer.playing = not viewer.playing
        play.label = "Pause" if viewer.playing else "Play"

    play.on_click(toggle)
    step.on_click(lambda _: viewer.ask(viewer.step))
    reset.on_click(lambda _: viewer.ask(viewer.reset))
    speed.on_update(lambda _: setattr(viewer, "speed", float(speed.value)))
    return {"play": play, "step": step, "reset": reset, "speed": speed, "time": time}


def _actuators(viewer: Viewer, gui: Any, model: SceneModel, data: SceneData) -> dict[str, Any]:
    found = {}
    for actuator in model.actuators[:_MOST]:
        limits = actuator.ctrl_range
        low, high = limits if limits is not None else (-1.0, 1.0)
        if not low < high or actuator.ctrl_slice.stop - actuator.ctrl_slice.start != 1:
            continue
        name = actuator.name or actuator.path
        now = float(np.clip(viewer.watched.actuator_ctrls[actuator.ctrl_slice.start], low, high))
        slider = gui.add_slider(name, low, high, (high - low) / 200.0, now)
        column = actuator.ctrl_slice.start

        def moved(_: Any, slider: Any = slider, column: int = column) -> None:
            viewer.ask(lambda: viewer.set_control(column, float(slider.value)))

        slider.on_update(moved)
        found[f"actuator {name}"] = slider
    return found


def _joints(viewer: Viewer, gui: Any, model: SceneModel, data: SceneData) -> dict[str, Any]:
    found = {}
    joints = [joint for joint in model.joints if joint.num_dof_pos == 1]
    for joint in joints[:_MOST]:
        name, column = joint.name or joint.path, joint.dof_pos_index
        low, high = _limits(joint)
        now = float(np.clip(viewer.watched.dof_pos[column], low, high))
        slider = gui.add_slider(name, low, high, (high - low) / 200.0, now)

        def moved(_: Any, slider: Any = slider, column: int = column) -> None:
            if not viewer.playing:
                viewer.ask(lambda: viewer.set_joint(column, float(slider.value)))

        slider.on_update(moved)
        found[f"joint {name}"] = slider
    return found


def _limits(joint: Any) -> tuple[float, float]:
    """Limits of a joint, or a turn to either side."""
    low, high = map(float, joint.range[0])
    return (low, high) if np.isfinite([low, high]).all() and low < high else (-np.pi, np.pi)
