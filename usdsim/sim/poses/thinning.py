"""Thinning of samples: those that linear interpolation does not need."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["needed_samples"]


def needed_samples(times: ArrayLike, values: ArrayLike, tolerance: ArrayLike) -> NDArray[np.bool_]:
    """Samples from which linear interpolation gives all others within a tolerance.

    One pass, by the swinging door: a sample is kept where no line from the last kept one passes all
    samples in between (Bristol, US patent 4669097, expired).

    Args:
        times: increasing, shape (T,).
        values: of N tracks with C numbers each, shape (T, N, C).
        tolerance: greatest error of a number, one for all tracks or shape (N,).

    Returns:
        Which samples each track needs, the first and last included; none of a track that stays
        within the tolerance of its first sample; shape (T, N).
    """
    times, values = np.asarray(times, np.float64), np.asarray(values, np.float64)
    count, tracks = values.shape[:2]
    needed = np.zeros((count, tracks), np.bool_)
    slack = np.broadcast_to(np.asarray(tolerance, np.float64), (tracks,))[:, None]
    moves = (np.abs(values - values[:1]) > slack).any(axis=(0, 2))
    if not moves.any():
        return needed
    rows = np.flatnonzero(moves)
    values, slack = values[:, rows], slack[rows]
    own = np.zeros((count, len(rows)), np.bool_)
    own[[0, -1]] = True
    start_time, start = np.full(len(rows), times[0]), values[0].copy()
    low, high = np.full(start.shape, -np.inf), np.full(start.shape, np.inf)
    for k in range(1, count):
        span = (times[k] - start_time)[:, None]
        slope = (values[k] - start) / span
        out = ((slope < low) | (slope > high)).any(axis=1)
        if out.any():
            own[k - 1, out] = True
            start_time[out], start[out] = times[k - 1], values[k - 1, out]
            low[out], high[out] = -np.inf, np.inf
            span = (times[k] - start_time)[:, None]
        change = values[k] - start
        low = np.maximum(low, (change - slack) / span)
        high = np.minimum(high, (change + slack) / span)
    needed[:, rows] = own
    return needed
