"""Report of an evaluation: how the episodes of a policy went."""

from __future__ import annotations

from collections.abc import Iterator

from usdsim.learning import Evaluation

__all__ = ["rows"]


def rows(result: Evaluation) -> Iterator[tuple[str, object]]:
    """Names and values of an evaluation, for the console."""
    yield "episodes", result.episodes
    yield "mean return", f"{result.mean_return:.3f}"
    yield "mean length", f"{result.mean_length:.1f} decisions"
    yield "without failing", f"{100.0 * result.lasted:.1f} %"
    for name, measured in result.measures.items():
        last = "" if measured.last is None else f", {measured.last:.3f} at the end"
        if measured.mean is not None:
            yield name.replace("_", " "), f"{measured.mean:.3f}{last}"
