"""Tensor mathematics in torch: rotations, frames, matrices, cameras and samples.

Quaternions are xyzw. Everything works on batches, on any device, and can be differentiated.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "Tensor mathematics needs torch. Run: pip install torch", name="torch"
    )

from . import cameras, frames, interpolation, rotations, samples, scalars
from .cameras import *
from .frames import *
from .interpolation import *
from .rotations import *
from .samples import *
from .scalars import *

__all__ = [
    *cameras.__all__,
    *frames.__all__,
    *interpolation.__all__,
    *rotations.__all__,
    *samples.__all__,
    *scalars.__all__,
]
