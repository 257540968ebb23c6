"""Sliders of a page: each sets a quantity, and shows it where something else has set it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from usdsim.scene import SceneModel

if TYPE_CHECKING:
    from .viewer import Viewer

__all__ = ["Slider", "Sliders", "actuator_sliders", "joint_sliders"]

_MOST = 64
"""Sliders of a kind, at most."""
_PARTS = 200.0
"""Steps of a slider from end to end, unless it says otherwise."""
_SAME = 0.01
"""Part of a step that single precision may be off."""


@dataclass
class Slider:
    """A slider of a quantity.

    Attributes:
        name: among the controls of the viewer.
        label: beside it, on the page.
        ends: lowest and highest value; a highest that is infinite makes it a field for a number.
        read: the quantity now; None: there is none.
        write: sets the quantity, in the thread that steps.
        step: of its values, which are whole if it is; None: a small part of the way between the
            ends.
        paused: whether it acts in a pause alone.
        live: whether it follows the quantity while time passes, too.
    """

    name: str
    label: str
    ends: tuple[float, float]
    read: Callable[[], float | None]
    write: Callable[[float], None]
    step: float | None = None
    paused: bool = False
    live: bool = False
    _handle: Any = field(default=None, init=False)
    _shown: float = field(default=0.0, init=False)

    def add(self, viewer: Viewer, gui: Any) -> Any:
        """Put it on the page; returns what stands for it."""
        low, high = self.ends
        if self.step is None:
            self.step = (high - low) / _PARTS
        step, kind = self.step, int if isinstance(self.step, int) else float
        self._shown = low if (now := self._now()) is None else now
        if np.isfinite(high):
            first = kind(self._shown)
            handle = gui.add_slider(self.label, kind(low), kind(high), step, first)
        else:
            handle = gui.add_number(self.label, kind(self._shown), min=kind(low), step=step)
        self._handle = handle

        def moved(_: Any) -> None:
            value = float(handle.value)
            if value != self._shown:  # else `follow` has moved it
                viewer.ask(lambda: self._set(value))

        handle.on_update(moved)
        return handle

    def enable(self, playing: bool) -> None:
        """Let the page move it where that acts."""
        self._handle.disabled = playing and self.paused

    def follow(self) -> None:
        """Show the quantity of now, if it is another than the last one that was shown or set."""
        now = self._now()
        if now is not None and abs(now - self._shown) > _SAME * (self.step or 0.0):
            self._shown = now
            self._handle.value = now

    def _set(self, value: float) -> None:
        self._shown = value
        self.write(value)

    def _now(self) -> float | None:
        """The quantity within the ends, which single precision would leave again."""
        value = self.read()
        return None if value is None else min(max(float(value), self.ends[0]), self.ends[1])


class Sliders:
    """Sliders of a page.

    Args:
        viewer: whose page it is.
    """

    def __init__(self, viewer: Viewer):
        self._viewer, self._all = viewer, list[Slider]()

    def add(self, gui: Any, sliders: list[Slider], folder: str = "") -> dict[str, Any]:
        """Add sliders to a page, in a folder of their own, which is not there without any.

        Returns:
            What stands for them, by name.
        """
        if folder and sliders:
            with gui.add_folder(folder, expand_by_default=False):
                return self.add(gui, sliders)
        self._all += sliders
        found = {slider.name: slider.add(self._viewer, gui) for slider in sliders}
        self.enable(self._viewer.playing)
        return found

    def enable(self, playing: bool) -> None:
        """Let the page move those that act."""
        for slider in self._all:
            slider.enable(playing)

    def follow(self, playing: bool) -> None:
        """Show what is now; while time passes, on those alone that are live."""
        for slider in self._all:
            if slider.live or not playing:
                slider.follow()


def actuator_sliders(viewer: Viewer, model: SceneModel) -> list[Slider]:
    """Sliders of controls of the world that is watched."""
    found = []
    for actuator in model.actuators[:_MOST]:
        limits = actuator.ctrl_range
        low, high = limits if limits is not None else (-1.0, 1.0)
        column = actuator.ctrl_slice.start
        if not low < high or actuator.ctrl_slice.stop != column + 1:
            continue
        name = actuator.name or actuator.path
        read = partial(_column, viewer, "actuator_ctrls", column)
        write = partial(viewer.set_control, column)
        found.append(Slider(f"actuator {name}", name, (low, high), read, write))
    return found


def joint_sliders(viewer: Viewer, model: SceneModel) -> list[Slider]:
    """Sliders of joint positions of the world that is watched, which act in a pause."""
    found = []
    joints = [joint for joint in model.joints if joint.num_dof_pos == 1]
    for joint in joints[:_MOST]:
        unit = "m" if joint.typ == "slide" else "rad"
        name, column = joint.name or joint.path, joint.dof_pos_index
        read = partial(_column, viewer, "dof_pos", column)
        write = partial(viewer.set_joint, column)
        label = f"{name} [{unit}]"
        found.append(Slider(f"joint {name}", label, _limits(joint), read, write, paused=True))
    return found


def _column(viewer: Viewer, quantity: str, column: int) -> float | None:
    """A number of the world that is watched; None: the model has fewer since an edit."""
    values = getattr(viewer.watched, quantity)
    return float(values[column]) if column < len(values) else None


def _limits(joint: Any) -> tuple[float, float]:
    """Limits of a joint, or a turn to either side."""
    low, high = map(float, joint.range[0])
    return (low, high) if np.isfinite([low, high]).all() and low < high else (-np.pi, np.pi)
