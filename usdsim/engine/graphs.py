"""Recorded sequences of kernel launches, replayed as one."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import warp as wp

__all__ = ["Graphs", "Recorded", "Replay", "when"]


class Graphs:
    """One recording per kind of step.

    The first call of each kind runs launch by launch, which loads the kernels it needs; the second
    one records. Recordings refer to arrays by address: `clear` them when arrays are replaced.

    Args:
        device: the Warp device.
        enabled: whether to record at all.
    """

    def __init__(self, device: str, enabled: bool = True):
        self._device, self.enabled = device, enabled
        self._graphs: dict[Hashable, wp.Graph | None] = {}

    def clear(self) -> None:
        """Delete all recordings."""
        self._graphs.clear()

    def run(self, kind: Hashable, function: Callable[[], object], times: int = 1) -> None:
        """Run what `function` launches, `times` times.

        Args:
            kind: name of the sequence, or what tells it from others.
            function: launches it; called at most once per recording.
            times: how often.
        """
        with wp.ScopedDevice(self._device) as device:
            # Within somebody else's recording the launches are a part of it.
            if not self.enabled or device.is_capturing:
                for _ in range(times):
                    function()
                return
            if times and kind not in self._graphs:
                self._graphs[kind] = None
                function()
                times -= 1
            if times < 1:
                return
            graph = self._graphs[kind]
            if graph is None:
                with wp.ScopedCapture(device=self._device) as capture:
                    function()
                graph = self._graphs[kind] = capture.graph
            for _ in range(times):
                wp.capture_launch(graph)


class Replay:
    """One launch that is made again and again, on the CPU by a graph: in a third of the time.

    Args:
        launch: the launch, as `wp.launch` records it.
    """

    def __init__(self, launch: wp.Launch):
        self._launch, self._device = launch, launch.device
        self._on_gpu = launch.device.is_cuda
        self._graph: wp.Graph | None = None
        self._made = False

    def launch(self) -> None:
        """Make the launch, or let it be a part of somebody else's recording."""
        if self._on_gpu or self._device.is_capturing:
            self._launch.launch()
        elif self._graph is not None:
            wp.capture_launch(self._graph)
        elif self._made:
            with wp.ScopedCapture(device=self._device) as capture:
                self._launch.launch()
            self._graph = capture.graph
            wp.capture_launch(self._graph)
        else:
            # The first one loads the kernel, and most quantities of most assets are read once.
            self._made = True
            self._launch.launch()


class Recorded:
    """A kernel launch that is recorded once for the arrays it is given.

    Args:
        kernel: the kernel.
        dim: what a launch covers.
        device: the Warp device.
    """

    def __init__(self, kernel: wp.Kernel, dim: tuple[int, int], device: str):
        self._kernel, self._dim, self._device = kernel, dim, device
        self._arrays: list[wp.array | None] = []
        self._launch: Any = None

    def __call__(self, inputs: list[wp.array | None], outputs: list[wp.array]) -> None:
        """Launch it, with the recording of the last call where the arrays are those of then."""
        arrays = [*inputs, *outputs]
        if len(arrays) != len(self._arrays) or any(
            new is not old for new, old in zip(arrays, self._arrays, strict=True)
        ):
            self._launch = wp.launch(
                self._kernel,
                dim=self._dim,
                inputs=inputs,
                outputs=outputs,
                device=self._device,
                record_cmd=True,
            )
            self._arrays = arrays
        self._launch.launch()


def when(condition: wp.array, function: Callable[[], object], possible: bool = True) -> None:
    """Record a branch: do what `function` does if a device array's first number is not 0.

    `function` must change nothing where there is nothing to do: it always runs outside recordings,
    which loads its kernels, and in those of devices that cannot branch.

    Args:
        condition: the array.
        function: launches what is to be done.
        possible: whether a GPU can branch to it: it asks for no memory that is not kept.
    """
    device = condition.device
    branching = not device.is_cuda or (possible and wp.is_conditional_graph_supported())
    if device.is_capturing and branching:
        wp.capture_if(condition, on_true=function)
    else:
        function()
