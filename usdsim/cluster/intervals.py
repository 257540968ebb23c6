"""Confidence intervals of success rates."""

from __future__ import annotations

from math import sqrt

__all__ = ["wilson_interval"]

_Z = 1.959963984540054
"""Quantile of the normal distribution for 95 %."""


def wilson_interval(successes: int, trials: int, z: float = _Z) -> tuple[float, float]:
    """Wilson's score interval of a rate, 95 % unless `z` says otherwise.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    Unlike the normal approximation it stays within 0 and 1, and has a width at 0 and 1 too.

    Returns:
        The lower and the upper end; 0 and 1 without trials.
    """
    if trials < 1:
        return 0.0, 1.0
    rate = successes / trials
    scale = 1.0 + z * z / trials
    middle = (rate + z * z / (2.0 * trials)) / scale
    half = z / scale * sqrt(rate * (1.0 - rate) / trials + z * z / (4.0 * trials**2))
    # At rates of 0 and 1 rounding would leave the rate itself outside.
    return min(rate, max(0.0, middle - half)), max(rate, min(1.0, middle + half))
