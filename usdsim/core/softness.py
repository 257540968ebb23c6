"""Softness of joints in numbers of MuJoCo's solver, where the stage has none of its own.

Compiling uses them, and targets that read MuJoCo's attributes are told them.
"""

from __future__ import annotations

__all__ = ["FRICTION_SOLIMP", "LIMIT_SOLIMP", "LIMIT_SOLREF"]

LIMIT_SOLREF = (0.01, 2.0)
"""Limits stop what runs into them: at a damping ratio of 1 it comes back at 1/e^2 of its speed."""
LIMIT_SOLIMP = (0.98, 0.99, 0.001, 0.5, 2.0)
FRICTION_SOLIMP = (0.999, 0.9999, 0.001, 0.5, 2.0)
"""Dry friction of a joint is held by a soft constraint: at the engine's default impedance a load of
10 rad/s^2 makes it creep by 0.01 rad/s."""
