"""Comparisons of ``torch.testing`` that take our arrays as the tensors that they are."""

from __future__ import annotations

import functools
from typing import Any

from usdsim.views.usable import UsableArray

__all__ = ["compare_arrays", "compare_tensors_only"]


def compare_arrays() -> None:
    """Let ``torch.testing.assert_close`` take arrays of assets, where torch is installed.

    It is the one function of torch that asks for the types of its arguments itself.
    """
    try:
        from torch import testing
    except ImportError:
        return
    original = testing.assert_close
    if hasattr(original, "__wrapped__"):
        return

    @functools.wraps(original)
    def assert_close(actual: Any, expected: Any, *args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        given = (x.torch if isinstance(x, UsableArray) else x for x in (actual, expected))
        original(*given, *args, **kwargs)

    testing.assert_close = assert_close


def compare_tensors_only() -> None:
    """Give ``torch.testing`` its own function back."""
    try:
        from torch import testing
    except ImportError:
        return
    testing.assert_close = getattr(testing.assert_close, "__wrapped__", testing.assert_close)
