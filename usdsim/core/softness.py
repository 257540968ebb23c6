"""Softness of joints in numbers of MuJoCo's solver, where the stage has none of its own.

Compiling uses them, and targets that read MuJoCo's attributes are told them.
"""

from __future__ import annotations

__all__ = ["FRICTION_SOLIMP", "LIMIT_SOLIMP", "LIMIT_SOLREF"]

LIMIT_SOLREF = (0.004, 5.0)
"""Limits stop what runs into them within two time steps of 2 ms, and 1 % of its speed comes back;
1/e^2 would at a damping ratio of 1. The engine makes the time constant two steps at least."""
LIMIT_SOLIMP = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""The root of a chain bears all of it, and gives way by what its own link weighs: ten links of 0.5
m that fall into their limits end 2 cm from where rigid limits have them, at 0.98 it was 1.8 m."""
FRICTION_SOLIMP = (0.999, 0.9999, 0.001, 0.5, 2.0)
"""Dry friction of a joint is held by a soft constraint: at the engine's default impedance a load of
10 rad/s^2 makes it creep by 0.01 rad/s."""
