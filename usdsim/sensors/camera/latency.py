"""Camera latency: images that are given some samples after they were taken."""

from __future__ import annotations

from collections.abc import Mapping

import warp as wp

__all__ = ["LateImages"]


class LateImages:
    """Holds images back.

    Args:
        output: where users read images, by type.
        delay: number of samples by which they are late; 0 writes them there at once.

    Attributes:
        fresh: where images are written when they are taken.
    """

    def __init__(self, output: Mapping[str, wp.array], delay: int):
        self._output, self._delay = output, delay
        self.fresh = output if delay == 0 else {k: wp.zeros_like(v) for k, v in output.items()}
        self._held = [{k: wp.zeros_like(v) for k, v in output.items()} for _ in range(delay)]
        self._taken: dict[int, int] = {}

    def publish(self, rows: wp.array) -> None:
        """Publish the images of some instances of `delay` samples ago."""
        if not self._delay:
            return
        for row in rows.numpy().tolist():
            count = self._taken.get(row, 0)
            self._taken[row] = count + 1
            oldest = self._held[count % self._delay]
            for name, image in self.fresh.items():
                size = image.size // len(image)
                part = row * size, row * size, size
                wp.copy(self._output[name], image if count == 0 else oldest[name], *part)
                for slot in self._held if count == 0 else (oldest,):
                    wp.copy(slot[name], image, *part)
