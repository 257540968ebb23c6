"""What usdsim itself adds to a stage."""

from __future__ import annotations

from .table import Attr, Plugin, Schema

__all__ = ["PLUGIN"]

PLUGIN = Plugin(
    "usdsimPhysics",
    "UsdsimPhysics",
    "What usdsim itself adds to a stage.",
    [
        Schema(
            "UsdsimSourceAPI",
            "usdsim",
            "Records where a converted prim comes from.",
            [Attr("string", "sourceName", None, "Name in the source file; empty: it had none.")],
        ),
        Schema(
            "UsdsimEnvironmentAPI",
            "usdsim",
            "One of several copies of an environment that are simulated side by side.",
            [
                Attr(
                    "int",
                    "environmentIndex",
                    0,
                    "Index of the environment.",
                    "[0, inf)",
                    uniform=True,
                ),
                Attr(
                    "double3",
                    "environmentOrigin",
                    (0.0, 0.0, 0.0),
                    "Origin of the environment in the stage's frame.",
                    "",
                    "distance",
                    uniform=True,
                ),
            ],
        ),
    ],
    strip="Usdsim",
)
