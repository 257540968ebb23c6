"""Exports of stages to the formats they came from."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import usdsim

from .measure import Contender, alternate
from .models import QUADRUPED, model_file
from .registry import Row, Settings, benchmark

__all__ = ["exporting"]


@benchmark
def exporting(settings: Settings) -> Iterator[Row]:
    """A stage to MJCF, with the check of its model, and to URDF, over the conversion from MJCF."""
    models = dict([("quadruped", QUADRUPED), model_file(settings, "mj_humanoid")])
    rounds = settings.rounds(5)
    with tempfile.TemporaryDirectory() as folder:
        for name, source in models.items():
            target = Path(folder, f"{name}.usda")
            there = Contender(lambda: None, partial(usdsim.convert, source, target))
            usdsim.convert(source, target)
            for suffix in (".xml", ".urdf"):
                written = Path(folder, f"{name}{suffix}")
                back = Contender(lambda: None, partial(usdsim.convert, target, written))
                ratio = 1.0 / alternate(back, there, rounds).ratio
                yield Row(f"{name} to {suffix}, over the conversion", ratio, "x", 2.0)
