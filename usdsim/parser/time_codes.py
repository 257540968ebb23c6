"""Time codes of a stage in seconds of simulation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pxr import Usd

__all__ = ["seconds"]


def seconds(stage: Usd.Stage, codes: Sequence[float]) -> NDArray[np.float64]:
    """Simulation times of time codes [s]: zero is the stage's start, or else time code zero."""
    start = stage.GetStartTimeCode() if stage.HasAuthoredTimeCodeRange() else 0.0
    return (np.array(codes, dtype=np.float64) - start) / stage.GetTimeCodesPerSecond()
