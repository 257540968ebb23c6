"""Panel of applications: keys, clicks and buttons, told to the program where it asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from usdsim.core.errors import UnsupportedError

__all__ = ["Input", "RenderOpt", "RenderUI"]

_HELD = 0.25
"""Time for which a key counts as held after the page last told of it [s]."""
_NAMES = {
    "esc": "escape",
    "up": "arrowup",
    "down": "arrowdown",
    "left": "arrowleft",
    "right": "arrowright",
    "return": "enter",
}
_SPECIAL = ("space", "enter", "escape", "tab", "backspace", "delete", "insert", "home", "end",
            "pageup", "pagedown", "arrowup", "arrowdown", "arrowleft", "arrowright")  # fmt: skip


class Input:
    """Keys and mouse of a page.

    A key that a program asks about becomes a shortcut of the page, and a button of its panel; what
    was pressed before the program first asked for it is not known. Without a page, nothing is
    pressed.

    Args:
        server: of the page; None: there is none.
    """

    def __init__(self, server: Any):
        self._server: Any = server
        self._folder: Any = None
        self._lock = threading.Lock()
        self._known: set[str] = set()
        self._new: set[str] = set()
        self._just: set[str] = set()
        self._last: dict[str, float] = {}
        self._ray = [0.0, 0.0, 0.0, 0.0, 0.0, -1.0]

    def is_key_just_pressed(self, key: str) -> bool:
        """Whether a key, such as ``"w"``, ``"5"``, ``"space"``, ``"up"`` or ``"esc"``, went down.

        It is true from one `RenderApp.sync` to the next.
        """
        self._listen(key.lower())
        return key.lower() in self._just

    def is_key_pressed(self, key: str) -> bool:
        """Whether a key went down in the last quarter of a second, as repeating keys do."""
        self._listen(key.lower())
        last = self._last.get(key.lower(), -_HELD)
        return key.lower() in self._just or time.monotonic() - last < _HELD

    def is_mouse_just_pressed(self, mouse: str) -> bool:
        """Whether the ``"left"`` button was clicked beside and on what is shown."""
        self._listen_to_mouse()
        return f"mouse {mouse.lower()}" in self._just

    def mouse_ray(self) -> list[float]:
        """Origin [m] and direction in world of the last click, six numbers."""
        self._listen_to_mouse()
        return list(self._ray)

    def is_ctrl_clicked(self, ctrl_id: int) -> bool:
        """Whether a control of `RenderUI` was clicked since the last `RenderApp.sync`."""
        return f"control {ctrl_id}" in self._just

    def tell(self, what: str) -> None:
        """Record that something was pressed; called from the page's thread."""
        with self._lock:
            self._new.add(what)

    def advance(self) -> None:
        """Hand on what was pressed since the last time."""
        with self._lock:
            self._just, self._new = self._new, set()
        self._last |= dict.fromkeys(self._just, time.monotonic())

    def _listen(self, key: str) -> None:
        if self._server is None or key in self._known:
            return
        self._known.add(key)
        gui = self._server.gui
        if self._folder is None:
            self._folder = gui.add_folder("keys", expand_by_default=False)
        with self._folder:
            gui.add_button(key).on_click(lambda _: self.tell(key))
        name = _NAMES.get(key, key)
        name = name.upper() if len(name) == 1 and name.isalnum() else name
        if (len(name) == 1 and name.isascii() and name.isalnum()) or name in _SPECIAL:
            command = gui.add_command(f"Key {key}", hotkey=name)
            command.on_trigger(lambda _: self.tell(key))

    def _listen_to_mouse(self) -> None:
        if self._server is None or "mouse" in self._known:
            return
        self._known.add("mouse")

        def clicked(event: Any) -> None:
            self._ray = [*map(float, event.ray_origin), *map(float, event.ray_direction)]
            self.tell("mouse left")

        self._server.scene.on_pointer_event("click")(clicked)


class RenderUI:
    """Controls that a program adds to the panel; its functions are called by `RenderApp.sync`.

    Args:
        server: of the page; None: there is none, and nobody clicks.
        told: what hears of clicks.
        ask: lets the program's own thread do something.
    """

    def __init__(self, server: Any, told: Input, ask: Callable[[Callable[[], None]], None]):
        self._server, self._input, self._ask = server, told, ask
        self._count = 0

    def add_button(self, label: str, on_click: Callable[[], Any]) -> int:
        """Add a button; returns its number for `Input.is_ctrl_clicked`."""
        number = self._next()
        if self._server is not None:
            button = self._server.gui.add_button(label)
            button.on_click(lambda _: self._clicked(number, on_click))
        return number

    def add_toggle(self, label: str, default: bool, on_changed: Callable[[bool], Any]) -> int:
        """Add a box to check; `on_changed` is given whether it is; returns its number."""
        number = self._next()
        if self._server is not None:
            box = self._server.gui.add_checkbox(label, initial_value=bool(default))
            box.on_update(lambda _: self._clicked(number, lambda: on_changed(bool(box.value))))
        return number

    def _next(self) -> int:
        self._count += 1
        return self._count - 1

    def _clicked(self, number: int, action: Callable[[], Any]) -> None:
        self._input.tell(f"control {number}")
        self._ask(action)


class RenderOpt:
    """Options of what is shown."""

    def __init__(self) -> None:
        self._panel, self._lidars = True, False

    def set_group_vis(self, group: int, visible: bool) -> None:
        """Show a group of geoms, which all are.

        Raises:
            UnsupportedError: one is to be hidden; a prim's ``visibility`` hides it.
        """
        if not visible:
            raise UnsupportedError(
                f"Group {group} cannot be hidden: what is seen is what the stage shows. Author "
                "visibility = invisible on the prims."
            )

    def is_lidar_point_vis(self) -> bool:
        """Whether points that lidars see are shown."""
        return self._lidars

    def set_lidar_point_vis(self, visible: bool) -> None:
        """Show the points that lidars see."""
        self._lidars = bool(visible)

    def is_left_panel_vis(self) -> bool:
        """Whether the program wants the panel shown; the page always has it, to be folded."""
        return self._panel

    def set_left_panel_vis(self, enabled: bool) -> None:
        """Keep whether the program wants the panel shown."""
        self._panel = bool(enabled)
